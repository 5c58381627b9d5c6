// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an operation of the import and graph levels computes.
#ifndef WEFT_EVALUATE_INTERFACE_TD
#define WEFT_EVALUATE_INTERFACE_TD

include "mlir/IR/Interfaces.td"

def Weft_EvaluateInterface : OpInterface<"EvaluateInterface"> {
  let cppNamespace = "::weft";
  let description = [{
    The values of an operation's results from those of its operands. Attached as external models, one file per
    family. Called by `evaluateOperation`, which has checked that the operands have the element types, ranks and
    static dims that the operation declares, and which checks the results against their types. A model itself
    checks what depends on the sizes and contents of this run, and emits an error on the operation.
  }];
  let methods = [
    InterfaceMethod<"Computes the results, or emits an error.",
      "::llvm::FailureOr<::llvm::SmallVector<::weft::Tensor>>", "evaluate",
      (ins "::llvm::ArrayRef<::weft::Tensor>":$operands, "::weft::EvaluateContext &":$context)>
  ];
}

#endif // WEFT_EVALUATE_INTERFACE_TD
