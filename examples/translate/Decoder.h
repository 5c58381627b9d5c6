// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Greedy decoding on a compiled encoder-decoder model, through the runtime's C API.

#ifndef WEFT_EXAMPLES_TRANSLATE_DECODER_H
#define WEFT_EXAMPLES_TRANSLATE_DECODER_H

#include "weft/runtime.h"

#include <memory>
#include <string>
#include <vector>

namespace weft::translate {

struct ReleaseModel {
  void operator()(WeftModel *model) const { weft_model_release(model); }
};
struct ReleaseSession {
  void operator()(WeftSession *session) const { weft_session_release(session); }
};
struct ReleaseTensor {
  void operator()(WeftTensor *tensor) const { weft_tensor_release(tensor); }
};
using TensorPointer = std::unique_ptr<WeftTensor, ReleaseTensor>;

class Decoder {
public:
  /// Loads a model with inputs enc_inputs and dec_inputs, [1, length] of i64, and the output logits,
  /// [1, length, vocabulary] of f32; it may have more outputs. Throws Failure, as all of this class does.
  Decoder(const std::string &modelPath, size_t targetVocabulary, size_t threads);

  /// Translates one sentence. The source is not empty.
  std::vector<int64_t> decode(const std::vector<int64_t> &source);

private:
  size_t findInput(const char *name) const;
  size_t findLogits() const;
  TensorPointer computeLogits(WeftTensor *source, WeftTensor *target);
  int64_t chooseNext(WeftTensor *logits, size_t length) const;

  std::string path;
  size_t targetVocabulary;
  std::unique_ptr<WeftModel, ReleaseModel> model;
  std::unique_ptr<WeftSession, ReleaseSession> session;
  size_t sourceInput = 0, targetInput = 0, logitsOutput = 0;
};

} // namespace weft::translate

#endif // WEFT_EXAMPLES_TRANSLATE_DECODER_H
