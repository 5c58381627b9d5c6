// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Takes the weights out of a serialized model before protobuf sees it.
#ifndef WEFT_FRONTEND_ONNX_RAWDATALIFT_H
#define WEFT_FRONTEND_ONNX_RAWDATALIFT_H

#include "frontend/Onnx/Diagnostics.h"
#include "frontend/Onnx/OnnxReader.h"
#include <optional>

namespace weft::onnx {

/// Where the raw data of a tensor lies in the file. The lifted message holds it in place of the data.
struct RawDataSlice {
  uint64_t offset;
  uint64_t size;

  static constexpr size_t kEncodedSize = 16;
  std::string encode() const;
  static RawDataSlice decode(llvm::StringRef encoded);
};

/// Returns a copy of the ModelProto in `bytes` in which every TensorProto.raw_data, wherever it is nested, is
/// an encoded RawDataSlice, and the fields that Weft does not read are left out.
///
/// Why: protobuf copies `bytes` fields to the heap and parses at most 2 GiB. The weights are nearly all of a
/// model, and this copy is what is left without them: a few megabytes for a model of any size. It also means
/// that unknown fields and the free text of exporters (doc strings, stack traces in metadata) never reach the
/// heap.
///
/// The walk knows nothing but lengths, checks each against the message around it, and uses no recursion.
/// Whatever it returns, protobuf can parse: it is well-formed, and bounded in size, number of fields and
/// nesting by `limits`.
std::optional<std::string> liftRawData(llvm::StringRef bytes, const ReaderLimits &limits,
                                       Diagnostics &diagnostics);

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_RAWDATALIFT_H
