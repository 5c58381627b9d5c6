// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole files, in and out.

#include "FileIO.h"
#include "Error.h"

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>

namespace weft::runtime {

namespace {

/// What has no size of its own, such as a pipe, may not fill the memory.
constexpr size_t mostStreamBytes = size_t(4) << 30;
constexpr size_t streamChunk = size_t(1) << 20;
constexpr mode_t newFileMode = 0666; // Less the umask.

std::string realPath(const std::string &path) {
  std::unique_ptr<char, decltype(&std::free)> real(realpath(path.c_str(), nullptr), std::free);
  return real ? real.get() : path;
}

} // namespace

std::string readFile(const std::string &path) {
  FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info;
  if (!file.isOpen() || fstat(file.get(), &info) != 0)
    raiseSystem(path, ": cannot be read: ", systemMessage(errno));
  bool isRegular = S_ISREG(info.st_mode);
  size_t most = isRegular ? static_cast<size_t>(info.st_size) : mostStreamBytes;

  std::string bytes;
  for (size_t size = 0;;) {
    if (size == bytes.size()) {
      if (size >= most && isRegular)
        return bytes;
      if (size >= most)
        raiseSystem(path, ": holds more than ", mostStreamBytes, " bytes and is not a regular file");
      bytes.resize(isRegular ? most : size + streamChunk);
    }
    ssize_t count = read(file.get(), bytes.data() + size, bytes.size() - size);
    if (count < 0 && errno != EINTR)
      raiseSystem(path, ": cannot be read: ", systemMessage(errno));
    if (count == 0) { // The end of a stream, or of a file that has shrunk meanwhile.
      bytes.resize(size);
      return bytes;
    }
    size += static_cast<size_t>(std::max<ssize_t>(count, 0));
  }
}

OutputFile::OutputFile(const std::string &path) : path(path) {
  struct stat info;
  bool exists = stat(path.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode))
    fail(EISDIR);
  if (exists && !S_ISREG(info.st_mode)) {
    file = FileDescriptor(open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file.isOpen())
      fail(errno);
    return;
  }
  target = realPath(path); // A link stays a link: what it leads to is replaced.
  openTemporary(exists ? info.st_mode & 07777 : 0);
}

void OutputFile::openTemporary(mode_t mode) {
  std::string folder = target.substr(0, target.rfind('/') + 1);
  for (int attempt = 0; !file.isOpen(); ++attempt) {
    temporary = concat(folder, ".weft-", getpid(), "-", attempt);
    file = FileDescriptor(open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, newFileMode));
    if (!file.isOpen() && errno != EEXIST) {
      temporary.clear();
      fail(errno);
    }
  }
  if (mode != 0)
    fchmod(file.get(), mode);
}

OutputFile::~OutputFile() {
  if (!temporary.empty())
    unlink(temporary.c_str());
}

void OutputFile::write(std::string_view bytes) {
  if (int error = file.writeAll(bytes))
    fail(error);
}

void OutputFile::commit() {
  // Closing is where some file systems report that the disk is full.
  if (int error = file.close())
    fail(error);
  if (temporary.empty())
    return;
  if (rename(temporary.c_str(), target.c_str()) != 0)
    fail(errno);
  temporary.clear();
}

void OutputFile::fail(int error) const { raiseSystem(path, ": cannot be written: ", systemMessage(error)); }

} // namespace weft::runtime
