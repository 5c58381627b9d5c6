// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opens and maps files. POSIX calls, because the checks and the mapping must be about the same open file.
#include "frontend/Onnx/MappedFile.h"
#include "llvm/ADT/ScopeExit.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace weft::onnx;

static const char *kindOfFile(mode_t mode) {
  if (S_ISDIR(mode))
    return "a directory";
  if (S_ISFIFO(mode))
    return "a pipe";
  if (S_ISSOCK(mode))
    return "a socket";
  return "a device";
}

std::shared_ptr<const MappedFile> MappedFile::open(llvm::StringRef path, FollowSymlinks follow,
                                                   Failure &failure) {
  auto systemError = [&](const char *what) {
    failure = {true, std::string(what) + ": " + std::strerror(errno)};
    return nullptr;
  };
  // Without O_NONBLOCK, opening a pipe would wait for a writer that may never come.
  int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | (follow == FollowSymlinks::No ? O_NOFOLLOW : 0);
  int descriptor = ::open(path.str().c_str(), flags);
  if (descriptor < 0)
    return systemError("cannot be opened");
  llvm::scope_exit closeFile([&] { ::close(descriptor); });

  struct stat status;
  if (::fstat(descriptor, &status) != 0)
    return systemError("cannot be examined");
  if (!S_ISREG(status.st_mode)) {
    failure = {false, std::string("expects a regular file, got ") + kindOfFile(status.st_mode)};
    return nullptr;
  }
  size_t size = static_cast<size_t>(status.st_size);
  if (size == 0) // mmap refuses an empty range.
    return view(path, "");
  void *data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (data == MAP_FAILED)
    return systemError("cannot be mapped");
  llvm::StringRef bytes(static_cast<const char *>(data), size);
  return std::shared_ptr<const MappedFile>(new MappedFile(path, bytes, /*isMapping=*/true));
}

std::shared_ptr<const MappedFile> MappedFile::view(llvm::StringRef name, llvm::StringRef bytes) {
  return std::shared_ptr<const MappedFile>(new MappedFile(name, bytes, /*isMapping=*/false));
}

void MappedFile::release(llvm::StringRef part) const {
  constexpr uintptr_t kPage = 4096;
  size_t before = reinterpret_cast<uintptr_t>(part.data()) % kPage;
  if (isMapping_ && !part.empty()) // a failure costs memory, and no more
    (void)::madvise(const_cast<char *>(part.data()) - before, before + part.size(), MADV_DONTNEED);
}

MappedFile::~MappedFile() {
  if (isMapping_)
    ::munmap(const_cast<char *>(bytes_.data()), bytes_.size());
}
