// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contraction: inference and constraints.
#include "dialects/Weft/IR/EinsumEquation.h"
#include "dialects/Weft/IR/PackedWeights.h"
#include "dialects/Weft/IR/ScalarBody.h"
#include "dialects/Weft/IR/Weft.h"

using namespace mlir;
using namespace weft;

#define GET_OP_CLASSES
#include "dialects/Weft/IR/WeftContractionOps.cpp.inc"

//===----------------------------------------------------------------------===//
// matmul
//===----------------------------------------------------------------------===//

SmallVector<int64_t> PackedForm::innerDims() const {
  if (isOfBlocks())
    return {groups ? groups.words() : Int4Block::kRows, width};
  return together > 1 ? SmallVector<int64_t>{width, together} : SmallVector<int64_t>{width};
}

int64_t PackedForm::depthOfRow() const {
  return groups ? groups.getRows() : isInt4 ? Int4Block::kDepth : together;
}

/// What the form's rule says, and the [K, N] dims that a packed operand stands for. `lhs` is multiplied with
/// it and has that depth.
static FailureOr<SmallVector<Dim>> unpackedDims(Operation *op, const PackedForm &form, Value lhs,
                                                Value packed) {
  auto constant = [&](int64_t value) { return Dim::constant(op->getContext(), value); };
  SmallVector<Dim> dims = *getDims(packed);
  SmallVector<int64_t> inner = form.innerDims();
  auto isInner = [&](auto pair) { return std::get<0>(pair) == constant(std::get<1>(pair)); };
  if (form.columns < 0 || dims.size() != inner.size() + 2 ||
      dims[0] != constant(llvm::divideCeil(form.columns, form.width)) ||
      !llvm::all_of(llvm::zip(ArrayRef(dims).drop_front(2), inner), isInner))
    return op->emitOpError() << form.rule << ": expects a packed rhs of " << form.columns
                             << " columns in panels of " << form.width << ", got "
                             << describeType(packed.getType());
  if (!form.isOfBlocks())
    return SmallVector<Dim>{dims[1] * form.depthOfRow(), constant(form.columns)};
  Dim depth = getDims(lhs)->back();
  int64_t rows = form.depthOfRow();
  if (!depth || !depth.getConstant() || constant(llvm::divideCeil(*depth.getConstant(), rows)) != dims[1])
    return op->emitOpError() << form.rule << ": expects a lhs of known depth, and a block of rhs for each "
                             << rows << " of it, got " << describeType(lhs.getType()) << " and "
                             << describeType(packed.getType());
  return SmallVector<Dim>{depth, constant(form.columns)};
}

PackedForm MatmulOp::getPackedForm() {
  auto rhs = dyn_cast<RankedTensorType>(getRhs().getType());
  bool isNarrow = rhs && rhs.getRank() == 3 && rhs.getShape().back() == kNarrowPanelColumns &&
                  getElementTypeOrSelf(getLhs()).getIntOrFloatBitWidth() >= 32;
  return {"matmul-c7",
          int64_t(*getPackedColumns()),
          getGroupsAttr(),
          hasInt4Weights(),
          multipliesBytes(),
          packedTogether(),
          isNarrow ? kNarrowPanelColumns : kPanelColumns};
}

bool MatmulOp::multipliesBytes() {
  return getElementTypeOrSelf(getLhs()).isUnsignedInteger(8) && (hasQuads() || hasInt4Weights());
}

bool MatmulOp::hasQuads() {
  return getPackedColumns() && getElementTypeOrSelf(getLhs()).isUnsignedInteger(8) &&
         getElementTypeOrSelf(getRhs()).isSignlessInteger(8);
}

bool MatmulOp::hasPairs() {
  auto rhs = dyn_cast<RankedTensorType>(getRhs().getType());
  return getPackedColumns() && getElementTypeOrSelf(getLhs()).isBF16() && rhs && rhs.getRank() == 4 &&
         rhs.getElementType().isBF16();
}

int64_t MatmulOp::packedTogether() { return hasQuads() ? Quads::kDepth : hasPairs() ? Pairs::kDepth : 1; }

bool MatmulOp::hasInt4Weights() {
  Type lhs = getElementTypeOrSelf(getLhs());
  return getPackedColumns() && !getGroups() && (lhs.isF32() || lhs.isUnsignedInteger(8)) &&
         getElementTypeOrSelf(getRhs()).isSignlessInteger(32);
}

Type MatmulOp::getSumType() {
  if (multipliesBytes())
    return IntegerType::get(getContext(), 32);
  bool areFloats = getF32Sums() || hasPairs();
  return areFloats ? Type(Float32Type::get(getContext())) : getElementTypeOrSelf(getResult());
}

static LogicalResult verifyEpilogue(MatmulOp op, std::optional<ArrayRef<Dim>> result) {
  for (Value capture : op.getCaptures()) {
    auto dims = getDims(capture);
    if (!dims || !result)
      continue;
    bool fits = dims->size() <= result->size();
    for (size_t i = 0; fits && i < dims->size(); ++i) {
      Dim from = (*dims)[i], into = (*result)[result->size() - dims->size() + i];
      fits = !from || !into || !from.getConstant() || !into.getConstant() || from == into ||
             from.getConstant() == 1;
    }
    if (!fits)
      return op.emitOpError() << "matmul-c5: capture " << describeType(capture.getType())
                              << " does not broadcast to the result";
  }
  if (op.getEpilogue().empty()) {
    if (op.multipliesBytes())
      return op.emitOpError("matmul-c6: sums of bytes need an epilogue");
    return op.getCaptures().empty() ? success()
                                    : LogicalResult(op.emitOpError("matmul-c6: captures need an epilogue"));
  }
  Type sum = op.getSumType();
  Block &body = op.getEpilogue().front();
  bool matches = op.getEpilogue().hasOneBlock() && body.getNumArguments() == op.getCaptures().size() + 1 &&
                 body.getArgument(0).getType() == sum;
  for (size_t i = 0; matches && i < op.getCaptures().size(); ++i)
    matches = body.getArgument(i + 1).getType() == getScalarType(getElementTypeOrSelf(op.getCaptures()[i]));
  auto yield = matches && !body.empty() ? dyn_cast<YieldOp>(body.back()) : YieldOp();
  if (!yield || yield.getNumOperands() != 1 ||
      yield.getOperand(0).getType() != getScalarType(getElementTypeOrSelf(op.getResult())))
    return op.emitOpError(
        "matmul-c6: expects an epilogue with an argument for the sum and one for each capture, "
        "that yields one element");
  return success();
}

/// Whether groups of words may stand for elements.
static bool isGroupsOf(Type stored, Type element) {
  return stored.isSignlessInteger(32) && isa<Float32Type, Float16Type, BFloat16Type>(element);
}

/// Whether a rhs of this element type may stand for one of lhs's.
static bool isStorageOf(MatmulOp op, Type stored, Type element) {
  if (op.getGroups())
    return isGroupsOf(stored, element);
  return stored == element ||
         (op.getPackedColumns() && element.isF32() &&
          (stored.isBF16() || stored.isF16() || stored.isSignlessInteger(8))) ||
         op.hasInt4Weights() || op.hasQuads();
}

/// What an epilogue makes of sums of bytes: the result's type, which alone says whether bytes have signs.
static Type elementOfByteSums(MatmulOp op) {
  Type element = getElementTypeOrSelf(op.getResult());
  bool isKnown = element.isF32() || element.isSignlessInteger(32) || element.isInteger(8);
  return isKnown ? element : Float32Type::get(op.getContext());
}

/// What an epilogue of sums of f32 makes of them.
static Type yieldedFloat(MatmulOp op) {
  Type f32 = Float32Type::get(op.getContext());
  Region &epilogue = op.getEpilogue();
  auto yield =
      epilogue.empty() || epilogue.front().empty() ? YieldOp() : dyn_cast<YieldOp>(epilogue.front().back());
  if (!yield || yield.getNumOperands() != 1)
    return f32; // its verifier says so
  Type element = yield.getOperand(0).getType();
  return element.isF16() || element.isBF16() ? element : f32;
}

LogicalResult MatmulOp::inferTypes(InferContext &context, SmallVectorImpl<Type> &types) {
  Type element = getElementTypeOrSelf(getLhs());
  if (getGroups() && !getPackedColumns())
    return emitOpError("matmul-c8: expects groups of a packed rhs only");
  if (!isStorageOf(*this, getElementTypeOrSelf(getRhs()), element))
    return emitOpError() << "matmul-c4: expects operands of one element type, got " << element << " and "
                         << getElementTypeOrSelf(getRhs());
  if (getF32Sums() && ((getPackedColumns() && !getGroups()) || (!element.isF16() && !element.isBF16())))
    return emitOpError("matmul-c9: expects f32_sums of f16 or bf16, and of no packed rhs without groups");
  if (getTf32() && (!element.isF32() || !getElementTypeOrSelf(getRhs()).isF32() || getPackedColumns()))
    return emitOpError("matmul-c10: expects operands of tf32 to be f32, and rhs not to be packed");
  if (getF32Sums() || hasPairs())
    element = yieldedFloat(*this);
  else if (multipliesBytes())
    element = elementOfByteSums(*this);
  auto lhs = getDims(getLhs()), rhs = getDims(getRhs());
  if (!lhs || !rhs) {
    types.push_back(UnrankedTensorType::get(element));
    return verifyEpilogue(*this, std::nullopt);
  }
  if (lhs->empty() || rhs->empty())
    return emitOpError("matmul-c1: expects operands of rank 1 or more, got a scalar");
  if (getPackedColumns()) {
    auto unpacked = unpackedDims(*this, getPackedForm(), getLhs(), getRhs());
    if (failed(unpacked))
      return failure();
    rhs = *unpacked;
  }
  Dim rows = lhs->size() > 1 ? (*lhs)[lhs->size() - 2] : Dim();
  Dim left = lhs->back(), right = rhs->size() > 1 ? (*rhs)[rhs->size() - 2] : rhs->back();
  if (!requireEqual(context, *this, left, right))
    return emitOpError() << "matmul-c2: contracts " << left.toString() << " columns of lhs ("
                         << describeType(getLhs().getType()) << ") with " << right.toString()
                         << " rows of rhs (" << describeType(getRhs().getType()) << ")";
  SmallVector<Dim> lhsBatch(ArrayRef(*lhs).drop_back(std::min<size_t>(lhs->size(), 2)));
  SmallVector<Dim> rhsBatch(ArrayRef(*rhs).drop_back(std::min<size_t>(rhs->size(), 2)));
  auto dims = broadcastShapes(context, *this, {lhsBatch, rhsBatch}, "matmul-c3");
  if (failed(dims))
    return failure();
  if (lhs->size() > 1)
    dims->push_back(rows);
  if (rhs->size() > 1)
    dims->push_back(rhs->back());
  types.push_back(getTensorType(context, *dims, element));
  return verifyEpilogue(*this, ArrayRef(*dims));
}

//===----------------------------------------------------------------------===//
// conv
//===----------------------------------------------------------------------===//

static bool areAllPositive(ArrayRef<int64_t> values, size_t count) {
  return values.size() == count && llvm::all_of(values, [](int64_t value) { return value > 0; });
}

/// Appends how many places a kernel has in each of the spatial dims, padded ones; guards that there are any.
/// Fails where there are none.
template <typename Op>
static LogicalResult addPlaces(Op op, InferContext &context, ArrayRef<Dim> padded, ArrayRef<Dim> kernel,
                               SmallVectorImpl<Dim> &dims) {
  for (auto [in, taps, stride, dilation] :
       llvm::zip_equal(padded, kernel, op.getStrides(), op.getDilations())) {
    // What is left for the window to move over.
    Dim room = in - (taps - 1) * dilation - 1;
    if (room && room.getConstant().value_or(0) < 0)
      return failure();
    if (room && !provablyNonNegative(room))
      context.guard(op, Relation::LessEqual, Dim::constant(op.getContext(), 0), room);
    dims.push_back(room ? Dim::floorDiv(room, Dim::constant(op.getContext(), stride)) + 1 : Dim());
  }
  return success();
}

static LogicalResult verifyWindow(ConvOp op, size_t spatial) {
  if (!areAllPositive(op.getStrides(), spatial) || !areAllPositive(op.getDilations(), spatial) ||
      op.getPads().size() != 2 * spatial || llvm::any_of(op.getPads(), [](int64_t v) { return v < 0; }))
    return op.emitOpError() << "conv-c2: expects " << spatial << " positive strides and dilations and "
                            << 2 * spatial << " pads that are not negative";
  return success();
}

static LogicalResult verifyChannels(ConvOp op, InferContext &context, ArrayRef<Dim> input,
                                    ArrayRef<Dim> filter) {
  int64_t groups = op.getGroups();
  std::optional<int64_t> outputs = filter[0] ? filter[0].getConstant() : std::nullopt;
  if (groups <= 0 || (outputs && *outputs % groups != 0) ||
      (input[1] && filter[1] && !requireEqual(context, op, input[1], filter[1] * groups)))
    return op.emitOpError() << "conv-c3: expects input channels to be groups (" << groups
                            << ") times the filter's, got " << describeType(op.getInput().getType())
                            << " and " << describeType(op.getFilter().getType());
  if (groups > 1 && filter[0] && !outputs)
    context.guard(op, Relation::Equal, Dim::mod(filter[0], Dim::constant(op.getContext(), groups)),
                  Dim::constant(op.getContext(), 0));
  if (Value bias = op.getBias()) {
    auto dims = getDims(bias);
    if (dims && (dims->size() != 1 || !requireEqual(context, op, dims->front(), filter[0])))
      return op.emitOpError() << "conv-c4: expects a bias for each output channel, got "
                              << describeType(bias.getType());
  }
  return success();
}

LogicalResult ConvOp::inferTypes(InferContext &context, SmallVectorImpl<Type> &types) {
  Type element = getElementTypeOrSelf(getInput());
  if (element != getElementTypeOrSelf(getFilter()) ||
      (getBias() && element != getElementTypeOrSelf(getBias())))
    return emitOpError("conv-c4: expects operands of one element type");
  auto input = getDims(getInput()), filter = getDims(getFilter());
  if (!input || !filter) {
    types.push_back(UnrankedTensorType::get(element));
    return success();
  }
  if (input->size() < 3 || input->size() != filter->size())
    return emitOpError() << "conv-c1: expects input and filter of one rank, at least 3, got " << input->size()
                         << " and " << filter->size();
  size_t spatial = input->size() - 2;
  if (failed(verifyWindow(*this, spatial)) || failed(verifyChannels(*this, context, *input, *filter)))
    return failure();
  ArrayRef<Dim> kernel = ArrayRef(*filter).drop_front(2);
  if (llvm::any_of(kernel, [](Dim taps) { return taps && taps.getConstant().value_or(1) <= 0; }))
    return emitOpError("conv-c2: expects a kernel that is not empty");
  SmallVector<Dim> dims{(*input)[0], (*filter)[0]}, padded;
  for (size_t i = 0; i < spatial; ++i)
    padded.push_back((*input)[i + 2] + getPads()[i] + getPads()[i + spatial]);
  if (failed(addPlaces(*this, context, padded, kernel, dims)))
    return emitOpError() << "conv-c5: the kernel is larger than the padded input";
  types.push_back(getTensorType(context, dims, element));
  return success();
}

//===----------------------------------------------------------------------===//
// windows, depthwise_conv
//===----------------------------------------------------------------------===//

LogicalResult WindowsOp::inferTypes(InferContext &context, SmallVectorImpl<Type> &types) {
  Type element = getElementTypeOrSelf(getInput());
  auto input = getDims(getInput());
  if (!input) {
    types.push_back(UnrankedTensorType::get(element));
    return success();
  }
  if (input->size() < 3)
    return emitOpError() << "windows-c1: expects an input of rank 3 or more, got "
                         << describeType(getInput().getType());
  size_t spatial = input->size() - 2;
  if (!areAllPositive(getKernel(), spatial) || !areAllPositive(getStrides(), spatial) ||
      !areAllPositive(getDilations(), spatial))
    return emitOpError() << "windows-c2: expects " << spatial
                         << " positive kernel sizes, strides and dilations";
  SmallVector<Dim> dims{input->front()},
      kernel =
          llvm::map_to_vector(getKernel(), [&](int64_t size) { return Dim::constant(getContext(), size); });
  if (failed(addPlaces(*this, context, ArrayRef(*input).drop_front().drop_back(), kernel, dims)))
    return emitOpError("windows-c3: the kernel is larger than the input");
  llvm::append_range(dims, kernel);
  dims.push_back(input->back());
  types.push_back(getTensorType(context, dims, element));
  return success();
}

LogicalResult DepthwiseConvOp::inferTypes(InferContext &context, SmallVectorImpl<Type> &types) {
  Type element = getElementTypeOrSelf(getInput());
  auto input = getDims(getInput()), filter = getDims(getFilter());
  if (element != getElementTypeOrSelf(getFilter()) ||
      (input && filter && (input->size() < 3 || filter->size() + 1 != input->size())))
    return emitOpError()
           << "depthwise-conv-c1: expects an input of rank 3 or more and a filter of one less, of one "
              "element type, got "
           << describeType(getInput().getType()) << " and " << describeType(getFilter().getType());
  if (!input || !filter) {
    types.push_back(UnrankedTensorType::get(element));
    return success();
  }
  size_t spatial = input->size() - 2;
  ArrayRef<Dim> kernel = ArrayRef(*filter).drop_back();
  bool isKnown = llvm::all_of(kernel, [](Dim size) { return size && size.getConstant().value_or(0) > 0; });
  if (!isKnown || !areAllPositive(getStrides(), spatial) || !areAllPositive(getDilations(), spatial))
    return emitOpError() << "depthwise-conv-c2: expects a known kernel, and " << spatial
                         << " positive strides and dilations";
  if (!requireEqual(context, *this, input->back(), filter->back()))
    return emitOpError() << "depthwise-conv-c3: expects one number of channels, got "
                         << describeType(getInput().getType()) << " and "
                         << describeType(getFilter().getType());
  SmallVector<Dim> dims{input->front()};
  if (failed(addPlaces(*this, context, ArrayRef(*input).drop_front().drop_back(), kernel, dims)))
    return emitOpError("depthwise-conv-c4: the kernel is larger than the input");
  dims.push_back(input->back());
  types.push_back(getTensorType(context, dims, element));
  return success();
}

//===----------------------------------------------------------------------===//
// routed_matmul
//===----------------------------------------------------------------------===//

PackedForm RoutedMatmulOp::getPackedForm() {
  auto type = dyn_cast<RankedTensorType>(getWeights().getType());
  bool isKnown = type && type.getRank() > 0 && !type.isDynamicDim(0);
  Type stored = getElementTypeOrSelf(getWeights());
  return {"routed-matmul-c3", isKnown ? type.getDimSize(0) * MatmulOp::kPanelColumns : -1, getGroupsAttr(),
          !getGroups() && stored.isSignlessInteger(32)};
}

/// Whether packed weights of this element type may stand for those of input's.
static bool isStorageOf(RoutedMatmulOp op, Type stored, Type element) {
  if (op.getGroups())
    return isGroupsOf(stored, element);
  bool isFewerBits = element.isF32() && (stored.isBF16() || stored.isF16() || stored.isSignlessInteger(32));
  return stored == element || (op.getPackedColumns() && isFewerBits);
}

/// routed-matmul-c3, and the [E, K, N] dims that packed weights stand for.
static FailureOr<SmallVector<Dim>> unpackedDims(RoutedMatmulOp op) {
  auto merged = unpackedDims(op, op.getPackedForm(), op.getInput(), op.getWeights());
  if (failed(merged))
    return failure();
  auto columns = int64_t(*op.getPackedColumns());
  int64_t panels = cast<ShapedType>(op.getWeights().getType()).getDimSize(0);
  int64_t each = columns < 0 ? 0 : llvm::divideCeil(columns, MatmulOp::kPanelColumns);
  if (each == 0 || panels % each != 0)
    return op.emitOpError() << "routed-matmul-c3: expects packed matrices of " << columns
                            << " columns in panels of " << MatmulOp::kPanelColumns << ", got "
                            << describeType(op.getWeights().getType());
  auto constant = [&](int64_t value) { return Dim::constant(op.getContext(), value); };
  return SmallVector<Dim>{constant(panels / each), merged->front(), constant(columns)};
}

LogicalResult RoutedMatmulOp::inferTypes(InferContext &context, SmallVectorImpl<Type> &types) {
  Type element = getElementTypeOrSelf(getInput());
  auto input = getDims(getInput()), weights = getDims(getWeights()), experts = getDims(getExperts());
  auto describe = [&] { return llvm::join(llvm::map_range(getOperandTypes(), describeType), ", "); };
  if (getGroups() && !getPackedColumns())
    return emitOpError("routed-matmul-c3: expects groups of packed weights only");
  if ((input && input->size() != 2) || (weights && !getPackedColumns() && weights->size() != 3) ||
      (experts && experts->size() != 1) || !isStorageOf(*this, getElementTypeOrSelf(getWeights()), element))
    return emitOpError()
           << "routed-matmul-c1: expects an input of rank 2, weights of rank 3 and of its element "
              "type, and experts of rank 1, got "
           << describe();
  if (!input || !weights || !experts) {
    types.push_back(UnrankedTensorType::get(element));
    return success();
  }
  if (getPackedColumns()) {
    auto unpacked = unpackedDims(*this);
    if (failed(unpacked))
      return failure();
    weights = *unpacked;
  }
  if (!requireEqual(context, *this, (*input)[0], (*experts)[0]) ||
      !requireEqual(context, *this, (*input)[1], (*weights)[1]))
    return emitOpError() << "routed-matmul-c2: expects an expert for each row, and weights of its depth, got "
                         << describe();
  types.push_back(getTensorType(context, {(*input)[0], (*weights)[2]}, element));
  return success();
}

//===----------------------------------------------------------------------===//
// einsum
//===----------------------------------------------------------------------===//

/// The size of a letter that two dims have: a 1 is broadcast, other dims are equal. Nothing if they differ.
static std::optional<Dim> meetDims(InferContext &context, EinsumOp op, Dim left, Dim right) {
  if (left && left.getConstant() == 1)
    return right;
  if (right && right.getConstant() == 1)
    return left;
  if (!requireEqual(context, op, left, right))
    return std::nullopt;
  return left && (left.isConstant() || !right || !right.isConstant()) ? left : right;
}

LogicalResult EinsumOp::inferTypes(InferContext &context, SmallVectorImpl<Type> &types) {
  if (getInputs().empty())
    return emitOpError("einsum-c1: expects an input");
  Type element = getElementTypeOrSelf(getInputs().front());
  SmallVector<int64_t> ranks;
  SmallVector<SmallVector<Dim>> shapes;
  for (Value input : getInputs()) {
    if (getElementTypeOrSelf(input) != element)
      return emitOpError() << "einsum-c3: expects operands of one element type, got " << element << " and "
                           << getElementTypeOrSelf(input);
    auto dims = getDims(input);
    if (!dims) {
      types.push_back(UnrankedTensorType::get(element));
      return success();
    }
    ranks.push_back(dims->size());
    shapes.push_back(*dims);
  }
  std::string error;
  std::optional<EinsumEquation> equation = EinsumEquation::parse(getEquation(), ranks, error);
  if (!equation)
    return emitOpError() << "einsum-c1: " << error << "; the equation is \"" << getEquation() << "\"";
  llvm::SmallDenseMap<int, Dim> sizes;
  for (auto [labels, dims] : llvm::zip(equation->inputs, shapes))
    for (auto [label, dim] : llvm::zip(labels, dims)) {
      auto [known, isNew] = sizes.try_emplace(label, dim);
      if (isNew)
        continue;
      std::optional<Dim> met = EinsumEquation::isEllipsis(label)
                                   ? broadcastDims(context, *this, known->second, dim)
                                   : meetDims(context, *this, known->second, dim);
      if (!met)
        return emitOpError() << "einsum-c2: expects equal dims for one letter, got "
                             << known->second.toString() << " and " << dim.toString() << " in \""
                             << getEquation() << "\"";
      known->second = *met;
    }
  SmallVector<Dim> dims =
      llvm::map_to_vector(equation->output, [&](int label) { return sizes.lookup(label); });
  types.push_back(getTensorType(context, dims, element));
  return success();
}
