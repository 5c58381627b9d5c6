// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One reference to a tensor, as a C++ value; and a tensor with its name.

#ifndef WEFT_RUNTIME_TENSORREF_H
#define WEFT_RUNTIME_TENSORREF_H

#include "weft/runtime.h"

#include <string>
#include <utility>

namespace weft::runtime {

class TensorRef {
public:
  TensorRef() = default;
  /// Takes over the caller's reference.
  explicit TensorRef(WeftTensor *owned) : tensor(owned) {}
  TensorRef(const TensorRef &other) : tensor(other.tensor) {
    if (tensor)
      weft_tensor_retain(tensor);
  }
  TensorRef(TensorRef &&other) noexcept : tensor(std::exchange(other.tensor, nullptr)) {}
  TensorRef &operator=(TensorRef other) noexcept {
    std::swap(tensor, other.tensor);
    return *this;
  }
  ~TensorRef() { weft_tensor_release(tensor); }

  WeftTensor *get() const { return tensor; }
  explicit operator bool() const { return tensor != nullptr; }
  /// Gives the reference to the caller.
  WeftTensor *take() { return std::exchange(tensor, nullptr); }

private:
  WeftTensor *tensor = nullptr;
};

struct NamedTensor {
  std::string name;
  TensorRef tensor;
};

} // namespace weft::runtime

#endif // WEFT_RUNTIME_TENSORREF_H
