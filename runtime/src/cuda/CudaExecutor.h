// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs on a GPU. The model's code is called on the host, where it says what to launch; then inputs and words
// go to the device, the kernels run there, and outputs come back.

#ifndef WEFT_RUNTIME_CUDA_CUDAEXECUTOR_H
#define WEFT_RUNTIME_CUDA_CUDAEXECUTOR_H

#include "../Executor.h"
#include "LaunchGraphs.h"

namespace weft::runtime::cuda {

class CudaExecutor : public Executor {
public:
  /// `steps` outlive this.
  CudaExecutor(std::shared_ptr<DeviceModel> model, const std::vector<Step> &steps);
  ~CudaExecutor() override;

  std::unique_ptr<Memory> makeMemory(const char *what) override;
  void copy(void *to, const void *from, size_t bytes) override;
  void finish() override;
  const WeftTeam::Failure *run(WeftEntryFunction function, WeftFrame frame,
                               const RunTensors &tensors) override;
  void setProfile(StepProfile *given) override { profile = given; }
  void setGuarded(bool guarded) override { isGuarded = guarded; }
  double flops(WeftProductUnit unit) const override { return model->device->flops(unit); }
  const char *device() const override { return model->device->facts.name; }

private:
  /// A tensor's place in the block. Large ones are copied from and to where the caller has them, others with
  /// all that is staged.
  struct Place {
    WeftTensor *tensor;
    size_t offset, bytes;
    bool isLarge() const;
  };

  void layOut(const RunTensors &tensors);
  void record(WeftEntryFunction function, WeftFrame frame, const RunTensors &tensors);
  void upload();
  Transfers transfers() const;
  void launch();
  void launchAndTime();
  void launchAndWait();
  void download();
  void wait(const char *what);
  const WeftTeam::Failure *failureOfKernel();
  char *at(size_t offset) const { return pointerTo(block.address() + offset); }

  const std::shared_ptr<DeviceModel> model;
  const std::vector<Step> &steps;
  Stream stream = nullptr;
  std::unique_ptr<LaunchGraphs> graphs;
  Recording recording;
  size_t wordsRoom = 0; ///< in the block; all runs of a program have as many words
  /// On the device: words, inputs, what kernels report, outputs, and then what is large. All but that is
  /// copied through `staging`, which is the same on the host: up to and with the report in one copy, from
  /// there on in another.
  DeviceMemory block;
  PinnedMemory staging;
  char *staged = nullptr;
  std::vector<Place> inputs, outputs;
  std::vector<const void *> inputAddresses;
  std::vector<void *> outputAddresses;
  size_t reportOffset = 0, stagedBytes = 0;
  WeftTeam::Failure failure{};
  StepProfile *profile = nullptr;
  std::vector<Event> events;
  bool isGuarded = false;
};

/// An executor of such steps on a device. Raises an Error if the model has no kernels for GPUs, or there is
/// no such device.
std::unique_ptr<Executor> makeExecutor(WeftModel &model, const std::vector<Step> &steps, size_t device);

} // namespace weft::runtime::cuda

#endif // WEFT_RUNTIME_CUDA_CUDAEXECUTOR_H
