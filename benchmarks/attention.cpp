// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Times compiled models on one thread, each run followed by a loop of fused multiply-adds that never leaves
// the registers: attention.py's other half.
//
//   attention RUNS MODEL.weft FLOPS ...
//
// For each model it prints the rate of the fastest run and of the median run, in GFLOP/s, and the same of the
// loop.
#include "machine.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <vector>
#include <weft/runtime.h>

namespace {

void check(WeftStatus status) {
  if (!status)
    return;
  std::fprintf(stderr, "%s\n", weft_status_message(status));
  std::exit(weft_status_code(status));
}

/// Seconds of this process on a processor: what else the machine does is not in them.
double now() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

/// FLOP/s of fused multiply-adds. It takes a tenth of a millisecond: the clock is still what it was in the
/// run before, and would rise in a loop that never touches memory.
double measurePeak() {
  constexpr int kTurns = 50000;
  double start = now();
  multiplyAdd(kTurns);
  return countOperations(kTurns) / (now() - start);
}

struct Run {
  WeftModel *model;
  WeftSession *session;
  std::vector<WeftTensor *> inputs, outputs;

  explicit Run(const char *path) {
    check(weft_model_load(path, &model));
    check(weft_session_create(model, 1, &session));
    std::mt19937 generator(1);
    std::uniform_real_distribution<float> uniform(-1, 1);
    for (size_t i = 0; i < weft_model_input_count(model); ++i)
      inputs.push_back(makeInput(weft_model_input_type(model, i), generator, uniform));
    outputs.resize(weft_model_output_count(model));
  }

  /// A tensor of a type such as "1 x 8 x 64 x f32": of f32 random, of others 0.
  template <typename G, typename D> WeftTensor *makeInput(const char *type, G &generator, D &uniform) {
    std::vector<int64_t> shape;
    for (char *end; std::strtoll(type, &end, 10) || end != type; type = end + 3)
      shape.push_back(std::strtoll(type, &end, 10));
    WeftTensor *tensor;
    WeftDType dtype = weft_model_input_dtype(model, inputs.size());
    check(weft_tensor_create(dtype, shape.size(), shape.data(), &tensor));
    if (dtype == WEFT_DTYPE_F32)
      std::generate_n(static_cast<float *>(weft_tensor_data(tensor)),
                      weft_tensor_bytes(tensor) / sizeof(float), [&] { return uniform(generator); });
    return tensor;
  }

  double seconds() {
    double start = now();
    check(weft_session_run(session, inputs.data(), outputs.data()));
    double end = now();
    for (WeftTensor *output : outputs)
      weft_tensor_release(output);
    return end - start;
  }
};

double median(std::vector<double> &values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

} // namespace

int main(int argc, char **argv) {
  int runs = argc > 1 ? std::atoi(argv[1]) : 0;
  for (int i = 2; i + 1 < argc; i += 2) {
    Run run(argv[i]);
    double flops = std::atof(argv[i + 1]);
    std::vector<double> rates, peaks;
    run.seconds();
    for (int turn = 0; turn < runs; ++turn) {
      rates.push_back(flops / run.seconds() / 1e9);
      peaks.push_back(measurePeak() / 1e9);
    }
    double middle = median(rates), middlePeak = median(peaks);
    std::printf("%.2f %.2f %.2f %.2f\n", rates.back(), middle, peaks.back(), middlePeak);
    std::fflush(stdout);
  }
}
