// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who races with whom.

#include "SharedMemory.h"
#include "../Error.h"

#include <cstring>

namespace weft::runtime {

namespace {

constexpr size_t alignment = 1024;
constexpr uint16_t several = UINT16_MAX; ///< in place of a thread's or a warp's number
/// As a float, and as a half of one, this is NaN; as a place it is outside of everything.
constexpr int poison = 0xFF;

} // namespace

void SharedMemory::begin(int64_t size, uint32_t meetings) {
  size_t wanted = static_cast<size_t>(size);
  if (wanted > capacity) {
    storage = std::make_unique<char[]>(wanted + alignment);
    auto address = reinterpret_cast<uintptr_t>(storage.get());
    memory = storage.get() + (alignment - address % alignment) % alignment;
    capacity = wanted;
  }
  if (bytes.size() < wanted)
    bytes.resize(wanted);
  if (wanted > 0)
    std::memset(memory, poison, wanted);
  firstMeetings = meetings;
}

/// Whether all who touched a byte met the one who does now.
bool SharedMemory::isOrdered(const Touch &before, const Toucher &now) {
  if (before.blockMeetings != now.blockMeetings)
    return true;
  if (before.warp != now.warp)
    return false;
  return before.warpMeetings != now.warpMeetings || before.thread == now.thread;
}

void SharedMemory::noteRead(Touch &read, const Toucher &by) {
  Touch touch{by.blockMeetings, by.warpMeetings, static_cast<uint16_t>(by.warp),
              static_cast<uint16_t>(by.thread)};
  if (read.blockMeetings == by.blockMeetings) {
    if (read.warp != touch.warp)
      touch.warp = several;
    else if (read.warpMeetings == touch.warpMeetings && read.thread != touch.thread)
      touch.thread = several;
  }
  read = touch;
}

std::string SharedMemory::touch(const SharedAccess &access, const Toucher &by) {
  const char *verb = access.isWrite ? "writes" : "reads";
  auto problem = [&](const auto &...parts) { return concat("thread ", by.thread, " ", verb, " ", parts...); };
  if (access.offset < access.begin || access.offset > access.end - access.bytes)
    return problem("byte ", access.offset - access.begin, " of a buffer of ", access.end - access.begin,
                   " bytes");
  if (access.offset % access.bytes != 0)
    return problem(access.bytes, " bytes at byte ", access.offset, ", which is no multiple of that");
  for (int64_t i = access.offset; i < access.offset + access.bytes; ++i) {
    Byte &byte = bytes[static_cast<size_t>(i)];
    bool isWritten = byte.written.blockMeetings > firstMeetings;
    if (!access.isWrite && !isWritten)
      return problem("byte ", i - access.begin, " of a buffer, which nothing has written");
    if (isWritten && byte.written.isCopying)
      return problem("what a copy of thread ", byte.written.thread, " is still to bring: byte ",
                     i - access.begin, " of a buffer");
    if (isWritten && !isOrdered(byte.written, by))
      return problem("what thread ", byte.written.thread, " wrote and it did not wait for: byte ",
                     i - access.begin, " of a buffer");
    if (access.isWrite && byte.read.blockMeetings > firstMeetings && !isOrdered(byte.read, by))
      return problem("what other threads read and it did not wait for: byte ", i - access.begin,
                     " of a buffer");
    if (access.isWrite)
      byte.written = {by.blockMeetings, by.warpMeetings, static_cast<uint16_t>(by.warp),
                      static_cast<uint16_t>(by.thread)};
    else
      noteRead(byte.read, by);
  }
  return {};
}

std::string SharedMemory::beginCopy(const SharedAccess &access, const Toucher &by) {
  std::string problem = touch(access, by);
  for (int64_t i = access.offset; problem.empty() && i < access.offset + access.bytes; ++i)
    bytes[static_cast<size_t>(i)].written.isCopying = true;
  return problem;
}

void SharedMemory::endCopy(const SharedAccess &access, const Toucher &by) {
  for (int64_t i = access.offset; i < access.offset + access.bytes; ++i)
    bytes[static_cast<size_t>(i)].written = {
        by.blockMeetings, by.warpMeetings, static_cast<uint16_t>(by.warp), static_cast<uint16_t>(by.thread)};
}

} // namespace weft::runtime
