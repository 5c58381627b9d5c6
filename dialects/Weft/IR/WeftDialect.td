// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The weft dialect: Transformer graphs with symbolic shapes, and the step programs that they become.
#ifndef WEFT_DIALECT_TD
#define WEFT_DIALECT_TD

include "mlir/IR/DialectBase.td"
include "mlir/IR/OpBase.td"

def Weft_Dialect : Dialect {
  let name = "weft";
  let cppNamespace = "::weft";
  let summary = "Transformer graphs, and the step programs they become";
  let description = [{
    At the import and graph levels a model is a `func.func` of `weft` operations on tensors. Element-wise operations
    broadcast as NumPy does. A tensor with a dynamic dim carries one expression per dim in its encoding:
    `tensor<?x?x512xf32, #weft.dims<"batch", "past" + "seq", 512>>`.

    At the tile and buffer levels it is a program of `weft.step`, each of which runs a `weft.kernel` over a grid
    of independent tiles.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{
    /// The bytes behind `#weft.weight`: mapped files, and data that passes made.
    WeightStore &getWeights() { return *weights; }

  private:
    std::shared_ptr<WeightStore> weights;

  public:
  }];
}

#endif // WEFT_DIALECT_TD
