// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loading: what a model says about itself, and every way in which a file can be no model.

#include "ModelBuilder.h"
#include "runtime/src/Cpu.h"
#include "runtime/src/Error.h"

#include <cstddef>
#include <functional>

using namespace weft::runtime;
using namespace weft::runtime::test;

namespace {

/// Loads from memory and gives the model back at once.
WeftStatus tryLoad(const std::string &bytes) {
  AlignedBytes aligned(bytes);
  WeftModel *model = nullptr;
  WeftStatus status = weft_model_load_memory(aligned.get(), aligned.size, &model);
  EXPECT_EQ(status == nullptr, model != nullptr);
  weft_model_release(model);
  return status;
}

std::string withTrailer(const std::function<void(WeftTrailer &)> &change) {
  std::string code = readWholeFile(WEFT_TEST_MODEL);
  return buildPayload(code, pickWeights(), encodeMetadata(pickModel(), oneCode(code)), change);
}

/// The error for a model of these codes, of which there are so many bytes.
WeftStatus loadWithCodes(const std::vector<CodeSpec> &codes, size_t bytes) {
  return tryLoad(buildPayload(std::string(bytes, 'x'), pickWeights(), encodeMetadata(pickModel(), codes)));
}

/// The same of a model with code of five bytes for a CPU, and these kernels behind it.
WeftStatus loadWithKernels(const std::vector<DeviceCodeSpec> &kernels, size_t bytes) {
  ModelSpec model = pickModel();
  model.deviceCodes = kernels;
  return tryLoad(buildPayload(std::string(5 + bytes, 'x'), pickWeights(),
                              encodeMetadata(model, {{WEFT_ISA_X86_64_V3, 5}})));
}

/// The error for a model whose specification was changed, which must be the metadata's fault.
WeftStatus loadChanged(const std::function<void(EntrySpec &)> &change) {
  ModelSpec model = pickModel();
  change(model.entries[0]);
  return tryLoad(pickPayload(model));
}

TEST(Model, Signature) {
  ModelRef ref(pickPayload());
  WeftModel *model = ref.model;
  EXPECT_EQ(weft_model_input_count(model), 2u);
  EXPECT_EQ(weft_model_output_count(model), 2u);
  EXPECT_STREQ(weft_model_input_name(model, 1), "index");
  EXPECT_STREQ(weft_model_output_name(model, 0), "y");
  EXPECT_EQ(weft_model_input_dtype(model, 0), WEFT_DTYPE_F32);
  EXPECT_EQ(weft_model_output_dtype(model, 1), WEFT_DTYPE_I64);
  EXPECT_STREQ(weft_model_input_type(model, 0), "rows x 4 x f32");
  EXPECT_STREQ(weft_model_output_type(model, 1), "i64");
  EXPECT_EQ(weft_model_find_input(model, "index"), 1);
  EXPECT_EQ(weft_model_find_output(model, "index"), -1);
  EXPECT_EQ(weft_model_input_name(model, 2), nullptr);
  EXPECT_STREQ(weft_dtype_name(weft_model_output_dtype(model, 2)), "?");
  EXPECT_STREQ(weft_model_producer(model), "test 1.0");
  EXPECT_EQ(weft_model_code_count(model), 1u);
  EXPECT_EQ(weft_model_isa(model, 0), kLeastIsa);
  EXPECT_EQ(weft_model_isa(model, 1), 0);
  EXPECT_EQ(weft_model_code_bytes(model, 0), readWholeFile(WEFT_TEST_MODEL).size());
  EXPECT_EQ(weft_model_code_bytes(model, 1), 0u);
  EXPECT_EQ(weft_model_weights_bytes(model), 16u);
  EXPECT_STREQ(weft_model_arena_formula(model), "16*rows");
  EXPECT_EQ(weft_model_step_count(model), 2u);
  EXPECT_STREQ(weft_model_step_kernel(model, 1), "gather");
  EXPECT_STREQ(weft_model_step_node(model, 1), "/Gather");
  EXPECT_EQ(weft_model_step_node(model, 2), nullptr);
  EXPECT_STREQ(weft_model_step_note(model, 0), "");
  EXPECT_STREQ(weft_model_step_note(model, 1), "all keys");
  EXPECT_EQ(weft_model_step_note(model, 2), nullptr);
}

TEST(Model, LoadsFromAFileBehindAnotherFile) {
  TemporaryFolder folder;
  writeWholeFile(folder / "model", padded("a launcher") + pickPayload());
  WeftModel *model;
  ASSERT_OK(weft_model_load((folder / "model").c_str(), &model));
  EXPECT_STREQ(weft_model_input_name(model, 0), "x");
  weft_model_retain(model);
  weft_model_release(model);
  weft_model_release(model);
}

TEST(Model, FilesThatCannotBeRead) {
  TemporaryFolder folder;
  WeftModel *model;
  EXPECT_ERROR(weft_model_load((folder / "none").c_str(), &model), WEFT_STATUS_SYSTEM,
               "none: cannot be opened: No such file or directory");
  EXPECT_ERROR(weft_model_load(folder.path.c_str(), &model), WEFT_STATUS_SYSTEM, "Is a directory");
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_ERROR(weft_model_load((folder / "pipe").c_str(), &model), WEFT_STATUS_SYSTEM, "not a regular file");
  writeWholeFile(folder / "empty", "");
  EXPECT_ERROR(weft_model_load((folder / "empty").c_str(), &model), WEFT_STATUS_BAD_DATA,
               "too short (0 bytes)");
  writeWholeFile(folder / "shifted", "x" + pickPayload());
  EXPECT_ERROR(weft_model_load((folder / "shifted").c_str(), &model), WEFT_STATUS_BAD_DATA,
               "does not start at a multiple of 4096");
}

TEST(Model, NullAndMisalignedArguments) {
  WeftModel *model;
  char byte = 0;
  EXPECT_ERROR(weft_model_load(nullptr, &model), WEFT_STATUS_BAD_ARGUMENT, "path is NULL");
  EXPECT_ERROR(weft_model_load("x", nullptr), WEFT_STATUS_BAD_ARGUMENT, "out_model is NULL");
  EXPECT_ERROR(weft_model_load_memory(nullptr, 0, &model), WEFT_STATUS_BAD_ARGUMENT, "data is NULL");
  AlignedBytes bytes(pickPayload());
  EXPECT_ERROR(weft_model_load_memory(static_cast<char *>(bytes.get()) + 64, 1000, &model),
               WEFT_STATUS_BAD_ARGUMENT, "not aligned");
  (void)byte;
  weft_model_release(nullptr);
  weft_session_release(nullptr);
  weft_tensor_release(nullptr);
  weft_status_release(nullptr);
}

TEST(Model, LoadSelfNeedsAPayload) {
  WeftModel *model;
  EXPECT_ERROR(weft_model_load_self(&model), WEFT_STATUS_BAD_DATA, "does not end in a Weft trailer");
}

TEST(Model, TrailersThatAreWrong) {
  constexpr uint64_t huge = ~uint64_t(0);
  struct Case {
    const char *message;
    std::function<void(WeftTrailer &)> change;
  } cases[] = {
      {"does not end in a Weft trailer", [](WeftTrailer &t) { t.magic[0] = 'w'; }},
      {"compiled for runtime ABI 16; this runtime has ABI 15", [](WeftTrailer &t) { t.abi_version = 16; }},
      {"compiled for runtime ABI 1; this runtime has ABI 15", [](WeftTrailer &t) { t.abi_version = 1; }},
      {"the reserved field is 5", [](WeftTrailer &t) { t.reserved = 5; }},
      {"a payload of 71 bytes", [](WeftTrailer &t) { t.payload_bytes = 71; }},
      {"a payload of 18446744073709551615 bytes", [](WeftTrailer &t) { t.payload_bytes = huge; }},
      {"a multiple of 4096", [](WeftTrailer &t) { t.payload_bytes -= 1; }},
      {"code (18446744073709551615 bytes", [](WeftTrailer &t) { t.code_bytes = huge; }},
      {"weights start at byte 1", [](WeftTrailer &t) { t.weights_offset = 1; }},
      {"weights (", [](WeftTrailer &t) { t.weights_offset = huge - 4095; }},
      {"weights (", [](WeftTrailer &t) { t.weights_offset = 0; }},
      {"weights (", [](WeftTrailer &t) { t.weights_bytes = huge; }},
      {"metadata (", [](WeftTrailer &t) { t.metadata_offset = huge; }},
      {"metadata (", [](WeftTrailer &t) { t.metadata_bytes = huge; }},
      {"metadata (", [](WeftTrailer &t) { t.metadata_bytes += 1; }},
      {"checksum", [](WeftTrailer &t) { t.checksum ^= 1; }},
      {"checksum", [](WeftTrailer &t) { t.metadata_bytes -= 1; }},
  };
  for (const Case &wrong : cases)
    EXPECT_ERROR(tryLoad(withTrailer(wrong.change)), WEFT_STATUS_BAD_DATA, wrong.message);
}

TEST(Model, EveryTruncationIsRefused) {
  std::string payload = pickPayload();
  AlignedBytes aligned(payload);
  for (size_t size = 0; size < payload.size(); ++size) {
    WeftModel *model;
    WeftStatus status = weft_model_load_memory(aligned.get(), size, &model);
    ASSERT_EQ(weft_status_code(status), WEFT_STATUS_BAD_DATA) << size;
    weft_status_release(status);
  }
}

TEST(Model, EveryFlippedBitOfTrailerAndMetadataIsRefused) {
  std::string payload = pickPayload();
  size_t trailer = payload.size() - sizeof(WeftTrailer);
  size_t metadata = trailer - encodeMetadata(pickModel(), oneCode("")).size();
  // The weights are not checked, and so is their size: code knows it.
  size_t unchecked = trailer + offsetof(WeftTrailer, weights_bytes);
  AlignedBytes aligned(payload);
  char *bytes = static_cast<char *>(aligned.get());
  for (size_t bit = metadata * 8; bit < payload.size() * 8; ++bit) {
    if (bit / 8 >= unchecked && bit / 8 < unchecked + sizeof(uint64_t))
      continue;
    bytes[bit / 8] ^= static_cast<char>(1 << bit % 8);
    WeftModel *model;
    WeftStatus status = weft_model_load_memory(bytes, payload.size(), &model);
    ASSERT_EQ(weft_status_code(status), WEFT_STATUS_BAD_DATA) << bit;
    weft_status_release(status);
    bytes[bit / 8] ^= static_cast<char>(1 << bit % 8);
  }
}

// With the checksum put right, so that the decoder itself meets the damage.
TEST(Model, EveryTruncationAndFlippedByteOfMetadataIsHandled) {
  std::string code = readWholeFile(WEFT_TEST_MODEL), metadata = encodeMetadata(pickModel(), oneCode(code));
  for (size_t size = 0; size < metadata.size(); ++size)
    EXPECT_ERROR(tryLoad(buildPayload(code, pickWeights(), metadata.substr(0, size))), WEFT_STATUS_BAD_DATA,
                 "its metadata");
  EXPECT_ERROR(tryLoad(buildPayload(code, pickWeights(), metadata + "x")), WEFT_STATUS_BAD_DATA,
               "1 bytes follow its end");
  for (size_t at = 0; at < metadata.size(); ++at)
    for (int flip : {0x01, 0x80, 0xFF}) {
      std::string damaged = metadata;
      damaged[at] ^= static_cast<char>(flip);
      weft_status_release(
          tryLoad(buildPayload(code, pickWeights(), damaged))); // A name may have changed only.
    }
}

TEST(Model, ElementsThatGiveSymbolsNoValue) {
  for (ElementSpec wrong : {ElementSpec{2, 1, 0, 0}, {1, 2, 0, 0}, {1, 1, -1, 0}, {1, 1, 0, 3}})
    EXPECT_ERROR(loadChanged([&](EntrySpec &e) { e.elements = {wrong}; }), WEFT_STATUS_BAD_DATA,
                 "is not one of an entry point with 2 inputs and 2 symbols");
  EXPECT_ERROR(loadChanged([](EntrySpec &e) {
                 e.inputs[0].dtype = WEFT_DTYPE_U8;
                 e.elements = {{1, 0, 0, 0}};
               }),
               WEFT_STATUS_BAD_DATA, "symbol \"picks\" is an element of input \"x\", which is u8");
}

TEST(Model, SymbolsThatAreDefined) {
  EXPECT_ERROR(loadChanged([](EntrySpec &e) { e.definitions = {{2, constant(1)}}; }), WEFT_STATUS_BAD_DATA,
               "symbol 2 of 2 is defined");
  EXPECT_ERROR(loadChanged([](EntrySpec &e) { e.definitions = {{1, symbol(2)}}; }), WEFT_STATUS_BAD_DATA,
               "an expression uses symbol 2 of 2");
  for (uint32_t second : {0U, 1U})
    EXPECT_ERROR(loadChanged([&](EntrySpec &e) { e.definitions = {{second, symbol(1)}, {1, symbol(0)}}; }),
                 WEFT_STATUS_BAD_DATA, "is defined by symbol 1, which is defined later");
}

/// The error for a model of two entry points, of which the second was changed and is said to compute input
/// `index` of the first.
static WeftStatus loadComputed(ComputedSpec by, const std::function<void(EntrySpec &)> &change = {}) {
  ModelSpec model = pickModel();
  EntrySpec first = pickModel().entries[0];
  first.inputs = {first.inputs[0]};
  first.symbols = {"rows"};
  first.outputs = {{"index", WEFT_DTYPE_I64, {symbol(0)}}};
  first.guards = {};
  if (change)
    change(first);
  model.entries[0].computed = {by};
  model.entries.push_back(first);
  return tryLoad(pickPayload(model));
}

TEST(Model, InputsThatEntryPointsCompute) {
  EXPECT_OK(loadComputed({1, 0}));
  for (ComputedSpec wrong : {ComputedSpec{2, 0}, {1, 1}, {0, 0}, {0, 1}})
    EXPECT_ERROR(loadComputed(wrong), WEFT_STATUS_BAD_DATA, "input \"index\" is computed by output");
  EXPECT_ERROR(loadComputed({1, 0}, [](EntrySpec &e) { e.outputs[0].dtype = WEFT_DTYPE_I32; }),
               WEFT_STATUS_BAD_DATA, "of entry point 1, which cannot be");
  EXPECT_ERROR(loadComputed({1, 0}, [](EntrySpec &e) { e.outputs[0].dims = {}; }), WEFT_STATUS_BAD_DATA,
               "of entry point 1, which cannot be");
  EXPECT_ERROR(loadComputed({1, 0}, [](EntrySpec &e) { e.inputs[0].dtype = WEFT_DTYPE_F64; }),
               WEFT_STATUS_BAD_DATA, "of entry point 1, which cannot be");
  // What computes an input needs none that is computed later, least of all its own.
  auto needsItself = [](EntrySpec &e) {
    e.inputs.push_back({"index", WEFT_DTYPE_I64, {constant(1)}});
    e.computed = {{1, 0}};
  };
  EXPECT_ERROR(loadComputed({1, 0}, needsItself), WEFT_STATUS_BAD_DATA,
               "entry point 1 has an input that entry point 1 computes later");
  EXPECT_ERROR(loadChanged([](EntrySpec &e) { e.computed = {{0, 0}, {0, 0}, {0, 0}}; }), WEFT_STATUS_BAD_DATA,
               "3 inputs are computed, of 2");
}

TEST(Model, MetadataThatIsWrong) {
  ModelSpec none;
  EXPECT_ERROR(tryLoad(pickPayload(none)), WEFT_STATUS_BAD_DATA, "there is no entry point");
  EXPECT_ERROR(loadChanged([](EntrySpec &e) { e.inputs[0].dtype = 23; }), WEFT_STATUS_BAD_DATA,
               "tensor \"x\" has element type 23");
  EXPECT_ERROR(loadChanged([](EntrySpec &e) { e.inputs[1].name = "x"; }), WEFT_STATUS_BAD_DATA,
               "two inputs are named \"x\"");
  EXPECT_ERROR(loadChanged([](EntrySpec &e) { e.inputs[1].dims[0] = constant(3); }), WEFT_STATUS_BAD_DATA,
               "symbol \"picks\" is not a dimension or element of any input");
  EXPECT_ERROR(loadChanged([](EntrySpec &e) { e.outputs[0].dims[0] = symbol(2); }), WEFT_STATUS_BAD_DATA,
               "an expression uses symbol 2 of 2");
  EXPECT_ERROR(loadChanged([](EntrySpec &e) { e.guards[0].relation = 3; }), WEFT_STATUS_BAD_DATA,
               "guard relation 3");
  EXPECT_ERROR(loadChanged([](EntrySpec &e) { e.name = std::string("a\0b", 3); }), WEFT_STATUS_BAD_DATA,
               "a string holds a zero byte");
  EXPECT_ERROR(loadChanged([](EntrySpec &e) { e.outputs[0].dims[0] = Words(5000, 0); }), WEFT_STATUS_BAD_DATA,
               "an expression of 5000 words; at most 4096");
}

TEST(Model, CodesThatAreWrong) {
  constexpr uint32_t v3 = WEFT_ISA_X86_64_V3, v4 = WEFT_ISA_X86_64_V4, unknown = WEFT_ISA_X86_64_V4_AMX + 1;
  EXPECT_OK(loadWithCodes({{v3, 5}, {v4, 7}}, 12));
  EXPECT_ERROR(loadWithCodes({}, 0), WEFT_STATUS_BAD_DATA, "there is no code");
  EXPECT_ERROR(loadWithCodes({{unknown, 5}}, 5), WEFT_STATUS_BAD_DATA, "instruction set 8 is not known");
  EXPECT_ERROR(loadWithCodes({{v4, 5}, {v3, 7}}, 12), WEFT_STATUS_BAD_DATA,
               "instruction set 3 is not more than the one before");
  EXPECT_ERROR(loadWithCodes({{v3, 5}, {v3, 7}}, 12), WEFT_STATUS_BAD_DATA, "not more than the one before");
  EXPECT_ERROR(loadWithCodes({{v3, 5}, {v4, 8}}, 12), WEFT_STATUS_BAD_DATA,
               "code for instruction set 4 has 8 bytes, of which 7 are there");
  EXPECT_ERROR(loadWithCodes({{v3, 5}, {v4, ~uint64_t(0)}}, 12), WEFT_STATUS_BAD_DATA,
               "of which 7 are there");
  EXPECT_ERROR(loadWithCodes({{v3, 5}}, 12), WEFT_STATUS_BAD_DATA,
               "7 bytes of code are for no instruction set");
}

TEST(Model, KernelsThatAreWrong) {
  constexpr uint32_t sm80 = WEFT_GPU_SM_80, sm90a = WEFT_GPU_SM_90A;
  EXPECT_OK(loadWithKernels({{sm80, 3}, {sm90a, 4}}, 7));
  EXPECT_ERROR(loadWithKernels({{999, 3}}, 3), WEFT_STATUS_BAD_DATA, "GPU 999 is not known");
  EXPECT_ERROR(loadWithKernels({{sm90a, 3}, {sm80, 4}}, 7), WEFT_STATUS_BAD_DATA,
               "GPU 160 is not more than the one before");
  EXPECT_ERROR(loadWithKernels({{sm80, 3}, {sm90a, ~uint64_t(0)}}, 7), WEFT_STATUS_BAD_DATA,
               "kernels for GPU 181 have 18446744073709551615 bytes, of which 4 are there");
  EXPECT_ERROR(loadWithKernels({{sm80, 3}}, 7), WEFT_STATUS_BAD_DATA,
               "4 bytes of code are for no instruction set");
}

/// Code is loaded with the first session, not with the model.
WeftStatus tryStart(const std::string &bytes) {
  ModelRef ref(bytes);
  WeftSession *session = nullptr;
  WeftStatus status = weft_session_create(ref.model, 1, &session);
  weft_session_release(session);
  return status;
}

TEST(Model, CodeThatDoesNotLoad) {
  for (const std::string &code : {std::string("no code"), std::string()}) {
    std::string payload = buildPayload(code, "", encodeMetadata(pickModel(), oneCode(code)));
    EXPECT_OK(tryLoad(payload));
    EXPECT_ERROR(tryStart(payload), WEFT_STATUS_BAD_DATA, "its code does not load");
  }
  ModelSpec two = pickModel();
  two.entries.push_back(two.entries[0]);
  two.entries[1].name = "decode";
  EXPECT_ERROR(tryStart(pickPayload(two)), WEFT_STATUS_BAD_DATA,
               "its code lacks weft_entry_1, entry point \"decode\"");
}

TEST(Model, CpuIsChecked) {
  EXPECT_NO_THROW(requireCpu(WEFT_ISA_X86_64_V3, 3, "m"));
  EXPECT_NO_THROW(requireCpu(WEFT_ISA_X86_64_V3, 4, "m"));
  try {
    requireCpu(WEFT_ISA_X86_64_V4, 3, "m.weft");
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.code, WEFT_STATUS_SYSTEM);
    EXPECT_EQ(error.message, "m.weft: needs a CPU with AVX-512 (x86-64-v4); this one is x86-64-v3; compile "
                             "the model for this CPU");
  }
  try {
    requireCpu(WEFT_ISA_X86_64_V4_VNNI, 4, "m.weft");
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.message,
              "m.weft: needs a CPU with AVX-512 VNNI (x86-64-v4-vnni); this one is x86-64-v4; compile "
              "the model for this CPU");
  }
  EXPECT_NO_THROW(requireCpu(WEFT_ISA_X86_64_V4_VNNI, WEFT_ISA_X86_64_V4_AMX, "m"));
  EXPECT_EQ(levelName(WEFT_ISA_X86_64_V4_AMX), "x86-64-v4-amx");
  EXPECT_EQ(levelName(2), "x86-64-v2");
  EXPECT_NO_THROW(requireCpu(WEFT_ISA_ARMV8, WEFT_ISA_ARMV8_DOTPROD, "m"));
  EXPECT_THROW(requireCpu(WEFT_ISA_ARMV8, WEFT_ISA_X86_64_V4_AMX, "m"), Error);
  EXPECT_THROW(requireCpu(WEFT_ISA_X86_64_V3, WEFT_ISA_ARMV8_DOTPROD, "m"), Error);
  EXPECT_GE(cpuLevel(), 1);
}

} // namespace
