// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise: each element of the result from the elements of the operands at the same place.
#ifndef WEFT_ELEMENTWISE_OPS_TD
#define WEFT_ELEMENTWISE_OPS_TD

include "Weft/IR/WeftOpBase.td"

// Constraints of every element-wise operation, whose operands are broadcast to one shape:
//   elementwise-c1  constant dims that meet are equal, or one of them is 1
//   elementwise-c2  operands have one element type (of weft.where: the two values)
class Weft_UnaryOp<string opMnemonic, string formula, Type type> : Weft_ShapeMathOp<opMnemonic> {
  let summary = formula;
  let arguments = (ins type:$input);
  let results = (outs type:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verify() { return ::weft::verifyInferredTypes(getOperation()); }
    ::llvm::LogicalResult $cppClass::inferTypes(::weft::InferContext &context,
                                                ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::weft::inferUnary(getOperation(), types);
    }
    std::optional<::llvm::SmallVector<::weft::Dim>> $cppClass::inferContents(::weft::InferContext &context) {
      return ::weft::inferUnaryContents(getOperation(), context);
    }
  }];
}

class Weft_BinaryOp<string opMnemonic, string formula, Type type, list<Trait> traits = []>
    : Weft_ShapeMathOp<opMnemonic, traits> {
  let summary = formula;
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verify() { return ::weft::verifyInferredTypes(getOperation()); }
    ::llvm::LogicalResult $cppClass::inferTypes(::weft::InferContext &context,
                                                ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::weft::inferBinary(getOperation(), context, types);
    }
    std::optional<::llvm::SmallVector<::weft::Dim>> $cppClass::inferContents(::weft::InferContext &context) {
      return ::weft::inferBinaryContents(getOperation(), context);
    }
  }];
}

def Weft_AddOp : Weft_BinaryOp<"add", "lhs + rhs; integers wrap", Weft_NumberTensor, [Commutative]> {
  let description = [{
    Example:
    ```mlir
    %y = weft.add %x, %bias : (tensor<?x8xf32, #weft.dims<"n", 8>>, tensor<8xf32>) -> tensor<?x8xf32, #weft.dims<"n", 8>>
    ```
  }];
  let hasFolder = 1;
}
def Weft_SubOp : Weft_BinaryOp<"sub", "lhs - rhs; integers wrap", Weft_NumberTensor> { let hasFolder = 1; }
def Weft_MulOp : Weft_BinaryOp<"mul", "lhs * rhs; integers wrap", Weft_NumberTensor, [Commutative]> { let hasFolder = 1; }
def Weft_DivOp : Weft_BinaryOp<"div", "lhs / rhs; integers truncate toward zero", Weft_NumberTensor> {
  let description = "An integer divided by zero is 0; the least number divided by -1 wraps. Neither traps.";
  let hasFolder = 1;
}
def Weft_PowOp : Weft_BinaryOp<"pow", "lhs to the power of rhs", Weft_NumberTensor> {
  let description = [{
    The exponent may have another element type than the base; the result has the base's type, and integer results
    are truncated.
  }];
  let hasCanonicalizer = 1;
}
def Weft_RemOp : Weft_BinaryOp<"rem", "what is left of lhs after lhs / rhs", Weft_NumberTensor> {
  let description = [{
    The quotient truncates toward zero, so the result has the sign of lhs, as in C. By zero it is 0, of floats NaN, and
    those have no error: fmod. Python's and ONNX's remainder, with the sign of the divisor, is made of this one.
  }];
}
def Weft_MinOp : Weft_BinaryOp<"min", "the smaller; NaN if either is NaN", Weft_NumberTensor, [Commutative]>;
def Weft_MaxOp : Weft_BinaryOp<"max", "the larger; NaN if either is NaN", Weft_NumberTensor, [Commutative]>;
def Weft_AndOp : Weft_BinaryOp<"and", "lhs and rhs", Weft_BoolTensor, [Commutative]>;
def Weft_OrOp : Weft_BinaryOp<"or", "lhs or rhs", Weft_BoolTensor, [Commutative]>;

def Weft_BitAndOp : Weft_BinaryOp<"bit_and", "lhs and rhs, bit by bit", TensorOf<[Weft_Int]>, [Commutative]>;
def Weft_BitOrOp : Weft_BinaryOp<"bit_or", "lhs or rhs, bit by bit", TensorOf<[Weft_Int]>, [Commutative]>;
def Weft_BitXorOp : Weft_BinaryOp<"bit_xor", "either lhs or rhs, bit by bit", TensorOf<[Weft_Int]>, [Commutative]>;
def Weft_ShiftLeftOp : Weft_BinaryOp<"shift_left", "lhs moved by rhs bits to the higher ones", TensorOf<[Weft_Int]>> {
  let description = "The lowest bits become 0. A distance of all bits or more leaves 0, as does a negative one.";
}
def Weft_ShiftRightOp : Weft_BinaryOp<"shift_right", "lhs moved by rhs bits to the lower ones", TensorOf<[Weft_Int]>> {
  let description = "The highest bits become 0. A distance of all bits or more leaves 0, as does a negative one.";
}

def Weft_NegOp : Weft_UnaryOp<"neg", "-x", Weft_NumberTensor>;
def Weft_AbsOp : Weft_UnaryOp<"abs", "|x|", Weft_NumberTensor>;
def Weft_SqrtOp : Weft_UnaryOp<"sqrt", "the square root; NaN below zero", Weft_FloatTensor>;
def Weft_ExpOp : Weft_UnaryOp<"exp", "e to the power of x", Weft_FloatTensor>;
def Weft_LogOp : Weft_UnaryOp<"log", "the natural logarithm", Weft_FloatTensor>;
def Weft_ErfOp : Weft_UnaryOp<"erf", "the error function", Weft_FloatTensor>;
def Weft_TanhOp : Weft_UnaryOp<"tanh", "the hyperbolic tangent", Weft_FloatTensor>;
def Weft_SigmoidOp : Weft_UnaryOp<"sigmoid", "1 / (1 + exp(-x))", Weft_FloatTensor>;
def Weft_ReciprocalOp : Weft_UnaryOp<"reciprocal", "1 / x", Weft_FloatTensor>;
def Weft_SinOp : Weft_UnaryOp<"sin", "the sine of radians", Weft_FloatTensor>;
def Weft_CosOp : Weft_UnaryOp<"cos", "the cosine of radians", Weft_FloatTensor>;
def Weft_AtanOp : Weft_UnaryOp<"atan", "the angle from -pi/2 to pi/2 whose tangent is x", Weft_FloatTensor>;
def Weft_FloorOp : Weft_UnaryOp<"floor", "the greatest integer that is not above x", Weft_FloatTensor>;
def Weft_CeilOp : Weft_UnaryOp<"ceil", "the least integer that is not below x", Weft_FloatTensor>;
def Weft_RoundOp : Weft_UnaryOp<"round", "the nearest integer; halves go to the even one", Weft_FloatTensor>;
def Weft_ReluOp : Weft_UnaryOp<"relu", "max(x, 0); NaN stays NaN", Weft_NumberTensor>;
def Weft_NotOp : Weft_UnaryOp<"not", "not x", Weft_BoolTensor> { let hasFolder = 1; }

def Weft_GeluOp : Weft_UnaryOp<"gelu", "the Gaussian error linear unit", Weft_FloatTensor> {
  let description = [{
    Form `erf` is `x/2 * (1 + erf(x / sqrt(2)))`; form `tanh` is
    `x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 * x^3)))` (Hendrycks and Gimpel, arXiv 1606.08415).
    Made by the importer (Gelu-20) and by weft-recognize-gelu.
  }];
  let arguments = (ins Weft_FloatTensor:$input, Weft_GeluForm:$form);
}

def Weft_CompareOp : Weft_ShapeMathOp<"compare"> {
  let summary = "lhs compared with rhs, element by element";
  let description = [{
    A comparison with NaN is false.

    Example:
    ```mlir
    %keep = weft.compare eq %ids, %pad : (tensor<4xi64>, tensor<i64>) -> tensor<4xi1>
    ```
  }];
  let arguments = (ins Weft_ComparePredicate:$predicate, Weft_ComputedTensor:$lhs, Weft_ComputedTensor:$rhs);
  let results = (outs Weft_BoolTensor:$result);
  let assemblyFormat = "$predicate $lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
  let hasCanonicalizer = 1;
}

def Weft_WhereOp : Weft_ShapeMathOp<"where"> {
  let summary = "condition ? then_value : else_value; all three are broadcast";
  let arguments = (ins Weft_BoolTensor:$condition, Weft_AnyTensor:$then_value, Weft_AnyTensor:$else_value);
  let results = (outs Weft_AnyTensor:$result);
  let assemblyFormat = "$condition `,` $then_value `,` $else_value attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Weft_CastOp : Weft_ShapeMathOp<"cast"> {
  let summary = "converts the element type";
  let description = [{
    To bool: x != 0 (NaN is true). From bool: 0 or 1. Between floats: round to nearest even, overflow to infinity. Float to
    integer: toward zero, saturating, NaN to 0 (ONNX leaves out-of-range values undefined). Between integers: wraps.

    To integers of less than 8 bits: the lowest bits of the i32. To floats of 8 bits and less: round to nearest even, and what
    is beyond the greatest becomes infinity, or NaN where there is none, or the greatest where there is neither, which of NaN
    makes -0. To f8E8M0FNU: the power of two of the f32, of which sign and fraction are dropped; infinity becomes NaN.
  }];
  let arguments = (ins Weft_AnyTensor:$input, TypeAttr:$to);
  let results = (outs Weft_AnyTensor:$result);
  let assemblyFormat = "$input `to` $to attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Weft_BitcastOp : Weft_Op<"bitcast"> {
  let summary = "reads the bits of each element as another element type";
  let description = [{
    A bool has eight bits, of which any makes it true.

    Constraints:
    - bitcast-c1: the element types have equally many bits.

    Example:
    ```mlir
    %bits = weft.bitcast %x to i32 : (tensor<4xf32>) -> tensor<4xi32>
    ```
  }];
  let arguments = (ins Weft_AnyTensor:$input, TypeAttr:$to);
  let results = (outs Weft_AnyTensor:$result);
  let assemblyFormat = "$input `to` $to attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

#endif // WEFT_ELEMENTWISE_OPS_TD
