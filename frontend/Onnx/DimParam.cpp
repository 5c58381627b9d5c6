// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/Onnx/DimParam.h"
#include "dialects/Weft/IR/DimText.h"
#include "llvm/ADT/StringExtras.h"

using namespace weft;
using llvm::StringRef;
using weft::onnx::DimParams;

DimParams::DimParams(mlir::MLIRContext *context, const Graph &graph) : context(context) {
  for (const ValueInfo &input : graph.inputs)
    for (const onnx::Dim &dim : input.type.dims)
      if (dim.kind == onnx::Dim::Kind::Symbol)
        declared.insert(dim.symbol);
}

weft::Dim DimParams::parse(StringRef text) const {
  // A name by itself is a symbol, whatever it looks like.
  bool isName = llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
  weft::Dim dim = isName ? weft::Dim() : parseDimText(context, declared, text);
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
