// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shape: constants, shapes as data, views and moves.
#include "frontend/Builder/Layers/Basics.h"
#include "frontend/Onnx/OpTable.h"
#include "frontend/Onnx/Ops/RunAxes.h"
#include "frontend/Onnx/Ops/RunSteps.h"

using namespace mlir;
using namespace weft;
using weft::onnx::Arity;
using weft::onnx::AttributeKind;
using weft::onnx::AttributeRow;
using weft::onnx::DiagnosticId;
using weft::onnx::NodeImport;
using weft::onnx::OpTable;
using weft::onnx::OptionalInts;
using weft::onnx::RunAxes;
using weft::onnx::RunSteps;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static Value buildConstant(NodeImport &node) {
  StringRef given;
  for (StringRef form : {"value", "value_int", "value_ints", "value_float", "value_floats", "value_string",
                         "value_strings", "sparse_value"})
    if (node.has(form)) {
      if (!given.empty())
        return node.error(DiagnosticId::NodeAttributeRange,
                          "expects one value, got both \"" + given + "\" and \"" + form + "\"");
      given = form;
    }
  if (given == "value")
    return node.constant(*node.tensor("value"));
  if (given == "value_int")
    return node.graph.scalar(node.integer("value_int", 0));
  if (given == "value_ints")
    return node.graph.vector(*node.integers("value_ints"));
  if (given == "value_float")
    return node.graph.scalar(node.number("value_float", 0));
  if (given == "value_floats") {
    ArrayRef<float> values = node.numbers("value_floats");
    return node.graph.constant({int64_t(values.size())}, values);
  }
  if (given.empty())
    return node.error(DiagnosticId::NodeAttributeMissing, "expects the attribute \"value\", got none");
  return node.error(DiagnosticId::ElementTypeUnsupported,
                    "expects a dense tensor of numbers, got \"" + given + "\"");
}

/// A list of sizes, which is as long as the rank that the model declares of the result, where its own length
/// is not known. Null after an error.
static Value settleSizes(NodeImport &node, Value sizes) {
  std::optional<int64_t> rank = node.declaredRank(0);
  bool isUnknown = NodeImport::rankOf(sizes) == 1 && !NodeImport::knownSize(sizes, 0);
  return !isUnknown || !rank || node.requireDim(sizes, 0, *rank, "its shape") ? sizes : Value();
}

static Value buildConstantOfShape(NodeImport &node) {
  const onnx::Tensor *tensor = node.tensor("value");
  if (tensor && tensor->elementCount() != 1)
    return node.error(DiagnosticId::NodeAttributeRange,
                      "expects \"value\" to have one element, got " + Twine(tensor->elementCount()));
  Value value = tensor ? node.constantScalar(*tensor) : node.graph.scalar(0.0f);
  Value sizes = settleSizes(node, node.input(0));
  return sizes ? node.graph.expand(value, sizes) : Value();
}

//===----------------------------------------------------------------------===//
// Shapes as data
//===----------------------------------------------------------------------===//

static Value buildShape(NodeImport &node) {
  std::optional<int64_t> rank = node.requireRank(node.input(0), "its input");
  if (!rank)
    return nullptr;
  // Out of range is no error here: both are clamped.
  auto clamped = [&](StringRef name, int64_t otherwise) {
    int64_t at = node.integer(name, otherwise);
    return std::clamp<int64_t>(at < 0 ? at + *rank : at, 0, *rank);
  };
  int64_t start = clamped("start", 0), end = clamped("end", *rank);
  return node.graph.shape(node.input(0), start, std::max(start, end));
}

static Value buildSize(NodeImport &node) {
  std::optional<int64_t> rank = node.requireRank(node.input(0), "its input");
  return rank ? node.productOfDims(node.input(0), 0, *rank) : Value();
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

static Value buildReshape(NodeImport &node) {
  Value sizes = settleSizes(node, node.input(1));
  return sizes ? node.graph.reshape(node.input(0), sizes, node.integer("allowzero", 0) != 0) : Value();
}

/// [a, b, c, d] with axis 2 is [a * b, c * d].
static Value buildFlatten(NodeImport &node) {
  Value input = node.input(0);
  std::optional<int64_t> rank = node.requireRank(input, "its input");
  std::optional<int64_t> axis =
      rank ? node.axis(node.integer("axis", 1), rank, /*mayBeEnd=*/true) : std::nullopt;
  if (!axis)
    return nullptr;
  MLIRContext *context = node.graph.getContext();
  SmallVector<Dim> dims = *getDims(input);
  Dim rows = Dim::product(context, ArrayRef(dims).take_front(*axis));
  Dim columns = Dim::product(context, ArrayRef(dims).drop_front(*axis));
  auto known = [](Dim dim) { return dim ? dim.getConstant() : std::nullopt; };
  if (known(rows) && known(columns))
    return node.graph.reshape(input, node.graph.vector({*known(rows), *known(columns)}), /*allowZero=*/true);
  if (known(rows).value_or(0) > 0)
    return node.graph.reshape(input, {*known(rows), -1});
  if (known(columns).value_or(0) > 0)
    return node.graph.reshape(input, {-1, *known(columns)});
  if (*axis == 1)
    return node.graph.reshape(input, {0, -1}); // 0 keeps the dim.
  Value parts[] = {node.graph.unsqueeze(node.productOfDims(input, 0, *axis), {0}),
                   node.graph.unsqueeze(node.productOfDims(input, *axis, *rank), {0})};
  return node.graph.reshape(input, node.graph.concat(parts, 0), /*allowZero=*/true);
}

/// Without axes, Squeeze drops all dims that are 1; which ones those are must be known.
static OptionalInts axesOfOnes(NodeImport &node) {
  auto dims = getDims(node.input(0));
  SmallVector<int64_t> axes;
  for (auto [i, dim] : llvm::enumerate(dims.value_or(SmallVector<Dim>()))) {
    if (dim && dim.getConstant() == 1)
      axes.push_back(i);
    if (dim && dim.getConstant())
      continue;
    dims = std::nullopt;
    break;
  }
  if (dims)
    return axes;
  node.error(DiagnosticId::RankUnknown, "expects axes, since not all dims of its input are constants: " +
                                            describeType(node.input(0).getType()));
  return std::nullopt;
}

// The axes of Squeeze and Unsqueeze, if only a run gives them: the number of elements says whether they fit.

static Value squeezeByRun(NodeImport &node) {
  Value input = node.input(0);
  std::optional<RunAxes> axes = RunAxes::get(node, 1);
  if (!axes)
    return nullptr;
  Value shape = axes->withoutAxes(node.graph.shape(input));
  return node.graph.reshape(axes->checked(input), shape, /*allowZero=*/true);
}

static Value unsqueezeByRun(NodeImport &node) {
  GraphBuilder &graph = node.graph;
  Value input = node.input(0);
  std::optional<int64_t> rank = node.requireRank(input, "its input");
  auto type = dyn_cast<RankedTensorType>(node.input(1).getType());
  int64_t count = type && type.hasStaticShape() ? type.getNumElements() : 0;
  std::optional<RunAxes> axes = rank ? RunAxes::get(node, 1, *rank + count) : std::nullopt;
  if (!axes)
    return nullptr;
  Value shape = axes->withOnes(graph.shape(input));
  return axes->checked(graph.reshape(input, shape, /*allowZero=*/true));
}

static Value buildSqueeze(NodeImport &node) {
  if (node.isGivenByRun(1))
    return squeezeByRun(node);
  OptionalInts given;
  if (!node.integersOrInput("axes", 1, given))
    return nullptr;
  OptionalInts axes = given ? node.axes(*given, NodeImport::rankOf(node.input(0))) : axesOfOnes(node);
  return axes ? node.graph.squeeze(node.input(0), *axes) : Value();
}

static Value buildUnsqueeze(NodeImport &node) {
  if (node.isGivenByRun(1))
    return unsqueezeByRun(node);
  OptionalInts given;
  if (!node.integersOrInput("axes", 1, given) || !given)
    return nullptr;
  std::optional<int64_t> rank = NodeImport::rankOf(node.input(0));
  if (rank)
    *rank += given->size();
  OptionalInts axes = node.axes(*given, rank);
  return axes ? node.graph.unsqueeze(node.input(0), *axes) : Value();
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

static Value buildTranspose(NodeImport &node) {
  if (OptionalInts permutation = node.integers("perm"))
    return node.graph.transpose(node.input(0), *permutation);
  std::optional<int64_t> rank = node.requireRank(node.input(0), "its input");
  if (!rank)
    return nullptr;
  return node.graph.transpose(node.input(0), llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(0, *rank))));
}

static Value buildConcat(NodeImport &node) {
  // The inputs have one rank, so any that is known will do.
  std::optional<int64_t> rank;
  for (Value input : node.getInputs())
    if (!rank)
      rank = NodeImport::rankOf(input);
  std::optional<int64_t> axis = node.axis(node.integer("axis", 0), rank);
  return axis ? node.graph.concat(node.getInputs(), *axis) : Value();
}

/// The axes of a slice; those not given are the first ones, as many as there are starts. Their order is that
/// of the starts, so they are not sorted.
static OptionalInts axesOfSlice(NodeImport &node, OptionalInts given, Value starts) {
  if (!given) {
    auto type = dyn_cast<RankedTensorType>(starts.getType());
    if (type && type.getRank() == 1 && type.hasStaticShape())
      return llvm::to_vector(llvm::seq<int64_t>(0, type.getDimSize(0)));
    node.error(DiagnosticId::RankUnknown, "expects axes, since the number of its starts is not known");
    return std::nullopt;
  }
  for (int64_t &axis : *given) {
    std::optional<int64_t> normal = node.axis(axis, NodeImport::rankOf(node.input(0)));
    if (!normal)
      return std::nullopt;
    axis = *normal;
  }
  return given;
}

/// By steps that a run gives, of either sign: what is at the places that they come by.
static Value sliceBySteps(NodeImport &node, Value input, Value starts, Value ends, Value steps,
                          ArrayRef<int64_t> axes) {
  GraphBuilder &graph = node.graph;
  int64_t count = int64_t(axes.size());
  for (Value *bound : {&starts, &ends, &steps}) {
    if (!node.hasRank(*bound, 1, "starts, ends and steps") ||
        !node.requireDim(*bound, 0, count, "starts, ends and steps"))
      return nullptr;
    *bound = node.castTo(*bound, graph.i64());
  }
  RunSteps run(node, steps);
  input = run.checked(input);
  auto [first, counts] =
      run.clampBounds(starts, ends, graph.gather(graph.shape(input), graph.vector(axes), 0));
  for (auto [i, axis] : llvm::enumerate(axes)) {
    Value places =
        graph.multiply(run.places(node.element(counts, int64_t(i))), node.element(steps, int64_t(i)));
    input = graph.gather(input, graph.addition(places, node.element(first, int64_t(i))), axis);
  }
  return input;
}

/// Along axes that a run gives: along all, of which the others are taken whole.
static Value sliceByRun(NodeImport &node) {
  GraphBuilder &graph = node.graph;
  Value input = node.input(0);
  std::optional<RunAxes> axes = RunAxes::get(node, 3);
  if (!axes)
    return nullptr;
  for (Value bound : {node.input(1), node.input(2), node.input(4)})
    if (bound && (!node.hasRank(bound, 1, "starts, ends and steps") ||
                  !node.requireDim(bound, 0, axes->getCount(), "starts, ends and steps")))
      return nullptr;
  Value ends = axes->choose(axes->spread(node.input(2), 0), graph.shape(input));
  OptionalInts known = node.input(4) ? node.knownInts(node.input(4)) : OptionalInts(SmallVector<int64_t>());
  bool areOne = known && llvm::all_of(*known, [](int64_t step) { return step == 1; });
  SmallVector<int64_t> all = llvm::to_vector(llvm::seq<int64_t>(0, axes->getRank()));
  Value starts = axes->spread(node.input(1), 0);
  if (!areOne)
    return sliceBySteps(node, axes->checked(input), starts, ends, axes->spread(node.input(4), 1), all);
  return graph.slice(axes->checked(input), starts, ends, /*steps=*/nullptr, all);
}

static Value buildSlice(NodeImport &node) {
  if (node.isGivenByRun(3))
    return sliceByRun(node);
  OptionalInts given;
  if (!node.integersOrInput("axes", 3, given))
    return nullptr;
  OptionalInts axes = axesOfSlice(node, given, node.input(1));
  if (axes && node.isGivenByRun(4))
    return sliceBySteps(node, node.input(0), node.input(1), node.input(2), node.input(4), *axes);
  return axes ? node.graph.slice(node.input(0), node.input(1), node.input(2), node.input(4), *axes) : Value();
}

/// Before opset 10 starts and ends are attributes.
static Value buildSliceByAttributes(NodeImport &node) {
  Value starts = node.graph.vector(*node.integers("starts")),
        ends = node.graph.vector(*node.integers("ends"));
  OptionalInts axes = axesOfSlice(node, node.integers("axes"), starts);
  return axes ? node.graph.slice(node.input(0), starts, ends, /*steps=*/nullptr, *axes) : Value();
}

/// A triangle whose diagonal is known only when the model runs: what is left of it, or right, is zero.
static Value buildTriluOfData(NodeImport &node, Value diagonal, bool upper) {
  GraphBuilder &graph = node.graph;
  Value input = node.input(0);
  std::optional<int64_t> rank = node.requireRank(input, "its input");
  if (!rank)
    return nullptr;
  if (*rank < 2)
    return node.error(DiagnosticId::OperandType, "expects rank 2 or more, got " + Twine(*rank));
  Value distance =
      graph.subtract(node.places(input, *rank - 1), graph.unsqueeze(node.places(input, *rank - 2), {1}));
  if (NodeImport::rankOf(diagonal) == 1)
    diagonal = graph.squeeze(diagonal, {0});
  ComparePredicate kept = upper ? ComparePredicate::GreaterEqual : ComparePredicate::LessEqual;
  auto type = RankedTensorType::get({}, getElementTypeOrSelf(input));
  Attribute zero = Builder(graph.getContext()).getZeroAttr(type);
  return graph.where(graph.compare(kept, distance, diagonal), input, graph.constant(type, zero));
}

static Value buildTrilu(NodeImport &node) {
  bool upper = node.integer("upper", 1) != 0;
  Value given = node.input(1);
  if (!given)
    return node.graph.trilu(node.input(0), upper, 0);
  if (!given.getDefiningOp<ConstantOp>())
    return buildTriluOfData(node, given, upper);
  OptionalInts k = node.constantInts(1, "k");
  if (!k)
    return nullptr;
  if (k->size() != 1)
    return node.error(DiagnosticId::OperandType, "expects k to be one number, got " + Twine(k->size()));
  return node.graph.trilu(node.input(0), upper, k->front());
}

//===----------------------------------------------------------------------===//
// Split
//===----------------------------------------------------------------------===//

static Value splitBySizes(NodeImport &node, int64_t axis, ArrayRef<int64_t> sizes) {
  GraphBuilder &graph = node.graph;
  auto dims = getDims(node.input(0));
  std::optional<int64_t> whole;
  if (dims && axis < int64_t(dims->size()) && (*dims)[axis])
    whole = (*dims)[axis].getConstant();
  int64_t at = 0;
  SmallVector<int64_t> ends;
  for (int64_t size : sizes) {
    if (size < 0 || llvm::AddOverflow(at, size, at))
      return node.error(DiagnosticId::NodeAttributeRange, "expects sizes of parts, got " + Twine(size));
    ends.push_back(at);
  }
  if (sizes.size() != node.outputCount() || (whole && *whole != at))
    return node.error(DiagnosticId::NodeAttributeRange,
                      "expects sizes for " + Twine(node.outputCount()) + " parts of " +
                          (whole ? Twine(*whole) : Twine("the axis")) + ", got " + Twine(sizes.size()) +
                          " that sum up to " + Twine(at));
  Value input = whole || !dims ? node.input(0) : node.withDim(node.input(0), axis, graph.vector(at));
  for (size_t i = 0; i < sizes.size(); ++i)
    node.setOutput(i, graph.slice(input, graph.vector({ends[i] - sizes[i]}), graph.vector({ends[i]}),
                                  /*steps=*/nullptr, {axis}));
  return node.output(0).tensor;
}

/// Equal parts, rounded up; from opset 18 on the last may be smaller. Where the dim is not a constant their
/// size is computed.
static Value splitEvenly(NodeImport &node, int64_t axis) {
  int64_t parts = node.outputCount();
  Dim dim = (*getDims(node.input(0)))[axis];
  if (std::optional<int64_t> whole = dim ? dim.getConstant() : std::nullopt) {
    if (node.opset < 18 && *whole % parts != 0)
      return node.error(DiagnosticId::NodeAttributeRange,
                        "expects a dim that " + Twine(parts) + " parts divide, got " + Twine(*whole));
    int64_t size = llvm::divideCeil(*whole, parts);
    SmallVector<int64_t> sizes;
    for (int64_t left = *whole; int64_t(sizes.size()) < parts; left -= sizes.back())
      sizes.push_back(std::min(left, size));
    return splitBySizes(node, axis, sizes);
  }
  GraphBuilder &graph = node.graph;
  Value size =
      graph.divide(graph.addition(graph.shape(node.input(0), axis, axis + 1), graph.vector({parts - 1})),
                   graph.vector({parts}));
  Value input = node.input(0);
  if (node.opset < 18)
    input = node.withDim(input, axis, graph.multiply(size, graph.vector({parts})));
  for (int64_t i = 0; i < parts; ++i)
    node.setOutput(i, graph.slice(input, graph.multiply(size, graph.vector({i})),
                                  graph.multiply(size, graph.vector({i + 1})), /*steps=*/nullptr, {axis}));
  return node.output(0).tensor;
}

/// Parts whose sizes a run gives. Their sum is the dim's size, also without those that are negative: there
/// are none.
static Value splitByRun(NodeImport &node) {
  GraphBuilder &graph = node.graph;
  int64_t count = node.outputCount();
  std::optional<int64_t> rank = node.requireRank(node.input(0), "its input");
  std::optional<int64_t> axis = rank ? node.axis(node.integer("axis", 0), rank) : std::nullopt;
  Value given = node.input(1);
  if (!axis || !node.hasIndices(given, "the sizes of its parts") ||
      !node.hasRank(given, 1, "the sizes of its parts") ||
      !node.requireDim(given, 0, count, "the sizes of its parts"))
    return nullptr;
  Value sizes = graph.add("weft.max", {given, node.scalar(getElementTypeOrSelf(given), 0)}),
        begin = graph.vector({int64_t(0)});
  auto withSum = [&](Value input, Value parts) {
    return node.withDim(input, *axis, graph.reduce(ReduceKind::Sum, parts, {0}, /*keepdims=*/true));
  };
  Value input = withSum(withSum(node.input(0), given), sizes);
  for (int64_t i = 0; i < count; ++i) {
    Value end = graph.addition(begin, layers::slice(graph, sizes, 0, i, i + 1));
    node.setOutput(i, graph.slice(input, begin, end, /*steps=*/nullptr, {*axis}));
    begin = end;
  }
  return node.output(0).tensor;
}

static Value buildSplit(NodeImport &node) {
  int64_t parts = node.outputCount();
  if (parts == 0 || node.integer("num_outputs", parts) != parts)
    return node.error(DiagnosticId::NodeAttributeRange,
                      "expects \"num_outputs\" to be the number of outputs, " + Twine(parts) + ", got " +
                          Twine(node.integer("num_outputs", parts)));
  if (node.isGivenByRun(1))
    return splitByRun(node);
  OptionalInts sizes;
  if (!node.integersOrInput("split", 1, sizes))
    return nullptr;
  std::optional<int64_t> rank = NodeImport::rankOf(node.input(0));
  if (!sizes && !node.requireRank(node.input(0), "its input"))
    return nullptr;
  std::optional<int64_t> axis = node.axis(node.integer("axis", 0), rank);
  if (!axis)
    return nullptr;
  return sizes ? splitBySizes(node, *axis, *sizes) : splitEvenly(node, *axis);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static void addConstants(OpTable &table) {
  SmallVector<AttributeRow> forms{{"value", AttributeKind::Tensor}};
  table.add("Constant", {1, 9}, 0, forms, buildConstant);
  forms.push_back({"sparse_value", AttributeKind::Other});
  table.add("Constant", {11}, 0, forms, buildConstant);
  forms.append({{"value_int", AttributeKind::Int},
                {"value_ints", AttributeKind::Ints},
                {"value_float", AttributeKind::Float},
                {"value_floats", AttributeKind::Floats},
                {"value_string", AttributeKind::String},
                {"value_strings", AttributeKind::Strings}});
  table.add("Constant", {12, 13, 19, 21, 23, 24, 25}, 0, forms, buildConstant);
  table.add("ConstantOfShape", {9, 20, 21, 23, 24, 25}, 1, {{"value", AttributeKind::Tensor}},
            buildConstantOfShape);
  table.add("Shape", {1, 13}, 1, {}, buildShape);
  table.add("Shape", {15, 19, 21, 23, 24, 25}, 1,
            {{"start", AttributeKind::Int}, {"end", AttributeKind::Int}}, buildShape);
  table.add("Size", {1, 13, 19, 21, 23, 24, 25}, 1, {}, buildSize);
}

static void addViews(OpTable &table) {
  const AttributeRow axis = {"axis", AttributeKind::Int}, axes = {"axes", AttributeKind::Ints};
  table.add("Reshape", {5, 13}, 2, {}, buildReshape);
  table.add("Reshape", {14, 19, 21, 23, 24, 25}, 2, {{"allowzero", AttributeKind::Int}}, buildReshape);
  table.add("Flatten", {1, 9, 11, 13, 21, 23, 24, 25}, 1, axis, buildFlatten);
  table.add("Squeeze", {1, 11}, 1, axes, buildSqueeze);
  table.add("Squeeze", {13, 21, 23, 24, 25}, {1, 2}, {}, buildSqueeze);
  table.add("Unsqueeze", {1, 11}, 1, {{"axes", AttributeKind::Ints, true}}, buildUnsqueeze);
  table.add("Unsqueeze", {13, 21, 23, 24, 25}, 2, {}, buildUnsqueeze);
}

static void addMoves(OpTable &table) {
  const AttributeRow axis = {"axis", AttributeKind::Int}, axes = {"axes", AttributeKind::Ints};
  table.add("Transpose", {1, 13, 21, 23, 24, 25}, 1, {{"perm", AttributeKind::Ints}}, buildTranspose);
  table.add("Concat", {4, 11, 13}, {1, Arity::kAny}, {{"axis", AttributeKind::Int, true}}, buildConcat);
  table.add("Slice", {1}, 1,
            {{"starts", AttributeKind::Ints, true}, {"ends", AttributeKind::Ints, true}, axes},
            buildSliceByAttributes);
  table.add("Slice", {10, 11, 13}, {3, 5}, {}, buildSlice);
  table.add("Expand", {8, 13}, 2, {},
            [](NodeImport &node) { return node.graph.expand(node.input(0), node.input(1)); });
  table.add("Tile", {6, 13}, 2, {},
            [](NodeImport &node) { return node.graph.tile(node.input(0), node.input(1)); });
  table.add("Trilu", {14}, {1, 2}, {{"upper", AttributeKind::Int}}, buildTrilu);
  table.add("Split", {2, 11}, 1, {axis, {"split", AttributeKind::Ints}}, buildSplit, Arity::kAny);
  table.add("Split", {13}, {1, 2}, axis, buildSplit, Arity::kAny);
  table.add("Split", {18}, {1, 2}, {axis, {"num_outputs", AttributeKind::Int}}, buildSplit, Arity::kAny);
}

void weft::onnx::addShapeOps(OpTable &table) {
  addConstants(table);
  addViews(table);
  addMoves(table);
}
