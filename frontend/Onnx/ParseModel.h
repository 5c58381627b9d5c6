// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A file to a ModelProto whose tensors stay in the file. Private to the reader: it sees protobuf.
#ifndef WEFT_FRONTEND_ONNX_PARSEMODEL_H
#define WEFT_FRONTEND_ONNX_PARSEMODEL_H

#include "frontend/Onnx/MappedFile.h"
#include "frontend/Onnx/OnnxReader.h"
#include "onnx-ml.pb.h"

namespace weft::onnx {

/// Maps the file, or reports why it cannot be.
std::shared_ptr<const MappedFile> openModel(llvm::StringRef path, Diagnostics &diagnostics);
/// Lifts the raw data out (RawDataLift.h) and parses what is left; false after an error.
bool parseModel(llvm::StringRef bytes, ReaderLimits limits, Diagnostics &diagnostics,
                ::onnx::ModelProto &proto);

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_PARSEMODEL_H
