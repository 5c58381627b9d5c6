// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One run: check the inputs, bind the symbols, size everything, call the code.

#include "Session.h"
#include "Cpu.h"
#include "Error.h"
#include "Float16.h"
#include "HostExecutor.h"
#include "Tensor.h"
#include "ThreadPool.h"
#include "cuda/CudaExecutor.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

using namespace weft::runtime;

namespace {

[[noreturn]] void raiseFailure(const WeftTeam::Failure &failure, const std::vector<Step> &steps) {
  std::string where = failure.step >= 0 && static_cast<size_t>(failure.step) < steps.size()
                          ? "node \"" + steps[failure.step].node + "\""
                          : concat("step ", failure.step);
  if (failure.kind == WEFT_FAILURE_KERNEL)
    raise(WEFT_STATUS_INTERNAL, where, ": ", failure.text);
  if (failure.kind != WEFT_FAILURE_INDEX)
    raise(WEFT_STATUS_INTERNAL, where, ": the code reports failure ", failure.kind, ", which is not known");
  raiseBadData(where, ": index ", failure.value, " is out of range [-", failure.bound, ", ", failure.bound,
               ")");
}

const char *violation(WeftRelation relation, int64_t left, int64_t right) {
  switch (relation) {
  case WEFT_RELATION_EQUAL:
    return left == right ? nullptr : " is not equal to ";
  case WEFT_RELATION_BROADCAST:
    return left == right || left == 1 || right == 1 ? nullptr : " does not broadcast with ";
  case WEFT_RELATION_LESS_EQUAL:
    return left <= right ? nullptr : " is more than ";
  }
  return " has no known relation to ";
}

} // namespace

WeftSession::WeftSession(WeftModel *model, const Code &code, const MakeExecutor &makeExecutor)
    : WeftSession(model, code, 0, makeExecutor(model->entryPoint())) {
  std::vector<size_t> pending{0};
  while (!pending.empty()) {
    const EntryPoint &needs = model->metadata.entryPoints[pending.back()];
    pending.pop_back();
    for (const Computed &by : needs.computed)
      if (std::unique_ptr<WeftSession> &first = firsts[by.entry]; !first) {
        const EntryPoint &computes = model->metadata.entryPoints[by.entry];
        first.reset(new WeftSession(model, code, by.entry, makeExecutor(computes)));
        pending.push_back(by.entry);
      }
  }
}

WeftSession::WeftSession(WeftModel *model, const Code &code, size_t number,
                         std::shared_ptr<Executor> executor)
    : code(code), executor(std::move(executor)), arena(this->executor->makeMemory("an arena")), model(model),
      entry(model->metadata.entryPoints[number]), function(model->entryFunction(code, number)),
      symbols(entry.symbols.size()), stack(entry.stackDepth), stateData(entry.states.size()),
      outputs(entry.outputs.size()) {
  for (const State &state : entry.states)
    states.emplace_back(state, *this->executor);
  weft_model_retain(model);
}

WeftSession::~WeftSession() {
  outputMemory->limit(0);
  weft_model_release(model);
}

void WeftSession::run(WeftTensor *const *inputs, WeftTensor **outOutputs) {
  for (auto &[number, first] : firsts)
    first->runEntry(inputs, firsts);
  runEntry(inputs, firsts);
  for (size_t i = 0; i < outputs.size(); ++i)
    outOutputs[i] = outputs[i].take();
}

void WeftSession::runEntry(WeftTensor *const *given, const Firsts &computed) {
  inputTensors.assign(given, given + inputCount());
  for (const Computed &by : entry.computed)
    inputTensors.push_back(computed.at(by.entry)->outputs[by.output].get());
  checkTypes();
  bindSymbols();
  checkShapes();
  checkGuards();
  reserveStates();
  makeOutputs();
  outputTensors.clear();
  for (const TensorRef &output : outputs)
    outputTensors.push_back(output.get());

  WeftFrame frame{};
  frame.symbols = symbols.data();
  frame.states = stateData.data();
  frame.arena = reserveArena();
  executor->setProfile(profile.get()); // that sessions may share
  if (profile)
    profile->beginRun();
  if (const WeftTeam::Failure *failure = executor->run(function, frame, {inputTensors, outputTensors})) {
    outputs.assign(outputs.size(), TensorRef());
    raiseFailure(*failure, entry.steps);
  }
  for (HeldState &state : states)
    state.setLength(state.next);
}

void WeftSession::rewind(const std::vector<int64_t> &lengths) {
  for (size_t i = 0; i < states.size(); ++i)
    states[i].setLength(std::min(stateLength(i), lengths[i]));
}

void WeftSession::select(size_t axis, const std::vector<size_t> &rows) {
  for (size_t i = 0; i < states.size(); ++i) {
    const State &state = entry.states[i];
    if (axis >= state.type.dims.size() || axis == state.axis)
      raiseBadArgument("weft_session_select: dimension ", axis, " of state \"", state.type.name, "\", ",
                       state.type.text, ", ", axis == state.axis ? "is its positions" : "is not there");
    std::optional<int64_t> fixed = state.type.dims[axis].asConstant();
    if (fixed && *fixed != static_cast<int64_t>(rows.size()))
      raiseBadArgument("weft_session_select: ", rows.size(), " entries for dimension ", axis, " of state \"",
                       state.type.name, "\", which always has ", *fixed);
    for (size_t row : rows)
      if (stateLength(i) > 0 && row >= static_cast<size_t>(states[i].dims[axis]))
        raiseBadArgument("weft_session_select: entry ", row, " of state \"", state.type.name,
                         "\", which has ", states[i].dims[axis]);
  }
  std::vector<size_t> moved;
  for (size_t i = 0; i < states.size(); ++i)
    if (states[i].isMovedBy(axis, rows)) {
      states[i].select(axis, rows);
      moved.push_back(i);
    }
  for (size_t i : moved) // now that nothing can fail
    stateData[i] = states[i].takeSelected();
}

std::vector<int64_t> WeftSession::stateLengths() const {
  std::vector<int64_t> lengths(states.size());
  for (size_t i = 0; i < states.size(); ++i)
    lengths[i] = stateLength(i);
  return lengths;
}

void WeftSession::profileSteps(bool profiled) {
  profile = profiled ? std::make_unique<StepProfile>(entry.steps.size()) : nullptr;
}

WeftStepWork WeftSession::stepWork(size_t index) {
  if (!profile || index >= entry.steps.size())
    return {};
  const Step &step = entry.steps[index];
  return {profile->seconds(index), evaluate(step.flops, "the operations of ", step.node),
          evaluate(step.bytes, "the bytes of ", step.node), executor->flops(step.unit)};
}

const std::string &WeftSession::bankConflicts(size_t step) {
  conflicts.clear();
  if (!profile || step >= entry.steps.size())
    return conflicts;
  for (const auto &[operation, passes] : profile->passes(step))
    if (passes.taken > passes.least)
      conflicts += concat(operation, ": ", passes.taken, " passes over shared memory where ", passes.least,
                          " would do\n");
  return conflicts;
}

void WeftSession::checkTypes() const {
  for (size_t i = 0; i < entry.inputs.size(); ++i) {
    const TensorType &type = entry.inputs[i];
    if (!inputTensors[i])
      raiseBadArgument("input \"", type.name, "\" (", type.text, ") is NULL");
    if (weft_tensor_dtype(inputTensors[i]) != type.dtype ||
        weft_tensor_rank(inputTensors[i]) != type.dims.size())
      raiseBadData("input \"", type.name, "\": expected ", type.text, ", got ", typeText(inputTensors[i]));
  }
}

namespace {

constexpr int64_t mostElement = int64_t(1) << 61; // expressions are made of it, with room to spare

/// An element of a type that holds sizes.
struct Element {
  std::string text;
  std::optional<int64_t> whole; ///< Nothing if it is no whole number, or too large for one.
};

template <typename Number> Element elementOf(Number number) {
  // An i32 is always within; NaN is not.
  bool isWithin = static_cast<double>(number) >= -static_cast<double>(mostElement) &&
                  static_cast<double>(number) <= static_cast<double>(mostElement);
  bool isWhole = isWithin && static_cast<double>(number) == std::trunc(static_cast<double>(number));
  return {std::to_string(number), isWhole ? std::optional(static_cast<int64_t>(number)) : std::nullopt};
}

template <typename Number> Number at(const void *data, size_t place) {
  return static_cast<const Number *>(data)[place];
}

Element elementOf(WeftTensor *tensor, size_t place) {
  const void *data = weft_tensor_data(tensor);
  switch (weft_tensor_dtype(tensor)) {
  case WEFT_DTYPE_I32:
    return elementOf(at<int32_t>(data, place));
  case WEFT_DTYPE_I64:
    return elementOf(at<int64_t>(data, place));
  case WEFT_DTYPE_F32:
    return elementOf(at<float>(data, place));
  case WEFT_DTYPE_BOOL: // true is any byte but 0 where a caller made it
    return {"a bool", at<uint8_t>(data, place) != 0};
  case WEFT_DTYPE_F16:
    return elementOf(floatOfF16(at<uint16_t>(data, place)));
  case WEFT_DTYPE_BF16:
    return elementOf(floatOfBf16(at<uint16_t>(data, place)));
  default:
    return elementOf(at<double>(data, place));
  }
}

} // namespace

/// A part of an input's element; 0 for an input that is too small, whose shape is checked later.
int64_t WeftSession::readElement(const SymbolSource &source) {
  WeftTensor *input = inputTensors[source.number];
  if (int64_t(source.place) >= elementCount(input))
    return 0;
  Element element = elementOf(input, source.place);
  if (!element.whole)
    raiseBadData("input \"", entry.inputs[source.number].name, "\": element ", source.place, " is ",
                 element.text, ", and decides sizes, so that it is expected to be a whole number within ",
                 mostElement, " of 0");
  if (source.part == WEFT_ELEMENT_SIZE && *element.whole < 0)
    raiseBadData("input \"", entry.inputs[source.number].name, "\": element ", source.place, " is ",
                 element.text, ", and is a size, so that it is expected to be 0 or more");
  return std::max<int64_t>(source.part == WEFT_ELEMENT_BELOW_ZERO ? -*element.whole : *element.whole, 0);
}

void WeftSession::bindSymbols() {
  for (size_t i = 0; i < symbols.size(); ++i) {
    const SymbolSource &source = entry.sources[i];
    switch (source.kind) {
    case SymbolSource::Input:
      symbols[i] = weft_tensor_shape(inputTensors[source.number])[source.place];
      break;
    case SymbolSource::State:
      symbols[i] = stateLength(source.number);
      break;
    case SymbolSource::Element:
      symbols[i] = readElement(source);
      break;
    case SymbolSource::Definition:
      break;
    }
  }
  for (const Definition &definition : entry.definitions)
    symbols[definition.symbol] = evaluate(definition.value, "the size ", entry.symbols[definition.symbol]);
}

void WeftSession::checkShapes() {
  for (size_t i = 0; i < entry.inputs.size(); ++i) {
    const TensorType &type = entry.inputs[i];
    for (size_t d = 0; d < type.dims.size(); ++d) {
      int64_t expected = evaluate(type.dims[d], "a dimension of input ", type.name);
      int64_t got = weft_tensor_shape(inputTensors[i])[d];
      if (got == expected)
        continue;
      std::string why;
      if (std::optional<size_t> symbol = type.dims[d].asSymbol()) {
        const SymbolSource &source = entry.sources[*symbol];
        why = concat(" (\"", entry.symbols[*symbol], "\", dimension ", source.place, " of input \"",
                     entry.inputs[source.number].name, "\")");
      } else if (std::string text = type.dims[d].text(entry.symbols); text != std::to_string(expected)) {
        why = " (" + text + ")";
      }
      raiseBadData("input \"", type.name, "\": dimension ", d, " is ", got, ", expected ", expected, why);
    }
  }
}

/// An empty state takes the dims that this run gives it; one that holds something has to have them.
void WeftSession::checkState(size_t index) {
  const State &state = entry.states[index];
  HeldState &held = states[index];
  int64_t length = stateLength(index);
  for (size_t d = 0; d < held.dims.size(); ++d) {
    int64_t expected = evaluate(state.type.dims[d], "a dimension of state ", state.type.name);
    auto formula = [&] { return state.type.dims[d].text(entry.symbols); };
    if (d == state.axis && expected != length)
      raiseBadData("state \"", state.type.name, "\" holds ", length, " positions, but the inputs say that ",
                   formula(), " is ", expected);
    if (expected < 0)
      raiseBadData("state \"", state.type.name, "\": dimension ", d, " (", formula(), ") is ", expected,
                   " for these inputs");
    if (length > 0 && held.dims[d] != expected)
      raiseBadData("state \"", state.type.name, "\": dimension ", d, " is ", held.dims[d], ", expected ",
                   expected, " (", formula(), "); weft_session_rewind(session, 0) begins anew");
    held.dims[d] = expected;
  }
  held.next = evaluate(state.next, "the next length of state ", state.type.name);
  if (held.next < length || held.next > state.capacity)
    raiseBadData("state \"", state.type.name, "\" has room for ", state.capacity, ", and would hold ",
                 held.next);
}

void WeftSession::reserveStates() {
  for (size_t i = 0; i < states.size(); ++i) {
    checkState(i);
    if (stateLength(i) == 0) // otherwise it has its memory
      stateData[i] = states[i].reserve();
  }
}

void WeftSession::checkGuards() {
  for (const Guard &guard : entry.guards) {
    int64_t left = evaluate(guard.left, "guard ", guard.message);
    int64_t right = evaluate(guard.right, "guard ", guard.message);
    if (const char *broken = violation(guard.relation, left, right))
      raiseBadData(guard.message, ": ", left, broken, right);
  }
}

void WeftSession::makeOutputs() {
  std::fill(outputs.begin(), outputs.end(), TensorRef()); // those that were left or failed
  std::vector<std::vector<int64_t>> shapes(outputs.size());
  size_t bytes = 0;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const TensorType &type = entry.outputs[i];
    for (const Expression &dim : type.dims) {
      shapes[i].push_back(evaluate(dim, "a dimension of output ", type.name));
      if (shapes[i].back() < 0)
        raiseBadData("output \"", type.name, "\": dimension ", shapes[i].size() - 1, " (",
                     dim.text(entry.symbols), ") is ", shapes[i].back(), " for these inputs");
    }
    bytes += sizeInBytes(type.dtype, shapes[i]).value_or(0);
  }
  outputMemory->limit(bytes); // before any is made: what does not fit is freed
  for (size_t i = 0; i < outputs.size(); ++i) {
    outputs[i] = makeTensor(entry.outputs[i].dtype, std::move(shapes[i]), *outputMemory);
  }
}

char *WeftSession::reserveArena() {
  int64_t bytes = evaluate(entry.arenaBytes, "the arena size ", entry.arenaFormula);
  if (bytes < 0)
    raiseBadData("the arena size \"", entry.arenaFormula, "\" is ", bytes, " for these inputs");
  return isGuarded ? arena->reserveGuarded(bytes) : arena->reserve(bytes);
}

void WeftSession::guard(bool guarded) {
  for (auto &[number, first] : firsts)
    first->guard(guarded);
  isGuarded = guarded;
  executor->setGuarded(guarded);
}

int64_t WeftSession::evaluate(const Expression &expression, const char *what, const std::string &name) {
  int64_t value;
  if (const char *problem = expression.evaluate(symbols.data(), stack.data(), value))
    raiseBadData(what, "\"", name, "\" ", problem, " for these inputs");
  return value;
}

static WeftSession *createSession(WeftModel *model, const Code &code, size_t threads) {
  requireCpu(code.isa, cpuLevel(), model->file);
  auto executor = std::make_shared<HostExecutor>(threads, model->payload.weights.data());
  return new WeftSession(model, code, [&](const EntryPoint &) { return executor; });
}

static WeftSession *createSessionOnDevice(WeftModel *model, size_t device) {
  const Code &code = model->bestCode(cpuLevel());
  requireCpu(code.isa, cpuLevel(), model->file);
  return new WeftSession(
      model, code, [&](const EntryPoint &entry) { return cuda::makeExecutor(*model, entry.steps, device); });
}

WeftStatus weft_session_create(WeftModel *model, size_t threads, WeftSession **out_session) {
  return guarded([&] {
    if (!model || !out_session)
      raiseBadArgument("weft_session_create: ", model ? "out_session" : "model", " is NULL");
    *out_session = model->isForGpus() ? createSessionOnDevice(model, 0)
                                      : createSession(model, model->bestCode(cpuLevel()), threads);
  });
}

WeftStatus weft_session_create_for(WeftModel *model, WeftIsa isa, size_t threads, WeftSession **out_session) {
  return guarded([&] {
    if (!model || !out_session)
      raiseBadArgument("weft_session_create_for: ", model ? "out_session" : "model", " is NULL");
    if (model->isForGpus())
      raiseBadArgument(model->file, ": runs on a GPU, not with code for ", levelName(isa));
    *out_session = createSession(model, model->codeFor(isa), threads);
  });
}

WeftStatus weft_session_create_on_device(WeftModel *model, size_t device, WeftSession **out_session) {
  return guarded([&] {
    if (!model || !out_session)
      raiseBadArgument("weft_session_create_on_device: ", model ? "out_session" : "model", " is NULL");
    *out_session = createSessionOnDevice(model, device);
  });
}

void weft_session_release(WeftSession *session) { delete session; }

WeftStatus weft_session_run(WeftSession *session, WeftTensor *const *inputs, WeftTensor **out_outputs) {
  return guarded([&] {
    if (!session)
      raiseBadArgument("weft_session_run: session is NULL");
    if ((!inputs && session->inputCount() > 0) || (!out_outputs && session->outputCount() > 0))
      raiseBadArgument("weft_session_run: ", out_outputs ? "inputs" : "out_outputs", " is NULL");
    session->run(inputs, out_outputs);
  });
}

int64_t weft_session_state_length(const WeftSession *session, size_t index) {
  return index < session->stateCount() ? session->stateLength(index) : 0;
}
WeftStatus weft_session_rewind(WeftSession *session, int64_t length) {
  return guarded([&] {
    if (!session)
      raiseBadArgument("weft_session_rewind: session is NULL");
    if (length < 0)
      raiseBadArgument("weft_session_rewind: the length is ", length);
    session->rewind(std::vector<int64_t>(session->stateCount(), length));
  });
}
WeftStatus weft_session_select(WeftSession *session, size_t axis, const size_t *rows, size_t count) {
  return guarded([&] {
    if (!session || (!rows && count > 0))
      raiseBadArgument("weft_session_select: ", session ? "rows" : "session", " is NULL");
    session->select(axis, {rows, rows + count});
  });
}
WeftStatus weft_session_profile(WeftSession *session, int profiled) {
  return guarded([&] {
    if (!session)
      raiseBadArgument("weft_session_profile: session is NULL");
    session->profileSteps(profiled != 0);
  });
}
WeftStepWork weft_session_step_work(WeftSession *session, size_t index) {
  WeftStepWork work{};
  weft_status_release(guarded([&] { work = session->stepWork(index); })); // what cannot be told is 0
  return work;
}
const char *weft_session_bank_conflicts(WeftSession *session, size_t index) {
  const char *text = "";
  weft_status_release(guarded([&] { text = session->bankConflicts(index).c_str(); }));
  return text;
}
size_t weft_session_arena_bytes(const WeftSession *session) { return session->arena->bytes(); }
WeftIsa weft_session_isa(const WeftSession *session) { return session->code.isa; }
const char *weft_session_device(const WeftSession *session) { return session->executor->device(); }
size_t weft_session_threads(const WeftSession *session) {
  ThreadPool *pool = session->executor->threadPool();
  return pool ? pool->size() : 1;
}
void weft_session_guard_arena(WeftSession *session, int guarded) { session->guard(guarded != 0); }
