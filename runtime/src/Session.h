// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A session: one caller's threads, arena and scratch space for a model. After the first run of a shape only
// the outputs are allocated, from the memory of those that the caller has released.

#ifndef WEFT_RUNTIME_SESSION_H
#define WEFT_RUNTIME_SESSION_H

#include "BlockPool.h"
#include "HeldState.h"
#include "Model.h"
#include "TensorRef.h"

#include <functional>
#include <map>

struct WeftSession {
  /// What runs an entry point; those that follow one another may have one together.
  using MakeExecutor =
      std::function<std::shared_ptr<weft::runtime::Executor>(const weft::runtime::EntryPoint &)>;

  /// `code` is of the model's, and what the executor runs. With sessions of the entry points that compute
  /// inputs.
  WeftSession(WeftModel *model, const weft::runtime::Code &code, const MakeExecutor &makeExecutor);
  ~WeftSession();

  void run(WeftTensor *const *inputs, WeftTensor **outOutputs);
  /// Forgets what states hold beyond these lengths, one for each.
  void rewind(const std::vector<int64_t> &lengths);
  std::vector<int64_t> stateLengths() const;
  /// Entry i of every state, along `axis`, becomes what entry rows[i] was.
  void select(size_t axis, const std::vector<size_t> &rows);
  size_t stateCount() const { return states.size(); }
  int64_t stateLength(size_t state) const { return states[state].length(); }
  void profileSteps(bool profiled);
  const std::string &bankConflicts(size_t step);
  WeftStepWork stepWork(size_t step);
  size_t inputCount() const { return entry.givenInputs(); }
  size_t outputCount() const { return entry.outputs.size(); }

  void guard(bool guarded);

  const weft::runtime::Code &code;
  const std::shared_ptr<weft::runtime::Executor> executor;
  const std::unique_ptr<weft::runtime::Memory> arena;

private:
  /// A session of one entry point alone.
  WeftSession(WeftModel *model, const weft::runtime::Code &code, size_t number,
              std::shared_ptr<weft::runtime::Executor> executor);

  /// Sessions of what computes inputs, by entry points, and so in the order in which they run.
  using Firsts = std::map<size_t, std::unique_ptr<WeftSession>>;

  /// Runs the entry point, whose results are `outputs`. Inputs that others compute are their outputs.
  void runEntry(WeftTensor *const *given, const Firsts &computed);
  void checkTypes() const;
  int64_t readElement(const weft::runtime::SymbolSource &source);
  void bindSymbols();
  void checkShapes();
  void checkGuards();
  void reserveStates();
  void makeOutputs();
  char *reserveArena();
  void checkState(size_t state);
  int64_t evaluate(const weft::runtime::Expression &expression, const char *what, const std::string &name);

  WeftModel *const model;
  const weft::runtime::EntryPoint &entry;
  const WeftEntryFunction function;
  Firsts firsts; ///< of this and of those that follow them
  std::vector<int64_t> symbols, stack;
  std::vector<WeftTensor *> inputTensors, outputTensors;
  bool isGuarded = false;
  std::unique_ptr<weft::runtime::StepProfile> profile;
  std::string conflicts; ///< that were asked for last
  std::vector<weft::runtime::HeldState> states;
  std::vector<void *> stateData;
  std::vector<weft::runtime::TensorRef> outputs;
  const std::shared_ptr<weft::runtime::BlockPool> outputMemory = std::make_shared<weft::runtime::BlockPool>();
};

#endif // WEFT_RUNTIME_SESSION_H
