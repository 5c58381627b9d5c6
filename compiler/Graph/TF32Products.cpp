// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Marks products of f32 as products of tf32.
#include "compiler/Graph/Passes.h"

using namespace mlir;
using namespace weft;

namespace weft::graph {
#define GEN_PASS_DEF_TF32PRODUCTS
#include "compiler/Graph/Passes.h.inc"
} // namespace weft::graph

namespace {
struct TF32Products : weft::graph::impl::TF32ProductsBase<TF32Products> {
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    auto isF32 = [](Value value) { return getElementTypeOrSelf(value).isF32(); };
    getOperation().walk([&](MatmulOp op) {
      if (!isF32(op.getLhs()) || !isF32(op.getRhs()) || op.getPackedColumns())
        return;
      op.setTf32(true);
      ++marked;
    });
  }
};
} // namespace
