// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registration in one place, for the compiler and every tool.
#include "compiler/Driver/Register.h"
#include "compiler/Buffer/BufferPipeline.h"
#include "compiler/Graph/GraphPipeline.h"
#include "compiler/Target/CPU/CPUPipeline.h"
#include "compiler/Target/NVGPU/NVGPUPipeline.h"
#include "compiler/Tile/TilePipeline.h"
#include "dialects/Cta/IR/Cta.h"
#include "dialects/Weft/Evaluate/Evaluate.h"
#include "dialects/Weft/IR/Weft.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void weft::registerDialects(DialectRegistry &registry) {
  registry.insert<WeftDialect, cta::CtaDialect, affine::AffineDialect, arith::ArithDialect,
                  cf::ControlFlowDialect, func::FuncDialect, index::IndexDialect, linalg::LinalgDialect,
                  LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect, NVVM::NVVMDialect,
                  scf::SCFDialect, tensor::TensorDialect, ub::UBDialect, vector::VectorDialect>();
  registerEvaluateModels(registry);
  registerStepLowering(registry);
}

void weft::registerPasses() {
  registerGraphPasses();
  registerTilePasses();
  registerBufferPasses();
  registerCPUPasses();
  registerNVGPUPasses();
  registerTransformsPasses();
}
