// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The model sees the source and what it has said so far, all of it in every run.

#include "Translator.h"

#include "runtime/decoding/Vocabulary.h"

namespace weft::translate {

using namespace decoding;

Translator::Translator(const std::string &modelPath, size_t targetVocabulary, size_t threads)
    : model(modelPath, threads), targetVocabulary(targetVocabulary) {
  if (size_t count = weft_model_input_count(model.get()); count != 2)
    model.fail("expected the inputs enc_inputs and dec_inputs, got " + std::to_string(count) + " inputs");
  sourceInput = model.findInput("enc_inputs", WEFT_DTYPE_I64);
  targetInput = model.findInput("dec_inputs", WEFT_DTYPE_I64);
  logitsOutput = model.findOutput("logits", WEFT_DTYPE_F32);
}

std::vector<int64_t> Translator::translate(const std::vector<int64_t> &sentence, const Decoding &decoding) {
  source = sentence;
  return decode(*this, decoding);
}

std::vector<Logits> Translator::predict(const std::vector<Hypothesis> &hypotheses) {
  std::vector<std::vector<int64_t>> targets;
  for (const Hypothesis &hypothesis : hypotheses) {
    targets.push_back({startToken});
    targets.back().insert(targets.back().end(), hypothesis.tokens.begin(), hypothesis.tokens.end());
  }
  TensorPointer sourceTokens = makeTokens(std::vector(hypotheses.size(), source));
  TensorPointer targetTokens = makeTokens(targets);
  WeftTensor *inputs[2] = {};
  inputs[sourceInput] = sourceTokens.get();
  inputs[targetInput] = targetTokens.get();
  std::vector<TensorPointer> outputs = model.run({inputs, inputs + 2}); // Attention maps are released unread.
  logits = std::move(outputs[logitsOutput]);
  return model.lastLogits(logits.get(), hypotheses.size(), targets.front().size(), targetVocabulary);
}

} // namespace weft::translate
