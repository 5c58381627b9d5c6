// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decodes metadata, field by field in the order of abi.h.

#include "Metadata.h"
#include "ByteReader.h"
#include "Cpu.h"
#include "Tensor.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace weft::runtime {

namespace {

/// Far above what a compiler writes; keeps printing and evaluating a hostile file cheap.
constexpr uint32_t mostDimWords = 1u << 12, mostWords = 1u << 20;
/// The least bytes that an item of each list takes: bounds a list's length before memory is reserved for it.
constexpr size_t stringBytes = 4, expressionBytes = 4, tensorBytes = 12, guardBytes = 16, stepBytes = 24,
                 stateBytes = tensorBytes + 16, elementBytes = 20, definitionBytes = 8, computedBytes = 8;
constexpr size_t entryPointBytes = 44, codeListBytes = 12;

bool isGpu(uint32_t value) {
  constexpr uint32_t known[] = {WEFT_GPU_SM_80, WEFT_GPU_SM_86, WEFT_GPU_SM_89, WEFT_GPU_SM_90,
                                WEFT_GPU_SM_90A};
  return std::find(std::begin(known), std::end(known), value) != std::end(known);
}

class MetadataReader {
public:
  MetadataReader(std::string_view bytes, const std::string &file) : reader(bytes, file + ": its metadata") {}

  Metadata read(size_t codeBytes) {
    Metadata metadata;
    metadata.producer = readString();
    size_t offset = readCodes(metadata.codes, codeBytes);
    offset = readDeviceCodes(metadata.deviceCodes, offset, codeBytes);
    if (offset != codeBytes)
      reader.fail(codeBytes - offset, " bytes of code are for no instruction set");
    readList(entryPointBytes, [&] { metadata.entryPoints.push_back(readEntryPoint()); });
    if (metadata.entryPoints.empty())
      reader.fail("there is no entry point");
    if (!reader.atEnd())
      reader.fail(reader.remaining(), " bytes follow its end");
    checkComputed(metadata.entryPoints);
    return metadata;
  }

private:
  /// Returns where they end.
  size_t readCodes(std::vector<Code> &codes, size_t codeBytes) {
    size_t offset = 0;
    readList(codeListBytes, [&] {
      uint32_t isa = reader.read<uint32_t>();
      if (!isIsa(isa))
        reader.fail("instruction set ", isa, " is not known; was the model made by a newer Weft?");
      if (!codes.empty() && isa <= codes.back().isa)
        reader.fail("instruction set ", isa, " is not more than the one before");
      uint64_t bytes = reader.read<uint64_t>();
      if (bytes > codeBytes - offset)
        reader.fail("code for instruction set ", isa, " has ", bytes, " bytes, of which ", codeBytes - offset,
                    " are there");
      codes.push_back({static_cast<WeftIsa>(isa), offset, bytes});
      offset += bytes;
    });
    if (codes.empty())
      reader.fail("there is no code");
    return offset;
  }

  size_t readDeviceCodes(std::vector<DeviceCode> &codes, size_t offset, size_t codeBytes) {
    readList(codeListBytes, [&] {
      uint32_t gpu = reader.read<uint32_t>();
      if (!isGpu(gpu))
        reader.fail("GPU ", gpu, " is not known; was the model made by a newer Weft?");
      if (!codes.empty() && gpu <= codes.back().gpu)
        reader.fail("GPU ", gpu, " is not more than the one before");
      uint64_t bytes = reader.read<uint64_t>();
      if (bytes > codeBytes - offset)
        reader.fail("kernels for GPU ", gpu, " have ", bytes, " bytes, of which ", codeBytes - offset,
                    " are there");
      codes.push_back({static_cast<WeftGpu>(gpu), offset, bytes});
      offset += bytes;
    });
    return offset;
  }

  template <typename ReadItem> void readList(size_t leastItemBytes, ReadItem readItem) {
    uint32_t count = reader.read<uint32_t>();
    if (count > reader.remaining() / leastItemBytes)
      reader.fail("a list of ", count, " does not fit into the ", reader.remaining(), " bytes that are left");
    for (uint32_t i = 0; i < count; ++i)
      readItem();
  }

  std::string readString() {
    std::string text(reader.take(reader.read<uint32_t>()));
    if (text.find('\0') != std::string::npos)
      reader.fail("a string holds a zero byte");
    return text;
  }

  Expression readExpression(size_t symbolCount, uint32_t most = mostWords) {
    uint32_t count = reader.read<uint32_t>();
    if (count > most)
      reader.fail("an expression of ", count, " words; at most ", most, " are allowed");
    std::string_view bytes = reader.take(uint64_t(count) * sizeof(int64_t));
    std::vector<int64_t> words(count);
    if (count > 0)
      std::memcpy(words.data(), bytes.data(), bytes.size());
    try {
      return Expression(std::move(words), symbolCount);
    } catch (const Error &error) {
      reader.fail(error.message);
    }
  }

  TensorType readTensorType(const std::vector<std::string> &symbols) {
    TensorType type;
    type.name = readString();
    uint32_t dtype = reader.read<uint32_t>();
    if (!isDType(dtype))
      reader.fail("tensor \"", type.name, "\" has element type ", dtype, ", which is not known");
    type.dtype = static_cast<WeftDType>(dtype);
    readList(expressionBytes, [&] {
      type.dims.push_back(readExpression(symbols.size(), mostDimWords));
      type.text += type.dims.back().text(symbols) + " x ";
    });
    type.text += weft_dtype_name(type.dtype);
    return type;
  }

  std::vector<TensorType> readTensorTypes(const std::vector<std::string> &symbols, const char *kind) {
    std::vector<TensorType> types;
    std::set<std::string> names;
    readList(tensorBytes, [&] {
      types.push_back(readTensorType(symbols));
      if (!names.insert(types.back().name).second)
        reader.fail("two ", kind, " are named \"", types.back().name, "\"");
    });
    return types;
  }

  State readState(const std::vector<std::string> &symbols) {
    TensorType type = readTensorType(symbols);
    size_t axis = reader.read<uint32_t>();
    if (axis >= type.dims.size())
      reader.fail("state \"", type.name, "\" grows along dimension ", axis, ", but has ", type.dims.size());
    int64_t capacity = reader.read<int64_t>();
    if (capacity <= 0)
      reader.fail("state \"", type.name, "\" has room for ", capacity);
    type.text += ", room for " + std::to_string(capacity);
    return {std::move(type), axis, capacity, readExpression(symbols.size(), mostDimWords)};
  }

  void readElement(const std::vector<std::string> &symbols, const std::vector<TensorType> &inputs,
                   std::vector<std::optional<SymbolSource>> &sources) {
    size_t symbol = reader.read<uint32_t>(), input = reader.read<uint32_t>();
    int64_t element = reader.read<int64_t>();
    uint32_t part = reader.read<uint32_t>();
    if (symbol >= symbols.size() || input >= inputs.size() || element < 0 || part > WEFT_ELEMENT_BELOW_ZERO)
      reader.fail("part ", part, " of element ", element, " of input ", input, " for symbol ", symbol,
                  " is not one of an entry point with ", inputs.size(), " inputs and ", symbols.size(),
                  " symbols");
    if (!holdsSizes(inputs[input].dtype))
      reader.fail("symbol \"", symbols[symbol], "\" is an element of input \"", inputs[input].name,
                  "\", which is ", weft_dtype_name(inputs[input].dtype));
    sources[symbol] = {SymbolSource::Element, input, size_t(element), static_cast<WeftElementPart>(part)};
  }

  Definition readDefinition(size_t symbolCount, std::vector<std::optional<SymbolSource>> &sources) {
    size_t symbol = reader.read<uint32_t>();
    if (symbol >= symbolCount)
      reader.fail("symbol ", symbol, " of ", symbolCount, " is defined");
    sources[symbol] = {SymbolSource::Definition, 0, 0};
    return {symbol, readExpression(symbolCount)};
  }

  /// Each definition is made of symbols that have a value before it.
  void checkOrder(const std::vector<Definition> &definitions,
                  const std::vector<std::optional<SymbolSource>> &sources) {
    std::vector<bool> waits(sources.size());
    for (size_t symbol = 0; symbol < sources.size(); ++symbol)
      waits[symbol] = sources[symbol] && sources[symbol]->kind == SymbolSource::Definition;
    for (const Definition &definition : definitions) {
      if (std::optional<size_t> later = definition.value.firstUsed(waits))
        reader.fail("symbol ", definition.symbol, " is defined by symbol ", *later,
                    ", which is defined later");
      waits[definition.symbol] = false;
    }
  }

  WeftProductUnit readUnit() {
    uint32_t unit = reader.read<uint32_t>();
    if (unit > WEFT_UNIT_BYTES)
      reader.fail("what multiplies in a step, ", unit, ", is not known");
    return static_cast<WeftProductUnit>(unit);
  }

  Guard readGuard(size_t symbolCount) {
    uint32_t relation = reader.read<uint32_t>();
    if (relation > WEFT_RELATION_LESS_EQUAL)
      reader.fail("guard relation ", relation, " is not known");
    Expression left = readExpression(symbolCount);
    Expression right = readExpression(symbolCount);
    return {static_cast<WeftRelation>(relation), std::move(left), std::move(right), readString()};
  }

  EntryPoint readEntryPoint() {
    std::string name = readString();
    std::vector<std::string> symbols;
    readList(stringBytes, [&] { symbols.push_back(readString()); });
    std::vector<TensorType> inputs = readTensorTypes(symbols, "inputs");
    std::vector<TensorType> outputs = readTensorTypes(symbols, "outputs");
    std::vector<State> states;
    readList(stateBytes, [&] { states.push_back(readState(symbols)); });
    std::vector<std::optional<SymbolSource>> sources(symbols.size());
    readList(elementBytes, [&] { readElement(symbols, inputs, sources); });
    std::vector<Definition> definitions;
    readList(definitionBytes, [&] { definitions.push_back(readDefinition(symbols.size(), sources)); });
    checkOrder(definitions, sources);
    std::vector<Computed> computed;
    readList(computedBytes, [&] {
      size_t number = reader.read<uint32_t>();
      computed.push_back({number, reader.read<uint32_t>()});
    });
    if (computed.size() > inputs.size())
      reader.fail(computed.size(), " inputs are computed, of ", inputs.size());
    Expression arenaBytes = readExpression(symbols.size());
    std::string formula = readString();
    EntryPoint entry{std::move(name),
                     std::move(symbols),
                     {},
                     std::move(inputs),
                     std::move(outputs),
                     std::move(computed),
                     std::move(states),
                     std::move(definitions),
                     std::move(arenaBytes),
                     std::move(formula),
                     {},
                     {},
                     0};
    readList(guardBytes, [&] { entry.guards.push_back(readGuard(entry.symbols.size())); });
    readList(stepBytes, [&] {
      std::string kernel = readString(), node = readString(), note = readString();
      Expression flops = readExpression(entry.symbols.size()), bytes = readExpression(entry.symbols.size());
      entry.steps.push_back({std::move(kernel), std::move(node), std::move(note), std::move(flops),
                             std::move(bytes), readUnit()});
    });
    entry.sources = findSources(entry, std::move(sources));
    entry.stackDepth = stackDepth(entry);
    return entry;
  }

  /// The first input dimension that is exactly the symbol gives its value, if no element does, or else a
  /// state's length.
  std::vector<SymbolSource> findSources(const EntryPoint &entry,
                                        std::vector<std::optional<SymbolSource>> found) {
    auto take = [&](const Expression &dim, SymbolSource source) {
      if (std::optional<size_t> symbol = dim.asSymbol(); symbol && !found[*symbol])
        found[*symbol] = source;
    };
    for (size_t input = 0; input < entry.inputs.size(); ++input)
      for (size_t dim = 0; dim < entry.inputs[input].dims.size(); ++dim)
        take(entry.inputs[input].dims[dim], {SymbolSource::Input, input, dim});
    for (size_t state = 0; state < entry.states.size(); ++state)
      take(entry.states[state].type.dims[entry.states[state].axis],
           {SymbolSource::State, state, entry.states[state].axis});
    std::vector<SymbolSource> sources;
    for (size_t symbol = 0; symbol < found.size(); ++symbol) {
      if (!found[symbol])
        reader.fail("symbol \"", entry.symbols[symbol],
                    "\" is not a dimension or element of any input, nor the length of a state");
      sources.push_back(*found[symbol]);
    }
    return sources;
  }

  /// Entry points that compute inputs of others take what those are given, keep nothing, and need none that
  /// comes after them.
  void checkComputed(const std::vector<EntryPoint> &entries) {
    std::vector<bool> isFirst(entries.size());
    for (const EntryPoint &entry : entries)
      for (size_t i = 0; i < entry.computed.size(); ++i) {
        const Computed &by = entry.computed[i];
        const TensorType &input = entry.inputs[entry.givenInputs() + i];
        if (by.entry >= entries.size() || by.output >= entries[by.entry].outputs.size() ||
            !haveSameForm(entries[by.entry].outputs[by.output], input) ||
            !takesInputsOf(entries[by.entry], entry) || !entries[by.entry].states.empty())
          reader.fail("input \"", input.name, "\" is computed by output ", by.output, " of entry point ",
                      by.entry, ", which cannot be");
        isFirst[by.entry] = true;
      }
    for (size_t i = 0; i < entries.size(); ++i)
      for (const Computed &by : entries[i].computed)
        if (isFirst[i] && by.entry >= i)
          reader.fail("entry point ", i, " has an input that entry point ", by.entry, " computes later");
  }

  static bool haveSameForm(const TensorType &left, const TensorType &right) {
    return left.dtype == right.dtype && left.dims.size() == right.dims.size();
  }

  static bool takesInputsOf(const EntryPoint &first, const EntryPoint &entry) {
    auto given = static_cast<ptrdiff_t>(entry.givenInputs());
    return first.givenInputs() == entry.givenInputs() &&
           std::equal(first.inputs.begin(), first.inputs.begin() + given, entry.inputs.begin(),
                      entry.inputs.begin() + given, haveSameForm);
  }

  static size_t stackDepth(const EntryPoint &entry) {
    size_t depth = entry.arenaBytes.stackDepth();
    for (const std::vector<TensorType> *types : {&entry.inputs, &entry.outputs})
      for (const TensorType &type : *types)
        for (const Expression &dim : type.dims)
          depth = std::max(depth, dim.stackDepth());
    for (const State &state : entry.states) {
      depth = std::max(depth, state.next.stackDepth());
      for (const Expression &dim : state.type.dims)
        depth = std::max(depth, dim.stackDepth());
    }
    for (const Definition &definition : entry.definitions)
      depth = std::max(depth, definition.value.stackDepth());
    for (const Step &step : entry.steps)
      depth = std::max({depth, step.flops.stackDepth(), step.bytes.stackDepth()});
    for (const Guard &guard : entry.guards)
      depth = std::max({depth, guard.left.stackDepth(), guard.right.stackDepth()});
    return depth;
  }

  ByteReader reader;
};

} // namespace

Metadata decodeMetadata(std::string_view bytes, size_t codeBytes, const std::string &file) {
  return MetadataReader(bytes, file).read(codeBytes);
}

} // namespace weft::runtime
