// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What ends the program early: an exit code, one of WeftStatusCode, and one line for people.

#ifndef WEFT_EXAMPLES_DECODING_FAILURE_H
#define WEFT_EXAMPLES_DECODING_FAILURE_H

#include "weft/runtime.h"

#include <string>

namespace weft::decoding {

struct Failure {
  WeftStatusCode code;
  std::string message;
};

/// Throws a status that is an error as a Failure.
inline void check(WeftStatus status) {
  if (!status)
    return;
  Failure failure{weft_status_code(status), weft_status_message(status)};
  weft_status_release(status);
  throw failure;
}

} // namespace weft::decoding

#endif // WEFT_EXAMPLES_DECODING_FAILURE_H
