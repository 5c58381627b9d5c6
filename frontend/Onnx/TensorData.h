// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TensorProto to Tensor. Private to the reader: it sees protobuf.
#ifndef WEFT_FRONTEND_ONNX_TENSORDATA_H
#define WEFT_FRONTEND_ONNX_TENSORDATA_H

#include "frontend/Onnx/ExternalData.h"
#include "onnx-ml.pb.h"

namespace weft::onnx {

/// Where the bytes of tensors come from, and where complaints about them go.
struct TensorSources {
  std::shared_ptr<const MappedFile> modelFile;
  ExternalData external;
  Diagnostics &diagnostics;
};

/// Checks and converts a tensor: element type, dims, that there is exactly one storage, of the right kind,
/// and exactly as long as the shape says. A tensor at fault is reported and has no bytes.
Tensor decodeTensor(::onnx::TensorProto &proto, TensorSources &sources, PlaceFn place);

/// The element type with that number, or Undefined after reporting that there is none.
ElementType decodeElementType(int32_t number, Diagnostics &diagnostics, PlaceFn place);

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_TENSORDATA_H
