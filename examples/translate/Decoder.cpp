// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The decoding loop: the model sees what it has said so far, and its likeliest next word is appended.

#include "Decoder.h"
#include "Failure.h"
#include "Vocabulary.h"

#include <algorithm>

namespace weft::translate {

namespace {

/// Where decoding ends if the model does not end the sentence itself.
constexpr size_t longestTranslation = 40;

TensorPointer makeTokens(const std::vector<int64_t> &tokens) {
  const int64_t shape[] = {1, static_cast<int64_t>(tokens.size())};
  WeftTensor *tensor = nullptr;
  check(weft_tensor_create(WEFT_DTYPE_I64, 2, shape, &tensor));
  std::copy(tokens.begin(), tokens.end(), static_cast<int64_t *>(weft_tensor_data(tensor)));
  return TensorPointer(tensor);
}

} // namespace

Decoder::Decoder(const std::string &modelPath, size_t targetVocabulary, size_t threads)
    : path(modelPath), targetVocabulary(targetVocabulary) {
  WeftModel *loaded = nullptr;
  check(weft_model_load(modelPath.c_str(), &loaded));
  model.reset(loaded);
  if (weft_model_input_count(loaded) != 2)
    throw Failure{WEFT_STATUS_BAD_DATA, path + ": expected the inputs enc_inputs and dec_inputs, got " +
                                            std::to_string(weft_model_input_count(loaded)) + " inputs"};
  sourceInput = findInput("enc_inputs");
  targetInput = findInput("dec_inputs");
  logitsOutput = findLogits();

  WeftSession *created = nullptr;
  check(weft_session_create(loaded, threads, &created));
  session.reset(created);
}

size_t Decoder::findInput(const char *name) const {
  ptrdiff_t index = weft_model_find_input(model.get(), name);
  if (index < 0)
    throw Failure{WEFT_STATUS_BAD_DATA, path + ": expected an input named " + name + ", got none"};
  if (weft_model_input_dtype(model.get(), static_cast<size_t>(index)) != WEFT_DTYPE_I64)
    throw Failure{WEFT_STATUS_BAD_DATA, path + ": expected the input " + name + " to be i64, got " +
                                            weft_model_input_type(model.get(), static_cast<size_t>(index))};
  return static_cast<size_t>(index);
}

size_t Decoder::findLogits() const {
  ptrdiff_t index = weft_model_find_output(model.get(), "logits");
  if (index < 0)
    throw Failure{WEFT_STATUS_BAD_DATA, path + ": expected an output named logits, got none"};
  if (weft_model_output_dtype(model.get(), static_cast<size_t>(index)) != WEFT_DTYPE_F32)
    throw Failure{WEFT_STATUS_BAD_DATA, path + ": expected the output logits to be f32, got " +
                                            weft_model_output_type(model.get(), static_cast<size_t>(index))};
  return static_cast<size_t>(index);
}

TensorPointer Decoder::computeLogits(WeftTensor *source, WeftTensor *target) {
  WeftTensor *inputs[2] = {};
  inputs[sourceInput] = source;
  inputs[targetInput] = target;
  std::vector<WeftTensor *> outputs(weft_model_output_count(model.get()));
  check(weft_session_run(session.get(), inputs, outputs.data()));
  std::vector<TensorPointer> owned(outputs.begin(), outputs.end()); // The attention maps are released unread.
  return std::move(owned[logitsOutput]);
}

/// The likeliest word after the last of `length` words.
int64_t Decoder::chooseNext(WeftTensor *logits, size_t length) const {
  const int64_t *shape = weft_tensor_shape(logits);
  const int64_t expected[] = {1, static_cast<int64_t>(length), static_cast<int64_t>(targetVocabulary)};
  if (weft_tensor_rank(logits) != 3 || !std::equal(expected, expected + 3, shape))
    throw Failure{WEFT_STATUS_BAD_DATA, path + ": its output logits does not fit a target vocabulary of " +
                                            std::to_string(targetVocabulary) + " words"};
  const float *last = static_cast<const float *>(weft_tensor_data(logits)) + (length - 1) * targetVocabulary;
  return std::max_element(last, last + targetVocabulary) - last;
}

std::vector<int64_t> Decoder::decode(const std::vector<int64_t> &source) {
  TensorPointer sourceTokens = makeTokens(source);
  std::vector<int64_t> target = {startToken};
  while (target.size() <= longestTranslation) {
    TensorPointer targetTokens = makeTokens(target);
    TensorPointer logits = computeLogits(sourceTokens.get(), targetTokens.get());
    int64_t next = chooseNext(logits.get(), target.size());
    if (next == endToken)
      break;
    target.push_back(next);
  }
  target.erase(target.begin());
  return target;
}

} // namespace weft::translate
