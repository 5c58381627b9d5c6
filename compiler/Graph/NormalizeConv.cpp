// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions become products: of windows side by side, and the filter as a matrix. Channels are last, so
// that a window is rows of them.
#include "compiler/Graph/ByteNumbers.h"
#include "compiler/Graph/Moves.h"

using namespace mlir;
using namespace weft;
using namespace weft::graph;

/// An image of fewer channels is cut into tiles as it lies: rows of pixels are longer than channels side by
/// side.
static constexpr int64_t kFewChannels = 16;

namespace {

/// A convolution as the product [groups..., places, depth] * [groups..., depth, outputs].
class ConvToMatmul {
public:
  ConvToMatmul(ConvOp op, RewriterBase &rewriter)
      : op(op), rewriter(rewriter), location(op.getLoc()), input(*getDims(op.getInput())),
        filter(*getDims(op.getFilter())), result(*getDims(op.getResult())), groups(op.getGroups()),
        image(op.getInput()), weight(op.getFilter()) {}

  /// Moves bytes in place of numbers that are made of them.
  void moveBytes(const ByteNumbers &ofInput, Value zero, const ByteNumbers &ofFilter) {
    imageNumbers = ofInput;
    weightNumbers = ofFilter;
    image = ofInput.bytes;
    weight = ofFilter.bytes;
    outside = zero;
  }

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
  bool isDepthwise();
  Value channelsLast(Value from, int64_t leading = 1);
  Value makeTiledWindows(bool isOfImage);
  Value pad(Value from);
  Value makeTaps(size_t dim);
  Value gatherWindows(Value padded);
  Value makeWindows(Value from);
  Value makeNumbers(Value moved, std::optional<ByteNumbers> numbers);
  Value multiply(Value windows, Value weight, ArrayRef<Dim> dims);
  Value addBias(Value value, ArrayRef<Dim> biasDims);
  Value makeProduct();
  Value makeGroupedProduct();
  Value channelsOfFilters();
  Value makeDepthwise();

  ConvOp op;
  RewriterBase &rewriter;
  Location location;
  SmallVector<Dim> input, filter, result;
  int64_t groups;
  Value image, weight; ///< what is moved: the operands, or the bytes that they are made of
  Value outside;       ///< the byte that stands for 0; null for 0 itself
  std::optional<ByteNumbers> imageNumbers, weightNumbers; ///< that are made of those
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

/// Whether each filter sees one channel.
bool ConvToMatmul::isDepthwise() {
  if (!llvm::all_of(kernel(), [](Dim dim) { return dim.isConstant(); }))
    return false;
  std::optional<int64_t> taps = product(kernel()).getConstant();
  return taps && *taps <= DepthwiseConvOp::kMostTaps && groups > 1 && filter[1].getConstant() == 1 &&
         filter[0].isConstant();
}

/// [..., C, S...] as [..., S..., C], where so many dims lead.
Value ConvToMatmul::channelsLast(Value from, int64_t leading) {
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, leading));
  llvm::append_range(order, llvm::seq<int64_t>(leading + 1, getDims(from)->size()));
  order.push_back(leading);
  return makeTranspose(rewriter, location, from, order);
}

/// [B, C, s1 * k1, ...] as [B, s1..., k1..., C], or as [B, s1..., C, k1...].
Value ConvToMatmul::makeTiledWindows(bool isOfImage) {
  SmallVector<Dim> split{input[0], input[1]};
  SmallVector<int64_t> order{0}, taps;
  for (size_t i = 0; i < spatial(); ++i) {
    llvm::append_values(split, places()[i], kernel()[i]);
    order.push_back(2 + 2 * i);
    taps.push_back(3 + 2 * i);
  }
  taps.insert(isOfImage ? taps.begin() : taps.end(), 1);
  llvm::append_range(order, taps);
  return makeTranspose(rewriter, location, makeReshape(rewriter, location, image, split), order);
}

/// [batch, S..., C] with zeros around.
Value ConvToMatmul::pad(Value from) {
  if (areAll(op.getPads(), 0))
    return from;
  SmallVector<Dim> dims = *getDims(from), before(dims.size(), constant(0)), after(before);
  for (size_t i = 0; i < spatial(); ++i) {
    before[i + 1] = constant(op.getPads()[i]);
    after[i + 1] = constant(op.getPads()[i + spatial()]);
    dims[i + 1] = dims[i + 1] + before[i + 1] + after[i + 1];
  }
  MLIRContext *context = rewriter.getContext();
  return PadOp::create(rewriter, location, getTensorType(dims, getElementTypeOrSelf(from)), PadMode::Constant,
                       from, Value(), outside, ArrayRef<int64_t>(), getDimsAttr(context, before),
                       getDimsAttr(context, after));
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

/// The windows of a kernel whose size only a run knows.
Value ConvToMatmul::gatherWindows(Value padded) {
  Value value = padded;
  SmallVector<Dim> dims = *getDims(value);
  SmallVector<int64_t> order{0}, taps;
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
  order.push_back(1 + 2 * spatial());
  return makeTranspose(rewriter, location, value, order);
}

/// [batch, S..., C] as [batch, s..., k..., C].
Value ConvToMatmul::makeWindows(Value from) {
  Value padded = pad(from);
  if (!llvm::all_of(kernel(), [](Dim dim) { return dim.isConstant(); }))
    return gatherWindows(padded);
  SmallVector<Dim> all = *getDims(padded), dims{all.front()};
  llvm::append_range(dims, places());
  llvm::append_range(dims, kernel());
  dims.push_back(all.back());
  auto sizes = llvm::map_to_vector(kernel(), [](Dim dim) { return *dim.getConstant(); });
  return WindowsOp::create(rewriter, location, getTensorType(dims, getElementTypeOrSelf(from)), padded, sizes,
                           op.getStrides(), op.getDilations());
}

/// What moved bytes stand for; the value itself if it is no bytes.
Value ConvToMatmul::makeNumbers(Value moved, std::optional<ByteNumbers> numbers) {
  if (!numbers)
    return moved;
  numbers->bytes = moved;
  return numbers->make(rewriter, location);
}

Value ConvToMatmul::multiply(Value windows, Value weight, ArrayRef<Dim> dims) {
  auto type = getTensorType(dims, getElementTypeOrSelf(windows));
  return MatmulOp::create(rewriter, location, type, windows, weight, ValueRange(), IntegerAttr(),
                          WeightGroupsAttr());
}

Value ConvToMatmul::addBias(Value value, ArrayRef<Dim> biasDims) {
  if (!op.getBias())
    return value;
  Value bias = makeReshape(rewriter, location, op.getBias(), biasDims);
  return AddOp::create(rewriter, location, value.getType(), value, bias);
}

/// [B, s..., O].
Value ConvToMatmul::makeProduct() {
  bool isOfImage = isTiled() && filter[1].getConstant().value_or(kFewChannels) < kFewChannels;
  Value windows = isDense()   ? channelsLast(image)
                  : isTiled() ? makeTiledWindows(isOfImage)
                              : makeWindows(channelsLast(image));
  SmallVector<Dim> dims{result[0]};
  llvm::append_range(dims, places());
  dims.push_back(depth());
  windows = makeNumbers(makeReshape(rewriter, location, windows, dims), imageNumbers);
  Value matrix = isOfImage || isDense() ? weight : channelsLast(weight);
  matrix = makeNumbers(makeReshape(rewriter, location, matrix, {filter[0], depth()}), weightNumbers);
  matrix = makeTranspose(rewriter, location, matrix, {1, 0});
  dims.back() = result[1];
  return addBias(multiply(windows, matrix, dims), {result[1]});
}

/// The groups are batches: their channels go to the front before windows are made of them. [B, s..., O].
Value ConvToMatmul::makeGroupedProduct() {
  Dim count = constant(groups), outputs = Dim::floorDiv(filter[0], count), batch = input[0];
  SmallVector<Dim> split{batch, count, filter[1]};
  llvm::append_range(split, ArrayRef(input).drop_front(2));
  SmallVector<int64_t> order{1, 0}; // [groups, B, S..., C]
  llvm::append_range(order, llvm::seq<int64_t>(3, split.size()));
  order.push_back(2);
  Value front = makeReshape(rewriter, location, image, split);
  front = makeTranspose(rewriter, location, front, order);
  SmallVector<Dim> merged{count * batch};
  llvm::append_range(merged, ArrayRef(input).drop_front(2));
  merged.push_back(filter[1]);
  Value windows = makeWindows(makeReshape(rewriter, location, front, merged));
  Dim rows = batch * product(places());
  windows = makeReshape(rewriter, location, windows, {count, rows, depth()});
  Value matrices = makeReshape(rewriter, location, channelsLast(weight), {count, outputs, depth()});
  matrices = makeTranspose(rewriter, location, matrices, {0, 2, 1});
  Value value = multiply(windows, matrices, {count, rows, outputs});
  value = addBias(value, {count, constant(1), outputs});
  value = makeTranspose(rewriter, location, value, {1, 0, 2});
  SmallVector<Dim> dims{batch};
  llvm::append_range(dims, places());
  dims.push_back(result[1]);
  return makeReshape(rewriter, location, value, dims);
}

/// [B, S..., C], with each channel as often as there are filters of it.
Value ConvToMatmul::channelsOfFilters() {
  Value channels = channelsLast(image);
  if (filter[0].getConstant() == groups)
    return channels;
  SmallVector<Dim> dims = *getDims(channels), repeated(dims);
  dims.push_back(constant(1));
  repeated.push_back(constant(*filter[0].getConstant() / groups));
  channels = makeExpand(rewriter, location, makeReshape(rewriter, location, channels, dims), repeated);
  repeated.pop_back();
  repeated.back() = filter[0];
  return makeReshape(rewriter, location, channels, repeated);
}

/// [B, s..., O].
Value ConvToMatmul::makeDepthwise() {
  Value padded = pad(channelsOfFilters());
  SmallVector<Dim> taps(kernel()), dims{input[0]};
  taps.push_back(filter[0]);
  Value each = makeReshape(rewriter, location, channelsLast(weight, /*leading=*/0), taps);
  llvm::append_range(dims, places());
  dims.push_back(result[1]);
  Value value = DepthwiseConvOp::create(rewriter, location, getTensorType(dims, getElementTypeOrSelf(padded)),
                                        padded, each, op.getStrides(), op.getDilations());
  return addBias(value, {result[1]});
}

void ConvToMatmul::rewrite() {
  Value value = groups == 1 ? makeProduct() : isDepthwise() ? makeDepthwise() : makeGroupedProduct();
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

void weft::graph::rewriteConvOfBytes(ConvOp op, const ByteNumbers &input, Value zero,
                                     const ByteNumbers &filter, RewriterBase &rewriter) {
  ConvToMatmul conv(op, rewriter);
  if (!conv.findObstacle().empty())
    return;
  conv.moveBytes(input, zero, filter);
  conv.rewrite();
}

void weft::graph::addConvPatterns(RewritePatternSet &patterns, Pass::Statistic &normalized) {
  patterns.add<NormalizeConv>(patterns.getContext(), normalized);
}
