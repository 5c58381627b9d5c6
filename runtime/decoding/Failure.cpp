// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a status to a Failure.

#include "Failure.h"

namespace weft::decoding {

void check(WeftStatus status) {
  if (!status)
    return;
  Failure failure{weft_status_code(status), weft_status_message(status)};
  weft_status_release(status);
  throw failure;
}

} // namespace weft::decoding
