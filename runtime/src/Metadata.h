// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A payload's metadata, decoded and checked: every index in it is in range, every symbol is bound by an
// input or a state.

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

/// A tensor that the session keeps: each run appends positions along an axis, up to `capacity`.
struct State {
  TensorType type; ///< before a run; its text says what room there is
  size_t axis;
  int64_t capacity;
  Expression next; ///< positions after a run
};

struct Guard {
  WeftRelation relation;
  Expression left, right;
  std::string message;
};

struct Step {
  std::string kernel, node, note;
  Expression flops, bytes;
  WeftProductUnit unit;
};

/// What gives a symbol its value: a dimension of an input, how many positions a state holds, an element of an
/// input, or an expression over other symbols.
struct SymbolSource {
  enum Kind { Input, State, Element, Definition } kind;
  size_t number, place; ///< Of the input or state; of its dimension or element.
  WeftElementPart part = WEFT_ELEMENT_SIZE;
};

/// A symbol that stands for an expression.
struct Definition {
  size_t symbol;
  Expression value;
};

/// An input that an entry point computes before another one runs.
struct Computed {
  size_t entry, output;
};

struct EntryPoint {
  std::string name;
  std::vector<std::string> symbols;
  std::vector<SymbolSource> sources; ///< One for each symbol.
  std::vector<TensorType> inputs, outputs;
  std::vector<Computed> computed; ///< The last inputs, one each.
  std::vector<State> states;
  std::vector<Definition> definitions; ///< Each over symbols that have a value when those before it do.
  Expression arenaBytes;
  std::string arenaFormula;
  std::vector<Guard> guards;
  std::vector<Step> steps;
  size_t stackDepth; ///< The most that any of its expressions needs.

  /// How many inputs a caller gives.
  size_t givenInputs() const { return inputs.size() - computed.size(); }
};

/// One of the shared objects in a payload's code.
struct Code {
  WeftIsa isa; ///< the least that it needs
  size_t offset, bytes;
};

/// Kernels for GPUs: a text, with a zero behind it.
struct DeviceCode {
  WeftGpu gpu;
  size_t offset, bytes;
};

struct Metadata {
  std::string producer;
  std::vector<Code> codes;             ///< At least one, by isa.
  std::vector<DeviceCode> deviceCodes; ///< Of a model for GPUs; by gpu.
  std::vector<EntryPoint> entryPoints; ///< At least one.
};

/// Raises an Error that starts with `file` and names the first thing that is wrong. The payload's code, which
/// it divides, has `codeBytes`.
Metadata decodeMetadata(std::string_view bytes, size_t codeBytes, const std::string &file);

} // namespace weft::runtime

#endif // WEFT_RUNTIME_METADATA_H
