// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiled decoder-only model, with or without a cache of keys and values, as decoding sees it.

#ifndef WEFT_RUNTIME_DECODING_GENERATOR_H
#define WEFT_RUNTIME_DECODING_GENERATOR_H

#include "Decode.h"
#include "Model.h"

#include <optional>

namespace weft::decoding {

class Generator : public NextToken {
public:
  /// Takes a model with an input of token ids, [batch, length] of i64, and an output of logits, [batch,
  /// length, vocabulary] of f32. Empty names mean the only input and the first output of such a type.
  ///
  /// Inputs of such a type that are called as exporters call them are given what they mean: "attention_mask"
  /// ones, [batch, past and new], and "position_ids" the positions of the new tokens, [batch, length].
  ///
  /// Each other input is a past, and the other outputs are, in the same order, what it becomes: the present.
  /// A past has one dim for the batch, which is called what that of the token ids is, and one for its length.
  /// A model that was compiled with --kv-capacity keeps its past in the session. Throws Failure, as all of
  /// this class does.
  Generator(Model model, const std::string &idsName, const std::string &logitsName);

  /// Tokens of the vocabulary; 0 if the model does not say.
  size_t vocabulary() const { return vocabularySize; }

  /// What comes after a prompt that is not empty.
  std::vector<int64_t> generate(const std::vector<int64_t> &prompt, const Decoding &decoding);

private:
  /// Keys or values of the positions that the model has seen.
  struct Cache {
    size_t input, output;
    std::vector<int64_t> empty; ///< The shape before anything was seen.
    size_t batchAxis;
    TensorPointer tensor;
  };

  void findCaches();
  std::vector<std::vector<int64_t>> takeUnseen(const std::vector<Hypothesis> &hypotheses) const;
  void findBatchOfStates(const std::string &batch);
  Cache makeCache(size_t input, size_t output, const std::string &batch) const;
  void follow(const std::vector<Hypothesis> &hypotheses);
  std::vector<Logits> predict(const std::vector<Hypothesis> &hypotheses) override;

  Model model;
  size_t idsInput = 0, logitsOutput = 0, vocabularySize = 0;
  std::optional<size_t> maskInput, positionsInput;
  std::vector<Cache> caches;
  size_t stateBatchAxis = 0;   ///< of what the session keeps
  std::vector<int64_t> prompt; // Of the text at hand.
  TensorPointer logits;        // Of the last run.
};

} // namespace weft::decoding

#endif // WEFT_RUNTIME_DECODING_GENERATOR_H
