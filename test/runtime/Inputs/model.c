/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a compiler would make of y = (SCALE * x)[index] + w: two steps over rows, shared out among the
 * threads.
 */
#include "weft/abi.h"

enum { ROWS = 0, PICKS = 1, WIDTH = 4 };

void weft_entry_0(const WeftFrame *frame, int64_t thread, int64_t threads) {
  const float *x = (const float *)frame->inputs[0];
  const int64_t *index = (const int64_t *)frame->inputs[1];
  const float *weights = (const float *)frame->weights;
  float *scaled = (float *)frame->arena;
  float *y = (float *)frame->outputs[0];
  int64_t rows = frame->symbols[ROWS], picks = frame->symbols[PICKS];

  for (int64_t row = thread; row < rows; row += threads)
    for (int64_t i = 0; i < WIDTH; ++i)
      scaled[row * WIDTH + i] = SCALE * x[row * WIDTH + i];
  if (frame->callbacks->barrier(frame->team, 0))
    return;

  for (int64_t pick = thread; pick < picks; pick += threads) {
    int64_t row = index[pick];
    if (row < -rows || row >= rows) {
      frame->callbacks->fail(frame->team, WEFT_FAILURE_INDEX, 1, row, rows);
      continue;
    }
    if (row < 0)
      row += rows;
    for (int64_t i = 0; i < WIDTH; ++i)
      y[pick * WIDTH + i] = scaled[row * WIDTH + i] + weights[i];
  }
  if (frame->callbacks->barrier(frame->team, 1))
    return;

  if (thread == 0)
    *(int64_t *)frame->outputs[1] = picks;
}
