// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomic output files.
#include "compiler/Artifact/OutputFile.h"
#include "llvm/ADT/Twine.h"
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

using namespace weft;

/// weft-0400 says that the system is at fault, and not the model.
static llvm::Error systemError(llvm::StringRef path, int error) {
  std::error_code code(error, std::generic_category());
  return llvm::createStringError(code, "cannot write '" + path + "': " + code.message() + " [weft-0400]");
}

llvm::Expected<OutputFile> OutputFile::create(llvm::StringRef path, bool executable) {
  OutputFile file;
  file.path = path;
  struct stat status;
  bool exists = stat(file.path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode))
    return systemError(path, EISDIR);
  if (exists && !S_ISREG(status.st_mode)) {
    file.fd = open(file.path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file.fd < 0)
      return systemError(path, errno);
    return file;
  }
  file.temporary = path;
  file.temporary += ".XXXXXX";
  (void)file.temporary.c_str(); // terminates it
  file.fd = mkostemp(file.temporary.data(), O_CLOEXEC);
  if (file.fd < 0) {
    file.temporary.clear();
    return systemError(path, errno);
  }
  // As a file made by open() would be.
  mode_t mask = umask(0);
  umask(mask);
  if (fchmod(file.fd, (executable ? 0777 : 0666) & ~mask) != 0)
    return systemError(path, errno);
  return file;
}

OutputFile::OutputFile(OutputFile &&other)
    : path(std::move(other.path)), temporary(std::move(other.temporary)), fd(other.fd),
      pending(std::move(other.pending)), written(other.written), error(other.error) {
  other.fd = -1;
  other.temporary.clear();
}

OutputFile::~OutputFile() {
  if (fd >= 0)
    ::close(fd);
  if (!temporary.empty())
    unlink(temporary.c_str());
}

void OutputFile::write(llvm::ArrayRef<char> bytes) {
  written += bytes.size();
  while (pending.size() + bytes.size() >= kChunkBytes) {
    size_t missing = kChunkBytes - pending.size();
    llvm::ArrayRef<char> first = bytes.take_front(missing);
    bytes = bytes.drop_front(missing);
    if (pending.empty()) { // a whole chunk goes from where it is
      writeThrough(first);
      continue;
    }
    llvm::append_range(pending, first);
    writeThrough(pending);
    pending.clear();
  }
  llvm::append_range(pending, bytes);
}

void OutputFile::writeThrough(llvm::ArrayRef<char> bytes) {
  while (!bytes.empty() && !error) {
    ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0) {
      error = count < 0 ? errno : ENOSPC;
      return;
    }
    bytes = bytes.drop_front(count);
  }
}

void OutputFile::align(uint64_t alignment) {
  static const char zeros[4096] = {};
  uint64_t missing = (alignment - written % alignment) % alignment;
  while (missing && !error) {
    uint64_t count = std::min<uint64_t>(missing, sizeof(zeros));
    write(llvm::ArrayRef<char>(zeros, count));
    missing -= count;
  }
}

llvm::Error OutputFile::close() {
  if (fd >= 0)
    writeThrough(pending);
  pending.clear();
  int descriptor = std::exchange(fd, -1);
  if (descriptor >= 0 && ::close(descriptor) != 0 && !error)
    error = errno;
  return error ? systemError(path, error) : llvm::Error::success();
}

llvm::Error OutputFile::commit() {
  if (llvm::Error failed = close())
    return failed;
  if (!temporary.empty() && rename(temporary.c_str(), path.c_str()) != 0)
    return systemError(path, errno);
  temporary.clear();
  return llvm::Error::success();
}
