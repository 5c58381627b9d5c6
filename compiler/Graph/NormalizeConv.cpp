// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions become products: of windows side by side, and the filter as a matrix.
#include "compiler/Graph/Moves.h"

using namespace mlir;
using namespace weft;
using namespace weft::graph;

namespace {

/// A convolution as the product [groups..., places, depth] * [groups..., depth, outputs].
class ConvToMatmul {
public:
  ConvToMatmul(ConvOp op, PatternRewriter &rewriter)
      : op(op), rewriter(rewriter), location(op.getLoc()), input(*getDims(op.getInput())),
        filter(*getDims(op.getFilter())), result(*getDims(op.getResult())), groups(op.getGroups()) {}

  /// Why there is no such product; empty if there is one.
  StringRef findObstacle() const;
  void rewrite();

private:
  size_t spatial() const { return input.size() - 2; }
  ArrayRef<Dim> places() const { return ArrayRef(result).drop_front(2); }
  ArrayRef<Dim> kernel() const { return ArrayRef(filter).drop_front(2); }
  Dim constant(int64_t value) const { return Dim::constant(rewriter.getContext(), value); }
  Dim product(ArrayRef<Dim> dims) const { return Dim::product(rewriter.getContext(), dims); }
  Dim depth() const { return filter[1] * product(kernel()); }

  bool isDense();
  bool isTiled();
  Value makeDenseWindows();
  Value makeTiledWindows();
  Value makePatches(Value from, Dim batch);
  Value padChannelsLast(Value from, Dim batch);
  Value makeTaps(size_t dim);
  Value gatherPatches(Value from, Dim batch);
  Value multiply(Value windows, Value weight, ArrayRef<Dim> dims);
  Value makeProduct();
  Value makeGroupedProduct();

  ConvOp op;
  PatternRewriter &rewriter;
  Location location;
  SmallVector<Dim> input, filter, result;
  int64_t groups;
};

} // namespace

static bool areAll(ArrayRef<int64_t> values, int64_t wanted) {
  return llvm::all_of(values, [=](int64_t value) { return value == wanted; });
}

StringRef ConvToMatmul::findObstacle() const {
  return product(places()) && depth() && Dim::floorDiv(filter[0], constant(groups))
             ? ""
             : "a size is no formula of at most 64 bits";
}

/// Whether every place looks at itself alone.
bool ConvToMatmul::isDense() {
  return llvm::all_of(kernel(), [](Dim dim) { return dim.getConstant() == 1; }) &&
         areAll(op.getStrides(), 1) && areAll(op.getPads(), 0);
}

/// Whether the windows cover the input without meeting: each element of it is in one.
bool ConvToMatmul::isTiled() {
  if (!areAll(op.getPads(), 0) || !areAll(op.getDilations(), 1))
    return false;
  return llvm::all_of(llvm::seq<size_t>(0, spatial()), [&](size_t i) {
    Dim size = kernel()[i];
    Dim rest = Dim::mod(input[i + 2], size);
    return size.getConstant() == op.getStrides()[i] && rest && rest.getConstant() == 0;
  });
}

/// [B, C, S...] as [B, S..., C].
Value ConvToMatmul::makeDenseWindows() {
  SmallVector<int64_t> channelsLast{0};
  llvm::append_range(channelsLast, llvm::seq<int64_t>(2, input.size()));
  channelsLast.push_back(1);
  return makeTranspose(rewriter, location, op.getInput(), channelsLast);
}

/// [B, C, s1 * k1, ...] as [B, s1..., C, k1...].
Value ConvToMatmul::makeTiledWindows() {
  SmallVector<Dim> split{input[0], input[1]};
  SmallVector<int64_t> order{0}, taps{1};
  for (size_t i = 0; i < spatial(); ++i) {
    llvm::append_values(split, places()[i], kernel()[i]);
    order.push_back(2 + 2 * i);
    taps.push_back(3 + 2 * i);
  }
  llvm::append_range(order, taps);
  return makeTranspose(rewriter, location, makeReshape(rewriter, location, op.getInput(), split), order);
}

/// [batch, C, S...] as [batch, S + pads..., C].
Value ConvToMatmul::padChannelsLast(Value from, Dim batch) {
  SmallVector<Dim> dims{batch};
  for (size_t i = 0; i < spatial(); ++i)
    dims.push_back(input[i + 2] + op.getPads()[i] + op.getPads()[i + spatial()]);
  dims.push_back(filter[1]);
  SmallVector<Dim> taps(dims);
  SmallVector<int64_t> ones(spatial(), 1);
  taps.append(spatial(), constant(1));
  Value padded = PatchesOp::create(rewriter, location, getTensorType(taps, getElementTypeOrSelf(from)), from,
                                   ones, ones, op.getPads(), ones);
  return makeReshape(rewriter, location, padded, dims);
}

/// Where in the padded input the taps of each place are, [s, k] of a spatial dim.
Value ConvToMatmul::makeTaps(size_t dim) {
  Type index = rewriter.getI64Type();
  auto range = [&](Dim size, int64_t step) -> Value {
    return RangeOp::create(rewriter, location, getTensorType({size}, index), Value(), Value(), Value(),
                           constant(0).getAttr(), rewriter.getI64IntegerAttr(step));
  };
  Dim places = result[dim + 2], taps = filter[dim + 2];
  Value begins = makeReshape(rewriter, location, range(places, op.getStrides()[dim]), {places, constant(1)});
  return AddOp::create(rewriter, location, getTensorType({places, taps}, index), begins,
                       range(taps, op.getDilations()[dim]));
}

/// The same as patches, of a kernel whose size only a run knows.
Value ConvToMatmul::gatherPatches(Value from, Dim batch) {
  Value value = padChannelsLast(from, batch);
  SmallVector<Dim> dims = *getDims(value);
  SmallVector<int64_t> order{0}, taps{1 + 2 * int64_t(spatial())};
  for (size_t i = spatial(); i-- > 0;) {
    dims[i + 1] = result[i + 2];
    dims.insert(dims.begin() + i + 2, filter[i + 2]);
    value = GatherOp::create(rewriter, location, getTensorType(dims, getElementTypeOrSelf(value)), value,
                             makeTaps(i), rewriter.getI64IntegerAttr(i + 1));
  }
  for (size_t i = 0; i < spatial(); ++i) {
    order.push_back(1 + 2 * i);
    taps.push_back(2 + 2 * i);
  }
  llvm::append_range(order, taps);
  return makeTranspose(rewriter, location, value, order);
}

/// [batch, C, S...] as [batch, s..., C, k...].
Value ConvToMatmul::makePatches(Value from, Dim batch) {
  if (!llvm::all_of(kernel(), [](Dim dim) { return dim.isConstant(); }))
    return gatherPatches(from, batch);
  SmallVector<Dim> dims{batch};
  llvm::append_range(dims, places());
  dims.push_back(filter[1]);
  llvm::append_range(dims, kernel());
  auto sizes = llvm::map_to_vector(kernel(), [](Dim dim) { return *dim.getConstant(); });
  return PatchesOp::create(rewriter, location, getTensorType(dims, getElementTypeOrSelf(from)), from, sizes,
                           op.getStrides(), op.getPads(), op.getDilations());
}

Value ConvToMatmul::multiply(Value windows, Value weight, ArrayRef<Dim> dims) {
  auto type = getTensorType(dims, getElementTypeOrSelf(windows));
  return MatmulOp::create(rewriter, location, type, windows, weight, ValueRange(), IntegerAttr(),
                          WeightGroupsAttr());
}

/// [B, s..., O].
Value ConvToMatmul::makeProduct() {
  Value windows = isDense()   ? makeDenseWindows()
                  : isTiled() ? makeTiledWindows()
                              : makePatches(op.getInput(), input[0]);
  SmallVector<Dim> dims{result[0]};
  llvm::append_range(dims, places());
  dims.push_back(depth());
  windows = makeReshape(rewriter, location, windows, dims);
  Value weight = makeReshape(rewriter, location, op.getFilter(), {filter[0], depth()});
  weight = makeTranspose(rewriter, location, weight, {1, 0});
  dims.back() = result[1];
  Value value = multiply(windows, weight, dims);
  return op.getBias() ? AddOp::create(rewriter, location, value.getType(), value, op.getBias()) : value;
}

/// The groups are batches: their channels go to the front before windows are made of them. [B, s..., O].
Value ConvToMatmul::makeGroupedProduct() {
  Dim count = constant(groups), outputs = Dim::floorDiv(filter[0], count), batch = input[0];
  SmallVector<Dim> split{batch, count, filter[1]};
  llvm::append_range(split, ArrayRef(input).drop_front(2));
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, split.size()));
  std::swap(order[0], order[1]);
  Value front = makeReshape(rewriter, location, op.getInput(), split);
  front = makeTranspose(rewriter, location, front, order);
  SmallVector<Dim> merged(input);
  merged[0] = count * batch;
  merged[1] = filter[1];
  Value windows = makePatches(makeReshape(rewriter, location, front, merged), merged[0]);
  Dim rows = batch * product(places());
  windows = makeReshape(rewriter, location, windows, {count, rows, depth()});
  Value weight = makeReshape(rewriter, location, op.getFilter(), {count, outputs, depth()});
  weight = makeTranspose(rewriter, location, weight, {0, 2, 1});
  Value value = multiply(windows, weight, {count, rows, outputs});
  if (op.getBias()) {
    Value bias = makeReshape(rewriter, location, op.getBias(), {count, constant(1), outputs});
    value = AddOp::create(rewriter, location, value.getType(), value, bias);
  }
  value = makeTranspose(rewriter, location, value, {1, 0, 2});
  SmallVector<Dim> dims{batch};
  llvm::append_range(dims, places());
  dims.push_back(result[1]);
  return makeReshape(rewriter, location, value, dims);
}

void ConvToMatmul::rewrite() {
  Value value = groups == 1 ? makeProduct() : makeGroupedProduct();
  SmallVector<int64_t> channelsSecond{0, int64_t(input.size()) - 1};
  llvm::append_range(channelsSecond, llvm::seq<int64_t>(1, input.size() - 1));
  value = makeTranspose(rewriter, location, value, channelsSecond);
  rewriter.replaceOp(op, makeReshape(rewriter, location, value, result));
}

namespace {
struct NormalizeConv : NormalizingPattern<ConvOp> {
  using NormalizingPattern::NormalizingPattern;
  LogicalResult rewrite(ConvOp op, PatternRewriter &rewriter) const override {
    ConvToMatmul conv(op, rewriter);
    if (StringRef obstacle = conv.findObstacle(); !obstacle.empty())
      return rewriter.notifyMatchFailure(op, obstacle);
    conv.rewrite();
    return success();
  }
};
} // namespace

void weft::graph::addConvPatterns(RewritePatternSet &patterns, Pass::Statistic &normalized) {
  patterns.add<NormalizeConv>(patterns.getContext(), normalized);
}
