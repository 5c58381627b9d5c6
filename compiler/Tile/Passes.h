// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes of the tile level.
#ifndef WEFT_COMPILER_TILE_PASSES_H
#define WEFT_COMPILER_TILE_PASSES_H

#include "dialects/Weft/IR/Weft.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"

namespace weft {
namespace tile {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/Tile/Passes.h.inc"
} // namespace tile
} // namespace weft

#endif // WEFT_COMPILER_TILE_PASSES_H
