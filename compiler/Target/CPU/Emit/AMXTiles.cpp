// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM's intrinsics of AMX.
#include "compiler/Target/CPU/Emit/AMXTiles.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace weft;
using namespace weft::cpu;

static constexpr int64_t kWordBytes = 4, kWords = AMXTiles::kRowBytes / kWordBytes;

namespace {
/// The instructions, on whole registers.
class Instructions {
public:
  explicit Instructions(Emitter &emitter)
      : e(emitter), tile(LLVM::LLVMX86AMXType::get(e.builder.getContext())),
        rows(count(AMXTiles::kRegisterRows)), bytes(count(AMXTiles::kRowBytes)) {}

  Value zero() { return e.intrinsic("llvm.x86.tilezero.internal", tile, {rows, bytes}); }
  /// `pitch` is in bytes, here and below.
  Value load(const Buffer &from, Index at, Index pitch) {
    return e.intrinsic("llvm.x86.tileloadd64.internal", tile, {rows, bytes, address(from, at), asI64(pitch)});
  }
  void store(Value stored, const Buffer &to, Index at, Index pitch) {
    LLVM::CallIntrinsicOp::create(e.builder, e.location,
                                  e.builder.getStringAttr("llvm.x86.tilestored64.internal"),
                                  ValueRange{rows, bytes, address(to, at), asI64(pitch), stored});
  }
  /// sums + left times right: unsigned by signed bytes, or numbers of bf16.
  Value multiplyAdd(RowFormat format, Value sums, Value left, Value right) {
    StringRef name = format == RowFormat::Quads ? "llvm.x86.tdpbusd.internal" : "llvm.x86.tdpbf16ps.internal";
    return e.intrinsic(name, tile, {rows, bytes, bytes, sums, left, right});
  }

private:
  Value count(int64_t number) { return e.number(e.builder.getI16Type(), double(number)); }
  Value asI64(Index index) { return e.create<arith::IndexCastOp>(e.builder.getI64Type(), index); }
  Value address(const Buffer &buffer, Index at) {
    Index base = e.index(e.create<memref::ExtractAlignedPointerAsIndexOp>(buffer.flat));
    Index place = base + at * (buffer.element.getIntOrFloatBitWidth() / 8);
    return e.create<LLVM::IntToPtrOp>(LLVM::LLVMPointerType::get(e.builder.getContext()), asI64(place));
  }

  Emitter &e;
  Type tile;
  Value rows, bytes;
};
} // namespace

void AMXTiles::emit(const Buffer &sums, Index at, Index pitch, bool adds) const {
  constexpr int64_t across = kColumns / kWords, down = kRows / kRegisterRows;
  const int64_t each = elementsPerColumn(format), bytes = kWordBytes / each; // of an element
  Instructions amx(e);
  auto place = [&](int64_t number) {
    return at + pitch * (number / across * kRegisterRows) + number % across * kWords;
  };
  auto fetchAhead = [&](Index k) {
    Index done = k / (kRowBytes / bytes) * ahead->lines;
    e.loop(e.index(0), ahead->lines, e.index(1), [&](Index line) {
      e.prefetch(*ahead->from, ahead->start + (done + line) * elementsPerLine(*ahead->from), /*locality=*/2);
    });
  };
  // There are two registers left. One has rows of lhs, the other a part of the panel, forth for the first
  // rows and back for the second, so that the part in between stays.
  auto multiply = [&](Index k, ValueRange carried) {
    if (ahead)
      fetchAhead(k);
    Emitter::Values next(carried);
    Index row = panelStart + k / each * panelPitch;
    Value right;
    for (int64_t part = 0; part < down; ++part) {
      Value left = amx.load(lhs, lhsStart + lhsPitch * (part * kRegisterRows) + k, lhsPitch * bytes);
      for (int64_t turn = 0; turn < across; ++turn) {
        int64_t column = part % 2 == 0 ? turn : across - 1 - turn;
        if (part == 0 || turn > 0)
          right = amx.load(panel, row + column * kWords * each, panelPitch * bytes);
        Value &sum = next[part * across + column];
        sum = amx.multiplyAdd(format, sum, left, right);
      }
    }
    return next;
  };
  Emitter::Values start;
  for (int64_t i = 0; i < across * down; ++i)
    start.push_back(adds ? amx.load(sums, place(i), pitch * kWordBytes) : amx.zero());
  Emitter::Values done = e.loop(e.index(0), depth, e.index(kRowBytes / bytes), start, multiply);
  for (auto [i, sum] : llvm::enumerate(done))
    amx.store(sum, sums, place(i), pitch * kWordBytes);
}
