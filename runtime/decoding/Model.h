// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiled model and a session of it, through the runtime's C API; handles with owners.

#ifndef WEFT_RUNTIME_DECODING_MODEL_H
#define WEFT_RUNTIME_DECODING_MODEL_H

#include "Logits.h"

#include "weft/runtime.h"

#include <memory>
#include <string>
#include <vector>

namespace weft::decoding {

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

TensorPointer makeTensor(WeftDType dtype, const std::vector<int64_t> &shape);

/// [rows, length] of i64. The rows are of one length.
TensorPointer makeTokens(const std::vector<std::vector<int64_t>> &rows);

class Model {
public:
  /// Loads a model. Throws Failure, as all of this class does.
  Model(const std::string &path, size_t threads);
  /// One that is loaded already, and now this one's; `path` is for messages.
  Model(WeftModel *loaded, const std::string &path, size_t threads);

  const WeftModel *get() const { return model.get(); }

  /// The index of an input or output of this name and type.
  size_t findInput(const char *name, WeftDType dtype) const;
  size_t findOutput(const char *name, WeftDType dtype) const;

  /// Whether the session keeps what runs append (weft compile --kv-capacity).
  bool keepsState() const { return weft_model_state_count(get()) > 0; }
  /// Has it forget everything.
  void forget();
  /// Has entry i of what it keeps, along `axis`, be what entry rows[i] was.
  void select(size_t axis, const std::vector<size_t> &rows);

  /// One tensor per input; one per output comes back.
  std::vector<TensorPointer> run(const std::vector<WeftTensor *> &inputs);

  /// The last row of each entry of `logits`, which is [rows, length, vocabulary] of f32; it owns them.
  std::vector<Logits> lastLogits(WeftTensor *logits, size_t rows, size_t length, size_t vocabulary) const;

  /// Throws the model's fault.
  [[noreturn]] void fail(const std::string &message) const;

private:
  std::string path;
  std::unique_ptr<WeftModel, ReleaseModel> model;
  std::unique_ptr<WeftSession, ReleaseSession> session;
};

} // namespace weft::decoding

#endif // WEFT_RUNTIME_DECODING_MODEL_H
