// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An einsum becomes products of two operands at a time, from left to right, with moves and sums around them.
#include "compiler/Graph/Moves.h"
#include "dialects/Weft/IR/EinsumEquation.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace weft;
using namespace weft::graph;

using Labels = SmallVector<int>;

namespace {

/// A tensor whose dims have labels, each once.
struct Labelled {
  Value value;
  Labels labels;

  int64_t find(int label) const { return llvm::find(labels, label) - labels.begin(); }
  bool has(int label) const { return llvm::is_contained(labels, label); }
  Dim dim(int label) const { return getDims(cast<ShapedType>(value.getType()))[find(label)]; }
};

/// How the labels of two operands meet. Shared ones that nobody else asks for are summed.
struct Meeting {
  Labels batch, left, right, summed;
};

class EinsumRewriter {
public:
  EinsumRewriter(EinsumOp op, PatternRewriter &rewriter, EinsumEquation equation)
      : op(op), rewriter(rewriter), location(op.getLoc()), equation(std::move(equation)) {}

  /// False, and nothing done, where a label's size is not known.
  bool findSizes();
  Value rewrite();

private:
  Labelled prepare(size_t index);
  Labelled takeDiagonal(Labelled operand, size_t first, size_t second);
  Labelled sumOut(Labelled operand, ArrayRef<int> others);
  Meeting meet(const Labelled &left, const Labelled &right, ArrayRef<int> kept) const;
  Labelled combine(Labelled left, Labelled right, ArrayRef<int> kept);
  Labelled multiply(const Labelled &left, const Labelled &right, const Meeting &meeting);
  Labelled contract(const Labelled &left, const Labelled &right, const Meeting &meeting);
  Labelled widen(Labelled operand, ArrayRef<int> labels, ArrayRef<Dim> dims);

  /// The operand with its dims in this order.
  Labelled order(const Labelled &operand, ArrayRef<int> labels);
  /// The same as dims of their own for `batch`, and the product of the others'.
  Value asMatrices(const Labelled &operand, ArrayRef<int> batch, ArrayRef<int> rows, ArrayRef<int> columns);
  /// The dims of labels of two operands.
  SmallVector<Dim> joinDims(ArrayRef<int> labels, const Labelled &left, const Labelled &right) const;
  /// Those of the result first, as they are there.
  Labels sorted(Labels labels) const;
  Dim one() const { return Dim::constant(rewriter.getContext(), 1); }

  EinsumOp op;
  PatternRewriter &rewriter;
  Location location;
  EinsumEquation equation;
  llvm::SmallMapVector<int, Dim, 8> sizes;
};

} // namespace

static void addUnique(Labels &to, ArrayRef<int> labels) {
  for (int label : labels)
    if (!llvm::is_contained(to, label))
      to.push_back(label);
}

static Labels concatenate(std::initializer_list<ArrayRef<int>> lists) {
  Labels result;
  for (ArrayRef<int> list : lists)
    llvm::append_range(result, list);
  return result;
}

bool EinsumRewriter::findSizes() {
  InferContext context; // guards are there already
  for (auto [labels, input] : llvm::zip(equation.inputs, op.getInputs()))
    for (auto [label, dim] : llvm::zip(labels, *getDims(input))) {
      Dim &size = sizes.insert({label, dim}).first->second;
      if (EinsumEquation::isEllipsis(label))
        size = broadcastDims(context, op, size, dim).value_or(Dim());
      else if (size.getConstant() == 1 || (dim.isConstant() && dim.getConstant() != 1))
        size = dim;
      if (!size)
        return false;
    }
  return true;
}

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

/// A square's diagonal: with a row of anything added, n * (n + 1) elements have it as their first column.
Labelled EinsumRewriter::takeDiagonal(Labelled operand, size_t first, size_t second) {
  SmallVector<int64_t> permutation;
  Labels labels;
  for (size_t i = 0; i < operand.labels.size(); ++i)
    if (i != first && i != second) {
      permutation.push_back(i);
      labels.push_back(operand.labels[i]);
    }
  int label = operand.labels[first];
  labels.push_back(label);
  llvm::append_values(permutation, int64_t(first), int64_t(second));
  Value value = makeTranspose(rewriter, location, operand.value, permutation);
  SmallVector<Dim> outer = *getDims(value);
  Dim size = outer.back(), zero = Dim::constant(rewriter.getContext(), 0);
  outer.pop_back_n(2);
  auto with = [&](std::initializer_list<Dim> dims) {
    SmallVector<Dim> all(outer);
    all.append(dims);
    return all;
  };
  auto attribute = [&](ArrayRef<Dim> dims) { return getDimsAttr(rewriter.getContext(), dims); };
  Type element = getElementTypeOrSelf(value);
  value = makeReshape(rewriter, location, value, with({size * size}));
  SmallVector<Dim> nothing(outer.size() + 1, zero), added(nothing);
  added.back() = size;
  value =
      PadOp::create(rewriter, location, getTensorType(with({size * size + size}), element), PadMode::Constant,
                    value, Value(), Value(), ArrayRef<int64_t>(), attribute(nothing), attribute(added));
  value = makeReshape(rewriter, location, value, with({size, size + 1}));
  nothing.push_back(zero);
  value = SliceOp::create(rewriter, location, getTensorType(with({size, one()}), element), value, Value(),
                          Value(), Value(), ArrayRef<int64_t>(), attribute(nothing),
                          SmallVector<int64_t>(nothing.size(), 1));
  return {makeReshape(rewriter, location, value, with({size})), labels};
}

/// Sums over the labels that `others` lack.
Labelled EinsumRewriter::sumOut(Labelled operand, ArrayRef<int> others) {
  SmallVector<int64_t> axes;
  Labelled result;
  SmallVector<Dim> dims;
  for (auto [i, label] : llvm::enumerate(operand.labels)) {
    if (!llvm::is_contained(others, label)) {
      axes.push_back(i);
      continue;
    }
    result.labels.push_back(label);
    dims.push_back(operand.dim(label));
  }
  if (axes.empty())
    return operand;
  result.value =
      ReduceOp::create(rewriter, location, getTensorType(dims, getElementTypeOrSelf(operand.value)),
                       ReduceKind::Sum, operand.value, axes, /*keepdims=*/false);
  return result;
}

/// An input with each label once, and without those that it has 1 of where others have more.
Labelled EinsumRewriter::prepare(size_t index) {
  Labelled operand{op.getInputs()[index], {}};
  SmallVector<Dim> dims;
  for (auto [label, dim] : llvm::zip(equation.inputs[index], *getDims(operand.value)))
    if (dim.getConstant() != 1 || sizes.lookup(label).getConstant() == 1) {
      operand.labels.push_back(label);
      dims.push_back(dim);
    }
  operand.value = makeReshape(rewriter, location, operand.value, dims);
  for (size_t i = 0; i < operand.labels.size(); ++i) {
    size_t again =
        llvm::find(ArrayRef(operand.labels).drop_front(i + 1), operand.labels[i]) - operand.labels.begin();
    if (again < operand.labels.size()) {
      operand = takeDiagonal(operand, i, again);
      i = size_t(-1); // Its dims have moved: look again from the first.
    }
  }
  return operand;
}

//===----------------------------------------------------------------------===//
// Two operands
//===----------------------------------------------------------------------===//

Labels EinsumRewriter::sorted(Labels labels) const {
  auto place = [&](int label) { return std::pair(llvm::find(equation.output, label), label); };
  llvm::sort(labels, [&](int a, int b) { return place(a) < place(b); });
  return labels;
}

Meeting EinsumRewriter::meet(const Labelled &left, const Labelled &right, ArrayRef<int> kept) const {
  Meeting meeting;
  for (int label : left.labels) {
    if (!right.has(label))
      meeting.left.push_back(label);
    else if (llvm::is_contained(kept, label))
      meeting.batch.push_back(label);
    else
      meeting.summed.push_back(label);
  }
  for (int label : right.labels)
    if (!left.has(label))
      meeting.right.push_back(label);
  meeting.batch = sorted(meeting.batch);
  meeting.left = sorted(meeting.left);
  meeting.right = sorted(meeting.right);
  return meeting;
}

Labelled EinsumRewriter::order(const Labelled &operand, ArrayRef<int> labels) {
  auto permutation = llvm::map_to_vector(labels, [&](int label) { return operand.find(label); });
  return {makeTranspose(rewriter, location, operand.value, permutation), Labels(labels)};
}

SmallVector<Dim> EinsumRewriter::joinDims(ArrayRef<int> labels, const Labelled &left,
                                          const Labelled &right) const {
  return llvm::map_to_vector(labels, [&](int label) {
    if (!left.has(label) || !right.has(label))
      return left.has(label) ? left.dim(label) : right.dim(label);
    InferContext context; // guards are there already
    return EinsumEquation::isEllipsis(label)
               ? broadcastDims(context, op, left.dim(label), right.dim(label)).value_or(Dim())
               : left.dim(label);
  });
}

/// An operand with these dims of labels that it may have 1 of at run time.
Labelled EinsumRewriter::widen(Labelled operand, ArrayRef<int> labels, ArrayRef<Dim> dims) {
  SmallVector<Dim> all = *getDims(operand.value);
  for (auto [label, dim] : llvm::zip(labels, dims))
    if (EinsumEquation::isEllipsis(label))
      all[operand.find(label)] = dim;
  operand.value = makeExpand(rewriter, location, operand.value, all);
  return operand;
}

Value EinsumRewriter::asMatrices(const Labelled &operand, ArrayRef<int> batch, ArrayRef<int> rows,
                                 ArrayRef<int> columns) {
  Labelled ordered = order(operand, concatenate({batch, rows, columns}));
  SmallVector<Dim> dims = *getDims(ordered.value);
  ArrayRef<Dim> all = dims;
  SmallVector<Dim> merged(all.take_front(batch.size()));
  merged.push_back(Dim::product(rewriter.getContext(), all.slice(batch.size(), rows.size())));
  merged.push_back(Dim::product(rewriter.getContext(), all.take_back(columns.size())));
  return makeReshape(rewriter, location, ordered.value, merged);
}

/// [batch, left, summed] * [batch, summed, right].
Labelled EinsumRewriter::contract(const Labelled &left, const Labelled &right, const Meeting &meeting) {
  Value lhs = asMatrices(left, meeting.batch, meeting.left, meeting.summed);
  Value rhs = asMatrices(right, meeting.batch, meeting.summed, meeting.right);
  SmallVector<Dim> dims = joinDims(meeting.batch, left, right), rows = *getDims(lhs);
  dims.push_back(rows[rows.size() - 2]);
  dims.push_back(getDims(rhs)->back());
  auto type = getTensorType(dims, getElementTypeOrSelf(lhs));
  Value value =
      MatmulOp::create(rewriter, location, type, lhs, rhs, ValueRange(), IntegerAttr(), WeightGroupsAttr());
  Labels labels = concatenate({meeting.batch, meeting.left, meeting.right});
  return {makeReshape(rewriter, location, value, joinDims(labels, left, right)), labels};
}

/// Element by element, where nothing is summed or integers are; sums follow.
Labelled EinsumRewriter::multiply(const Labelled &left, const Labelled &right, const Meeting &meeting) {
  Labels labels = concatenate({meeting.batch, meeting.left, meeting.right, meeting.summed});
  auto spread = [&](const Labelled &operand) {
    Labels own;
    SmallVector<Dim> dims;
    for (int label : labels) {
      dims.push_back(operand.has(label) ? operand.dim(label) : one());
      if (operand.has(label))
        own.push_back(label);
    }
    return makeReshape(rewriter, location, order(operand, own).value, dims);
  };
  auto type = getTensorType(joinDims(labels, left, right), getElementTypeOrSelf(left.value));
  return {MulOp::create(rewriter, location, type, spread(left), spread(right)), labels};
}

Labelled EinsumRewriter::combine(Labelled left, Labelled right, ArrayRef<int> kept) {
  Meeting meeting = meet(left, right, kept);
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(left.value));
  if (meeting.summed.empty() || !isFloat)
    return sumOut(multiply(left, right, meeting), kept);
  // What the result has first are the rows, so that the product need not be transposed.
  auto place = [&](ArrayRef<int> labels) {
    return labels.empty() ? equation.output.end() : llvm::find(equation.output, labels.front());
  };
  if (place(meeting.right) < place(meeting.left)) {
    std::swap(left, right);
    std::swap(meeting.left, meeting.right);
  }
  SmallVector<Dim> summed = joinDims(meeting.summed, left, right);
  return contract(widen(left, meeting.summed, summed), widen(right, meeting.summed, summed), meeting);
}

Value EinsumRewriter::rewrite() {
  Labelled result;
  for (size_t i = 0; i < op.getInputs().size(); ++i) {
    Labels kept(equation.output);
    for (const Labels &later : ArrayRef(equation.inputs).drop_front(i + 1))
      addUnique(kept, later);
    auto with = [&](const Labelled &other) {
      Labels labels(kept);
      addUnique(labels, other.labels);
      return labels;
    };
    Labelled operand = sumOut(prepare(i), with(result));
    result = i == 0 ? operand : combine(sumOut(result, with(operand)), operand, kept);
  }
  result = order(result, equation.output);
  return makeReshape(rewriter, location, result.value, *getDims(op.getResult()));
}

namespace {
struct NormalizeEinsum : NormalizingPattern<EinsumOp> {
  using NormalizingPattern::NormalizingPattern;
  LogicalResult rewrite(EinsumOp op, PatternRewriter &rewriter) const override {
    std::string error;
    auto ranks = llvm::map_to_vector(op.getInputs().getTypes(),
                                     [](Type type) { return cast<RankedTensorType>(type).getRank(); });
    std::optional<EinsumEquation> equation = EinsumEquation::parse(op.getEquation(), ranks, error);
    if (!equation)
      return rewriter.notifyMatchFailure(op, error);
    EinsumRewriter einsum(op, rewriter, std::move(*equation));
    if (!einsum.findSizes())
      return rewriter.notifyMatchFailure(op, "a size is not known");
    rewriter.replaceOp(op, einsum.rewrite());
    return success();
  }
};
} // namespace

void weft::graph::addEinsumPatterns(RewritePatternSet &patterns, Pass::Statistic &normalized) {
  patterns.add<NormalizeEinsum>(patterns.getContext(), normalized);
}
