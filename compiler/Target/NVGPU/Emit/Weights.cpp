// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of a right-hand side, out of whatever they are stored in.
#include "compiler/Target/NVGPU/Emit/Weights.h"
#include "compiler/Target/CPU/Emit/SelectFrom.h"
#include "dialects/Weft/IR/PackedWeights.h"

using namespace mlir;
using namespace weft;
using namespace weft::nvgpu;

static constexpr int64_t kWordBits = 32;

Weights::Weights(BlockEmitter &emitter, GemmTileOp op, const Buffer &rhs, Type number)
    : e(emitter), rhs(rhs), number(number), groups(op.getGroupsAttr()), format(cpu::formatOf(op)),
      isPacked(op.getPacked()), eachLoad(perLoad(op)) {}

int64_t Weights::perLoad(GemmTileOp op) {
  if (op.getGroups())
    return op.getGroups()->perWord();
  cpu::RowFormat format = cpu::formatOf(op);
  return format == cpu::RowFormat::Int4Quads ? Int4Quads::kPerWord
         : format == cpu::RowFormat::Quads   ? Quads::kDepth
                                             : 1;
}

/// The row of a matrix or a panel that has the number of step k of the depth.
Index Weights::rowOf(Index k) const {
  if (format == cpu::RowFormat::Int4Quads)
    return k / Int4Quads::kDepth * Int4Quads::kRows + 1 + k % Int4Quads::kDepth / perLoad();
  if (!groups)
    return k / perLoad();
  return k / groups.getRows() * groups.words() + groups.headWords() + k % groups.getRows() / perLoad();
}

/// How many rows it is from the one of a run's beginning to that of a step.
int64_t Weights::rowsTo(int64_t step) const {
  return groups ? groups.groupWord(step) + step % groups.getRows() / perLoad() : step / perLoad();
}

Weights::Run Weights::load(Index start, Index k, int64_t count, Index column, std::optional<Index> depth) {
  constexpr int64_t kPanel = MatmulOp::kPanelColumns;
  bool isOfBlocks = cpu::isOfBlocks(format);
  size_t rows = !isPacked || isOfBlocks ? rhs.rank() - 2 : 1;
  Index pitch = rhs.strides[rows];
  Index first =
      isPacked ? start + column / kPanel * rhs.strides[0] + column % kPanel * rhs.strides[isOfBlocks ? 3 : 2]
               : start + column * rhs.strides.back();
  auto row = [&](int64_t step) { return depth ? rowOf(min(k + step, *depth - 1)) : rowOf(k) + rowsTo(step); };
  Run run;
  auto loadHead = [&](Index head) {
    return e.create<arith::BitcastOp>(e.builder.getF32Type(), e.loadScalar(rhs, first + head * pitch));
  };
  for (int64_t step = 0; groups && step < count; step += perScale()) {
    Index group = (depth ? min(k + step, *depth - 1) : k + step) / perScale() * groups.words();
    run.scales.push_back(loadHead(group));
    if (groups.getHasOffsets())
      run.offsets.push_back(loadHead(group + 1));
  }
  for (int64_t step = 0; step < count; step += perLoad()) {
    Index at = first + row(step) * pitch;
    run.loaded.push_back(perLoad() > 1 ? e.loadWord(rhs, at) : e.loadScalar(rhs, at));
  }
  if (format == cpu::RowFormat::Int4Quads)
    run.factors = loadFactors(first, pitch, depth ? min(k, *depth - 1) : k);
  return run;
}

/// Those of k's block, the one for k in the lowest bits.
Value Weights::loadFactors(Index column, Index pitch, Index k) {
  Index block = k / Int4Quads::kDepth, shift = k % Int4Quads::kDepth / perLoad() * Int4Quads::kBits;
  Value all = e.loadScalar(rhs, column + block * Int4Quads::kRows * pitch);
  return e.create<arith::ShRUIOp>(all, e.create<arith::IndexCastUIOp>(e.builder.getI32Type(), shift));
}

/// Of a word of Int4Quads the first four numbers, or the others, times their factor. In a byte a number plus
/// 8, times the factor, plus 128 less 8 of them, which no byte is too small for, is their product plus 128.
Value Weights::unpackQuad(Value word, bool isSecond, Value factor) {
  constexpr int64_t kEach = 0x01010101, kSigns = 128 * kEach;
  static_assert(Int4Quads::kOffset * Int4Quads::kLargestScale <= 128);
  auto constant = [&](int64_t value) -> Value {
    return e.create<arith::ConstantIntOp>(e.builder.getI32Type(), int32_t(value));
  };
  Value four = isSecond ? e.create<arith::ShRUIOp>(word, constant(Int4Quads::kBits)) : word;
  Value digits = e.create<arith::AndIOp>(four, constant(0xF * kEach));
  Value less = e.create<arith::MulIOp>(factor, constant(-Int4Quads::kOffset * kEach));
  Value more = e.create<arith::AddIOp>(less, constant(kSigns));
  Value products = e.create<arith::AddIOp>(e.create<arith::MulIOp>(digits, factor), more);
  return e.create<arith::XOrIOp>(products, constant(kSigns));
}

Weights::Values Weights::quads(const Run &run, int64_t first, int64_t count) {
  auto constant = [&](int64_t value) {
    return e.create<arith::ConstantIntOp>(e.builder.getI32Type(), value);
  };
  Values quads;
  for (int64_t load = first / perLoad(); load < (first + count) / perLoad(); ++load) {
    if (!run.factors) {
      quads.push_back(run.loaded[load]);
      continue;
    }
    Value shifted = e.create<arith::ShRUIOp>(run.factors, constant(load * Int4Quads::kBits));
    Value factor = e.create<arith::AndIOp>(shifted, constant(Int4Quads::kLargestScale));
    for (bool isSecond : {false, true})
      quads.push_back(unpackQuad(run.loaded[load], isSecond, factor));
  }
  return quads;
}

/// The `count` numbers of a word, or what a table has at those places. Those of few bits become floats
/// without an instruction that converts, of which a GPU does few at a time: beneath the leading bit of 2^23 a
/// number's bits are its value.
void Weights::appendNumbers(Value word, int64_t count, Values &numbers) {
  Type i32 = e.builder.getI32Type();
  auto constant = [&](int64_t value) { return e.create<arith::ConstantIntOp>(i32, value); };
  int64_t bits = kWordBits / count, half = int64_t(1) << (bits - 1);
  if (isa<IntegerType>(number)) {
    for (int64_t i = 0; i < count; ++i) {
      Value top = e.create<arith::ShLIOp>(word, constant(kWordBits - bits * (i + 1)));
      numbers.push_back(e.create<arith::ShRSIOp>(top, constant(kWordBits - bits)));
    }
    return;
  }
  if (DenseF32ArrayAttr table = groups ? groups.getTable() : DenseF32ArrayAttr()) {
    for (int64_t i = 0; i < count; ++i) {
      Value place = e.create<arith::ShRUIOp>(word, constant(bits * i));
      numbers.push_back(cpu::selectFrom(e.builder, e.location, place, table));
    }
    return;
  }
  constexpr int64_t kMantissaBits = 23, kExponent = 0x4B000000;
  uint32_t signs = 0;
  for (int64_t bit = bits - 1; bit < kWordBits; bit += bits)
    signs |= 1U << bit;
  Value raised = e.create<arith::XOrIOp>(word, constant(int32_t(signs))); // half of the range more, from 0 on
  for (int64_t i = 0; i < count; ++i) {
    Value low = e.create<arith::ShRUIOp>(raised, constant(bits * i));
    Value digits = e.create<arith::AndIOp>(low, constant(2 * half - 1));
    Value sum = e.create<arith::BitcastOp>(e.builder.getF32Type(),
                                           e.create<arith::OrIOp>(digits, constant(kExponent)));
    Value more = e.number(e.builder.getF32Type(), double((int64_t(1) << kMantissaBits) + half));
    numbers.push_back(e.create<arith::SubFOp>(sum, more));
  }
}

Weights::Values Weights::numbers(const Run &run, int64_t first, int64_t count) {
  Values numbers;
  if (cpu::isOfBytes(format)) {
    for (Value quad : quads(run, first, count))
      appendNumbers(quad, Quads::kDepth, numbers);
    return numbers;
  }
  for (Value loaded : ArrayRef(run.loaded).slice(first / perLoad(), count / perLoad())) {
    if (perLoad() > 1) {
      appendNumbers(loaded, perLoad(), numbers);
      continue;
    }
    Value one = e.widen(loaded);
    bool isConverted = isa<FloatType>(number) && isa<IntegerType>(one.getType());
    numbers.push_back(isConverted ? e.create<arith::SIToFPOp>(number, one) : one);
  }
  for (auto [i, value] : llvm::enumerate(numbers))
    if (!run.offsets.empty())
      value = e.create<arith::SubFOp>(value, run.offsets[(first + int64_t(i)) / perScale()]);
  return numbers;
}

Weights::Values Weights::scaledNumbers(const Run &run) {
  Values scaled = numbers(run, 0, int64_t(run.loaded.size()) * perLoad());
  for (auto [i, value] : llvm::enumerate(scaled))
    if (!run.scales.empty())
      value = e.create<arith::MulFOp>(value, run.scales[i / perScale()]);
  return scaled;
}
