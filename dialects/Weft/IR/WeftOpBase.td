// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Base classes and type constraints shared by the families of operations.
#ifndef WEFT_OP_BASE_TD
#define WEFT_OP_BASE_TD

include "Weft/IR/WeftAttrs.td"
include "Weft/IR/WeftInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Weft_Float : AnyTypeOf<[F16, BF16, F32, F64], "float">;
def Weft_Int : AnyTypeOf<[I8, I16, I32, I64, UI8, UI16, UI32, UI64], "integer">;
def Weft_Bool : AnyTypeOf<[I1], "bool">;
// What is stored, moved and cast, and nothing is computed in (isCompact).
def Weft_Compact : AnyTypeOf<[I<4>, UI<4>, I<2>, UI<2>, F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F8E8M0FNU, F4E2M1FN],
                             "compact">;
def Weft_Index : AnyTypeOf<[I32, I64], "i32 or i64">;

def Weft_FloatTensor : TensorOf<[Weft_Float]>;
def Weft_NumberTensor : TensorOf<[Weft_Float, Weft_Int]>;
def Weft_ComputedTensor : TensorOf<[Weft_Float, Weft_Int, Weft_Bool]>;
def Weft_AnyTensor : TensorOf<[Weft_Float, Weft_Int, Weft_Bool, Weft_Compact]>;
def Weft_BoolTensor : TensorOf<[Weft_Bool]>;
def Weft_IndexTensor : TensorOf<[Weft_Index]>;

// An operation of the import and graph levels: pure, on tensors. Its constraints are checked where its types are inferred.
class Weft_Op<string opMnemonic, list<Trait> traits = []>
    : Op<Weft_Dialect, opMnemonic,
         !listconcat([Pure, DeclareOpInterfaceMethods<Weft_InferInterface, ["inferTypes"]>], traits)> {
  let hasVerifier = 1;
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verify() { return ::weft::verifyInferredTypes(getOperation()); }
  }];
}

// One whose integer contents can be known as expressions over dims.
class Weft_ShapeMathOp<string opMnemonic, list<Trait> traits = []>
    : Op<Weft_Dialect, opMnemonic,
         !listconcat([Pure, DeclareOpInterfaceMethods<Weft_InferInterface, ["inferTypes", "inferContents"]>], traits)> {
  let hasVerifier = 1;
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verify() { return ::weft::verifyInferredTypes(getOperation()); }
  }];
}

#endif // WEFT_OP_BASE_TD
