// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What stands in for weights. Private to the reader: it sees protobuf.
#ifndef WEFT_FRONTEND_ONNX_NOISE_H
#define WEFT_FRONTEND_ONNX_NOISE_H

#include "frontend/Onnx/OnnxModel.h"
#include "onnx-ml.pb.h"
#include <map>
#include <random>

namespace weft::onnx {

class Noise {
public:
  Noise(uint64_t seed, llvm::StringRef weightsName) : random(seed), weightsName(weightsName) {}

  /// Gives `proto`, which has a type and dims, the elements of `tensor`, or noise in their place.
  void fill(::onnx::TensorProto &proto, const Tensor &tensor);
  /// How many got noise.
  size_t count() const { return noisy; }
  /// Settles where large tensors lie, and returns the bytes of the file. Their protos still have to be there.
  std::string writeWeights();

private:
  /// What the elements of large tensors have in common.
  using Kind = std::pair<ElementType, bool /*isPositive*/>;

  std::string make(Kind kind, uint64_t bytes);
  std::string makeIntegers(const Tensor &tensor);

  std::mt19937_64 random;
  std::string weightsName;
  size_t noisy = 0;
  struct Large {
    ::onnx::TensorProto *proto;
    uint64_t bytes;
  };
  std::map<Kind, std::vector<Large>> large;
};

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_NOISE_H
