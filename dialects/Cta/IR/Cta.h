// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cta dialect: what one block of threads of a GPU does.
#ifndef WEFT_DIALECTS_CTA_IR_CTA_H
#define WEFT_DIALECTS_CTA_IR_CTA_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/Cta/IR/CtaDialect.h.inc"
#include "dialects/Cta/IR/CtaEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/Cta/IR/CtaTypes.h.inc"

#define GET_OP_CLASSES
#include "dialects/Cta/IR/CtaOps.h.inc"

#define GET_OP_CLASSES
#include "dialects/Cta/IR/CtaHopperOps.h.inc"

namespace weft::cta {

/// Whether a memref lies in the memory that a block shares.
bool isShared(mlir::MemRefType type);
/// Whether a memref is a line of numbers, as copies and matrices take them.
bool isLine(mlir::MemRefType type);

} // namespace weft::cta

#endif // WEFT_DIALECTS_CTA_IR_CTA_H
