// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes of the graph level.
#ifndef WEFT_COMPILER_GRAPH_PASSES_H
#define WEFT_COMPILER_GRAPH_PASSES_H

#include "dialects/Weft/IR/Weft.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace weft {
namespace graph {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/Graph/Passes.h.inc"
} // namespace graph
} // namespace weft

#endif // WEFT_COMPILER_GRAPH_PASSES_H
