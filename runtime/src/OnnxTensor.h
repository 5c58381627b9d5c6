// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ONNX TensorProto files, as the ONNX conformance suite stores inputs and outputs.

#ifndef WEFT_RUNTIME_ONNXTENSOR_H
#define WEFT_RUNTIME_ONNXTENSOR_H

#include "TensorRef.h"

#include <string_view>

namespace weft::runtime {

/// Raises an Error that starts with `what`.
NamedTensor decodeOnnxTensor(std::string_view bytes, const std::string &what);

class OutputFile;
/// Writes a TensorProto with its elements in raw_data.
void writeOnnxTensor(OutputFile &file, const NamedTensor &tensor);

} // namespace weft::runtime

#endif // WEFT_RUNTIME_ONNXTENSOR_H
