// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ModelProto to Model. Private to the reader: it sees protobuf.
#ifndef WEFT_FRONTEND_ONNX_DECODEMODEL_H
#define WEFT_FRONTEND_ONNX_DECODEMODEL_H

#include "frontend/Onnx/TensorData.h"

namespace weft::onnx {

/// Converts a model, moving out of `proto`, and checks what can be seen without looking at other parts of it:
/// tensors, types, attributes, versions. Nesting is bounded already, so recursion is.
Model decodeModel(::onnx::ModelProto &proto, TensorSources &sources);

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_DECODEMODEL_H
