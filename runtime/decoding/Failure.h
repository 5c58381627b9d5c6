// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What ends the program early: an exit code, one of WeftStatusCode, and one line for people.

#ifndef WEFT_RUNTIME_DECODING_FAILURE_H
#define WEFT_RUNTIME_DECODING_FAILURE_H

#include "weft/runtime.h"

#include <string>

namespace weft::decoding {

struct Failure {
  WeftStatusCode code;
  std::string message;
};

/// Throws a status that is an error as a Failure.
void check(WeftStatus status);

} // namespace weft::decoding

#endif // WEFT_RUNTIME_DECODING_FAILURE_H
