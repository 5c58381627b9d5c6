// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One run on a GPU, and the C API's view of GPUs.

#include "CudaExecutor.h"
#include "../Error.h"

#include <cstring>

namespace weft::runtime::cuda {

namespace {

/// Of each tensor: what accesses to memory come in.
constexpr size_t alignment = 256;
/// From here on a copy of its own costs less than one more copy on the host.
constexpr size_t largeBytes = size_t(1) << 20;

size_t roundUp(size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

} // namespace

bool CudaExecutor::Place::isLarge() const { return bytes >= largeBytes; }

CudaExecutor::CudaExecutor(std::shared_ptr<DeviceModel> given, const std::vector<Step> &steps)
    : model(std::move(given)), steps(steps), recording(model->device->facts.processors, model->isHopper()),
      block(model->device, "inputs and outputs"), staging(model->device) {
  CurrentContext current(*model->device);
  check(driver().cuStreamCreate(&stream, streamNonBlocking), "making a stream");
  graphs = std::make_unique<LaunchGraphs>(*model, stream);
}

CudaExecutor::~CudaExecutor() {
  CurrentContext current(*model->device);
  driver().cuStreamSynchronize(stream);
  for (Event event : events)
    driver().cuEventDestroy(event);
  graphs.reset();
  driver().cuStreamDestroy(stream);
}

std::unique_ptr<Memory> CudaExecutor::makeMemory(const char *what) {
  return std::make_unique<DeviceMemory>(model->device, what);
}

void CudaExecutor::copy(void *to, const void *from, size_t bytes) {
  CurrentContext current(*model->device);
  check(driver().cuMemcpyDtoDAsync(reinterpret_cast<Address>(to), reinterpret_cast<Address>(from), bytes,
                                   stream),
        "copying within a device");
}

void CudaExecutor::finish() {
  CurrentContext current(*model->device);
  wait("copying within a device");
}

/// Gives every tensor its place.
void CudaExecutor::layOut(const RunTensors &tensors) {
  auto makePlaces = [](const std::vector<WeftTensor *> &from, std::vector<Place> &places) {
    places.clear();
    for (WeftTensor *tensor : from)
      places.push_back({tensor, 0, weft_tensor_bytes(tensor)});
  };
  makePlaces(tensors.inputs, inputs);
  makePlaces(tensors.outputs, outputs);
  size_t end = roundUp(wordsRoom * sizeof(int64_t));
  auto place = [&](std::vector<Place> &places, bool large) {
    for (Place &each : places)
      if (each.isLarge() == large) {
        each.offset = end;
        end += roundUp(each.bytes);
      }
  };
  place(inputs, /*large=*/false);
  reportOffset = end;
  end += roundUp(sizeof(WeftGpuFailure));
  place(outputs, /*large=*/false);
  stagedBytes = end;
  place(inputs, /*large=*/true);
  place(outputs, /*large=*/true);
  char *stagedBefore = staged;
  Address before = block.address();
  staged = staging.reserve(stagedBytes);
  block.reserve(end);
  if (block.address() != before || staged != stagedBefore)
    graphs->forget();
  inputAddresses.clear();
  outputAddresses.clear();
  for (const Place &each : inputs)
    inputAddresses.push_back(at(each.offset));
  for (const Place &each : outputs)
    outputAddresses.push_back(at(each.offset));
}

void CudaExecutor::record(WeftEntryFunction function, WeftFrame frame, const RunTensors &tensors) {
  layOut(tensors);
  auto call = [&] {
    frame.inputs = inputAddresses.data();
    frame.outputs = outputAddresses.data();
    frame.weights = model->weights();
    recording.record(function, frame, static_cast<int64_t>(block.address() + reportOffset));
  };
  call();
  if (recording.words.size() <= wordsRoom)
    return;
  wordsRoom = recording.words.size(); // the first run
  layOut(tensors);
  call();
}

void CudaExecutor::upload() {
  std::memcpy(staged, recording.words.data(), recording.words.size() * sizeof(int64_t));
  std::memset(staged + reportOffset, 0, sizeof(WeftGpuFailure));
  for (const Place &input : inputs)
    if (!input.isLarge() && input.bytes > 0)
      std::memcpy(staged + input.offset, weft_tensor_data(input.tensor), input.bytes);
  for (const Place &input : inputs)
    if (input.isLarge())
      check(driver().cuMemcpyHtoDAsync(block.address() + input.offset, weft_tensor_data(input.tensor),
                                       input.bytes, stream),
            "copying an input to a device");
}

/// Of what is staged.
Transfers CudaExecutor::transfers() const {
  return {{staged, block.address(), reportOffset + sizeof(WeftGpuFailure)},
          {staged + reportOffset, block.address() + reportOffset, stagedBytes - reportOffset}};
}

void CudaExecutor::launch() {
  if (isGuarded)
    return launchAndWait();
  if (profile)
    return launchAndTime();
  graphs->launch(recording, block.address(), transfers());
}

/// Each for itself, so that what goes wrong has a name.
void CudaExecutor::launchAndWait() {
  auto waitFor = [&](const Recording::Launch &launch) {
    try {
      wait("running it");
    } catch (const Error &error) {
      bool isStep = launch.step >= 0 && static_cast<size_t>(launch.step) < steps.size();
      raise(error.code, "node \"", isStep ? steps[launch.step].node : "", "\": kernel \"", launch.kernel,
            "\": ", error.message);
    }
  };
  graphs->launchEach(recording, block.address(), transfers(), /*begin=*/[] {}, waitFor);
}

void CudaExecutor::launchAndTime() {
  while (events.size() < recording.launches.size() + 1) {
    Event event = nullptr;
    check(driver().cuEventCreate(&event, /*flags=*/0), "making an event");
    events.push_back(event);
  }
  size_t next = 0;
  auto mark = [&] { check(driver().cuEventRecord(events[next++], stream), "recording an event"); };
  graphs->launchEach(recording, block.address(), transfers(), mark,
                     [&](const Recording::Launch &) { mark(); });
  wait("running kernels");
  for (size_t i = 0; i < recording.launches.size(); ++i) {
    float milliseconds = 0;
    check(driver().cuEventElapsedTime(&milliseconds, events[i], events[i + 1]),
          "reading the time of a kernel");
    profile->add(recording.launches[i].step, milliseconds * 1e-3);
  }
}

void CudaExecutor::download() {
  for (const Place &output : outputs)
    if (output.isLarge())
      check(driver().cuMemcpyDtoHAsync(weft_tensor_data(output.tensor), block.address() + output.offset,
                                       output.bytes, stream),
            "copying an output from a device");
  wait("running kernels (--guard-arena names the one at fault)");
  for (const Place &output : outputs)
    if (!output.isLarge() && output.bytes > 0)
      std::memcpy(weft_tensor_data(output.tensor), staged + output.offset, output.bytes);
}

void CudaExecutor::wait(const char *what) { check(driver().cuStreamSynchronize(stream), what); }

const WeftTeam::Failure *CudaExecutor::failureOfKernel() {
  WeftGpuFailure report;
  std::memcpy(&report, staged + reportOffset, sizeof(report));
  if (!report.reported)
    return nullptr;
  failure = {WEFT_FAILURE_INDEX, report.step, report.value, report.bound, {}};
  return &failure;
}

const WeftTeam::Failure *CudaExecutor::run(WeftEntryFunction function, WeftFrame frame,
                                           const RunTensors &tensors) {
  CurrentContext current(*model->device);
  record(function, frame, tensors);
  if (const WeftTeam::Failure *failed = recording.firstFailure())
    return failed;
  upload();
  launch();
  download();
  return failureOfKernel();
}

std::unique_ptr<Executor> makeExecutor(WeftModel &model, const std::vector<Step> &steps, size_t device) {
  return std::make_unique<CudaExecutor>(model.onDevice(device), steps);
}

} // namespace weft::runtime::cuda

using namespace weft::runtime;

WeftStatus weft_cuda_device_count(size_t *out_count) {
  return guarded([&] {
    if (!out_count)
      raiseBadArgument("weft_cuda_device_count: out_count is NULL");
    *out_count = cuda::Device::count();
  });
}

WeftStatus weft_cuda_device(size_t index, WeftCudaDevice *out_device) {
  return guarded([&] {
    if (!out_device)
      raiseBadArgument("weft_cuda_device: out_device is NULL");
    *out_device = cuda::Device(index).facts;
  });
}
