// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Running Inputs/model.c: results, shapes, and every complaint about inputs.

#include "ModelBuilder.h"
#include "runtime/src/Arena.h"
#include "runtime/src/Cpu.h"
#include "runtime/src/Error.h"

#include <map>
#include <thread>

using namespace weft::runtime;
using namespace weft::runtime::test;

namespace {

TensorRef rowsOf(int64_t rows) {
  std::vector<float> values(rows * 4);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(i);
  return makeInput<float>(WEFT_DTYPE_F32, {rows, 4}, values);
}

TensorRef picksOf(const std::vector<int64_t> &picks) {
  return makeInput<int64_t>(WEFT_DTYPE_I64, {static_cast<int64_t>(picks.size())}, picks);
}

class Session {
public:
  explicit Session(WeftModel *model, size_t threads = 2) {
    EXPECT_OK(weft_session_create(model, threads, &session));
  }
  Session(WeftModel *model, WeftIsa isa) { EXPECT_OK(weft_session_create_for(model, isa, 2, &session)); }
  ~Session() { weft_session_release(session); }

  WeftStatus run(const TensorRef &x, const TensorRef &index) {
    WeftTensor *inputs[] = {x.get(), index.get()};
    WeftTensor *results[] = {nullptr, nullptr};
    WeftStatus status = weft_session_run(session, inputs, results);
    y = TensorRef(results[0]);
    count = TensorRef(results[1]);
    return status;
  }

  float at(int64_t element) const { return static_cast<float *>(weft_tensor_data(y.get()))[element]; }

  WeftSession *session = nullptr;
  TensorRef y, count;
};

void expectPicks(const Session &session, const std::vector<int64_t> &picks, int64_t rows, float scale) {
  ASSERT_EQ(weft_tensor_rank(session.y.get()), 2u);
  EXPECT_EQ(weft_tensor_shape(session.y.get())[0], static_cast<int64_t>(picks.size()));
  for (size_t pick = 0; pick < picks.size(); ++pick)
    for (int64_t i = 0; i < 4; ++i) {
      int64_t row = picks[pick] < 0 ? picks[pick] + rows : picks[pick];
      EXPECT_EQ(session.at(static_cast<int64_t>(pick) * 4 + i),
                scale * static_cast<float>(row * 4 + i) + 10 * static_cast<float>(i + 1));
    }
  EXPECT_EQ(*static_cast<int64_t *>(weft_tensor_data(session.count.get())),
            static_cast<int64_t>(picks.size()));
}

TEST(Session, ResultsUnderEveryNumberOfThreads) {
  ModelRef ref(pickPayload());
  for (size_t threads = 1; threads <= 8; ++threads)
    for (bool guarded : {false, true}) {
      Session session(ref.model, threads);
      EXPECT_EQ(weft_session_threads(session.session), threads);
      weft_session_guard_arena(session.session, guarded);
      for (int64_t rows : {5, 1, 300, 7}) {
        std::vector<int64_t> picks = {0, rows - 1, -1, -rows, rows / 2};
        ASSERT_OK(session.run(rowsOf(rows), picksOf(picks)));
        expectPicks(session, picks, rows, 2);
      }
    }
}

TEST(Session, ModelsHaveTheirOwnCode) {
  auto twice = std::make_unique<ModelRef>(pickPayload());
  std::string code = readWholeFile(WEFT_TEST_MODEL_TIMES_3);
  ModelRef thrice(buildPayload(code, pickWeights(), encodeMetadata(pickModel(), oneCode(code))));
  for (int repeat = 0; repeat < 3; ++repeat) {
    Session first(twice->model), second(thrice.model);
    ASSERT_OK(first.run(rowsOf(3), picksOf({2})));
    ASSERT_OK(second.run(rowsOf(3), picksOf({2})));
    expectPicks(first, {2}, 3, 2);
    expectPicks(second, {2}, 3, 3);
    // A new model may get the file number of the old one.
    twice.reset();
    twice = std::make_unique<ModelRef>(pickPayload());
  }
}

// The code for more than the least may be for more than this CPU has, and one is for other processors.
TEST(Session, RunsTheBestCodeOrTheOneThatIsAskedFor) {
  std::string twice = readWholeFile(WEFT_TEST_MODEL), thrice = readWholeFile(WEFT_TEST_MODEL_TIMES_3), all;
  std::map<WeftIsa, std::string> codes = {{kLeastIsa, twice}, {kMoreIsa, thrice}, {kOtherIsa, "no code"}};
  std::vector<CodeSpec> specs;
  for (const auto &[isa, code] : codes) {
    specs.push_back({isa, code.size()});
    all += code;
  }
  ModelRef ref(buildPayload(all, pickWeights(), encodeMetadata(pickModel(), specs)));
  bool hasMore = cpuLevel() >= kMoreIsa;
  Session best(ref.model);
  EXPECT_EQ(weft_session_isa(best.session), hasMore ? kMoreIsa : kLeastIsa);
  ASSERT_OK(best.run(rowsOf(3), picksOf({2})));
  expectPicks(best, {2}, 3, hasMore ? 3 : 2);

  Session least(ref.model, kLeastIsa);
  EXPECT_EQ(weft_session_isa(least.session), kLeastIsa);
  ASSERT_OK(least.run(rowsOf(3), picksOf({2})));
  expectPicks(least, {2}, 3, 2);

  WeftSession *none;
  EXPECT_ERROR(weft_session_create_for(ref.model, kOtherIsa, 1, &none), WEFT_STATUS_SYSTEM,
               "needs a CPU with");
  EXPECT_ERROR(weft_session_create_for(ref.model, WEFT_ISA_X86_64_V4_AMX, 1, &none), WEFT_STATUS_BAD_ARGUMENT,
               "has no code for x86-64-v4-amx; it has: x86-64-v3, ");
  EXPECT_ERROR(weft_session_create_for(nullptr, kLeastIsa, 1, &none), WEFT_STATUS_BAD_ARGUMENT,
               "model is NULL");
}

TEST(Session, KeepsItsModel) {
  auto ref = std::make_unique<ModelRef>(pickPayload());
  Session session(ref->model);
  weft_model_release(std::exchange(ref->model, nullptr));
  EXPECT_OK(session.run(rowsOf(3), picksOf({1})));
}

TEST(Session, SessionsOfOneModelRunAtTheSameTime) {
  ModelRef ref(pickPayload());
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([&] {
      Session session(ref.model, 2);
      for (int repeat = 0; repeat < 50; ++repeat) {
        EXPECT_OK(session.run(rowsOf(9), picksOf({8, 0, 4})));
        expectPicks(session, {8, 0, 4}, 9, 2);
      }
    });
  for (std::thread &caller : callers)
    caller.join();
}

TEST(Session, EmptyTensors) {
  ModelRef ref(pickPayload());
  Session session(ref.model);
  ASSERT_OK(session.run(rowsOf(0), picksOf({})));
  EXPECT_EQ(weft_tensor_bytes(session.y.get()), 0u);
  expectPicks(session, {}, 0, 2);
  EXPECT_ERROR(session.run(rowsOf(0), picksOf({0})), WEFT_STATUS_BAD_DATA, "index 0 is out of range [-0, 0)");
}

TEST(Session, ArenaGrowsOnlyWhenNeeded) {
  ModelRef ref(pickPayload());
  Session session(ref.model);
  EXPECT_EQ(weft_session_arena_bytes(session.session), 0u);
  ASSERT_OK(session.run(rowsOf(1000), picksOf({999})));
  size_t bytes = weft_session_arena_bytes(session.session);
  EXPECT_GE(bytes, 16000u);
  ASSERT_OK(session.run(rowsOf(10), picksOf({9})));
  EXPECT_EQ(weft_session_arena_bytes(session.session), bytes);
}

TEST(Session, GuardedArenaIsExactAndFullOfNaN) {
  Arena arena;
  for (size_t bytes : {64u, 4096u, 5000u, 0u}) {
    char *start = arena.reserveGuarded(bytes);
    size_t rounded = (bytes + 63) / 64 * 64;
    EXPECT_EQ(arena.bytes(), rounded);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(start + rounded) % 4096, 0u);
    for (size_t i = 0; i < rounded; ++i)
      ASSERT_EQ(start[i], '\xFF');
  }
#if !defined(__has_feature) || !(__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
  char *start = arena.reserveGuarded(128);
  EXPECT_DEATH(start[128] = 1, "");
  EXPECT_DEATH(start[-4096] = 1, "");
#endif
}

TEST(Session, IndexOutOfRangeNamesTheNodeAndLeavesTheSessionUsable) {
  ModelRef ref(pickPayload());
  for (size_t threads : {1, 2, 5}) {
    Session session(ref.model, threads);
    for (int repeat = 0; repeat < 20; ++repeat) {
      WeftStatus status = session.run(rowsOf(8), picksOf({0, 1, 17, 2, 3, 17}));
      EXPECT_EQ(weft_status_code(status), WEFT_STATUS_BAD_DATA);
      EXPECT_EQ(messageOf(status), "node \"/Gather\": index 17 is out of range [-8, 8)");
      EXPECT_EQ(session.y.get(), nullptr);
      EXPECT_OK(session.run(rowsOf(8), picksOf({0, -8, 7})));
    }
  }
}

TEST(Session, WrongInputs) {
  ModelRef ref(pickPayload());
  Session session(ref.model);
  EXPECT_ERROR(session.run(TensorRef(), picksOf({0})), WEFT_STATUS_BAD_ARGUMENT,
               "input \"x\" (rows x 4 x f32) is NULL");
  EXPECT_ERROR(session.run(picksOf({0}), picksOf({0})), WEFT_STATUS_BAD_DATA,
               "input \"x\": expected rows x 4 x f32, got 1 x i64");
  EXPECT_ERROR(session.run(makeInput<float>(WEFT_DTYPE_F32, {4}, {1, 2, 3, 4}), picksOf({0})),
               WEFT_STATUS_BAD_DATA, "input \"x\": expected rows x 4 x f32, got 4 x f32");
  EXPECT_ERROR(session.run(makeInput<float>(WEFT_DTYPE_F32, {1, 2}, {1, 2}), picksOf({0})),
               WEFT_STATUS_BAD_DATA, "input \"x\": dimension 1 is 2, expected 4");
  EXPECT_ERROR(session.run(rowsOf(1), picksOf(std::vector<int64_t>(101))), WEFT_STATUS_BAD_DATA,
               "at most 100 picks: 101 is more than 100");
  EXPECT_ERROR(weft_session_run(session.session, nullptr, nullptr), WEFT_STATUS_BAD_ARGUMENT, "is NULL");
  EXPECT_ERROR(weft_session_run(nullptr, nullptr, nullptr), WEFT_STATUS_BAD_ARGUMENT, "session is NULL");
}

/// Runs a pick model whose signature was changed, with 3 rows and 2 picks.
WeftStatus runChanged(const std::function<void(EntrySpec &)> &change) {
  ModelSpec model = pickModel();
  change(model.entries[0]);
  ModelRef ref(pickPayload(model));
  Session session(ref.model);
  return session.run(rowsOf(3), picksOf({0, 1}));
}

TEST(Session, SymbolsMustAgree) {
  EXPECT_ERROR(runChanged([](EntrySpec &e) {
                 e.symbols = {"rows"};
                 e.inputs[1].dims[0] = symbol(0);
                 e.outputs[0].dims[0] = symbol(0);
                 e.guards.clear();
               }),
               WEFT_STATUS_BAD_DATA,
               "input \"index\": dimension 0 is 2, expected 3 (\"rows\", dimension 0 of input \"x\")");
  EXPECT_ERROR(runChanged([](EntrySpec &e) {
                 e.symbols = {"rows"};
                 e.inputs[1].dims[0] = combine(WEFT_EXPR_ADD, symbol(0), constant(2));
                 e.outputs[0].dims[0] = symbol(0);
                 e.guards.clear();
               }),
               WEFT_STATUS_BAD_DATA, "input \"index\": dimension 0 is 2, expected 5 (rows+2)");
}

/// Runs a pick model of 3 rows and as many picks as a part of the first of `count` indices says.
WeftStatus runSizedByElement(uint32_t part, int64_t count, const std::vector<int64_t> &picks) {
  ModelSpec model = pickModel();
  model.entries[0].inputs[1].dims = {constant(count)};
  model.entries[0].elements = {{1, 1, 0, part}};
  ModelRef ref(pickPayload(model));
  Session session(ref.model);
  WeftStatus status = session.run(rowsOf(3), picksOf(picks));
  if (!status)
    expectPicks(session, std::vector<int64_t>(picks.begin(), picks.begin() + std::abs(picks[0])), 3, 2);
  return status;
}

TEST(Session, ElementsThatAreSizes) {
  EXPECT_OK(runSizedByElement(WEFT_ELEMENT_SIZE, 3, {2, 1, 0}));
  EXPECT_OK(runSizedByElement(WEFT_ELEMENT_SIZE, 1, {0}));
  EXPECT_OK(runSizedByElement(WEFT_ELEMENT_ABOVE_ZERO, 2, {1, 7}));
  EXPECT_OK(runSizedByElement(WEFT_ELEMENT_BELOW_ZERO, 3, {-2, 1, 7}));
  EXPECT_ERROR(runSizedByElement(WEFT_ELEMENT_SIZE, 1, {-2}), WEFT_STATUS_BAD_DATA,
               "input \"index\": element 0 is -2, and is a size");
  EXPECT_ERROR(runSizedByElement(WEFT_ELEMENT_BELOW_ZERO, 1, {INT64_MIN}), WEFT_STATUS_BAD_DATA,
               "element 0 is -9223372036854775808, and decides sizes");
  EXPECT_ERROR(runSizedByElement(WEFT_ELEMENT_ABOVE_ZERO, 1, {INT64_MAX}), WEFT_STATUS_BAD_DATA,
               "element 0 is 9223372036854775807, and decides sizes");
  EXPECT_ERROR(runSizedByElement(WEFT_ELEMENT_SIZE, 2, {}), WEFT_STATUS_BAD_DATA,
               "input \"index\": dimension 0 is 0, expected 2");
}

TEST(Session, SymbolsThatAreDefined) {
  auto picksDefined = [](Words value) {
    return runChanged([=](EntrySpec &e) {
      e.inputs[1].dims[0] = constant(2);
      e.definitions = {{1, value}};
    });
  };
  EXPECT_OK(picksDefined(combine(WEFT_EXPR_ADD, symbol(0), constant(-1))));
  EXPECT_ERROR(picksDefined(constant(101)), WEFT_STATUS_BAD_DATA, "at most 100 picks: 101 is more than 100");
  EXPECT_ERROR(picksDefined(combine(WEFT_EXPR_FLOORDIV, symbol(0), constant(0))), WEFT_STATUS_BAD_DATA,
               "the size \"picks\" divides by zero for these inputs");
}

TEST(Session, Guards) {
  auto withGuard = [](uint32_t relation, Words left, Words right) {
    return runChanged([=](EntrySpec &e) { e.guards = {{relation, left, right, "the model implies it"}}; });
  };
  EXPECT_OK(withGuard(WEFT_RELATION_EQUAL, symbol(0), constant(3)));
  EXPECT_ERROR(withGuard(WEFT_RELATION_EQUAL, symbol(0), symbol(1)), WEFT_STATUS_BAD_DATA,
               "the model implies it: 3 is not equal to 2");
  EXPECT_OK(withGuard(WEFT_RELATION_BROADCAST, symbol(0), constant(1)));
  EXPECT_OK(withGuard(WEFT_RELATION_BROADCAST, constant(1), symbol(0)));
  EXPECT_OK(withGuard(WEFT_RELATION_BROADCAST, symbol(0), constant(3)));
  EXPECT_ERROR(withGuard(WEFT_RELATION_BROADCAST, symbol(0), symbol(1)), WEFT_STATUS_BAD_DATA,
               "3 does not broadcast with 2");
  EXPECT_OK(withGuard(WEFT_RELATION_LESS_EQUAL, symbol(1), constant(2)));
  EXPECT_ERROR(withGuard(WEFT_RELATION_EQUAL, combine(WEFT_EXPR_MOD, symbol(0), constant(0)), symbol(1)),
               WEFT_STATUS_BAD_DATA, "guard \"the model implies it\" divides by zero for these inputs");
}

TEST(Session, SizesThatCannotBe) {
  EXPECT_ERROR(runChanged([](EntrySpec &e) { e.arenaBytes = constant(-1); }), WEFT_STATUS_BAD_DATA,
               "the arena size \"16*rows\" is -1");
  EXPECT_ERROR(runChanged([](EntrySpec &e) { e.arenaBytes = constant(INT64_MAX); }), WEFT_STATUS_SYSTEM,
               "no memory for an arena of 9223372036854775");
  EXPECT_ERROR(runChanged([](EntrySpec &e) {
                 e.outputs[0].dims[0] = combine(WEFT_EXPR_ADD, symbol(1), constant(-5));
               }),
               WEFT_STATUS_BAD_DATA, "output \"y\": dimension 0 (picks-5) is -3 for these inputs");
  EXPECT_ERROR(runChanged([](EntrySpec &e) {
                 e.outputs[0].dims[0] = combine(WEFT_EXPR_MUL, symbol(1), constant(INT64_MAX));
               }),
               WEFT_STATUS_BAD_DATA, "a dimension of output \"y\" overflows 64 bits");
}

TEST(Session, TooManyThreads) {
  ModelRef ref(pickPayload());
  WeftSession *session;
  EXPECT_ERROR(weft_session_create(ref.model, 100000, &session), WEFT_STATUS_BAD_ARGUMENT, "at most 1024");
  EXPECT_ERROR(weft_session_create(nullptr, 1, &session), WEFT_STATUS_BAD_ARGUMENT, "model is NULL");
}

void collect(void *context, const char *message) { *static_cast<std::string *>(context) += message; }

TEST(Session, OversubscriptionIsLogged) {
  ModelRef ref(pickPayload());
  std::string messages;
  weft_set_log_callback(collect, &messages);
  Session session(ref.model, 1000);
  weft_set_log_callback(nullptr, nullptr);
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "the session has 1000 threads, but ", messages);
}

} // namespace

// Under a sanitizer too, an allocation that is too large fails instead of ending the program.
extern "C" const char *__asan_default_options() { return "allocator_may_return_null=1"; }
extern "C" const char *__tsan_default_options() { return "allocator_may_return_null=1"; }

namespace {

TEST(Tensor, Create) {
  WeftTensor *tensor = nullptr;
  int64_t shape[] = {2, 3};
  ASSERT_OK(weft_tensor_create(WEFT_DTYPE_BF16, 2, shape, &tensor));
  EXPECT_EQ(weft_tensor_bytes(tensor), 12u);
  EXPECT_EQ(weft_tensor_shape(tensor)[1], 3);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(weft_tensor_data(tensor)) % WEFT_BUFFER_ALIGNMENT, 0u);
  EXPECT_EQ(std::string(static_cast<char *>(weft_tensor_data(tensor)), 12), std::string(12, '\0'));
  weft_tensor_release(tensor);

  int64_t negative[] = {-1}, huge[] = {int64_t(1) << 40, int64_t(1) << 40}, large[] = {int64_t(1) << 46};
  int64_t emptyButHuge[] = {int64_t(1) << 40, int64_t(1) << 40, 0};
  EXPECT_ERROR(weft_tensor_create(WEFT_DTYPE_F32, 1, negative, &tensor), WEFT_STATUS_BAD_ARGUMENT,
               "-1 x f32");
  EXPECT_ERROR(weft_tensor_create(WEFT_DTYPE_F32, 2, huge, &tensor), WEFT_STATUS_BAD_ARGUMENT, "overflows");
  EXPECT_ERROR(weft_tensor_create(WEFT_DTYPE_F32, 1, large, &tensor), WEFT_STATUS_SYSTEM,
               "no memory for a tensor");
  EXPECT_ERROR(weft_tensor_create(WEFT_DTYPE_F32, 1, nullptr, &tensor), WEFT_STATUS_BAD_ARGUMENT,
               "shape is NULL");
  ASSERT_OK(weft_tensor_create(WEFT_DTYPE_F32, 3, emptyButHuge, &tensor));
  EXPECT_EQ(weft_tensor_bytes(tensor), 0u);
  weft_tensor_release(tensor);
}

int throwsBadAlloc() { throw std::bad_alloc(); }

TEST(Status, OutOfMemoryBecomesAStatus) {
  WeftStatus status = guarded([] { throwsBadAlloc(); });
  EXPECT_EQ(weft_status_code(status), WEFT_STATUS_SYSTEM);
  EXPECT_STREQ(weft_status_message(status), "out of memory");
  weft_status_release(status);
  EXPECT_EQ(weft_status_code(nullptr), WEFT_STATUS_OK);
}

} // namespace
