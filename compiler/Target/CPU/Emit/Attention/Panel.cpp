// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft.panel_tile: rows become columns by transposing squares in registers.
#include "compiler/Target/CPU/Emit/Attention/AttentionEmitter.h"
#include "compiler/Target/CPU/Emit/Lanes.h"

using namespace mlir;
using namespace weft;
using namespace weft::cpu;

namespace {

class PanelEmitter {
public:
  PanelEmitter(Emitter &emitter, const Buffer &in, const Buffer &out, int64_t panelWidth)
      : e(emitter), in(in), out(out), lanes(emitter.lanes(out.element)), panelWidth(panelWidth) {}
  void emit(const PanelPlace &place);

private:
  void emitSquare(Index from, Index to, Index pitch, Index rows, Index columns, bool isWhole);

  Emitter &e;
  const Buffer &in, &out;
  int64_t lanes, panelWidth;
};

} // namespace

/// Squares along `lanes` rows, then the next rows.
void PanelEmitter::emit(const PanelPlace &place) {
  e.loop(e.index(0), e.index(panelWidth), e.index(lanes), [&](Index row) {
    e.loop(e.index(0), place.depth, e.index(lanes), [&](Index column) {
      Index from = place.from + row * place.pitch + column, to = place.to + column * panelWidth + row;
      Index rows = max(place.rows, row) - row, columns = place.depth - column;
      Value hasRows = rows.compare(arith::CmpIPredicate::uge, lanes);
      Value hasColumns = columns.compare(arith::CmpIPredicate::uge, lanes);
      auto emitOne = [&](bool isWhole) { emitSquare(from, to, place.pitch, rows, columns, isWhole); };
      e.ifElse(
          e.builder.createOrFold<arith::AndIOp>(e.location, hasRows, hasColumns), [&] { emitOne(true); },
          [&] { emitOne(false); });
    });
  });
}

void weft::cpu::emitPanelOf(Emitter &e, const Buffer &in, const Buffer &out, int64_t panelWidth,
                            const PanelPlace &place) {
  PanelEmitter(e, in, out, panelWidth).emit(place);
}

/// `lanes` rows of the input from `from` on, of which only `rows` rows and `columns` columns may be there.
void PanelEmitter::emitSquare(Index from, Index to, Index pitch, Index rows, Index columns, bool isWhole) {
  Value none = e.index(0);
  Index active = isWhole ? e.index(lanes) : min(columns, e.index(lanes));
  Emitter::Values vectors;
  for (int64_t r = 0; r < lanes; ++r) {
    Value isThere = rows.compare(arith::CmpIPredicate::ugt, r);
    Value mask = isWhole ? Value() : e.mask(e.select(isThere, active, e.index(none)), lanes);
    vectors.push_back(e.loadNumbers(in, from + pitch * r, lanes, mask));
  }
  vectors = interleave(e, vectors, lanes);
  for (int64_t c = 0; c < lanes; ++c) {
    auto store = [&] { e.store(vectors[c], out, to + c * panelWidth); };
    if (isWhole)
      store();
    else
      e.ifThen(active.compare(arith::CmpIPredicate::ugt, c), store);
  }
}

LogicalResult weft::cpu::emitPanel(Emitter &emitter, PanelTileOp op, Index tile, TileSizes sizes) {
  auto input = cast<MemRefType>(op.getInput().getType()), output = cast<MemRefType>(op.getOut().getType());
  Type element = output.getElementType();
  if (input.getRank() != 4 || output.getRank() != 5 || !(element.isF32() || element.isF64()) ||
      emitter.computed(input.getElementType()) != element)
    return op.emitOpError("expects matrices of floats and panels of f32 or f64, got ")
           << input << ", " << output;
  int64_t width = output.getShape().back();
  if (ShapedType::isDynamic(width) || width % emitter.lanes(element) != 0)
    return op.emitOpError("expects panels of whole vectors, got ") << output;
  FailureOr<Buffer> in = emitter.rowMajor(op.getInput()), out = emitter.rowMajor(op.getOut());
  if (failed(in) || failed(out))
    return failure();
  Index heads = in->sizes[1], keys = in->sizes[2], panels = out->sizes[2];
  Index first = tile * sizes.rows, count = out->sizes[0] * heads * panels;
  emitter.loop(first, min(first + sizes.rows, count), emitter.index(1), [&](Index panel) {
    Index row = panel % panels * width, matrix = panel / panels, pitch = in->strides[2];
    Index start = in->offset + matrix / heads * in->strides[0] + matrix % heads * in->strides[1];
    emitPanelOf(
        emitter, *in, *out, width,
        {start + row * pitch, keys - row, in->sizes[3], pitch, out->offset + panel * out->strides[2]});
  });
  return success();
}
