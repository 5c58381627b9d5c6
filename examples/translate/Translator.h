// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiled encoder-decoder model, as decoding sees it.

#ifndef WEFT_EXAMPLES_TRANSLATE_TRANSLATOR_H
#define WEFT_EXAMPLES_TRANSLATE_TRANSLATOR_H

#include "runtime/decoding/Decode.h"
#include "runtime/decoding/Model.h"

namespace weft::translate {

class Translator : public decoding::NextToken {
public:
  /// Loads a model with inputs enc_inputs and dec_inputs, [batch, length] of i64, and the output logits,
  /// [batch, length, vocabulary] of f32; it may have more outputs. Throws Failure, as all of this class does.
  Translator(const std::string &modelPath, size_t targetVocabulary, size_t threads);

  /// Translates one sentence. The source is not empty.
  std::vector<int64_t> translate(const std::vector<int64_t> &source, const decoding::Decoding &decoding);

private:
  /// All hypotheses in one run: they are of one length, so nothing is padded.
  std::vector<decoding::Logits> predict(const std::vector<decoding::Hypothesis> &hypotheses) override;

  decoding::Model model;
  size_t targetVocabulary;
  size_t sourceInput = 0, targetInput = 0, logitsOutput = 0;
  std::vector<int64_t> source;    // Of the sentence at hand.
  decoding::TensorPointer logits; // Of the last run.
};

} // namespace weft::translate

#endif // WEFT_EXAMPLES_TRANSLATE_TRANSLATOR_H
