// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loaded model: immutable, so that any number of threads and sessions share it.

#ifndef WEFT_RUNTIME_MODEL_H
#define WEFT_RUNTIME_MODEL_H

#include "Metadata.h"
#include "Payload.h"
#include "weft/runtime.h"

#include <atomic>
#include <memory>
#include <mutex>

struct WeftModel {
  /// `bytes` end with the payload; `mapping` is what holds them, or NULL if they outlive the model anyway.
  WeftModel(std::string file, std::unique_ptr<weft::runtime::MappedFile> mapping, std::string_view bytes);

  const weft::runtime::EntryPoint &entryPoint() const { return metadata.entryPoints.front(); }
  /// Its code. Loaded here, at the first call: to look at a model runs nothing of it.
  WeftEntryFunction entryFunction();

  std::atomic<size_t> references{1};
  const std::string file;
  const std::unique_ptr<weft::runtime::MappedFile> mapping;
  const weft::runtime::Payload payload;
  const weft::runtime::Metadata metadata;

private:
  std::mutex mutex;
  std::unique_ptr<weft::runtime::LoadedCode> code;
  std::vector<WeftEntryFunction> entryFunctions;
};

#endif // WEFT_RUNTIME_MODEL_H
