// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors inside the runtime are exceptions; at the C API each becomes a WeftStatus. None ever crosses it.

#ifndef WEFT_RUNTIME_ERROR_H
#define WEFT_RUNTIME_ERROR_H

#include "weft/runtime.h"

#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace weft::runtime {

struct Error {
  WeftStatusCode code;
  std::string message;
};

inline void appendText(std::string &text, std::string_view part) { text += part; }
template <typename Number, typename = std::enable_if_t<std::is_arithmetic_v<Number>>>
void appendText(std::string &text, Number part) {
  text += std::to_string(part);
}

/// The parts, numbers included, as one string.
template <typename... Parts> std::string concat(const Parts &...parts) {
  std::string text;
  (appendText(text, parts), ...);
  return text;
}

template <typename... Parts> [[noreturn]] void raise(WeftStatusCode code, const Parts &...parts) {
  throw Error{code, concat(parts...)};
}
template <typename... Parts> [[noreturn]] void raiseBadData(const Parts &...parts) {
  raise(WEFT_STATUS_BAD_DATA, parts...);
}
template <typename... Parts> [[noreturn]] void raiseBadArgument(const Parts &...parts) {
  raise(WEFT_STATUS_BAD_ARGUMENT, parts...);
}
template <typename... Parts> [[noreturn]] void raiseSystem(const Parts &...parts) {
  raise(WEFT_STATUS_SYSTEM, parts...);
}

/// The text of an errno value, such as "No space left on device".
std::string systemMessage(int error);

/// Never throws: without memory for the message, the status says that memory is out.
WeftStatus makeStatus(WeftStatusCode code, std::string_view message) noexcept;
WeftStatus outOfMemoryStatus() noexcept;

/// Runs the body of an API function; what it throws becomes the status.
template <typename Body> WeftStatus guarded(Body &&body) noexcept {
  try {
    body();
    return nullptr;
  } catch (const Error &error) {
    return makeStatus(error.code, error.message);
  } catch (const std::bad_alloc &) {
    return outOfMemoryStatus();
  } catch (const std::length_error &) { // A container asked for more than the address space.
    return outOfMemoryStatus();
  } catch (const std::exception &error) {
    return makeStatus(WEFT_STATUS_INTERNAL, error.what());
  }
}

/// The reverse, for runtime code that calls the API: raises a status that is an error.
void check(WeftStatus status);

/// Sends a message that is not an error to the log callback.
void logMessage(const std::string &message);

} // namespace weft::runtime

#endif // WEFT_RUNTIME_ERROR_H
