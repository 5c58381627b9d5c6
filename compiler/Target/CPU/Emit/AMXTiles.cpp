// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM's intrinsics of AMX.
#include "compiler/Target/CPU/Emit/AMXTiles.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace weft;
using namespace weft::cpu;

static constexpr int64_t kRegisterRows = 16, kRowBytes = 64, kWordBytes = 4, kWords = kRowBytes / kWordBytes;

namespace {
/// The instructions, on whole registers.
class Instructions {
public:
  explicit Instructions(Emitter &emitter)
      : e(emitter), tile(LLVM::LLVMX86AMXType::get(e.builder.getContext())), rows(count(kRegisterRows)),
        bytes(count(kRowBytes)) {}

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

void AMXTiles::emit(const Buffer &sums) const {
  constexpr int64_t across = kColumns / kWords, down = kRows / kRegisterRows;
  const int64_t each = elementsPerColumn(format), bytes = kWordBytes / each; // of an element
  Instructions amx(e);
  // A register of lhs is loaded for each of the panel's: there are none left to keep it in.
  auto multiply = [&](Index k, ValueRange carried) {
    Emitter::Values next(carried);
    Index row = panelStart + k / each * panelPitch;
    for (int64_t column = 0; column < across; ++column) {
      Value right = amx.load(panel, row + column * kWords * each, panelPitch * bytes);
      for (int64_t part = 0; part < down; ++part) {
        Value left = amx.load(lhs, lhsStart + lhsPitch * (part * kRegisterRows) + k, lhsPitch * bytes);
        Value &sum = next[part * across + column];
        sum = amx.multiplyAdd(format, sum, left, right);
      }
    }
    return next;
  };
  Emitter::Values zeros;
  for (int64_t i = 0; i < across * down; ++i)
    zeros.push_back(amx.zero());
  Emitter::Values done = e.loop(e.index(0), depth, e.index(kRowBytes / bytes), zeros, multiply);
  Index pitch = e.index(kColumns * kWordBytes);
  for (auto [i, sum] : llvm::enumerate(done))
    amx.store(sum, sums,
              e.index(int64_t(i) / across * kRegisterRows * kColumns + int64_t(i) % across * kWords), pitch);
}
