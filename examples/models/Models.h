// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole models, written with the layers of frontend/Builder. Weights have the names that PyTorch's state_dict
// gives them in the models of test/models, so that the same file serves both.
#ifndef WEFT_EXAMPLES_MODELS_MODELS_H
#define WEFT_EXAMPLES_MODELS_MODELS_H

#include "frontend/Builder/Weights.h"

namespace build {

struct ModelConfig {
  int64_t layers = 2, width = 32, heads = 4, hidden = 64;
  int64_t vocabulary = 0;       ///< of the source, or of the only text
  int64_t targetVocabulary = 0; ///< of what an encoder-decoder writes
  int64_t longest = 160;        ///< positions
  bool cache = false; ///< keys and values of earlier tokens are inputs, those of all tokens outputs (gpt2)
};

using Build = void (*)(weft::GraphBuilder &graph, weft::Weights &weights, const ModelConfig &config);

/// An encoder-decoder with norms after the blocks, masks as float inputs, and the softmax over the
/// vocabulary, in the variant of test/models/transformer.py with its quirks.
void buildTransformer(weft::GraphBuilder &graph, weft::Weights &weights, const ModelConfig &config);
/// An encoder-decoder with home-made norms before the blocks, and masks as bytes.
void buildPreNorm(weft::GraphBuilder &graph, weft::Weights &weights, const ModelConfig &config);
/// The encoder of BERT: token, segment and position embeddings, valid lengths.
void buildBert(weft::GraphBuilder &graph, weft::Weights &weights, const ModelConfig &config);
/// GPT-2, with or without a cache.
void buildGpt2(weft::GraphBuilder &graph, weft::Weights &weights, const ModelConfig &config);

} // namespace build

#endif // WEFT_EXAMPLES_MODELS_MODELS_H
