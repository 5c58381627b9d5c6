/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * A program that has a model linked in as model.o, by its header. Prints the sum of the first output for an
 * input of ones. */
#include <stdio.h>

#include "model.h"
#include "weft/runtime.h"

static int check(WeftStatus status) {
  if (!status)
    return 0;
  fprintf(stderr, "%s\n", weft_status_message(status));
  weft_status_release(status);
  return 1;
}

int main(void) {
  WeftModel *loaded;
  WeftSession *session;
  WeftTensor *input, *output;
  const int64_t shape[] = {1, 2, 64};
  if (check(weft_model_load_memory(model, model_bytes, &loaded)) ||
      check(weft_session_create(loaded, 1, &session)) ||
      check(weft_tensor_create(WEFT_DTYPE_F32, 3, shape, &input)))
    return 1;
  for (int i = 0; i < 128; ++i)
    ((float *)weft_tensor_data(input))[i] = 1;
  if (check(weft_session_run(session, &input, &output)))
    return 1;
  printf("%s: %.4f\n", weft_model_output_name(loaded, 0), ((float *)weft_tensor_data(output))[0]);
  weft_tensor_release(output);
  weft_tensor_release(input);
  weft_session_release(session);
  weft_model_release(loaded);
  return 0;
}
