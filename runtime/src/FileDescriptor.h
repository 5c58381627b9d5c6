// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An open file that closes itself.

#ifndef WEFT_RUNTIME_FILEDESCRIPTOR_H
#define WEFT_RUNTIME_FILEDESCRIPTOR_H

#include <cerrno>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace weft::runtime {

class FileDescriptor {
public:
  /// Takes what open() returned; it may be negative.
  explicit FileDescriptor(int descriptor = -1) : descriptor(descriptor) {}
  FileDescriptor(FileDescriptor &&other) noexcept : descriptor(other.take()) {}
  FileDescriptor &operator=(FileDescriptor &&other) noexcept {
    std::swap(descriptor, other.descriptor);
    return *this;
  }
  ~FileDescriptor() {
    if (isOpen())
      ::close(descriptor);
  }

  bool isOpen() const { return descriptor >= 0; }
  int get() const { return descriptor; }
  int take() { return std::exchange(descriptor, -1); }

  /// Both return 0 or an errno value.
  int writeAll(std::string_view bytes) const {
    while (!bytes.empty()) {
      ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
      if (written < 0 && errno != EINTR)
        return errno;
      if (written > 0)
        bytes.remove_prefix(static_cast<size_t>(written));
    }
    return 0;
  }
  int close() { return ::close(take()) == 0 ? 0 : errno; }

private:
  int descriptor;
};

} // namespace weft::runtime

#endif // WEFT_RUNTIME_FILEDESCRIPTOR_H
