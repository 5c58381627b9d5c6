// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between the runtime's tensors and the evaluator's.
#include "tools/weft/Evaluate.h"
#include "dialects/Weft/Evaluate/Evaluate.h"
#include "dialects/Weft/IR/Weft.h"

using namespace mlir;
using namespace weft;

func::FuncOp weft::getEntry(ModuleOp module) {
  auto functions = module.getOps<func::FuncOp>();
  return functions.empty() ? func::FuncOp() : *functions.begin();
}

Tensor weft::toEvaluatorTensor(MLIRContext *context, WeftTensor *tensor) {
  ArrayRef<int64_t> shape(weft_tensor_shape(tensor), weft_tensor_rank(tensor));
  ArrayRef<char> bytes(static_cast<const char *>(weft_tensor_data(tensor)), weft_tensor_bytes(tensor));
  return Tensor::fromBytes(getElementType(context, weft_tensor_dtype(tensor)), shape, bytes);
}

static std::string getEdgeName(Attribute name, size_t index) {
  auto text = dyn_cast_if_present<StringAttr>(name);
  return text ? text.str() : std::to_string(index);
}

std::string weft::getOutputName(func::FuncOp entry, size_t index) {
  return getEdgeName(entry.getResultAttr(index, names::kName), index);
}

std::vector<runtime::InputDescription> weft::describeInputs(ModuleOp module) {
  std::vector<runtime::InputDescription> inputs;
  if (func::FuncOp entry = getEntry(module))
    for (auto [i, type] : llvm::enumerate(entry.getArgumentTypes()))
      if (!getComputedBy(entry.getArgAttrDict(i)))
        inputs.push_back({getEdgeName(entry.getArgAttr(i, names::kName), i), describeType(type)});
  return inputs;
}

std::optional<std::vector<runtime::NamedTensor>>
weft::evaluateModel(ModuleOp module, const std::vector<runtime::TensorRef> &inputs) {
  func::FuncOp entry = getEntry(module);
  if (!entry) {
    module.emitError("has no entry point");
    return std::nullopt;
  }
  SmallVector<Tensor> values;
  for (const runtime::TensorRef &input : inputs)
    values.push_back(toEvaluatorTensor(module.getContext(), input.get()));
  FailureOr<SmallVector<Tensor>> results = evaluateFunction(entry, values);
  if (failed(results))
    return std::nullopt;
  std::vector<runtime::NamedTensor> outputs;
  for (auto [i, result] : llvm::enumerate(*results)) {
    std::optional<WeftDType> dtype = getDType(result.getElementType());
    WeftTensor *tensor = nullptr;
    if (!dtype) {
      entry.emitError() << "output " << i << " has the element type " << result.getElementType()
                        << ", which the runtime does not have";
      return std::nullopt;
    }
    if (WeftStatus error = weft_tensor_create(*dtype, result.getRank(), result.getShape().data(), &tensor)) {
      entry.emitError(weft_status_message(error));
      weft_status_release(error);
      return std::nullopt;
    }
    llvm::copy(result.getBytes(), static_cast<char *>(weft_tensor_data(tensor)));
    outputs.push_back({getOutputName(entry, i), runtime::TensorRef(tensor)});
  }
  return outputs;
}
