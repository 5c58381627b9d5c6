/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a compiler would make of all = concat(k, x) over [batch, positions, 2], where the session keeps k: a
 * step that writes x behind what k holds, and one that copies everything. A negative element is reported as
 * an index.
 */
#include "weft/abi.h"

enum { BATCH = 0, NEW = 1, PAST = 2, WIDTH = 2, CAPACITY = 8 };

void weft_entry_0(const WeftFrame *frame, int64_t thread, int64_t threads) {
  const float *x = (const float *)frame->inputs[0];
  float *k = (float *)frame->states[0];
  float *all = (float *)frame->outputs[0];
  int64_t batch = frame->symbols[BATCH], new = frame->symbols[NEW], past = frame->symbols[PAST];

  for (int64_t b = thread; b < batch; b += threads)
    for (int64_t i = 0; i < new * WIDTH; ++i) {
      float element = x[b * new * WIDTH + i];
      if (element < 0)
        frame->callbacks->fail(frame->team, WEFT_FAILURE_INDEX, 0, (int64_t)element, CAPACITY);
      k[(b * CAPACITY + past) * WIDTH + i] = element;
    }
  if (frame->callbacks->barrier(frame->team, 0))
    return;

  int64_t held = (past + new) * WIDTH;
  for (int64_t b = thread; b < batch; b += threads)
    for (int64_t i = 0; i < held; ++i)
      all[b * held + i] = k[b * CAPACITY * WIDTH + i];
  (void)frame->callbacks->barrier(frame->team, 1);
}
