// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds payloads by hand, as the tests' second opinion on abi.h.

#ifndef WEFT_TEST_RUNTIME_MODELBUILDER_H
#define WEFT_TEST_RUNTIME_MODELBUILDER_H

#include "runtime/src/TensorRef.h"
#include "weft/runtime.h"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <iterator>
#include <memory>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace weft::runtime::test {

using Words = std::vector<int64_t>;
inline Words constant(int64_t value) { return {WEFT_EXPR_CONSTANT, value}; }
inline Words symbol(int64_t index) { return {WEFT_EXPR_SYMBOL, index}; }
inline Words combine(int64_t code, Words left, const Words &right) {
  left.insert(left.end(), right.begin(), right.end());
  left.push_back(code);
  return left;
}

struct TensorSpec {
  std::string name;
  uint32_t dtype;
  std::vector<Words> dims;
};
struct StateSpec {
  TensorSpec tensor;
  uint32_t axis;
  int64_t capacity;
  Words next;
};
struct ElementSpec {
  uint32_t symbol, input;
  int64_t element;
  uint32_t part;
};
struct DefinitionSpec {
  uint32_t symbol;
  Words value;
};
struct ComputedSpec {
  uint32_t entry, output;
};
struct StepSpec {
  std::string kernel, node;
  Words flops = constant(0), bytes = constant(0);
  std::string note = {};
  uint32_t unit = WEFT_UNIT_THREADS;
};
struct GuardSpec {
  uint32_t relation;
  Words left, right;
  std::string message;
};
struct EntrySpec {
  std::string name;
  std::vector<std::string> symbols;
  std::vector<TensorSpec> inputs, outputs;
  std::vector<StateSpec> states;
  std::vector<ElementSpec> elements;
  std::vector<DefinitionSpec> definitions;
  std::vector<ComputedSpec> computed;
  Words arenaBytes;
  std::string arenaFormula;
  std::vector<GuardSpec> guards;
  std::vector<StepSpec> steps;
};
struct DeviceCodeSpec {
  uint32_t gpu;
  uint64_t bytes;
};
struct ModelSpec {
  std::string producer = "test 1.0";
  std::vector<DeviceCodeSpec> deviceCodes;
  std::vector<EntrySpec> entries;
};

/// The signature of Inputs/model.c.
inline ModelSpec pickModel() {
  EntrySpec entry;
  entry.name = "main";
  entry.symbols = {"rows", "picks"};
  entry.inputs = {{"x", WEFT_DTYPE_F32, {symbol(0), constant(4)}}, {"index", WEFT_DTYPE_I64, {symbol(1)}}};
  entry.outputs = {{"y", WEFT_DTYPE_F32, {symbol(1), constant(4)}}, {"count", WEFT_DTYPE_I64, {}}};
  entry.arenaBytes = combine(WEFT_EXPR_MUL, constant(16), symbol(0));
  entry.arenaFormula = "16*rows";
  entry.guards = {{WEFT_RELATION_LESS_EQUAL, symbol(1), constant(100), "at most 100 picks"}};
  entry.steps = {{"scale", "/Scale"}, {"gather", "/Gather", constant(0), constant(0), "all keys"}};
  ModelSpec model;
  model.entries = {entry};
  return model;
}

/// The signature of Inputs/append.c.
inline ModelSpec appendModel() {
  EntrySpec entry;
  entry.name = "main";
  entry.symbols = {"batch", "new", "past"};
  entry.inputs = {{"x", WEFT_DTYPE_F32, {symbol(0), symbol(1), constant(2)}}};
  Words next = combine(WEFT_EXPR_ADD, symbol(2), symbol(1));
  entry.outputs = {{"all", WEFT_DTYPE_F32, {symbol(0), next, constant(2)}}};
  entry.states = {{{"k", WEFT_DTYPE_F32, {symbol(0), symbol(2), constant(2)}}, 1, 8, next}};
  entry.arenaBytes = constant(0);
  entry.arenaFormula = "0";
  Words elements = combine(WEFT_EXPR_MUL, combine(WEFT_EXPR_MUL, constant(2), symbol(0)), next);
  entry.steps = {{"append", "/Concat", constant(0), combine(WEFT_EXPR_MUL, constant(8), symbol(1))},
                 {"copy", "/Identity", elements, combine(WEFT_EXPR_MUL, constant(8), elements)}};
  ModelSpec model;
  model.entries = {entry};
  return model;
}

class Encoder {
public:
  std::string bytes;
  template <typename Number> void add(Number number) {
    bytes.append(reinterpret_cast<const char *>(&number), sizeof(number));
  }
  void addString(const std::string &text) {
    add(static_cast<uint32_t>(text.size()));
    bytes += text;
  }
  void addExpression(const Words &words) {
    add(static_cast<uint32_t>(words.size()));
    for (int64_t word : words)
      add(word);
  }
  template <typename Item>
  void addList(const std::vector<Item> &items, std::function<void(const Item &)> addItem) {
    add(static_cast<uint32_t>(items.size()));
    for (const Item &item : items)
      addItem(item);
  }
};

struct CodeSpec {
  uint32_t isa;
  uint64_t bytes;
};

#if defined(__x86_64__)
constexpr WeftIsa kLeastIsa = WEFT_ISA_X86_64_V3, kMoreIsa = WEFT_ISA_X86_64_V4, kOtherIsa = WEFT_ISA_ARMV8;
#else
constexpr WeftIsa kLeastIsa = WEFT_ISA_ARMV8, kMoreIsa = WEFT_ISA_ARMV8_DOTPROD,
                  kOtherIsa = WEFT_ISA_X86_64_V3;
#endif

/// A code that every CPU of the tests can run.
inline std::vector<CodeSpec> oneCode(const std::string &code) { return {{kLeastIsa, code.size()}}; }

inline std::string encodeMetadata(const ModelSpec &model, const std::vector<CodeSpec> &codes) {
  Encoder e;
  std::function<void(const std::string &)> addString = [&](const std::string &text) { e.addString(text); };
  std::function<void(const Words &)> addExpression = [&](const Words &words) { e.addExpression(words); };
  std::function<void(const TensorSpec &)> addTensor = [&](const TensorSpec &tensor) {
    e.addString(tensor.name);
    e.add(tensor.dtype);
    e.addList(tensor.dims, addExpression);
  };
  e.addString(model.producer);
  e.addList<CodeSpec>(codes, [&](const CodeSpec &code) {
    e.add(code.isa);
    e.add(code.bytes);
  });
  e.addList<DeviceCodeSpec>(model.deviceCodes, [&](const DeviceCodeSpec &code) {
    e.add(code.gpu);
    e.add(code.bytes);
  });
  e.addList<EntrySpec>(model.entries, [&](const EntrySpec &entry) {
    e.addString(entry.name);
    e.addList(entry.symbols, addString);
    e.addList(entry.inputs, addTensor);
    e.addList(entry.outputs, addTensor);
    e.addList<StateSpec>(entry.states, [&](const StateSpec &state) {
      addTensor(state.tensor);
      e.add(state.axis);
      e.add(state.capacity);
      e.addExpression(state.next);
    });
    e.addList<ElementSpec>(entry.elements, [&](const ElementSpec &element) {
      e.add(element.symbol);
      e.add(element.input);
      e.add(element.element);
      e.add(element.part);
    });
    e.addList<DefinitionSpec>(entry.definitions, [&](const DefinitionSpec &definition) {
      e.add(definition.symbol);
      e.addExpression(definition.value);
    });
    e.addList<ComputedSpec>(entry.computed, [&](const ComputedSpec &computed) {
      e.add(computed.entry);
      e.add(computed.output);
    });
    e.addExpression(entry.arenaBytes);
    e.addString(entry.arenaFormula);
    e.addList<GuardSpec>(entry.guards, [&](const GuardSpec &guard) {
      e.add(guard.relation);
      e.addExpression(guard.left);
      e.addExpression(guard.right);
      e.addString(guard.message);
    });
    e.addList<StepSpec>(entry.steps, [&](const StepSpec &step) {
      e.addString(step.kernel);
      e.addString(step.node);
      e.addString(step.note);
      e.addExpression(step.flops);
      e.addExpression(step.bytes);
      e.add(step.unit);
    });
  });
  return e.bytes;
}

inline uint64_t checksumOf(const std::string &bytes) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (unsigned char byte : bytes)
    hash = (hash ^ byte) * 0x100000001b3u;
  return hash;
}

inline std::string readWholeFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline void writeWholeFile(const std::string &path, const std::string &bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

inline std::string padded(std::string bytes) {
  bytes.resize((bytes.size() + WEFT_PAYLOAD_ALIGNMENT - 1) / WEFT_PAYLOAD_ALIGNMENT * WEFT_PAYLOAD_ALIGNMENT);
  return bytes;
}

/// The weights that Inputs/model.c adds.
inline std::string pickWeights() {
  const float weights[4] = {10, 20, 30, 40};
  return {reinterpret_cast<const char *>(weights), sizeof(weights)};
}

/// Code, weights, metadata and trailer; `change` may spoil the trailer.
inline std::string buildPayload(const std::string &code, const std::string &weights,
                                const std::string &metadata,
                                const std::function<void(WeftTrailer &)> &change = {}) {
  std::string payload = padded(code);
  WeftTrailer trailer{};
  trailer.code_bytes = code.size();
  trailer.weights_offset = payload.size();
  trailer.weights_bytes = weights.size();
  payload += weights;
  trailer.metadata_offset = payload.size();
  trailer.metadata_bytes = metadata.size();
  payload += metadata;
  trailer.payload_bytes = payload.size() + sizeof(trailer);
  trailer.checksum = checksumOf(code + metadata);
  trailer.abi_version = WEFT_ABI_VERSION;
  std::memcpy(trailer.magic, WEFT_PAYLOAD_MAGIC, sizeof(trailer.magic));
  if (change)
    change(trailer);
  payload.append(reinterpret_cast<const char *>(&trailer), sizeof(trailer));
  return payload;
}

inline std::string pickPayload(const ModelSpec &model = pickModel()) {
  std::string code = readWholeFile(WEFT_TEST_MODEL);
  return buildPayload(code, pickWeights(), encodeMetadata(model, oneCode(code)));
}

inline std::string appendPayload(const ModelSpec &model = appendModel()) {
  std::string code = readWholeFile(WEFT_TEST_MODEL_APPEND);
  return buildPayload(code, "", encodeMetadata(model, oneCode(code)));
}

/// A copy of bytes at a payload's alignment.
class AlignedBytes {
public:
  explicit AlignedBytes(const std::string &bytes)
      : data(std::aligned_alloc(WEFT_PAYLOAD_ALIGNMENT, padded(bytes + " ").size()), std::free),
        size(bytes.size()) {
    std::memcpy(data.get(), bytes.data(), size);
  }
  void *get() const { return data.get(); }
  std::unique_ptr<void, decltype(&std::free)> data;
  size_t size;
};

/// A folder that goes away with everything in it.
class TemporaryFolder {
public:
  TemporaryFolder() : path(testing::TempDir() + "weft-XXXXXX") { EXPECT_NE(mkdtemp(path.data()), nullptr); }
  ~TemporaryFolder() { (void)!std::system(("rm -rf '" + path + "'").c_str()); }
  std::string operator/(const std::string &name) const { return path + "/" + name; }
  std::string path;
};

/// The message of a status, which is released; "" if all is well.
inline std::string messageOf(WeftStatus status) {
  std::string message = weft_status_message(status);
  weft_status_release(status);
  return message;
}

struct ModelRef {
  explicit ModelRef(const std::string &payload) : bytes(payload) {
    EXPECT_EQ(messageOf(weft_model_load_memory(bytes.get(), bytes.size, &model)), "");
  }
  ~ModelRef() { weft_model_release(model); }
  AlignedBytes bytes;
  WeftModel *model = nullptr;
};

#define EXPECT_OK(status) EXPECT_EQ(::weft::runtime::test::messageOf(status), "")
#define ASSERT_OK(status) ASSERT_EQ(::weft::runtime::test::messageOf(status), "")
/// The call fails with this code and a message that holds this text.
#define EXPECT_ERROR(status, expectedCode, text)                                                             \
  do {                                                                                                       \
    WeftStatus statusToCheck = (status);                                                                     \
    EXPECT_EQ(weft_status_code(statusToCheck), expectedCode);                                                \
    EXPECT_PRED_FORMAT2(testing::IsSubstring, text, ::weft::runtime::test::messageOf(statusToCheck));        \
  } while (false)

template <typename Number>
TensorRef makeInput(WeftDType dtype, std::vector<int64_t> shape, const std::vector<Number> &values) {
  WeftTensor *tensor = nullptr;
  EXPECT_OK(weft_tensor_create(dtype, shape.size(), shape.data(), &tensor));
  EXPECT_EQ(weft_tensor_bytes(tensor), values.size() * sizeof(Number));
  if (!values.empty())
    std::memcpy(weft_tensor_data(tensor), values.data(), values.size() * sizeof(Number));
  return TensorRef(tensor);
}

} // namespace weft::runtime::test

#endif // WEFT_TEST_RUNTIME_MODELBUILDER_H
