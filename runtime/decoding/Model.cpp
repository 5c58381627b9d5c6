// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loading, looking up by name, running.

#include "Model.h"
#include "Failure.h"

#include <algorithm>

namespace weft::decoding {

TensorPointer makeTensor(WeftDType dtype, const std::vector<int64_t> &shape) {
  WeftTensor *tensor = nullptr;
  check(weft_tensor_create(dtype, shape.size(), shape.data(), &tensor));
  return TensorPointer(tensor);
}

TensorPointer makeTokens(const std::vector<std::vector<int64_t>> &rows) {
  TensorPointer tensor = makeTensor(
      WEFT_DTYPE_I64, {static_cast<int64_t>(rows.size()), static_cast<int64_t>(rows.front().size())});
  auto *data = static_cast<int64_t *>(weft_tensor_data(tensor.get()));
  for (const std::vector<int64_t> &row : rows)
    data = std::copy(row.begin(), row.end(), data);
  return tensor;
}

static WeftModel *load(const std::string &path) {
  WeftModel *loaded = nullptr;
  check(weft_model_load(path.c_str(), &loaded));
  return loaded;
}

Model::Model(const std::string &path, size_t threads) : Model(load(path), path, threads) {}

Model::Model(WeftModel *loaded, const std::string &path, size_t threads) : path(path), model(loaded) {
  WeftSession *created = nullptr;
  check(weft_session_create(loaded, threads, &created));
  session.reset(created);
}

size_t Model::findInput(const char *name, WeftDType dtype) const {
  ptrdiff_t index = weft_model_find_input(get(), name);
  if (index < 0)
    fail(std::string("expected an input named ") + name + ", got none");
  auto found = static_cast<size_t>(index);
  if (weft_model_input_dtype(get(), found) != dtype)
    fail(std::string("expected the input ") + name + " to be " + weft_dtype_name(dtype) + ", got " +
         weft_model_input_type(get(), found));
  return found;
}

size_t Model::findOutput(const char *name, WeftDType dtype) const {
  ptrdiff_t index = weft_model_find_output(get(), name);
  if (index < 0)
    fail(std::string("expected an output named ") + name + ", got none");
  auto found = static_cast<size_t>(index);
  if (weft_model_output_dtype(get(), found) != dtype)
    fail(std::string("expected the output ") + name + " to be " + weft_dtype_name(dtype) + ", got " +
         weft_model_output_type(get(), found));
  return found;
}

void Model::forget() { check(weft_session_rewind(session.get(), 0)); }

void Model::select(size_t axis, const std::vector<size_t> &rows) {
  check(weft_session_select(session.get(), axis, rows.data(), rows.size()));
}

std::vector<TensorPointer> Model::run(const std::vector<WeftTensor *> &inputs) {
  std::vector<WeftTensor *> outputs(weft_model_output_count(get()));
  check(weft_session_run(session.get(), inputs.data(), outputs.data()));
  return {outputs.begin(), outputs.end()};
}

std::vector<Logits> Model::lastLogits(WeftTensor *logits, size_t rows, size_t length,
                                      size_t vocabulary) const {
  const int64_t expected[] = {static_cast<int64_t>(rows), static_cast<int64_t>(length),
                              static_cast<int64_t>(vocabulary)};
  if (weft_tensor_rank(logits) != 3 || !std::equal(expected, expected + 3, weft_tensor_shape(logits)))
    fail("its output logits does not fit a vocabulary of " + std::to_string(vocabulary) + " words");
  const auto *data = static_cast<const float *>(weft_tensor_data(logits));
  std::vector<Logits> last;
  last.reserve(rows);
  for (size_t row = 0; row < rows; ++row)
    last.push_back({data + ((row + 1) * length - 1) * vocabulary, vocabulary});
  return last;
}

void Model::fail(const std::string &message) const {
  throw Failure{WEFT_STATUS_BAD_DATA, path + ": " + message};
}

} // namespace weft::decoding
