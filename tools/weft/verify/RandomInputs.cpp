// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inputs for a model that comes with none.
#include "dialects/Weft/IR/Weft.h"
#include "runtime/src/Elements.h"
#include "tools/weft/Evaluate.h"
#include "tools/weft/verify/Stages.h"

using namespace mlir;
using namespace weft;

/// Sizes that differ and that no tile divides.
static constexpr int64_t kSizes[] = {2, 5, 7, 3, 11, 13};

FailureOr<std::vector<runtime::TensorRef>> verify::makeRandomInputs(func::FuncOp entry, uint64_t seed) {
  llvm::StringMap<int64_t> sizes;
  auto getSize = [&](StringRef symbol) -> std::optional<int64_t> {
    return sizes.try_emplace(symbol, kSizes[sizes.size() % std::size(kSizes)]).first->second;
  };
  std::vector<runtime::TensorRef> inputs;
  for (auto [i, type] : llvm::enumerate(entry.getArgumentTypes())) {
    if (getComputedBy(entry.getArgAttrDict(i)))
      break; // these come last
    auto tensorType = dyn_cast<RankedTensorType>(type);
    std::optional<WeftDType> dtype = getDType(getElementTypeOrSelf(type));
    SmallVector<int64_t> shape;
    for (Dim dim : tensorType ? getDims(tensorType) : SmallVector<Dim>())
      shape.push_back(dim ? dim.evaluate(getSize).value_or(-1) : -1);
    WeftTensor *tensor = nullptr;
    if (!dtype || llvm::any_of(shape, [](int64_t size) { return size < 0; }))
      return entry.emitError() << "cannot make an input of type " << describeType(type)
                               << "; give the inputs with --inputs or --input";
    if (WeftStatus error = weft_tensor_create(*dtype, shape.size(), shape.data(), &tensor)) {
      InFlightDiagnostic diagnostic = entry.emitError() << weft_status_message(error);
      weft_status_release(error);
      return diagnostic;
    }
    inputs.emplace_back(tensor);
    runtime::fillRandom(tensor, seed + i);
  }
  return inputs;
}
