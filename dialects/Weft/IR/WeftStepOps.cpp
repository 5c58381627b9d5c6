// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Step: kernels, the steps that run them, and their constraints.
#include "dialects/Weft/IR/Weft.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace weft;

#define GET_OP_CLASSES
#include "dialects/Weft/IR/WeftStepOps.cpp.inc"

//===----------------------------------------------------------------------===//
// kernel
//===----------------------------------------------------------------------===//

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> inputs, ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag,
                      std::string &) { return builder.getFunctionType(inputs, results); };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false, getFunctionTypeAttrName(result.name), buildType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void KernelOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
                                           getArgAttrsAttrName(), getResAttrsAttrName());
}

LogicalResult KernelOp::verify() {
  ArrayRef<Type> types = getArgumentTypes();
  bool valid = !types.empty() && types.front().isIndex() && getResultTypes().empty() && !getBody().empty();
  for (Type type : types)
    valid &= isa<MemRefType>(type) || type.isIntOrIndexOrFloat();
  if (!valid)
    return emitOpError("kernel-c1: expects an index and then memrefs or scalars as arguments, and no result");
  return success();
}

int64_t KernelOp::getScheduled(StringRef name) { return getSchedule().getAs<IntegerAttr>(name).getInt(); }

//===----------------------------------------------------------------------===//
// step
//===----------------------------------------------------------------------===//

/// What a step's operand is to its kernel: tensors are buffers there, and a bool takes a byte.
static bool isPassedAs(Type operand, Type argument) {
  auto buffer = dyn_cast<MemRefType>(argument);
  auto shaped = dyn_cast<ShapedType>(operand);
  if (!buffer || !shaped)
    return operand == argument;
  return buffer.getShape() == shaped.getShape() && buffer.getElementType() == shaped.getElementType();
}

LogicalResult StepOp::verify() {
  SmallVector<Type> tensors;
  for (Type type : getOutputs().getTypes())
    if (isa<TensorType>(type))
      tensors.push_back(type);
  if (!llvm::equal(tensors, getResultTypes()))
    return emitOpError("step-c2: expects a result for each tensor output, of its type");
  if (getFlops().has_value() != getBytes().has_value())
    return emitOpError("step-c3: expects both flops and bytes of its work, or neither");
  auto kernel = SymbolTable::lookupNearestSymbolFrom<KernelOp>(*this, getKernelAttr());
  if (!kernel) // After the emitters it is a func.func, whose call is verified there.
    return success();
  SmallVector<Type> operands{getGrid().getType()};
  llvm::append_range(operands, getInputs().getTypes());
  llvm::append_range(operands, getOutputs().getTypes());
  ArrayRef<Type> arguments = kernel.getArgumentTypes();
  if (operands.size() != arguments.size())
    return emitOpError() << "step-c1: kernel @" << getKernel() << " takes " << arguments.size() - 1
                         << " operands, got " << operands.size() - 1;
  for (auto [index, pair] : llvm::enumerate(llvm::zip(operands, arguments)))
    if (!isPassedAs(std::get<0>(pair), std::get<1>(pair)))
      return emitOpError() << "step-c1: operand " << index << " of kernel @" << getKernel() << " is "
                           << std::get<1>(pair) << ", got " << std::get<0>(pair);
  return success();
}

void StepOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  // On tensors a step is a value; on buffers it reads and writes.
  if (getNumResults() != 0)
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}
