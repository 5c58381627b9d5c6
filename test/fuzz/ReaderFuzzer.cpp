// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libFuzzer: any bytes are either read or refused with a message.
#include "frontend/Onnx/OnnxReader.h"
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef bytes(reinterpret_cast<const char *>(data), size);
  weft::onnx::Diagnostics diagnostics("fuzz.onnx");
  bool isRead = weft::onnx::readOnnxModel({bytes, "fuzz.onnx"}, diagnostics).has_value();
  if (isRead == diagnostics.hasErrors())
    std::abort();
  return 0;
}
