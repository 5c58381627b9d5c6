// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// WeftStatus, and the log callback.

#include "Error.h"

#include <mutex>
#include <system_error>

struct WeftStatusImpl {
  WeftStatusCode code;
  std::string message;
};

namespace weft::runtime {

namespace {

/// Needs no memory: the text is short enough to lie in the string itself. Never released.
WeftStatusImpl &sharedOutOfMemory() {
  static WeftStatusImpl status{WEFT_STATUS_SYSTEM, "out of memory"};
  return status;
}

struct Log {
  std::mutex mutex;
  WeftLogCallback callback = nullptr;
  void *context = nullptr;
};

Log &processLog() {
  static Log log;
  return log;
}

} // namespace

std::string systemMessage(int error) { return std::generic_category().message(error); }

WeftStatus outOfMemoryStatus() noexcept { return &sharedOutOfMemory(); }

WeftStatus makeStatus(WeftStatusCode code, std::string_view message) noexcept {
  try {
    return new WeftStatusImpl{code, std::string(message)};
  } catch (...) {
    return outOfMemoryStatus();
  }
}

void check(WeftStatus status) {
  if (!status)
    return;
  Error error{status->code, status->message};
  weft_status_release(status);
  throw error;
}

void logMessage(const std::string &message) {
  Log &log = processLog();
  std::lock_guard<std::mutex> lock(log.mutex);
  if (log.callback)
    log.callback(log.context, message.c_str());
}

} // namespace weft::runtime

using namespace weft::runtime;

WeftStatusCode weft_status_code(WeftStatus status) { return status ? status->code : WEFT_STATUS_OK; }

const char *weft_status_message(WeftStatus status) { return status ? status->message.c_str() : ""; }

void weft_status_release(WeftStatus status) {
  if (status != &sharedOutOfMemory())
    delete status;
}

void weft_set_log_callback(WeftLogCallback callback, void *context) {
  Log &log = processLog();
  std::lock_guard<std::mutex> lock(log.mutex);
  log.callback = callback;
  log.context = context;
}
