// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loading a model, and its signature.

#include "Model.h"
#include "Cpu.h"
#include "Error.h"
#include "cuda/DeviceModel.h"

#include <cerrno>
#include <climits>
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

using namespace weft::runtime;

/// The compiler looks for it in what it puts a payload behind.
extern "C" __attribute__((used, retain)) const char weftRuntimeMark[] = WEFT_RUNTIME_MARK;

WeftModel::WeftModel(std::string name, std::unique_ptr<MappedFile> mapped, std::string_view bytes)
    : file(std::move(name)), mapping(std::move(mapped)), payload(findPayload(bytes, file)),
      metadata(decodeMetadata(payload.metadata, payload.code.size(), file)) {}

const Code &WeftModel::bestCode(int level) const {
  const Code *best = &metadata.codes.front();
  for (const Code &code : metadata.codes)
    if (canRun(code.isa, level))
      best = &code;
  return *best;
}

const Code &WeftModel::codeFor(WeftIsa isa) const {
  std::string known;
  for (const Code &code : metadata.codes) {
    if (code.isa == isa)
      return code;
    known += (known.empty() ? "" : ", ") + levelName(code.isa);
  }
  raiseBadArgument(file, ": has no code for ", levelName(isa), "; it has: ", known,
                   "; weft compile --portable makes several");
}

WeftEntryFunction WeftModel::entryFunction(const Code &code, size_t entry) {
  std::lock_guard<std::mutex> lock(mutex);
  Loaded &place = loaded[code.isa];
  if (!place.code) {
    auto library = std::make_unique<LoadedCode>(payload.code.substr(code.offset, code.bytes), file);
    place.entryFunctions = findEntries(*library);
    place.code = std::move(library);
  }
  return place.entryFunctions[entry];
}

std::shared_ptr<cuda::DeviceModel> WeftModel::onDevice(size_t device) {
  if (!isForGpus())
    raiseBadArgument(file, ": has no kernels for GPUs; weft compile --target=cuda makes them");
  std::lock_guard<std::mutex> lock(mutex);
  std::weak_ptr<cuda::DeviceModel> &place = devices[device];
  std::shared_ptr<cuda::DeviceModel> found = place.lock();
  if (!found)
    place = found = std::make_shared<cuda::DeviceModel>(*this, std::make_shared<cuda::Device>(device));
  return found;
}

std::vector<WeftEntryFunction> WeftModel::findEntries(const LoadedCode &code) const {
  std::vector<WeftEntryFunction> found;
  for (size_t i = 0; i < metadata.entryPoints.size(); ++i) {
    std::string symbol = concat("weft_entry_", i);
    void *address = code.find(symbol);
    if (!address)
      raiseBadData(file, ": its code lacks ", symbol, ", entry point \"", metadata.entryPoints[i].name, "\"");
    found.push_back(reinterpret_cast<WeftEntryFunction>(address));
  }
  return found;
}

namespace {

WeftModel *loadFile(const char *path, const std::string &name) {
  auto mapping = std::make_unique<MappedFile>(path, name);
  std::string_view bytes = mapping->bytes();
  return new WeftModel(name, std::move(mapping), bytes);
}

std::string targetOfLink(const char *path) {
  char target[PATH_MAX];
  ssize_t length = readlink(path, target, sizeof(target));
  return length < 0 ? path : std::string(target, static_cast<size_t>(length));
}

const TensorType *tensorAt(const std::vector<TensorType> &tensors, size_t index) {
  return index < tensors.size() ? &tensors[index] : nullptr;
}

/// An input that a caller gives.
const TensorType *inputAt(const WeftModel *model, size_t index) {
  const EntryPoint &entry = model->entryPoint();
  return index < entry.givenInputs() ? &entry.inputs[index] : nullptr;
}

const char *nameOf(const TensorType *tensor) { return tensor ? tensor->name.c_str() : nullptr; }
const char *textOf(const TensorType *tensor) { return tensor ? tensor->text.c_str() : nullptr; }
WeftDType dtypeOf(const TensorType *tensor) { return tensor ? tensor->dtype : static_cast<WeftDType>(31); }

ptrdiff_t findTensor(const std::vector<TensorType> &tensors, const char *name) {
  for (size_t i = 0; name && i < tensors.size(); ++i)
    if (tensors[i].name == name)
      return static_cast<ptrdiff_t>(i);
  return -1;
}

} // namespace

WeftStatus weft_model_load(const char *path, WeftModel **out_model) {
  return guarded([&] {
    if (!path || !out_model)
      raiseBadArgument("weft_model_load: ", path ? "out_model" : "path", " is NULL");
    *out_model = loadFile(path, path);
  });
}

WeftStatus weft_model_load_memory(const void *data, size_t bytes, WeftModel **out_model) {
  return guarded([&] {
    if (!data || !out_model)
      raiseBadArgument("weft_model_load_memory: ", data ? "out_model" : "data", " is NULL");
    if (reinterpret_cast<uintptr_t>(data) % WEFT_PAYLOAD_ALIGNMENT != 0)
      raiseBadArgument("weft_model_load_memory: data is not aligned to ", WEFT_PAYLOAD_ALIGNMENT, " bytes");
    *out_model = new WeftModel("model in memory", nullptr, {static_cast<const char *>(data), bytes});
  });
}

WeftStatus weft_model_load_self(WeftModel **out_model) {
  return guarded([&] {
    if (!out_model)
      raiseBadArgument("weft_model_load_self: out_model is NULL");
    Dl_info info;
    link_map *object = nullptr;
    void *self = reinterpret_cast<void *>(&weft_model_load_self);
    if (!dladdr1(self, &info, reinterpret_cast<void **>(&object), RTLD_DL_LINKMAP) || !object)
      raiseSystem("weft_model_load_self: the file that holds this runtime is not known");
    // The loader gives the program itself no name.
    bool isProgram = object->l_name[0] == '\0';
    const char *path = isProgram ? "/proc/self/exe" : object->l_name;
    *out_model = loadFile(path, isProgram ? targetOfLink(path) : path);
  });
}

void weft_model_retain(WeftModel *model) { model->references.fetch_add(1, std::memory_order_relaxed); }

void weft_model_release(WeftModel *model) {
  if (model && model->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
    delete model;
}

size_t weft_model_input_count(const WeftModel *model) { return model->entryPoint().givenInputs(); }
size_t weft_model_output_count(const WeftModel *model) { return model->entryPoint().outputs.size(); }
const char *weft_model_input_name(const WeftModel *model, size_t index) {
  return nameOf(inputAt(model, index));
}
const char *weft_model_output_name(const WeftModel *model, size_t index) {
  return nameOf(tensorAt(model->entryPoint().outputs, index));
}
WeftDType weft_model_input_dtype(const WeftModel *model, size_t index) {
  return dtypeOf(inputAt(model, index));
}
WeftDType weft_model_output_dtype(const WeftModel *model, size_t index) {
  return dtypeOf(tensorAt(model->entryPoint().outputs, index));
}
const char *weft_model_input_type(const WeftModel *model, size_t index) {
  return textOf(inputAt(model, index));
}
const char *weft_model_output_type(const WeftModel *model, size_t index) {
  return textOf(tensorAt(model->entryPoint().outputs, index));
}
ptrdiff_t weft_model_find_input(const WeftModel *model, const char *name) {
  ptrdiff_t found = findTensor(model->entryPoint().inputs, name); // -1 if there is none
  return inputAt(model, static_cast<size_t>(found)) ? found : -1;
}
ptrdiff_t weft_model_find_output(const WeftModel *model, const char *name) {
  return findTensor(model->entryPoint().outputs, name);
}

size_t weft_model_state_count(const WeftModel *model) { return model->entryPoint().states.size(); }
const char *weft_model_state_name(const WeftModel *model, size_t index) {
  return index < weft_model_state_count(model) ? model->entryPoint().states[index].type.name.c_str()
                                               : nullptr;
}
const char *weft_model_state_type(const WeftModel *model, size_t index) {
  return index < weft_model_state_count(model) ? model->entryPoint().states[index].type.text.c_str()
                                               : nullptr;
}

const char *weft_model_producer(const WeftModel *model) { return model->metadata.producer.c_str(); }
size_t weft_model_code_count(const WeftModel *model) { return model->metadata.codes.size(); }
WeftIsa weft_model_isa(const WeftModel *model, size_t index) {
  const std::vector<Code> &codes = model->metadata.codes;
  return index < codes.size() ? codes[index].isa : static_cast<WeftIsa>(0);
}
size_t weft_model_code_bytes(const WeftModel *model, size_t index) {
  const std::vector<Code> &codes = model->metadata.codes;
  return index < codes.size() ? codes[index].bytes : 0;
}
size_t weft_model_gpu_count(const WeftModel *model) { return model->metadata.deviceCodes.size(); }
WeftGpu weft_model_gpu(const WeftModel *model, size_t index) {
  const std::vector<DeviceCode> &codes = model->metadata.deviceCodes;
  return index < codes.size() ? codes[index].gpu : static_cast<WeftGpu>(0);
}
size_t weft_model_gpu_code_bytes(const WeftModel *model, size_t index) {
  const std::vector<DeviceCode> &codes = model->metadata.deviceCodes;
  return index < codes.size() ? codes[index].bytes : 0;
}
size_t weft_model_weights_bytes(const WeftModel *model) { return model->payload.weights.size(); }
const char *weft_model_arena_formula(const WeftModel *model) {
  return model->entryPoint().arenaFormula.c_str();
}
size_t weft_model_step_count(const WeftModel *model) { return model->entryPoint().steps.size(); }
const char *weft_model_step_kernel(const WeftModel *model, size_t index) {
  const std::vector<Step> &steps = model->entryPoint().steps;
  return index < steps.size() ? steps[index].kernel.c_str() : nullptr;
}
const char *weft_model_step_node(const WeftModel *model, size_t index) {
  const std::vector<Step> &steps = model->entryPoint().steps;
  return index < steps.size() ? steps[index].node.c_str() : nullptr;
}
const char *weft_model_step_note(const WeftModel *model, size_t index) {
  const std::vector<Step> &steps = model->entryPoint().steps;
  return index < steps.size() ? steps[index].note.c_str() : nullptr;
}
