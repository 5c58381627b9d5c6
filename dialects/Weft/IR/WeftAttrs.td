// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes: symbolic dims, guards over them, handles of weights, and the enums of operations.
#ifndef WEFT_ATTRS_TD
#define WEFT_ATTRS_TD

include "Weft/IR/WeftDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/TensorEncoding.td"

class Weft_Attr<string name, string attrMnemonic, list<Trait> traits = []> : AttrDef<Weft_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Weft_DimAttr : Weft_Attr<"Dim", "dim"> {
  let summary = "one dimension, as an integer expression over named symbols";
  let description = [{
    Always in normal form, so that equal expressions are the same attribute. Built with `weft::Dim` (Dims.h), which
    holds the rules. Symbols stand for sizes and so are never negative.

    Example: `#weft.dim<2 * "src" - 1>`
  }];
  let parameters = (ins "::weft::DimKind":$kind, "int64_t":$value, "::mlir::StringAttr":$name,
                        ArrayRefParameter<"::weft::DimAttr">:$operands);
  let hasCustomAssemblyFormat = 1;
}

def Weft_DimsAttr : Weft_Attr<"Dims", "dims", [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "a shape: one expression per dimension";
  let description = [{
    The encoding of a tensor type with at least one dynamic dim. A dim whose expression is a constant is static in
    the type, and only such.

    Example: `tensor<?x?x512xf32, #weft.dims<"batch", "past" + "seq", 512>>`
  }];
  let parameters = (ins ArrayRefParameter<"::weft::DimAttr">:$dims);
  let hasCustomAssemblyFormat = 1;
}

def Weft_Relation : I32EnumAttr<"Relation", "how two dims are related", [
    I32EnumAttrCase<"Equal", 0, "equal">,
    I32EnumAttrCase<"Broadcast", 1, "broadcast">,
    I32EnumAttrCase<"LessEqual", 2, "less_equal">]> {
  let cppNamespace = "::weft";
}

def Weft_GuardAttr : Weft_Attr<"Guard", "guard"> {
  let summary = "a relation of dims that the model relies on";
  let description = [{
    `equal`: left and right are equal; `broadcast`: equal, or one of them is 1; `less_equal`: left is at most right.
    An entry point lists its guards in `weft.guards`; each is checked when a session is sized, and `message` says
    which node asks for it.

    Example: `#weft.guard<broadcast, "a", "b", "node \"Add_3\" broadcasts them">`
  }];
  let parameters = (ins EnumParameter<Weft_Relation>:$relation, "::weft::DimAttr":$left, "::weft::DimAttr":$right,
                        StringRefParameter<"which node asks for it">:$message);
  let assemblyFormat = "`<` $relation `,` custom<Dim>($left) `,` custom<Dim>($right) `,` $message `>`";
}

def Weft_WeightAttr : Weft_Attr<"Weight", "weight"> {
  let summary = "a handle of constant data outside the IR";
  let description = [{
    `bytes` bytes at `offset` of a file, contiguous, row-major, little-endian, of the type of the `weft.constant`
    that holds it. `hash` is the xxh3 hash of those bytes: a file that changed is an error, never a wrong answer.
    The file name `""` means data that a pass made and that no file holds yet (see WeightStore.h).

    Example: `#weft.weight<"model.onnx", 1024, 4096, 0x1badb002>`
  }];
  let parameters = (ins StringRefParameter<"the file">:$file, "int64_t":$offset, "int64_t":$bytes,
                        "uint64_t":$hash);
  let assemblyFormat = "`<` $file `,` $offset `,` $bytes `,` $hash `>`";
}

def Weft_WeightGroupsAttr : Weft_Attr<"WeightGroups", "weight_groups"> {
  let summary = "how a packed right-hand side holds numbers of 2, 4 or 8 bits, with a scale for each group of rows";
  let description = [{
    A matrix [K, N] as words of i32, [ceil(N / 48), ceil(K / rows), words, 48]. A group's words are, for each column, its
    scale as the bits of an f32; with `hasOffsets` an f32 that is subtracted before; and `rows` signed numbers, 32 / bits
    of them a word, the first in the lowest bits. So an element is `(number - offset) * scale`. With a `table` numbers have
    no sign, and are places in it: an element is `(table[number] - offset) * scale`.

    `rows` divides 128, so that depths in blocks of it begin with a group, and fills whole words.

    Example: `#weft.weight_groups<bits = 4, rows = 32, hasOffsets = false>`
  }];
  let parameters = (ins "int64_t":$bits, "int64_t":$rows, "bool":$hasOffsets,
                        OptionalParameter<"::mlir::DenseF32ArrayAttr", "2^bits numbers, of 4 bits or less">:$table);
  let builders = [AttrBuilder<(ins "int64_t":$bits, "int64_t":$rows, "bool":$hasOffsets), [{
    return $_get($_ctxt, bits, rows, hasOffsets, ::mlir::DenseF32ArrayAttr());
  }]>];
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// What `rows` divides.
    static constexpr int64_t kMostRows = 128;
    static constexpr int64_t kFewestRows = 16; // a word has so many of 2 bits
    /// Rows of the one group that is to hold a column of that depth, or of several that follow each other.
    static int64_t rowsFor(int64_t depth);
    int64_t perWord() const { return 32 / getBits(); }
    /// Words of a group and column before its numbers, and all of them.
    int64_t headWords() const { return getHasOffsets() ? 2 : 1; }
    int64_t words() const { return headWords() + getRows() / perWord(); }
    int64_t count(int64_t depth) const { return depth / getRows() + (depth % getRows() != 0); }
    /// Where row k's number is: the word, counted over all groups, and its lowest bit.
    int64_t word(int64_t k) const { return groupWord(k) + headWords() + k % getRows() / perWord(); }
    int64_t shift(int64_t k) const { return k % perWord() * getBits(); }
    /// The word of its group's scale, which the offset's follows.
    int64_t groupWord(int64_t k) const { return k / getRows() * words(); }
  }];
}

def Weft_ComparePredicate : I32EnumAttr<"ComparePredicate", "how two elements are compared", [
    I32EnumAttrCase<"Equal", 0, "eq">, I32EnumAttrCase<"Less", 1, "lt">, I32EnumAttrCase<"LessEqual", 2, "le">,
    I32EnumAttrCase<"Greater", 3, "gt">, I32EnumAttrCase<"GreaterEqual", 4, "ge">]> {
  let cppNamespace = "::weft";
}

def Weft_GeluForm : I32EnumAttr<"GeluForm", "how GELU is computed", [
    I32EnumAttrCase<"Erf", 0, "erf">, I32EnumAttrCase<"Tanh", 1, "tanh">]> {
  let cppNamespace = "::weft";
}

def Weft_ReduceKind : I32EnumAttr<"ReduceKind", "what a reduction computes", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Mean", 1, "mean">, I32EnumAttrCase<"Max", 2, "max">,
    I32EnumAttrCase<"Min", 3, "min">, I32EnumAttrCase<"Prod", 4, "prod">]> {
  let cppNamespace = "::weft";
}

def Weft_ScatterKind : I32EnumAttr<"ScatterKind", "what a scattered element does to the one that is there", [
    I32EnumAttrCase<"Replace", 0, "replace">, I32EnumAttrCase<"Add", 1, "add">, I32EnumAttrCase<"Mul", 2, "mul">,
    I32EnumAttrCase<"Min", 3, "min">, I32EnumAttrCase<"Max", 4, "max">]> {
  let cppNamespace = "::weft";
}

def Weft_PadMode : I32EnumAttr<"PadMode", "what padding holds", [
    I32EnumAttrCase<"Constant", 0, "constant">, I32EnumAttrCase<"Reflect", 1, "reflect">,
    I32EnumAttrCase<"Edge", 2, "edge">, I32EnumAttrCase<"Wrap", 3, "wrap">]> {
  let cppNamespace = "::weft";
}

def Weft_EmptyRows : I32EnumAttr<"EmptyRows", "what attention gives for a row with nothing kept", [
    I32EnumAttrCase<"NaN", 0, "nan">, I32EnumAttrCase<"Zero", 1, "zero">,
    I32EnumAttrCase<"NaNToZero", 2, "nan_to_zero">]> {
  let cppNamespace = "::weft";
}

#endif // WEFT_ATTRS_TD
