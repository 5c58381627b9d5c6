// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The encoding of metadata; its format is in runtime/include/weft/abi.h.
#include "compiler/Artifact/Metadata.h"
#include "compiler/Artifact/DType.h"
#include "dialects/Weft/IR/StateGrowth.h"
#include "dialects/Weft/IR/Weft.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "runtime/include/weft/abi.h"
#include "llvm/Support/Endian.h"

using namespace mlir;
using namespace weft;

StringRef weft::getProducer() { return "weft 0.1.0"; }

namespace {

/// Appends the fields of the format.
class FieldWriter {
public:
  void u32(uint32_t value) { append(value); }
  void i64(int64_t value) { append(value); }
  void string(StringRef text) {
    u32(text.size());
    bytes.append(text.begin(), text.end());
  }
  SmallVector<char> take() { return std::move(bytes); }

private:
  template <typename T> void append(T value) {
    char buffer[sizeof(T)];
    llvm::support::endian::write<T>(buffer, value, llvm::endianness::little);
    bytes.append(buffer, buffer + sizeof(T));
  }
  SmallVector<char> bytes;
};

int64_t getCode(DimKind kind) {
  switch (kind) {
  case DimKind::Constant:
    return WEFT_EXPR_CONSTANT;
  case DimKind::Symbol:
    return WEFT_EXPR_SYMBOL;
  case DimKind::Add:
    return WEFT_EXPR_ADD;
  case DimKind::Mul:
    return WEFT_EXPR_MUL;
  case DimKind::FloorDiv:
    return WEFT_EXPR_FLOORDIV;
  case DimKind::Mod:
    return WEFT_EXPR_MOD;
  case DimKind::Min:
    return WEFT_EXPR_MIN;
  case DimKind::Max:
    return WEFT_EXPR_MAX;
  case DimKind::Broadcast:
    return WEFT_EXPR_BROADCAST;
  }
  return -1;
}

/// Encodes one entry point.
class EntryEncoder {
public:
  EntryEncoder(FieldWriter &out, LLVM::LLVMFuncOp entry, const llvm::StringMap<int64_t> &entryNumbers)
      : out(out), entry(entry), entryNumbers(entryNumbers) {}

  LogicalResult encode() {
    auto name = get<StringAttr>("weft.entry");
    auto symbols = get<ArrayAttr>(names::kSymbols), inputs = get<ArrayAttr>("weft.inputs"),
         outputs = get<ArrayAttr>("weft.outputs"), states = get<ArrayAttr>("weft.states"),
         steps = get<ArrayAttr>(names::kSteps);
    auto arena = get<DimAttr>(names::kArenaBytes);
    if (!name || !symbols || !inputs || !outputs || !states || !steps || !arena)
      return failure();
    out.string(name.getValue());
    out.u32(symbols.size());
    for (auto symbol : symbols.getAsRange<StringAttr>()) {
      symbolIndices[symbol.getValue()] = symbolIndices.size();
      out.string(symbol.getValue());
    }
    if (failed(encodeEdges(inputs)) || failed(encodeEdges(outputs)) || failed(encodeStates(states)))
      return failure();
    encodeElements(inputs);
    encodeDefinitions();
    if (failed(encodeComputed(inputs)))
      return failure();
    encodeExpression(Dim(arena));
    out.string(Dim(arena).toString());
    encodeGuards(entry->getAttrOfType<ArrayAttr>(names::kGuards));
    out.u32(steps.size() / 6);
    for (Attribute field : steps) {
      if (auto text = dyn_cast<StringAttr>(field))
        out.string(text.getValue());
      else if (auto number = dyn_cast<IntegerAttr>(field))
        out.u32(number.getInt());
      else
        encodeExpression(Dim(cast<DimAttr>(field)));
    }
    return success();
  }

private:
  template <typename T> T get(StringRef name) {
    auto attribute = entry->getAttrOfType<T>(name);
    if (!attribute)
      entry.emitError() << "lacks the attribute '" << name << "' that an artifact's metadata is made of";
    return attribute;
  }

  LogicalResult encodeEdges(ArrayAttr edges) {
    out.u32(edges.size());
    for (auto edge : edges.getAsRange<DictionaryAttr>())
      if (failed(encodeEdge(edge)))
        return failure();
    return success();
  }

  LogicalResult encodeEdge(DictionaryAttr edge) {
    auto name = edge.getAs<StringAttr>(names::kName);
    auto element = edge.getAs<TypeAttr>(names::kElement);
    auto dims = edge.getAs<DimsAttr>(names::kDims);
    std::optional<WeftDType> dtype = element ? getDType(element.getValue()) : std::nullopt;
    if (!name || !dims || !dtype)
      return entry.emitError("an input or output without name, dims or a known element type");
    out.string(name.getValue());
    out.u32(*dtype);
    out.u32(dims.getDims().size());
    for (DimAttr dim : dims.getDims())
      encodeExpression(Dim(dim));
    return success();
  }

  LogicalResult encodeStates(ArrayAttr states) {
    out.u32(states.size());
    for (auto state : states.getAsRange<DictionaryAttr>()) {
      if (failed(encodeEdge(state)))
        return failure();
      std::optional<StateGrowth> growth = StateGrowth::get(state.get(names::kState));
      if (!growth)
        return entry.emitError("a state that does not say how it grows");
      out.u32(growth->axis);
      out.i64(growth->capacity);
      encodeExpression(growth->next);
    }
    return success();
  }

  /// The symbols that elements of inputs give values to.
  void encodeElements(ArrayAttr inputs) {
    SmallVector<std::array<int64_t, 4>> elements;
    for (int64_t number = 0; number < int64_t(inputs.size()); ++number)
      if (auto symbols = cast<DictionaryAttr>(inputs[number]).getAs<ArrayAttr>(names::kElementSymbols))
        forEachElement(symbols, [&](size_t element, StringAttr above, StringAttr below) {
          auto add = [&](StringAttr symbol, WeftElementPart part) {
            elements.push_back({symbolIndices.lookup(symbol.getValue()), number, int64_t(element), part});
          };
          add(above, below ? WEFT_ELEMENT_ABOVE_ZERO : WEFT_ELEMENT_SIZE);
          if (below)
            add(below, WEFT_ELEMENT_BELOW_ZERO);
        });
    out.u32(elements.size());
    for (auto [symbol, input, element, part] : elements) {
      out.u32(symbol);
      out.u32(input);
      out.i64(element);
      out.u32(part);
    }
  }

  void encodeDefinitions() {
    SmallVector<std::pair<int64_t, Dim>> definitions;
    forEachDefinition(entry, [&](StringAttr name, Dim dim) {
      definitions.push_back({symbolIndices.lookup(name.getValue()), dim});
    });
    out.u32(definitions.size());
    for (auto [symbol, dim] : definitions) {
      out.u32(symbol);
      encodeExpression(dim);
    }
  }

  /// The inputs that other entry points compute, which are the last ones.
  LogicalResult encodeComputed(ArrayAttr inputs) {
    SmallVector<std::pair<int64_t, int64_t>> computed;
    for (auto input : inputs.getAsRange<DictionaryAttr>()) {
      auto by = getComputedBy(input);
      auto found = by ? entryNumbers.find(by->first) : entryNumbers.end();
      if (by ? found == entryNumbers.end() : !computed.empty())
        return entry.emitError(
            "an input that no entry point computes, or that stands before one that is given");
      if (by)
        computed.push_back({found->second, by->second});
    }
    out.u32(computed.size());
    for (auto [number, output] : computed) {
      out.u32(number);
      out.u32(output);
    }
    return success();
  }

  void encodeExpression(Dim dim) {
    SmallVector<int64_t> words;
    visitPostfix(dim, [&](DimKind kind, int64_t value, StringRef name) {
      words.push_back(getCode(kind));
      if (kind == DimKind::Constant)
        words.push_back(value);
      if (kind == DimKind::Symbol)
        words.push_back(symbolIndices.lookup(name));
    });
    out.u32(words.size());
    for (int64_t word : words)
      out.i64(word);
  }

  void encodeGuards(ArrayAttr guards) {
    out.u32(guards ? guards.size() : 0);
    if (!guards)
      return;
    for (auto guard : guards.getAsRange<GuardAttr>()) {
      out.u32(uint32_t(guard.getRelation()));
      encodeExpression(Dim(guard.getLeft()));
      encodeExpression(Dim(guard.getRight()));
      out.string(guard.getMessage());
    }
  }

  FieldWriter &out;
  LLVM::LLVMFuncOp entry;
  const llvm::StringMap<int64_t> &entryNumbers; ///< by name
  llvm::StringMap<int64_t> symbolIndices;
};

} // namespace

FailureOr<SmallVector<char>> weft::encodeMetadata(ModuleOp module, ArrayRef<Code> codes,
                                                  ArrayRef<DeviceCode> deviceCodes) {
  SmallVector<LLVM::LLVMFuncOp> entries;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (function->hasAttr("weft.entry"))
      entries.push_back(function);
  if (entries.empty())
    return module.emitError("has no entry point");
  FieldWriter out;
  out.string(getProducer());
  out.u32(codes.size());
  for (const Code &code : codes) {
    out.u32(code.machine.level);
    out.i64(code.bytes.size());
  }
  out.u32(deviceCodes.size());
  for (const DeviceCode &code : deviceCodes) {
    out.u32(code.gpu);
    out.i64(code.text.size());
  }
  out.u32(entries.size());
  llvm::StringMap<int64_t> numbers;
  for (LLVM::LLVMFuncOp entry : entries)
    if (auto name = entry->getAttrOfType<StringAttr>("weft.entry"))
      numbers.try_emplace(name.getValue(), numbers.size());
  for (LLVM::LLVMFuncOp entry : entries)
    if (failed(EntryEncoder(out, entry, numbers).encode()))
      return failure();
  return out.take();
}
