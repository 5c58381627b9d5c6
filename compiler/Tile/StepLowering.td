// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a graph operation becomes steps; attached as external models, one file per family.
#ifndef WEFT_STEP_LOWERING_TD
#define WEFT_STEP_LOWERING_TD

include "mlir/IR/Interfaces.td"

def Weft_StepLoweringInterface : OpInterface<"StepLoweringInterface"> {
  let cppNamespace = "::weft";
  let description = "Writes an operation of the graph level as steps and kernels.";
  let methods = [
    InterfaceMethod<[{
        Adds what computes the operation's results to the program and returns their tensors; an error names what the
        operation asks for that no kernel does.
      }], "::weft::LoweredResults", "lowerToSteps", (ins "::weft::StepBuilder &":$steps)>
  ];
}

#endif // WEFT_STEP_LOWERING_TD
