/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The C API of the Weft runtime: load a compiled model, run it.
 *
 * Handles are opaque. A function that makes one gives it to the caller, who releases it; release accepts
 * NULL. A WeftStatus is NULL if all is well; otherwise the caller reads and releases it. Output parameters
 * come last and are untouched on error.
 *
 * Threads: a WeftModel may be shared by any number of threads. A WeftSession belongs to one caller at a time;
 * sessions are independent of each other. A WeftTensor is plain data: many readers, or one writer.
 */
#ifndef WEFT_RUNTIME_H
#define WEFT_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#include "weft/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WEFT_MUST_USE __attribute__((warn_unused_result))

typedef struct WeftStatusImpl *WeftStatus;
typedef struct WeftModel WeftModel;
typedef struct WeftSession WeftSession;
typedef struct WeftTensor WeftTensor;

/* The kinds of error; each is also the exit code of a tool that ends because of it. */
typedef enum WeftStatusCode {
  WEFT_STATUS_OK = 0,
  WEFT_STATUS_BAD_DATA = 1,     /* the model or the data is at fault */
  WEFT_STATUS_BAD_ARGUMENT = 2, /* the caller is: an unknown name, a wrong index */
  WEFT_STATUS_MISMATCH = 3,     /* results differ from what was expected */
  WEFT_STATUS_SYSTEM = 4,       /* unreadable, unwritable, out of memory, no device */
  WEFT_STATUS_INTERNAL = 70     /* our bug */
} WeftStatusCode;

WeftStatusCode weft_status_code(WeftStatus status);
/* One line, without a newline. Lives as long as the status. */
const char *weft_status_message(WeftStatus status);
void weft_status_release(WeftStatus status);

/* Tensors: contiguous, row-major. */
/* A tensor with memory of its own, zeroed. Fails if the size overflows or the memory is not there. */
WEFT_MUST_USE WeftStatus weft_tensor_create(WeftDType dtype, size_t rank, const int64_t *shape,
                                            WeftTensor **out_tensor);
void weft_tensor_retain(WeftTensor *tensor);
void weft_tensor_release(WeftTensor *tensor);
WeftDType weft_tensor_dtype(const WeftTensor *tensor);
size_t weft_tensor_rank(const WeftTensor *tensor);
const int64_t *weft_tensor_shape(const WeftTensor *tensor);
size_t weft_tensor_bytes(const WeftTensor *tensor);
void *weft_tensor_data(WeftTensor *tensor);
/* "f32", "i64", ...; "?" for a value that is no WeftDType. */
const char *weft_dtype_name(WeftDType dtype);
/* Bytes an element takes; 0 for a value that is no WeftDType. */
size_t weft_dtype_bytes(WeftDType dtype);

/* A model: code and weights, mapped. Loads a .weft file, or the payload behind an executable or a .so.
 * Nothing of it runs before a session is made; then the file is trusted: its code runs with the caller's
 * rights. */
WEFT_MUST_USE WeftStatus weft_model_load(const char *path, WeftModel **out_model);
/* The same from memory that outlives the model (a linked .o); `data` is aligned to WEFT_PAYLOAD_ALIGNMENT. */
WEFT_MUST_USE WeftStatus weft_model_load_memory(const void *data, size_t bytes, WeftModel **out_model);
/* The model behind the very file that holds this function: an executable or a .so that `weft compile` made. A
 * .so that was opened by a relative path is found as long as the working directory is the same. */
WEFT_MUST_USE WeftStatus weft_model_load_self(WeftModel **out_model);
void weft_model_retain(WeftModel *model);
void weft_model_release(WeftModel *model);

/* The signature of the model's entry point (the first, where there are several). Strings live as the model
 * does. An index out of range gives NULL, or a dtype that is no WeftDType. */
size_t weft_model_input_count(const WeftModel *model);
size_t weft_model_output_count(const WeftModel *model);
const char *weft_model_input_name(const WeftModel *model, size_t index);
const char *weft_model_output_name(const WeftModel *model, size_t index);
WeftDType weft_model_input_dtype(const WeftModel *model, size_t index);
WeftDType weft_model_output_dtype(const WeftModel *model, size_t index);
/* The type for people, such as "batch x 2*src+1 x 512 x f32". */
const char *weft_model_input_type(const WeftModel *model, size_t index);
const char *weft_model_output_type(const WeftModel *model, size_t index);
/* The index of the input or output of that name, or -1. */
ptrdiff_t weft_model_find_input(const WeftModel *model, const char *name);
ptrdiff_t weft_model_find_output(const WeftModel *model, const char *name);

/* What sessions of the model keep from run to run: tensors to which each run appends along one dimension,
 * such as a decoder's keys and values (weft compile --kv-capacity). */
size_t weft_model_state_count(const WeftModel *model);
const char *weft_model_state_name(const WeftModel *model, size_t index);
/* The type before a run, and the room there is, such as "batch x 12 x past x 64 x f32, room for 1024". */
const char *weft_model_state_type(const WeftModel *model, size_t index);

/* What the model is made of; for people and tools. Sizes are in bytes. */
const char *weft_model_producer(const WeftModel *model);
/* Its codes, which do the same with the instructions that different CPUs have: one, or several, the least
 * demanding first (weft compile --portable). An index out of range gives 0. */
size_t weft_model_code_count(const WeftModel *model);
WeftIsa weft_model_isa(const WeftModel *model, size_t index);
size_t weft_model_code_bytes(const WeftModel *model, size_t index);
/* The GPUs that it has kernels for, if it is for GPUs, the least first. An index out of range gives 0. */
size_t weft_model_gpu_count(const WeftModel *model);
WeftGpu weft_model_gpu(const WeftModel *model, size_t index);
size_t weft_model_gpu_code_bytes(const WeftModel *model, size_t index);
size_t weft_model_weights_bytes(const WeftModel *model);
const char *weft_model_arena_formula(const WeftModel *model);
size_t weft_model_step_count(const WeftModel *model);
const char *weft_model_step_kernel(const WeftModel *model, size_t index);
const char *weft_model_step_node(const WeftModel *model, size_t index);
/* What an attention sees of its keys, in words ("causal, window 256"); empty for other steps. */
const char *weft_model_step_note(const WeftModel *model, size_t index);

/* A session: one caller's threads and memory. `threads` 0 means one for each processor this process may use.
 * Runs the best of the model's codes that this CPU can run; fails if it can run none. A model for GPUs runs
 * on the first, with one thread of the host. */
WEFT_MUST_USE WeftStatus weft_session_create(WeftModel *model, size_t threads, WeftSession **out_session);
/* The same with the code for these instructions. Fails if the model has none, or if this CPU lacks them. */
WEFT_MUST_USE WeftStatus weft_session_create_for(WeftModel *model, WeftIsa isa, size_t threads,
                                                 WeftSession **out_session);
/* The same on NVIDIA GPU number `device`, of a model for GPUs. Sessions of one model on one GPU share its
 * weights there. Fails if there is no driver, no such GPU, or if the model has no kernels for it. */
WEFT_MUST_USE WeftStatus weft_session_create_on_device(WeftModel *model, size_t device,
                                                       WeftSession **out_session);
void weft_session_release(WeftSession *session);
/* Runs the model. `inputs` holds one tensor per input, in order; `out_outputs` has room for one per output
 * and receives new tensors that the caller releases. The arena grows when shapes ask for more; otherwise only
 * the outputs are allocated. Memory of outputs that were released serves later ones: until its release a
 * session keeps at most an eighth more than its last run's outputs took. */
WEFT_MUST_USE WeftStatus weft_session_run(WeftSession *session, WeftTensor *const *inputs,
                                          WeftTensor **out_outputs);
/* How many positions a state holds: 0 at first, and more after every run that did not fail. 0 for an index
 * out of range. */
int64_t weft_session_state_length(const WeftSession *session, size_t index);
/* Forgets all but the first `length` positions of every state that holds more; 0 begins anew, which is also
 * what a run with another batch size needs. Costs nothing: no memory is touched. */
WEFT_MUST_USE WeftStatus weft_session_rewind(WeftSession *session, int64_t length);
/* Entry i of every state, along dimension `axis`, becomes what entry rows[i] was: the hypotheses of a beam
 * search follow their parents, and there may be more of them than before, or fewer. Copies what is held, if
 * any entry moves. `axis` is not the dimension that grows. */
WEFT_MUST_USE WeftStatus weft_session_select(WeftSession *session, size_t axis, const size_t *rows,
                                             size_t count);
/* Bytes of arena the session holds now. */
size_t weft_session_arena_bytes(const WeftSession *session);
/* The instructions that its code was made for. */
WeftIsa weft_session_isa(const WeftSession *session);
/* The name of the GPU that it runs on, or NULL. */
const char *weft_session_device(const WeftSession *session);
/* Threads the session runs with, the caller's included. */
size_t weft_session_threads(const WeftSession *session);
/* Times the steps of later runs, if `profiled` is nonzero; costs two readings of a clock for each. */
WEFT_MUST_USE WeftStatus weft_session_profile(WeftSession *session, int profiled);
/* What the latest run, if it was profiled, did in step `index`; 0 for an index out of range. */
typedef struct WeftStepWork {
  double seconds;
  int64_t flops;                /* floating-point operations of its matrix products */
  int64_t bytes;                /* that it has to read and write at least once */
  double most_flops_per_second; /* that a GPU does of such, by its highest clock; 0 where that is not known */
} WeftStepWork;
WeftStepWork weft_session_step_work(WeftSession *session, size_t index);
/* Of the emulator of GPUs: which operations of step `index` passed over shared memory more often than they
 * had to, in the latest run, if it was profiled, because threads of a warp wanted different words of one
 * bank. A line for each; empty if there are none. Valid until it is called again. */
const char *weft_session_bank_conflicts(WeftSession *session, size_t index);
/* For tests of generated code: with `guarded` nonzero every later run has an arena of the exact size that
 * ends at an unreadable page, with another one in front, and that is filled with 0xFF (a NaN in every float
 * type). Slow. */
void weft_session_guard_arena(WeftSession *session, int guarded);

/* NVIDIA GPUs, as the driver numbers them. Both fail if there is no driver. */
typedef struct WeftCudaDevice {
  char name[128];
  int major, minor; /* the compute capability */
  int processors;   /* streaming multiprocessors */
  int shared_bytes; /* the most that a block may have */
  int megahertz;    /* the highest clock of its processors */
  size_t memory_bytes;
  int driver_version; /* of CUDA, times 1000: 12040 is 12.4 */
} WeftCudaDevice;
WEFT_MUST_USE WeftStatus weft_cuda_device_count(size_t *out_count);
WEFT_MUST_USE WeftStatus weft_cuda_device(size_t index, WeftCudaDevice *out_device);

/* Messages that are not errors (a warning, a note); NULL, the default, drops them. Process-wide. */
typedef void (*WeftLogCallback)(void *context, const char *message);
void weft_set_log_callback(WeftLogCallback callback, void *context);

#ifdef __cplusplus
}
#endif

#endif /* WEFT_RUNTIME_H */
