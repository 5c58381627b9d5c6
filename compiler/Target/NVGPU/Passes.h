// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes of the NVIDIA GPU target.
#ifndef WEFT_COMPILER_TARGET_NVGPU_PASSES_H
#define WEFT_COMPILER_TARGET_NVGPU_PASSES_H

#include "dialects/Cta/IR/Cta.h"
#include "dialects/Weft/IR/Weft.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"

namespace weft::nvgpu {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/Target/NVGPU/Passes.h.inc"
} // namespace weft::nvgpu

#endif // WEFT_COMPILER_TARGET_NVGPU_PASSES_H
