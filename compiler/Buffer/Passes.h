// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes of the buffer level.
#ifndef WEFT_COMPILER_BUFFER_PASSES_H
#define WEFT_COMPILER_BUFFER_PASSES_H

#include "dialects/Weft/IR/Weft.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"

namespace weft {
namespace buffer {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/Buffer/Passes.h.inc"
} // namespace buffer
} // namespace weft

#endif // WEFT_COMPILER_BUFFER_PASSES_H
