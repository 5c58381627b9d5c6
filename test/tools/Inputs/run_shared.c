/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * A program that opens a model that was compiled to a .so, and calls the C API inside it. Prints the first
 * element of the first output for an input of ones. */
#include <dlfcn.h>
#include <stdio.h>

#include "weft/runtime.h"

#define LOOK_UP(library, function)                                                                           \
  __typeof__(&function) look_##function = (__typeof__(&function))dlsym(library, #function)

int main(int argc, char **argv) {
  void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  LOOK_UP(library, weft_model_load_self);
  LOOK_UP(library, weft_model_output_name);
  LOOK_UP(library, weft_session_create);
  LOOK_UP(library, weft_session_run);
  LOOK_UP(library, weft_tensor_create);
  LOOK_UP(library, weft_tensor_data);
  WeftModel *model;
  WeftSession *session;
  WeftTensor *input, *output;
  const int64_t shape[] = {1, 2, 64};
  if (look_weft_model_load_self(&model) || look_weft_session_create(model, 1, &session) ||
      look_weft_tensor_create(WEFT_DTYPE_F32, 3, shape, &input))
    return 1;
  for (int i = 0; i < 128; ++i)
    ((float *)look_weft_tensor_data(input))[i] = 1;
  if (look_weft_session_run(session, &input, &output))
    return 1;
  printf("%s: %.4f\n", look_weft_model_output_name(model, 0), ((float *)look_weft_tensor_data(output))[0]);
  return 0;
}
