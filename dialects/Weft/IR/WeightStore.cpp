// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mapped weight files, and one growing scratch file for data that passes make.
#include "dialects/Weft/IR/WeightStore.h"
#include "dialects/Weft/IR/Weft.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace weft;

/// A read-only mapping of a whole file, and which of its weights were checked already.
struct WeightStore::Mapping {
  char *data = nullptr;
  size_t size = 0;
  llvm::DenseSet<mlir::Attribute> checked;
  ~Mapping() {
    if (data)
      munmap(data, size);
  }
};

/// The scratch file: one mapping per piece, since a mapping must not move once handles point into it.
struct WeightStore::Scratch {
  struct Piece {
    int64_t offset;
    char *data;
    size_t size;
  };
  int fd = -1;
  int64_t end = 0;
  std::vector<Piece> pieces; // sorted by offset

  /// Where a weight lies; null if it was not made here.
  const Piece *find(WeightAttr weight) const {
    auto found = llvm::find_if(pieces, [&](const Piece &piece) {
      return weight.getOffset() >= piece.offset &&
             weight.getOffset() + weight.getBytes() <= piece.offset + int64_t(piece.size);
    });
    return found == pieces.end() ? nullptr : &*found;
  }
  ~Scratch() {
    for (Piece &piece : pieces)
      munmap(piece.data, piece.size);
    if (fd >= 0)
      close(fd);
  }
};

/// A weight of fewer bytes is not worth a call of the system.
static constexpr int64_t kLarge = 1 << 20;
static constexpr int64_t kPage = 4096;

/// Takes pages of a file's mapping out of this process's memory; neighbours that lie on them come back too.
static void releasePages(llvm::ArrayRef<char> mapped) {
  size_t before = reinterpret_cast<uintptr_t>(mapped.data()) % kPage;
  if (!mapped.empty()) // a failure costs memory, and no more
    (void)madvise(const_cast<char *>(mapped.data()) - before, before + mapped.size(), MADV_DONTNEED);
}

WeightStore::WeightStore() = default;
WeightStore::~WeightStore() = default;

uint64_t WeightStore::hash(llvm::ArrayRef<char> bytes) {
  return llvm::xxh3_64bits(llvm::ArrayRef(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()));
}

void WeightStore::setBaseDirectory(llvm::StringRef directory) {
  std::lock_guard<std::mutex> lock(mutex);
  baseDirectory = directory.str();
}

std::string WeightStore::getBaseDirectory() {
  std::lock_guard<std::mutex> lock(mutex);
  return baseDirectory;
}

void WeightStore::setScratchDirectory(llvm::StringRef directory) {
  std::lock_guard<std::mutex> lock(mutex);
  scratchDirectory = directory.str();
}

/// weft-0400 says that the system is at fault, and not the model.
static llvm::Error systemError(const llvm::Twine &what) {
  std::error_code error(errno, std::generic_category());
  return llvm::createStringError(error, what + ": " + error.message() + " [weft-0400]");
}

llvm::Expected<llvm::ArrayRef<char>> WeightStore::mapFile(llvm::StringRef file) {
  auto &entry = files[file];
  if (!entry) {
    llvm::SmallString<256> path(file);
    if (llvm::sys::path::is_relative(file) && !baseDirectory.empty()) {
      path = baseDirectory;
      llvm::sys::path::append(path, file);
    }
    int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0)
      return systemError("cannot open weights '" + path + "'");
    struct stat status;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
      close(fd);
      return llvm::createStringError("weights '" + path + "' are not a regular file");
    }
    auto mapping = std::make_unique<Mapping>();
    mapping->size = status.st_size;
    void *data = mapping->size ? mmap(nullptr, mapping->size, PROT_READ, MAP_SHARED, fd, 0) : nullptr;
    close(fd);
    if (data == MAP_FAILED)
      return systemError("cannot map weights '" + path + "'");
    mapping->data = static_cast<char *>(data);
    entry = std::move(mapping);
  }
  return llvm::ArrayRef<char>(entry->data, entry->size);
}

llvm::Expected<llvm::ArrayRef<char>> WeightStore::read(WeightAttr weight) {
  std::lock_guard<std::mutex> lock(mutex);
  if (weight.getFile().empty()) {
    if (const Scratch::Piece *piece = scratch ? scratch->find(weight) : nullptr)
      return llvm::ArrayRef<char>(piece->data + (weight.getOffset() - piece->offset), weight.getBytes());
    return llvm::createStringError("a weight without a file was not made in this process");
  }
  auto file = mapFile(weight.getFile());
  if (!file)
    return file.takeError();
  if (weight.getOffset() < 0 || weight.getBytes() < 0 || weight.getBytes() > int64_t(file->size()) ||
      weight.getOffset() > int64_t(file->size()) - weight.getBytes())
    return llvm::createStringError("weights file '" + weight.getFile() + "' has " +
                                   llvm::Twine(file->size()) + " bytes; a weight needs " +
                                   llvm::Twine(weight.getBytes()) + " at " + llvm::Twine(weight.getOffset()));
  llvm::ArrayRef<char> bytes = file->slice(weight.getOffset(), weight.getBytes());
  if (files[weight.getFile()]->checked.insert(weight).second && hash(bytes) != weight.getHash())
    return llvm::createStringError(
        "weights file '" + weight.getFile() + "' changed: the " + llvm::Twine(weight.getBytes()) +
        " bytes at " + llvm::Twine(weight.getOffset()) + " are not the ones this IR was made with");
  return bytes;
}

void WeightStore::release(WeightAttr weight) {
  if (weight.getBytes() < kLarge)
    return;
  auto bytes = read(weight);
  if (bytes)
    releasePages(*bytes);
  else
    llvm::consumeError(bytes.takeError());
}

static llvm::Expected<int> openScratch(llvm::StringRef directory) {
  llvm::SmallString<256> folder(directory);
  if (folder.empty())
    llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, folder);
  int fd = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0)
    return fd;
  // File systems without O_TMPFILE: make a file and unlink it at once.
  llvm::SmallString<256> file(folder);
  llvm::sys::path::append(file, "weft-XXXXXX");
  fd = mkstemp(const_cast<char *>(file.c_str()));
  if (fd < 0)
    return systemError("cannot make a temporary file in '" + folder + "'");
  unlink(file.c_str());
  return fd;
}

llvm::Expected<WeightAttr> WeightStore::make(mlir::MLIRContext *context, int64_t bytes,
                                             llvm::function_ref<void(llvm::MutableArrayRef<char>)> fill) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!scratch) {
    auto fd = openScratch(scratchDirectory);
    if (!fd)
      return fd.takeError();
    scratch = std::make_unique<Scratch>();
    scratch->fd = *fd;
  }
  int64_t size = std::max<int64_t>(llvm::alignTo(bytes, kPage), kPage);
  // posix_fallocate, so that a full disk is an error here and not a SIGBUS at the first write.
  if (int error = posix_fallocate(scratch->fd, scratch->end, size)) {
    errno = error;
    return systemError("cannot keep " + llvm::Twine(bytes) + " bytes of folded or packed weights");
  }
  void *data = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, scratch->fd, scratch->end);
  if (data == MAP_FAILED)
    return systemError("cannot map folded or packed weights");
  Scratch::Piece piece{scratch->end, static_cast<char *>(data), size_t(size)};
  fill({piece.data, size_t(bytes)});
  uint64_t hashed = hash({piece.data, size_t(bytes)});
  // What it was made of was read for the last time, as a rule.
  if (bytes >= kLarge) {
    releasePages({piece.data, piece.size});
    for (auto &file : files)
      releasePages({file.second->data, file.second->size});
  }
  scratch->pieces.push_back(piece);
  scratch->end += size;
  return WeightAttr::get(context, "", piece.offset, bytes, hashed);
}
