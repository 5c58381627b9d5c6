// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads little-endian fields from bytes that nobody has checked: every read is bounded, and says where it
// failed.

#ifndef WEFT_RUNTIME_BYTEREADER_H
#define WEFT_RUNTIME_BYTEREADER_H

#include "Error.h"

#include <cstring>

namespace weft::runtime {

class ByteReader {
public:
  /// `what` names the bytes in errors, such as `x.npz`.
  ByteReader(std::string_view bytes, std::string what) : bytes(bytes), what(std::move(what)) {}

  size_t position() const { return at; }
  size_t remaining() const { return bytes.size() - at; }
  bool atEnd() const { return remaining() == 0; }

  void seek(uint64_t position) {
    if (position > bytes.size())
      fail("refers to byte ", position, ", but has ", bytes.size());
    at = position;
  }

  std::string_view take(uint64_t count) {
    if (count > remaining())
      fail("is cut short: needs ", count, " bytes at byte ", at, ", has ", remaining());
    std::string_view taken = bytes.substr(at, count);
    at += count;
    return taken;
  }

  template <typename Number> Number read() {
    Number number;
    std::memcpy(&number, take(sizeof(Number)).data(), sizeof(Number));
    return number;
  }

  template <typename... Parts> [[noreturn]] void fail(const Parts &...parts) const {
    raiseBadData(what, ": ", parts...);
  }

private:
  std::string_view bytes;
  std::string what;
  size_t at = 0;
};

} // namespace weft::runtime

#endif // WEFT_RUNTIME_BYTEREADER_H
