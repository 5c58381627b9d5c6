// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A payload's metadata, decoded and checked: every index in it is in range, every symbol is bound by an
// input.

#ifndef WEFT_RUNTIME_METADATA_H
#define WEFT_RUNTIME_METADATA_H

#include "Expression.h"
#include "weft/abi.h"

#include <string_view>

namespace weft::runtime {

struct TensorType {
  std::string name;
  WeftDType dtype;
  std::vector<Expression> dims;
  std::string text; ///< Such as "batch x 512 x f32".
};

struct Guard {
  WeftRelation relation;
  Expression left, right;
  std::string message;
};

struct Step {
  std::string kernel, node;
};

/// The dimension of an input that gives a symbol its value.
struct SymbolSource {
  size_t input, dim;
};

struct EntryPoint {
  std::string name;
  std::vector<std::string> symbols;
  std::vector<SymbolSource> sources; ///< One for each symbol.
  std::vector<TensorType> inputs, outputs;
  Expression arenaBytes;
  std::string arenaFormula;
  std::vector<Guard> guards;
  std::vector<Step> steps;
  size_t stackDepth; ///< The most that any of its expressions needs.
};

struct Metadata {
  std::string producer;
  WeftIsa isa;
  std::vector<EntryPoint> entryPoints; ///< At least one.
};

/// Raises an Error that starts with `file` and names the first thing that is wrong.
Metadata decodeMetadata(std::string_view bytes, const std::string &file);

} // namespace weft::runtime

#endif // WEFT_RUNTIME_METADATA_H
