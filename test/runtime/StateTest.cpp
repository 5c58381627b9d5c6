// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a session keeps from run to run, and what it tells of a run's steps, on Inputs/append.c.

#include "ModelBuilder.h"
#include "runtime/src/HeldState.h"
#include "runtime/src/HostExecutor.h"

#include <chrono>
#include <numeric>

using namespace weft::runtime;
using namespace weft::runtime::test;

namespace {

/// [batch, positions, 2] of first, first + 1, ...
TensorRef positionsOf(int64_t batch, int64_t positions, float first = 1) {
  std::vector<float> values(batch * positions * 2);
  std::iota(values.begin(), values.end(), first);
  return makeInput<float>(WEFT_DTYPE_F32, {batch, positions, 2}, values);
}

class Appending {
public:
  explicit Appending(WeftModel *model, size_t threads = 2) {
    EXPECT_OK(weft_session_create(model, threads, &session));
  }
  ~Appending() { weft_session_release(session); }

  WeftStatus run(const TensorRef &x, const TensorRef &more = {}) {
    WeftTensor *inputs[] = {x.get(), more.get()}, *result = nullptr;
    WeftStatus status = weft_session_run(session, inputs, &result);
    all = TensorRef(result);
    return status;
  }
  int64_t length(size_t state = 0) const { return weft_session_state_length(session, state); }

  /// What the latest run found in the state, itself included.
  std::vector<float> contents() const {
    const float *data = static_cast<float *>(weft_tensor_data(all.get()));
    return {data, data + weft_tensor_bytes(all.get()) / sizeof(float)};
  }

  WeftSession *session = nullptr;
  TensorRef all;
};

using Floats = std::vector<float>;

TEST(State, Signature) {
  ModelRef ref(appendPayload()), without(pickPayload());
  EXPECT_EQ(weft_model_state_count(ref.model), 1u);
  EXPECT_STREQ(weft_model_state_name(ref.model, 0), "k");
  EXPECT_STREQ(weft_model_state_type(ref.model, 0), "batch x past x 2 x f32, room for 8");
  EXPECT_EQ(weft_model_state_name(ref.model, 1), nullptr);
  EXPECT_EQ(weft_model_state_type(ref.model, 1), nullptr);
  EXPECT_EQ(weft_model_state_count(without.model), 0u);
}

// "past" is the state's alone: no input says it.
TEST(State, GrowsWithEveryRunAndRewinds) {
  ModelRef ref(appendPayload());
  for (size_t threads = 1; threads <= 3; ++threads)
    for (bool guarded : {false, true}) {
      Appending session(ref.model, threads);
      weft_session_guard_arena(session.session, guarded);
      EXPECT_EQ(session.length(), 0);
      ASSERT_OK(session.run(positionsOf(2, 1)));
      EXPECT_EQ(session.length(), 1);
      EXPECT_EQ(session.contents(), (Floats{1, 2, 3, 4}));
      ASSERT_OK(session.run(positionsOf(2, 2, 10)));
      EXPECT_EQ(session.length(), 3);
      EXPECT_EQ(session.contents(), (Floats{1, 2, 10, 11, 12, 13, 3, 4, 14, 15, 16, 17}));
      ASSERT_OK(session.run(positionsOf(2, 0)));
      EXPECT_EQ(session.length(), 3);

      EXPECT_OK(weft_session_rewind(session.session, 5)); // there are only 3
      EXPECT_EQ(session.length(), 3);
      EXPECT_OK(weft_session_rewind(session.session, 2));
      EXPECT_EQ(session.length(), 2);
      ASSERT_OK(session.run(positionsOf(2, 1, 20)));
      EXPECT_EQ(session.contents(), (Floats{1, 2, 10, 11, 20, 21, 3, 4, 14, 15, 22, 23}));
    }
}

// As the hypotheses of a beam search: each follows one of those before.
TEST(State, EntriesAreSelected) {
  ModelRef ref(appendPayload());
  Appending session(ref.model);
  auto select = [&](const std::vector<size_t> &rows) {
    return weft_session_select(session.session, 0, rows.data(), rows.size());
  };
  ASSERT_OK(select({0, 0, 0})); // nothing is held
  ASSERT_OK(session.run(positionsOf(2, 2)));
  ASSERT_OK(select({1, 0, 1}));
  ASSERT_OK(session.run(positionsOf(3, 1, 10)));
  EXPECT_EQ(session.contents(), (Floats{5, 6, 7, 8, 10, 11, 1, 2, 3, 4, 12, 13, 5, 6, 7, 8, 14, 15}));
  ASSERT_OK(select({0, 1, 2}));
  ASSERT_OK(select({2, 1}));
  ASSERT_OK(session.run(positionsOf(2, 0)));
  EXPECT_EQ(session.contents(), (Floats{5, 6, 7, 8, 14, 15, 1, 2, 3, 4, 12, 13}));
  ASSERT_OK(weft_session_rewind(session.session, 1));
  ASSERT_OK(select({1}));
  ASSERT_OK(session.run(positionsOf(1, 1, 20)));
  EXPECT_EQ(session.contents(), (Floats{1, 2, 20, 21}));
  ASSERT_OK(select({}));
  ASSERT_OK(session.run(positionsOf(0, 1)));
  EXPECT_EQ(session.length(), 3);
}

// Behind the positions, of which there is room for more.
TEST(State, EntriesAlongALaterDimAreSelected) {
  Expression any(constant(1), 0);
  State state{{"k", WEFT_DTYPE_F32, {any, any, any, any}, ""}, /*axis=*/1, /*capacity=*/3, any};
  HostExecutor executor(1, nullptr);
  HeldState held(state, executor);
  held.dims = {2, 2, 3, 2}; // of [2, room for 3, 3, 2]
  auto *data = static_cast<float *>(held.reserve());
  std::iota(data, data + 2 * 3 * 3 * 2, 0.0f);
  held.select(2, {2, 0});
  auto *selected = static_cast<float *>(held.takeSelected());
  EXPECT_EQ(held.dims, (std::vector<int64_t>{2, 2, 2, 2}));
  for (int64_t batch = 0; batch < 2; ++batch)
    for (int64_t position = 0; position < 2; ++position)
      for (int64_t entry = 0; entry < 2; ++entry)
        for (int64_t i = 0; i < 2; ++i)
          EXPECT_EQ(selected[((batch * 3 + position) * 2 + entry) * 2 + i],
                    static_cast<float>(((batch * 3 + position) * 3 + (entry == 0 ? 2 : 0)) * 2 + i));
}

TEST(State, ArgumentsThatAreWrong) {
  ModelRef ref(appendPayload());
  Appending session(ref.model);
  ASSERT_OK(session.run(positionsOf(1, 3)));
  EXPECT_ERROR(weft_session_rewind(session.session, -1), WEFT_STATUS_BAD_ARGUMENT,
               "weft_session_rewind: the length is -1");
  EXPECT_ERROR(weft_session_rewind(nullptr, 0), WEFT_STATUS_BAD_ARGUMENT, "session is NULL");
  const size_t rows[] = {0, 1};
  EXPECT_ERROR(weft_session_select(nullptr, 0, rows, 1), WEFT_STATUS_BAD_ARGUMENT, "session is NULL");
  EXPECT_ERROR(weft_session_select(session.session, 0, nullptr, 1), WEFT_STATUS_BAD_ARGUMENT, "rows is NULL");
  EXPECT_ERROR(weft_session_select(session.session, 0, rows, 2), WEFT_STATUS_BAD_ARGUMENT,
               "weft_session_select: entry 1 of state \"k\", which has 1");
  EXPECT_ERROR(weft_session_select(session.session, 1, rows, 1), WEFT_STATUS_BAD_ARGUMENT,
               "dimension 1 of state \"k\", batch x past x 2 x f32, room for 8, is its positions");
  EXPECT_ERROR(weft_session_select(session.session, 3, rows, 1), WEFT_STATUS_BAD_ARGUMENT, "is not there");
  EXPECT_ERROR(weft_session_select(session.session, 2, rows, 1), WEFT_STATUS_BAD_ARGUMENT,
               "1 entries for dimension 2 of state \"k\", which always has 2");
  EXPECT_EQ(session.length(), 3);
  EXPECT_EQ(session.length(1), 0);
}

TEST(State, AnotherBatchBeginsAnew) {
  ModelRef ref(appendPayload());
  Appending session(ref.model);
  ASSERT_OK(session.run(positionsOf(2, 1)));
  EXPECT_ERROR(
      session.run(positionsOf(3, 1)), WEFT_STATUS_BAD_DATA,
      "state \"k\": dimension 0 is 2, expected 3 (batch); weft_session_rewind(session, 0) begins anew");
  EXPECT_EQ(session.length(), 1);
  ASSERT_OK(session.run(positionsOf(2, 1, 10)));
  EXPECT_EQ(session.contents(), (Floats{1, 2, 10, 11, 3, 4, 12, 13}));
  for (int64_t batch : {1, 100, 0, 3}) {
    EXPECT_OK(weft_session_rewind(session.session, 0));
    ASSERT_OK(session.run(positionsOf(batch, 1)));
    ASSERT_OK(session.run(positionsOf(batch, 1)));
    EXPECT_EQ(session.length(), 2);
  }
  EXPECT_EQ(session.contents(), (Floats{1, 2, 1, 2, 3, 4, 3, 4, 5, 6, 5, 6}));
}

TEST(State, CapacityIsTheMost) {
  ModelRef ref(appendPayload());
  Appending session(ref.model);
  EXPECT_ERROR(session.run(positionsOf(1, 9)), WEFT_STATUS_BAD_DATA,
               "state \"k\" has room for 8, and would hold 9");
  EXPECT_EQ(session.length(), 0);
  ASSERT_OK(session.run(positionsOf(1, 7)));
  EXPECT_ERROR(session.run(positionsOf(1, 2, 50)), WEFT_STATUS_BAD_DATA,
               "state \"k\" has room for 8, and would hold 9");
  EXPECT_EQ(session.length(), 7);
  ASSERT_OK(session.run(positionsOf(1, 1, 15)));
  Floats expected(16);
  std::iota(expected.begin(), expected.end(), 1.0f);
  EXPECT_EQ(session.contents(), expected);
  EXPECT_ERROR(session.run(positionsOf(1, 1)), WEFT_STATUS_BAD_DATA, "would hold 9");
  ASSERT_OK(session.run(positionsOf(1, 0)));
  EXPECT_EQ(session.contents(), expected);
}

TEST(State, ARunThatFailsAddsNothing) {
  ModelRef ref(appendPayload());
  Appending session(ref.model);
  ASSERT_OK(session.run(positionsOf(1, 2)));
  EXPECT_ERROR(session.run(positionsOf(1, 2, -2)), WEFT_STATUS_BAD_DATA, "node \"/Concat\": index -");
  EXPECT_EQ(session.length(), 2);
  ASSERT_OK(session.run(positionsOf(1, 1, 5)));
  EXPECT_EQ(session.contents(), (Floats{1, 2, 3, 4, 5, 6}));
}

TEST(State, SessionsKeepTheirOwn) {
  ModelRef ref(appendPayload());
  Appending first(ref.model), second(ref.model);
  ASSERT_OK(first.run(positionsOf(1, 1)));
  ASSERT_OK(second.run(positionsOf(2, 1, 10)));
  ASSERT_OK(first.run(positionsOf(1, 1, 3)));
  EXPECT_EQ(first.contents(), (Floats{1, 2, 3, 4}));
  EXPECT_OK(weft_session_rewind(first.session, 0));
  EXPECT_EQ(second.length(), 1);
  ASSERT_OK(second.run(positionsOf(2, 1, 20)));
  EXPECT_EQ(second.contents(), (Floats{10, 11, 20, 21, 12, 13, 22, 23}));
}

/// A model whose signature was changed.
std::string changed(const std::function<void(EntrySpec &)> &change) {
  ModelSpec model = appendModel();
  change(model.entries[0]);
  return appendPayload(model);
}

TensorRef maskOf(int64_t positions) {
  return makeInput<int64_t>(WEFT_DTYPE_I64, {positions}, std::vector<int64_t>(positions));
}

TEST(State, InputsAgreeWithItsLength) {
  ModelRef past(changed([](EntrySpec &e) { e.inputs.push_back({"mask", WEFT_DTYPE_I64, {symbol(2)}}); }));
  Appending session(past.model);
  EXPECT_ERROR(session.run(positionsOf(1, 1), maskOf(3)), WEFT_STATUS_BAD_DATA,
               "state \"k\" holds 0 positions, but the inputs say that past is 3");
  ASSERT_OK(session.run(positionsOf(1, 2), maskOf(0)));
  ASSERT_OK(session.run(positionsOf(1, 1), maskOf(2)));
  EXPECT_ERROR(session.run(positionsOf(1, 1), maskOf(2)), WEFT_STATUS_BAD_DATA,
               "state \"k\" holds 3 positions, but the inputs say that past is 2");
  EXPECT_EQ(session.length(), 3);

  ModelRef next(changed([](EntrySpec &e) {
    e.inputs.push_back({"mask", WEFT_DTYPE_I64, {combine(WEFT_EXPR_ADD, symbol(2), symbol(1))}});
  }));
  Appending other(next.model);
  ASSERT_OK(other.run(positionsOf(1, 2), maskOf(2)));
  EXPECT_ERROR(other.run(positionsOf(1, 1), maskOf(2)), WEFT_STATUS_BAD_DATA,
               "input \"mask\": dimension 0 is 2, expected 3 (past+new)");
  ASSERT_OK(other.run(positionsOf(1, 1), maskOf(3)));
}

// What does not fit one does not grow another.
TEST(State, AllOrNone) {
  ModelRef ref(changed([](EntrySpec &e) {
    e.states.push_back(e.states[0]);
    e.states[1].tensor.name = "v";
    e.states[1].capacity = 4;
  }));
  Appending session(ref.model);
  ASSERT_OK(session.run(positionsOf(1, 3)));
  EXPECT_ERROR(session.run(positionsOf(1, 2)), WEFT_STATUS_BAD_DATA,
               "state \"v\" has room for 4, and would hold 5");
  EXPECT_EQ(session.length(0), 3);
  EXPECT_EQ(session.length(1), 3);
  ASSERT_OK(session.run(positionsOf(1, 1)));
  EXPECT_OK(weft_session_rewind(session.session, 2));
  EXPECT_EQ(session.length(0), 2);
  EXPECT_EQ(session.length(1), 2);
}

WeftStatus tryLoad(const std::string &bytes) {
  AlignedBytes aligned(bytes);
  WeftModel *model = nullptr;
  WeftStatus status = weft_model_load_memory(aligned.get(), aligned.size, &model);
  weft_model_release(model);
  return status;
}

TEST(State, MetadataThatIsWrong) {
  auto load = [](const std::function<void(EntrySpec &)> &change) { return tryLoad(changed(change)); };
  EXPECT_ERROR(load([](EntrySpec &e) { e.states[0].axis = 3; }), WEFT_STATUS_BAD_DATA,
               "state \"k\" grows along dimension 3, but has 3");
  EXPECT_ERROR(load([](EntrySpec &e) { e.states[0].capacity = 0; }), WEFT_STATUS_BAD_DATA,
               "state \"k\" has room for 0");
  EXPECT_ERROR(load([](EntrySpec &e) { e.states[0].capacity = -1; }), WEFT_STATUS_BAD_DATA,
               "state \"k\" has room for -1");
  EXPECT_ERROR(load([](EntrySpec &e) { e.states[0].next = symbol(3); }), WEFT_STATUS_BAD_DATA,
               "an expression uses symbol 3 of 3");
  EXPECT_ERROR(load([](EntrySpec &e) { e.states[0].next = {}; }), WEFT_STATUS_BAD_DATA, "expression");
  EXPECT_ERROR(load([](EntrySpec &e) { e.states[0].tensor.dims[0] = symbol(7); }), WEFT_STATUS_BAD_DATA,
               "an expression uses symbol 7 of 3");
  EXPECT_ERROR(load([](EntrySpec &e) { e.states[0].tensor.dtype = 23; }), WEFT_STATUS_BAD_DATA,
               "tensor \"k\" has element type 23");
  EXPECT_ERROR(load([](EntrySpec &e) { e.steps[1].flops = symbol(4); }), WEFT_STATUS_BAD_DATA,
               "an expression uses symbol 4 of 3");
  EXPECT_ERROR(load([](EntrySpec &e) { e.steps[1].unit = 4; }), WEFT_STATUS_BAD_DATA,
               "what multiplies in a step, 4, is not known");
  // Only the dim along the axis gives a symbol a value.
  EXPECT_ERROR(load([](EntrySpec &e) { e.states[0].axis = 2; }), WEFT_STATUS_BAD_DATA, "symbol \"past\"");
}

TEST(State, EveryTruncationAndFlippedByteOfMetadataIsHandled) {
  std::string code = readWholeFile(WEFT_TEST_MODEL_APPEND),
              metadata = encodeMetadata(appendModel(), oneCode(code));
  for (size_t size = 0; size < metadata.size(); ++size)
    EXPECT_ERROR(tryLoad(buildPayload(code, "", metadata.substr(0, size))), WEFT_STATUS_BAD_DATA,
                 "its metadata");
  for (size_t at = 0; at < metadata.size(); ++at)
    for (int flip : {0x01, 0x80, 0xFF}) {
      std::string damaged = metadata;
      damaged[at] ^= static_cast<char>(flip);
      weft_status_release(tryLoad(buildPayload(code, "", damaged))); // a name may have changed only
    }
}

WeftStatus runChanged(const std::function<void(EntrySpec &)> &change) {
  ModelRef ref(changed(change));
  return Appending(ref.model).run(positionsOf(1, 1));
}

TEST(State, SizesThatCannotBe) {
  EXPECT_ERROR(runChanged([](EntrySpec &e) { e.states[0].next = constant(-1); }), WEFT_STATUS_BAD_DATA,
               "would hold -1");
  EXPECT_ERROR(runChanged([](EntrySpec &e) { e.states[0].tensor.dims[0] = constant(-1); }),
               WEFT_STATUS_BAD_DATA, "state \"k\"");
  EXPECT_ERROR(runChanged([](EntrySpec &e) { e.states[0].capacity = INT64_MAX; }), WEFT_STATUS_BAD_DATA,
               "state \"k\": its size overflows for these inputs");
  EXPECT_ERROR(runChanged([](EntrySpec &e) { e.states[0].capacity = INT64_MAX / 64; }), WEFT_STATUS_SYSTEM,
               "no memory for");
  EXPECT_ERROR(runChanged([](EntrySpec &e) {
                 e.states[0].next = combine(WEFT_EXPR_MUL, symbol(1),
                                            combine(WEFT_EXPR_MUL, constant(INT64_MAX), constant(2)));
               }),
               WEFT_STATUS_BAD_DATA, "the next length of state \"k\" overflows 64 bits");
}

TEST(Profile, StepsOfTheLatestRun) {
  ModelRef ref(appendPayload());
  for (size_t threads : {1, 3}) {
    Appending session(ref.model, threads);
    ASSERT_OK(session.run(positionsOf(2, 3)));
    WeftStepWork none = weft_session_step_work(session.session, 0);
    EXPECT_EQ(none.seconds, 0);
    EXPECT_EQ(none.bytes, 0);

    EXPECT_OK(weft_session_profile(session.session, 1));
    EXPECT_EQ(weft_session_step_work(session.session, 0).seconds, 0); // nothing was timed yet
    auto start = std::chrono::steady_clock::now();
    ASSERT_OK(session.run(positionsOf(2, 4)));
    std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    WeftStepWork append = weft_session_step_work(session.session, 0);
    WeftStepWork copy = weft_session_step_work(session.session, 1);
    EXPECT_GT(append.seconds, 0);
    EXPECT_GT(copy.seconds, 0);
    EXPECT_LE(append.seconds + copy.seconds, taken.count());
    EXPECT_EQ(append.flops, 0);
    EXPECT_EQ(append.bytes, 32);
    EXPECT_EQ(copy.flops, 28); // 2 * batch * (past + new), where past was 3
    EXPECT_EQ(copy.bytes, 224);

    WeftStepWork outside = weft_session_step_work(session.session, 2);
    EXPECT_EQ(outside.seconds, 0);
    EXPECT_EQ(outside.flops, 0);
    EXPECT_EQ(outside.bytes, 0);
    EXPECT_STREQ(weft_session_bank_conflicts(session.session, 0), ""); // which CPUs have none of
    EXPECT_STREQ(weft_session_bank_conflicts(session.session, 2), "");

    EXPECT_OK(weft_session_profile(session.session, 0));
    ASSERT_OK(session.run(positionsOf(2, 1)));
    EXPECT_EQ(weft_session_step_work(session.session, 1).seconds, 0);
    EXPECT_EQ(weft_session_step_work(session.session, 1).bytes, 0);
  }
  EXPECT_ERROR(weft_session_profile(nullptr, 1), WEFT_STATUS_BAD_ARGUMENT, "session is NULL");
}

TEST(Profile, WorkThatCannotBeTold) {
  ModelRef ref(
      changed([](EntrySpec &e) { e.steps[0].flops = combine(WEFT_EXPR_MOD, symbol(0), constant(0)); }));
  Appending session(ref.model);
  EXPECT_OK(weft_session_profile(session.session, 1));
  ASSERT_OK(session.run(positionsOf(1, 1)));
  EXPECT_EQ(weft_session_step_work(session.session, 0).flops, 0);
  EXPECT_EQ(weft_session_step_work(session.session, 1).flops, 2);
}

} // namespace
