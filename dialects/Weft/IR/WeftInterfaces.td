// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every operation of the graph level says of itself.
#ifndef WEFT_INTERFACES_TD
#define WEFT_INTERFACES_TD

include "mlir/IR/Interfaces.td"

def Weft_InferInterface : OpInterface<"InferInterface"> {
  let cppNamespace = "::weft";
  let description = [{
    The types of an operation's results, from those of its operands and from the integer contents that are known
    as expressions over dims. The verifier, the builder and weft-infer-shapes all ask here, so that an operation's
    constraints are written once. An error names the constraint by its number in the operation's description.
  }];
  let methods = [
    InterfaceMethod<"Computes the result types, or emits an error.", "::llvm::LogicalResult", "inferTypes",
      (ins "::weft::InferContext &":$context, "::llvm::SmallVectorImpl<::mlir::Type> &":$types)>,
    InterfaceMethod<[{
        Computes the first result's elements as expressions, row-major, if something is known of them; one that is not
        is null. Called only where the result's type is that of a short tensor.
      }], "std::optional<::llvm::SmallVector<::weft::Dim>>", "inferContents", (ins "::weft::InferContext &":$context),
      "", "return std::nullopt;">
  ];
}

#endif // WEFT_INTERFACES_TD
