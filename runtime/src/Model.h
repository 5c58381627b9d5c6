// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loaded model: immutable, so that any number of threads and sessions share it.

#ifndef WEFT_RUNTIME_MODEL_H
#define WEFT_RUNTIME_MODEL_H

#include "Metadata.h"
#include "Payload.h"
#include "weft/runtime.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>

namespace weft::runtime::cuda {
class DeviceModel;
} // namespace weft::runtime::cuda

struct WeftModel {
  /// `bytes` end with the payload; `mapping` is what holds them, or NULL if they outlive the model anyway.
  WeftModel(std::string file, std::unique_ptr<weft::runtime::MappedFile> mapping, std::string_view bytes);

  const weft::runtime::EntryPoint &entryPoint() const { return metadata.entryPoints.front(); }
  /// The best of its codes for a CPU of this level; the least if there is none for it.
  const weft::runtime::Code &bestCode(int level) const;
  /// Its code for an instruction set; an Error that lists what there is if there is none.
  const weft::runtime::Code &codeFor(WeftIsa isa) const;
  /// A code's function for an entry point. Loaded here, at the first call: to look at a model runs nothing of
  /// it.
  WeftEntryFunction entryFunction(const weft::runtime::Code &code, size_t entry);

  bool isForGpus() const { return !metadata.deviceCodes.empty(); }
  /// Its kernels and weights on a GPU, which sessions there share.
  std::shared_ptr<weft::runtime::cuda::DeviceModel> onDevice(size_t device);

  std::atomic<size_t> references{1};
  const std::string file;
  const std::unique_ptr<weft::runtime::MappedFile> mapping;
  const weft::runtime::Payload payload;
  const weft::runtime::Metadata metadata;

private:
  std::vector<WeftEntryFunction> findEntries(const weft::runtime::LoadedCode &code) const;

  struct Loaded {
    std::unique_ptr<weft::runtime::LoadedCode> code;
    std::vector<WeftEntryFunction> entryFunctions;
  };
  std::mutex mutex;
  std::map<WeftIsa, Loaded> loaded;
  std::map<size_t, std::weak_ptr<weft::runtime::cuda::DeviceModel>> devices;
};

#endif // WEFT_RUNTIME_MODEL_H
