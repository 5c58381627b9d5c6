// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Without a cache the model sees the whole text in every run; with one, here or in the session, what is new.

#include "Generator.h"

#include "Signature.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace weft::decoding {

namespace {

constexpr const char *kMaskName = "attention_mask", *kPositionsName = "position_ids";

bool isLikeIds(const Model &model, size_t input) {
  return weft_model_input_dtype(model.get(), input) == WEFT_DTYPE_I64 &&
         splitDims(weft_model_input_type(model.get(), input)).size() == 2;
}

/// The input of this name, if there is one and it is like token ids.
std::optional<size_t> findLikeIds(const Model &model, const char *name) {
  ptrdiff_t found = weft_model_find_input(model.get(), name);
  if (found < 0 || !isLikeIds(model, static_cast<size_t>(found)))
    return std::nullopt;
  return static_cast<size_t>(found);
}

/// The only input of [batch, length] of i64 that is not called as if it was something else.
size_t findIds(const Model &model) {
  std::vector<size_t> found;
  for (size_t i = 0; i < weft_model_input_count(model.get()); ++i) {
    std::string name = weft_model_input_name(model.get(), i);
    if (isLikeIds(model, i) && name != kMaskName && name != kPositionsName)
      found.push_back(i);
  }
  if (found.size() != 1)
    model.fail("expected one input of token ids, batch x length x i64, got " + std::to_string(found.size()) +
               " such inputs");
  return found.front();
}

/// The first output of [batch, length, vocabulary] of f32.
size_t findLogits(const Model &model) {
  for (size_t i = 0; i < weft_model_output_count(model.get()); ++i)
    if (weft_model_output_dtype(model.get(), i) == WEFT_DTYPE_F32 &&
        splitDims(weft_model_output_type(model.get(), i)).size() == 3)
      return i;
  model.fail("expected an output of logits, batch x length x vocabulary x f32, got none");
}

/// Elements along the axes [first, last).
size_t countElements(WeftTensor *tensor, size_t first, size_t last) {
  size_t count = 1;
  for (size_t axis = first; axis < last; ++axis)
    count *= static_cast<size_t>(weft_tensor_shape(tensor)[axis]);
  return count;
}

/// Entry i of the result, along `axis`, is entry rows[i] of `tensor`.
TensorPointer selectRows(WeftTensor *tensor, size_t axis, const std::vector<size_t> &rows) {
  const int64_t *shape = weft_tensor_shape(tensor);
  size_t rank = weft_tensor_rank(tensor), count = static_cast<size_t>(shape[axis]);
  std::vector<int64_t> newShape(shape, shape + rank);
  newShape[axis] = static_cast<int64_t>(rows.size());
  TensorPointer selected = makeTensor(weft_tensor_dtype(tensor), newShape);
  const auto *from = static_cast<const char *>(weft_tensor_data(tensor));
  auto *to = static_cast<char *>(weft_tensor_data(selected.get()));
  size_t bytes = countElements(tensor, axis + 1, rank) * weft_dtype_bytes(weft_tensor_dtype(tensor));
  size_t outer = countElements(tensor, 0, axis);
  for (size_t i = 0; bytes > 0 && i < outer; ++i)
    for (size_t row : rows) {
      std::memcpy(to, from + (i * count + row) * bytes, bytes);
      to += bytes;
    }
  return selected;
}

} // namespace

Generator::Generator(Model taken, const std::string &idsName, const std::string &logitsName)
    : model(std::move(taken)) {
  idsInput = idsName.empty() ? findIds(model) : model.findInput(idsName.c_str(), WEFT_DTYPE_I64);
  logitsOutput =
      logitsName.empty() ? findLogits(model) : model.findOutput(logitsName.c_str(), WEFT_DTYPE_F32);
  for (const auto &[type, rank] : {std::pair(weft_model_input_type(model.get(), idsInput), size_t(2)),
                                   std::pair(weft_model_output_type(model.get(), logitsOutput), size_t(3))})
    if (splitDims(type).size() != rank)
      model.fail("expected token ids of batch x length and logits of batch x length x vocabulary, got " +
                 std::string(type));
  std::string last = splitDims(weft_model_output_type(model.get(), logitsOutput)).back();
  vocabularySize = static_cast<size_t>(fixedDim(last).value_or(0));
  maskInput = findLikeIds(model, kMaskName);
  positionsInput = findLikeIds(model, kPositionsName);
  findCaches();
}

/// The dim of every state that is called as that of the token ids' batch.
void Generator::findBatchOfStates(const std::string &batch) {
  for (size_t i = 0; i < weft_model_state_count(model.get()); ++i) {
    std::string type = weft_model_state_type(model.get(), i);
    std::vector<std::string> dims = splitDims(type.substr(0, type.rfind(", room for")));
    auto found = static_cast<size_t>(std::find(dims.begin(), dims.end(), batch) - dims.begin());
    if (found == dims.size() || (i > 0 && found != stateBatchAxis))
      model.fail("expected the state " + std::string(weft_model_state_name(model.get(), i)) +
                 " to have the dim " + batch + " where other states have it, got " + type);
    stateBatchAxis = found;
  }
}

void Generator::findCaches() {
  std::string batch = splitDims(weft_model_input_type(model.get(), idsInput)).front();
  findBatchOfStates(batch);
  size_t inputs = weft_model_input_count(model.get()), outputs = weft_model_output_count(model.get());
  std::vector<size_t> pasts;
  for (size_t input = 0; input < inputs; ++input)
    if (input != idsInput && input != maskInput && input != positionsInput)
      pasts.push_back(input);
  if (pasts.empty())
    return; // Other outputs than the logits are of no use.
  if (pasts.size() + 1 != outputs)
    model.fail("expected an output for each input of a past, got " + std::to_string(pasts.size()) +
               " such inputs and " + std::to_string(outputs - 1) + " outputs beside the logits");
  size_t output = 0;
  for (size_t input : pasts) {
    output += output == logitsOutput;
    caches.push_back(makeCache(input, output++, batch));
  }
}

Generator::Cache Generator::makeCache(size_t input, size_t output, const std::string &batch) const {
  std::string name = weft_model_input_name(model.get(), input),
              type = weft_model_input_type(model.get(), input);
  std::string present = weft_model_output_type(model.get(), output);
  std::vector<std::string> dims = splitDims(type);
  if (weft_model_input_dtype(model.get(), input) != weft_model_output_dtype(model.get(), output) ||
      splitDims(present).size() != dims.size())
    model.fail("expected the output " + std::string(weft_model_output_name(model.get(), output)) +
               " to be like the past " + name + ", " + type + ", got " + present);
  Cache cache{input, output, {}, dims.size(), nullptr};
  size_t lengths = 0;
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    if (dims[axis] == batch && cache.batchAxis == dims.size()) {
      cache.batchAxis = axis;
      cache.empty.push_back(fixedDim(batch).value_or(1));
    } else {
      lengths += !fixedDim(dims[axis]);
      cache.empty.push_back(fixedDim(dims[axis]).value_or(0));
    }
  }
  if (lengths != 1 || cache.batchAxis == dims.size())
    model.fail("expected the input " + name + " to be a past with a dim " + batch +
               " and one for its length, got " + type);
  return cache;
}

std::vector<int64_t> Generator::generate(const std::vector<int64_t> &text, const Decoding &decoding) {
  prompt = text;
  model.forget();
  for (Cache &cache : caches)
    cache.tensor = makeTensor(weft_model_input_dtype(model.get(), cache.input), cache.empty);
  return decode(*this, decoding);
}

/// Brings the caches from the hypotheses of the last run to those that extend them.
void Generator::follow(const std::vector<Hypothesis> &hypotheses) {
  std::vector<size_t> parents;
  bool moved = false;
  for (const Hypothesis &hypothesis : hypotheses) {
    moved |= hypothesis.parent != parents.size();
    parents.push_back(hypothesis.parent);
  }
  if (model.keepsState())
    model.select(stateBatchAxis, parents);
  for (Cache &cache : caches)
    if (moved ||
        weft_tensor_shape(cache.tensor.get())[cache.batchAxis] != static_cast<int64_t>(parents.size()))
      cache.tensor = selectRows(cache.tensor.get(), cache.batchAxis, parents);
}

/// The tokens that the model has not seen, as many of each hypothesis.
std::vector<std::vector<int64_t>> Generator::takeUnseen(const std::vector<Hypothesis> &hypotheses) const {
  std::vector<std::vector<int64_t>> unseen;
  bool remembers = !caches.empty() || model.keepsState();
  for (const Hypothesis &hypothesis : hypotheses) {
    if (remembers && !hypothesis.tokens.empty()) {
      unseen.push_back({hypothesis.tokens.back()});
      continue;
    }
    unseen.push_back(prompt);
    unseen.back().insert(unseen.back().end(), hypothesis.tokens.begin(), hypothesis.tokens.end());
  }
  return unseen;
}

std::vector<Logits> Generator::predict(const std::vector<Hypothesis> &hypotheses) {
  using Rows = std::vector<std::vector<int64_t>>;
  if (!hypotheses.front().tokens.empty())
    follow(hypotheses);
  Rows unseen = takeUnseen(hypotheses);
  size_t rows = unseen.size(), length = prompt.size() + hypotheses.front().tokens.size();
  TensorPointer ids = makeTokens(unseen), positions, mask;
  std::vector<WeftTensor *> inputs(weft_model_input_count(model.get()));
  inputs[idsInput] = ids.get();
  if (maskInput) {
    mask = makeTokens(Rows(rows, std::vector<int64_t>(length, 1)));
    inputs[*maskInput] = mask.get();
  }
  if (positionsInput) {
    std::vector<int64_t> places(unseen.front().size());
    std::iota(places.begin(), places.end(), static_cast<int64_t>(length - places.size()));
    positions = makeTokens(Rows(rows, places));
    inputs[*positionsInput] = positions.get();
  }
  for (const Cache &cache : caches)
    inputs[cache.input] = cache.tensor.get();
  std::vector<TensorPointer> outputs = model.run(inputs);
  for (Cache &cache : caches)
    cache.tensor = std::move(outputs[cache.output]);
  logits = std::move(outputs[logitsOutput]);
  auto vocabulary = static_cast<size_t>(weft_tensor_shape(logits.get())[2]);
  return model.lastLogits(logits.get(), hypotheses.size(), unseen.front().size(), vocabulary);
}

} // namespace weft::decoding
