// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who races with whom.

#include "SharedMemory.h"
#include "../Error.h"

#include <cstring>

namespace weft::runtime {

namespace {

constexpr size_t alignment = 1024;
constexpr uint32_t warpsOfGroup = 4;
constexpr uint16_t several = UINT16_MAX; ///< in place of a thread's, a warp's or a warpgroup's number
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
  for (Byte &byte : bytes)
    byte.readers = 0; // a block may have ended in between
  firstMeetings = meetings;
}

/// Whether all who touched a byte met the one who does now.
bool SharedMemory::isOrdered(const Touch &before, const Toucher &now) {
  if (before.blockMeetings != now.blockMeetings)
    return true;
  if (before.group != now.warp / warpsOfGroup)
    return false;
  if (before.groupMeetings != now.groupMeetings)
    return true;
  if (before.warp != now.warp)
    return false;
  return before.warpMeetings != now.warpMeetings || before.thread == now.thread;
}

SharedMemory::Touch SharedMemory::touchOf(const Toucher &by) {
  return {by.blockMeetings,
          by.groupMeetings,
          by.warpMeetings,
          static_cast<uint16_t>(by.warp / warpsOfGroup),
          static_cast<uint16_t>(by.warp),
          static_cast<uint16_t>(by.thread)};
}

void SharedMemory::noteRead(Touch &read, const Toucher &by) {
  Touch touch = touchOf(by);
  bool isOfBlock = read.blockMeetings == by.blockMeetings;
  if (isOfBlock && read.group != touch.group) {
    touch.group = several;
  } else if (isOfBlock && read.groupMeetings == touch.groupMeetings) {
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
    if (isWritten && byte.isOfTile && !hasSeen(byte.signal, by))
      return problem("a tile that it did not wait for: byte ", i - access.begin, " of a buffer");
    if (access.isWrite && byte.readers > 0)
      return problem("what is still to be read by a unit: byte ", i - access.begin, " of a buffer");
    if (isWritten && !byte.isOfTile && !isOrdered(byte.written, by))
      return problem("what thread ", byte.written.thread, " wrote and it did not wait for: byte ",
                     i - access.begin, " of a buffer");
    if (access.isWrite && byte.read.blockMeetings > firstMeetings && !isOrdered(byte.read, by))
      return problem("what other threads read and it did not wait for: byte ", i - access.begin,
                     " of a buffer");
    if (access.isWrite) {
      byte.written = touchOf(by);
      byte.isOfTile = false;
      byte.fences = by.fences;
    } else {
      noteRead(byte.read, by);
    }
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
    bytes[static_cast<size_t>(i)].written = touchOf(by);
}

bool SharedMemory::hasSeen(const TileSignal &signal, const Toucher &by) {
  return signal.barrier < by.seen->size() && (*by.seen)[signal.barrier] > signal.phase;
}

std::string SharedMemory::beginTile(const SharedAccess &access, const TileSignal &signal, const Toucher &by) {
  auto problem = [&](const auto &...parts) {
    return concat("thread ", by.thread, " begins a tile ", parts...);
  };
  if (access.offset < access.begin || access.offset > access.end - access.bytes)
    return problem("at byte ", access.offset - access.begin, " of a buffer of ", access.end - access.begin,
                   " bytes");
  if (access.offset % static_cast<int64_t>(alignment) != 0)
    return problem("at byte ", access.offset, ", which is no multiple of ", alignment);
  for (int64_t i = access.offset; i < access.offset + access.bytes; ++i) {
    Byte &byte = bytes[static_cast<size_t>(i)];
    bool isWritten = byte.written.blockMeetings > firstMeetings;
    if (isWritten && byte.written.isCopying)
      return problem("where another is on its way: byte ", i - access.begin, " of a buffer");
    if (byte.readers > 0)
      return problem("where a unit still reads: byte ", i - access.begin, " of a buffer");
    byte.written = touchOf(by);
    byte.written.isCopying = true;
    byte.read = {}; // who has seen the tile comes behind those who read what was there
    byte.isOfTile = true;
    byte.signal = signal;
  }
  return {};
}

void SharedMemory::endTile(const SharedAccess &access) {
  for (int64_t i = access.offset; i < access.offset + access.bytes; ++i)
    bytes[static_cast<size_t>(i)].written.isCopying = false;
}

std::string SharedMemory::beginRead(int64_t offset, int64_t count, const std::vector<Toucher> &readers,
                                    const std::vector<uint32_t> &fences) {
  const TileSignal *checked = nullptr;
  for (int64_t i = offset; i < offset + count; ++i) {
    Byte &byte = bytes[static_cast<size_t>(i)];
    auto problem = [&](const Toucher &by, const char *what) {
      return concat("a unit reads for thread ", by.thread, " ", what, ": byte ", i,
                    " of what the block shares");
    };
    if (byte.written.blockMeetings <= firstMeetings)
      return problem(readers.front(), "what nothing has written");
    if (byte.written.isCopying)
      return problem(readers.front(), "what a tile is still to bring");
    bool isChecked = byte.isOfTile && checked && checked->barrier == byte.signal.barrier &&
                     checked->phase == byte.signal.phase;
    for (const Toucher &reader : readers) {
      if (byte.isOfTile && !isChecked && !hasSeen(byte.signal, reader))
        return problem(reader, "a tile that it did not wait for");
      if (!byte.isOfTile && !isOrdered(byte.written, reader))
        return problem(reader, "what another thread wrote and it did not wait for");
    }
    if (byte.isOfTile)
      checked = &byte.signal;
    if (!byte.isOfTile && fences[byte.written.thread] <= byte.fences)
      return problem(readers.front(), "what a thread wrote without a fence");
    ++byte.readers;
  }
  return {};
}

void SharedMemory::endRead(int64_t offset, int64_t count) {
  for (int64_t i = offset; i < offset + count; ++i)
    --bytes[static_cast<size_t>(i)].readers;
}

void SharedMemory::endRead(int64_t offset, int64_t count, const Toucher &by) {
  endRead(offset, count);
  for (int64_t i = offset; i < offset + count; ++i)
    noteRead(bytes[static_cast<size_t>(i)].read, by);
}

} // namespace weft::runtime
