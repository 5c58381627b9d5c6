// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The trailer's checks, mapping a file, and loading code from a memfd.

#include "Payload.h"
#include "Error.h"
#include "FileDescriptor.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

namespace weft::runtime {

namespace {

uint64_t fnv1a(std::string_view bytes, uint64_t hash) {
  for (unsigned char byte : bytes)
    hash = (hash ^ byte) * 0x100000001b3u;
  return hash;
}

uint64_t payloadChecksum(const Payload &payload) {
  return fnv1a(payload.metadata, fnv1a(payload.code, 0xcbf29ce484222325u));
}

WeftTrailer readTrailer(std::string_view bytes, const std::string &file) {
  WeftTrailer trailer;
  if (bytes.size() < sizeof(trailer))
    raiseBadData(file, ": is not a Weft model: too short (", bytes.size(), " bytes)");
  std::memcpy(&trailer, bytes.data() + bytes.size() - sizeof(trailer), sizeof(trailer));
  if (std::memcmp(trailer.magic, WEFT_PAYLOAD_MAGIC, sizeof(trailer.magic)) != 0)
    raiseBadData(file, ": is not a Weft model, or is cut short: it does not end in a Weft trailer");
  if (trailer.abi_version != WEFT_ABI_VERSION)
    raiseBadData(file, ": was compiled for runtime ABI ", trailer.abi_version, "; this runtime has ABI ",
                 WEFT_ABI_VERSION, "; compile the model again");
  return trailer;
}

/// The part of the payload from `offset`, or an error if it leaves [from, end).
std::string_view part(std::string_view payload, const char *what, uint64_t offset, uint64_t bytes,
                      uint64_t from, uint64_t end, const std::string &file) {
  if (offset < from || offset > end || bytes > end - offset)
    raiseBadData(file, ": its trailer is damaged: ", what, " (", bytes, " bytes at ", offset,
                 ") do not lie between byte ", from, " and byte ", end, " of the payload");
  return payload.substr(offset, bytes);
}

int makeMemoryFile() {
#ifdef MFD_EXEC
  int file = memfd_create("weft-code", MFD_CLOEXEC | MFD_EXEC);
  if (file >= 0 || errno != EINVAL) // Kernels before 6.3 do not know MFD_EXEC.
    return file;
#endif
  return memfd_create("weft-code", MFD_CLOEXEC);
}

} // namespace

Payload findPayload(std::string_view bytes, const std::string &file) {
  WeftTrailer trailer = readTrailer(bytes, file);
  if (trailer.reserved != 0)
    raiseBadData(file, ": its trailer is damaged: the reserved field is ", trailer.reserved);
  if (trailer.payload_bytes < sizeof(trailer) || trailer.payload_bytes > bytes.size())
    raiseBadData(file, ": its trailer is damaged: a payload of ", trailer.payload_bytes,
                 " bytes in a file of ", bytes.size());
  std::string_view all = bytes.substr(bytes.size() - trailer.payload_bytes);
  if (reinterpret_cast<uintptr_t>(all.data()) % WEFT_PAYLOAD_ALIGNMENT != 0)
    raiseBadData(file, ": its payload does not start at a multiple of ", WEFT_PAYLOAD_ALIGNMENT, " bytes");
  if (trailer.weights_offset % WEFT_PAYLOAD_ALIGNMENT != 0)
    raiseBadData(file, ": its weights start at byte ", trailer.weights_offset, ", not at a multiple of ",
                 WEFT_PAYLOAD_ALIGNMENT);

  Payload payload;
  uint64_t end = trailer.payload_bytes - sizeof(trailer);
  payload.metadata = part(all, "metadata", trailer.metadata_offset, trailer.metadata_bytes, 0, end, file);
  payload.code = part(all, "code", 0, trailer.code_bytes, 0, trailer.metadata_offset, file);
  if (trailer.weights_bytes > 0)
    payload.weights = part(all, "weights", trailer.weights_offset, trailer.weights_bytes, trailer.code_bytes,
                           trailer.metadata_offset, file);
  if (payloadChecksum(payload) != trailer.checksum)
    raiseBadData(file, ": is damaged: the checksum of its code and metadata is wrong");
  return payload;
}

MappedFile::MappedFile(const char *path, const std::string &name) {
  // O_NONBLOCK: a pipe must give an error, not wait for a writer.
  FileDescriptor file(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.isOpen())
    raiseSystem(name, ": cannot be opened: ", systemMessage(errno));
  struct stat info;
  if (fstat(file.get(), &info) != 0)
    raiseSystem(name, ": cannot be read: ", systemMessage(errno));
  if (S_ISDIR(info.st_mode))
    raiseSystem(name, ": cannot be read: ", systemMessage(EISDIR));
  if (!S_ISREG(info.st_mode))
    raiseSystem(name, ": cannot be mapped: not a regular file");
  size = static_cast<size_t>(info.st_size);
  if (size == 0)
    return;
  memory = mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
  if (memory == MAP_FAILED)
    raiseSystem(name, ": cannot be mapped: ", systemMessage(errno));
  madvise(memory, size, MADV_HUGEPAGE); // A hint to read the file in pieces of that size.
}

MappedFile::~MappedFile() {
  if (memory)
    munmap(memory, size);
}

LoadedCode::LoadedCode(std::string_view code, const std::string &name) {
  FileDescriptor memoryFile(makeMemoryFile());
  if (!memoryFile.isOpen())
    raiseSystem(name, ": no memory file for its code: ", systemMessage(errno));
  if (int error = memoryFile.writeAll(code))
    raiseSystem(name, ": no memory for its code: ", systemMessage(error));
  std::string path = concat("/proc/self/fd/", memoryFile.get());
  library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    raiseBadData(name, ": its code does not load: ", reason ? reason : "no reason given");
  }
  file = memoryFile.take();
}

LoadedCode::~LoadedCode() {
  dlclose(library);
  close(file);
}

void *LoadedCode::find(const std::string &symbol) const { return dlsym(library, symbol.c_str()); }

} // namespace weft::runtime
