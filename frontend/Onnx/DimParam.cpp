// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A small parser of sums, products and floor divisions, as exporters write dim_params.
#include "frontend/Onnx/DimParam.h"
#include "llvm/ADT/StringExtras.h"

using namespace weft;
using llvm::StringRef;
using weft::onnx::DimParams;

namespace {
/// sum := product (('+' | '-') product)*;  product := atom (('*' | '//') atom)*;  atom := name | number | '('
/// sum ')'. A null Dim is "not an expression".
class DimParser {
public:
  DimParser(mlir::MLIRContext *context, const llvm::StringSet<> &names, StringRef text)
      : context(context), names(names), rest(text) {}

  Dim parse() {
    Dim dim = parseSum();
    return rest.ltrim().empty() ? dim : Dim();
  }

private:
  bool take(StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }

  Dim parseSum() {
    Dim dim = parseProduct();
    while (dim) {
      if (take("+"))
        dim = dim + parseProduct();
      else if (take("-"))
        dim = dim - parseProduct();
      else
        return dim;
    }
    return dim;
  }

  Dim parseProduct() {
    Dim dim = parseAtom();
    while (dim) {
      if (take("//"))
        dim = Dim::floorDiv(dim, parseAtom());
      else if (take("*"))
        dim = dim * parseAtom();
      else
        return dim;
    }
    return dim;
  }

  Dim parseAtom() {
    constexpr unsigned kDeepest = 32; // Of parentheses: the text comes from a file.
    if (take("(")) {
      if (++depth > kDeepest)
        return Dim();
      Dim dim = parseSum();
      --depth;
      return take(")") ? dim : Dim();
    }
    rest = rest.ltrim();
    StringRef word = rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
    rest = rest.drop_front(word.size());
    int64_t number = 0;
    if (!word.getAsInteger(10, number))
      return Dim::constant(context, number);
    return names.contains(word) ? Dim::symbol(context, word) : Dim();
  }

  mlir::MLIRContext *context;
  const llvm::StringSet<> &names;
  StringRef rest;
  unsigned depth = 0;
};
} // namespace

DimParams::DimParams(mlir::MLIRContext *context, const Graph &graph) : context(context) {
  for (const ValueInfo &input : graph.inputs)
    for (const onnx::Dim &dim : input.type.dims)
      if (dim.kind == onnx::Dim::Kind::Symbol)
        declared.insert(dim.symbol);
}

weft::Dim DimParams::parse(StringRef text) const {
  // A name by itself is a symbol, whatever it looks like.
  bool isName = llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
  weft::Dim dim = isName ? weft::Dim() : DimParser(context, declared, text).parse();
  return dim ? dim : weft::Dim::symbol(context, text);
}

weft::Dim DimParams::get(const ValueInfo &input, size_t index) {
  const onnx::Dim &dim = input.type.dims[index];
  switch (dim.kind) {
  case onnx::Dim::Kind::Fixed:
    return weft::Dim::constant(context, dim.size);
  case onnx::Dim::Kind::Symbol:
    return parse(dim.symbol);
  case onnx::Dim::Kind::Unknown:
    break;
  }
  std::string name = input.name + "." + std::to_string(index);
  while (!declared.insert(name).second) // The model may use this very name for a dim of its own.
    name += "_";
  return weft::Dim::symbol(context, name);
}
