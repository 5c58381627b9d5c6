// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of the ZIP format that .npz files need: stored entries, with 64-bit sizes.

#include "Npz.h"
#include "ByteReader.h"
#include "Crc32.h"
#include "Npy.h"

#include <algorithm>
#include <set>

namespace weft::runtime {

namespace {

constexpr uint32_t localSignature = 0x04034b50, centralSignature = 0x02014b50, endSignature = 0x06054b50;
constexpr uint32_t end64Signature = 0x06064b50, locator64Signature = 0x07064b50;
constexpr uint16_t extra64Id = 1, version64 = 45, utf8Flag = 1 << 11, encryptedFlag = 1;
/// Says that the value is in a 64-bit field elsewhere.
constexpr uint32_t in64 = 0xFFFFFFFF;
constexpr size_t endBytes = 22, locator64Bytes = 20, centralBytes = 46, mostCommentBytes = 0xFFFF;
constexpr std::string_view npySuffix = ".npy";

struct Entry {
  std::string name;
  uint16_t flags, method;
  uint32_t crc;
  uint64_t storedBytes, bytes, headerOffset;
};

struct Directory {
  uint64_t entries, offset;
};

/// The end record lies behind everything but a comment, whose length it knows.
size_t findEndRecord(std::string_view bytes, const ByteReader &reader) {
  for (size_t back = endBytes; back <= std::min(bytes.size(), endBytes + mostCommentBytes); ++back) {
    size_t at = bytes.size() - back;
    uint32_t signature;
    uint16_t commentBytes;
    std::memcpy(&signature, bytes.data() + at, sizeof(signature));
    std::memcpy(&commentBytes, bytes.data() + at + endBytes - sizeof(commentBytes), sizeof(commentBytes));
    if (signature == endSignature && commentBytes == back - endBytes)
      return at;
  }
  reader.fail("is cut short or no .npz file: the ZIP directory is missing");
}

Directory readDirectory64(ByteReader &reader, size_t endRecord) {
  if (endRecord < locator64Bytes)
    reader.fail("its ZIP64 directory is missing");
  reader.seek(endRecord - locator64Bytes);
  if (reader.read<uint32_t>() != locator64Signature)
    reader.fail("its ZIP64 directory is missing");
  reader.take(4); // The disk's number.
  reader.seek(reader.read<uint64_t>());
  if (reader.read<uint32_t>() != end64Signature)
    reader.fail("its ZIP64 directory is damaged");
  reader.take(8 + 2 + 2 + 4 + 4 + 8); // Size, versions, disks, entries on this disk.
  uint64_t entries = reader.read<uint64_t>();
  reader.take(8); // The directory's size.
  return {entries, reader.read<uint64_t>()};
}

Directory readDirectory(std::string_view bytes, ByteReader &reader) {
  size_t endRecord = findEndRecord(bytes, reader);
  reader.seek(endRecord + 10); // Signature, disks, entries on this disk.
  uint16_t entries = reader.read<uint16_t>();
  reader.take(4); // The directory's size.
  uint32_t offset = reader.read<uint32_t>();
  if (entries == 0xFFFF || offset == in64)
    return readDirectory64(reader, endRecord);
  return {entries, offset};
}

/// Sizes and offset that did not fit into 32 bits follow in this order, each only if its field says so.
void readExtra64(std::string_view extra, Entry &entry, const std::string &what) {
  ByteReader reader(extra, what + ": the extra field of entry \"" + entry.name + "\"");
  while (reader.remaining() >= 4) {
    uint16_t id = reader.read<uint16_t>();
    std::string_view body = reader.take(reader.read<uint16_t>());
    if (id != extra64Id)
      continue;
    ByteReader fields(body, what + ": the ZIP64 sizes of entry \"" + entry.name + "\"");
    for (uint64_t *field : {&entry.bytes, &entry.storedBytes, &entry.headerOffset})
      if (*field == in64)
        *field = fields.read<uint64_t>();
    return;
  }
}

Entry readEntry(ByteReader &reader, const std::string &what) {
  if (reader.read<uint32_t>() != centralSignature)
    reader.fail("its ZIP directory is damaged");
  Entry entry;
  reader.take(4); // Versions.
  entry.flags = reader.read<uint16_t>();
  entry.method = reader.read<uint16_t>();
  reader.take(4); // Time and date.
  entry.crc = reader.read<uint32_t>();
  entry.storedBytes = reader.read<uint32_t>();
  entry.bytes = reader.read<uint32_t>();
  uint16_t nameBytes = reader.read<uint16_t>();
  uint16_t extraBytes = reader.read<uint16_t>();
  uint16_t commentBytes = reader.read<uint16_t>();
  reader.take(2 + 2 + 4); // Disk, attributes.
  entry.headerOffset = reader.read<uint32_t>();
  entry.name = reader.take(nameBytes);
  readExtra64(reader.take(extraBytes), entry, what);
  reader.take(commentBytes);
  return entry;
}

std::string_view readContent(ByteReader reader, const Entry &entry) {
  if (entry.flags & encryptedFlag)
    reader.fail("entry \"", entry.name, "\" is encrypted");
  if (entry.method != 0 || entry.storedBytes != entry.bytes)
    reader.fail("entry \"", entry.name,
                "\" is compressed; save it with numpy.savez, not numpy.savez_compressed");
  reader.seek(entry.headerOffset);
  if (reader.read<uint32_t>() != localSignature)
    reader.fail("entry \"", entry.name, "\" is not where the ZIP directory says");
  reader.take(22); // What the directory has said already.
  uint16_t nameBytes = reader.read<uint16_t>();
  uint16_t extraBytes = reader.read<uint16_t>();
  reader.take(nameBytes + extraBytes);
  std::string_view content = reader.take(entry.bytes);
  if (crc32(content) != entry.crc)
    reader.fail("entry \"", entry.name, "\" is damaged: its checksum is wrong");
  return content;
}

/// Appends little-endian fields to a record.
class RecordWriter {
public:
  template <typename Number> RecordWriter &add(Number number) {
    record.append(reinterpret_cast<const char *>(&number), sizeof(number));
    return *this;
  }
  RecordWriter &add(const std::string &text) {
    record += text;
    return *this;
  }
  std::string record;
};

struct WrittenEntry {
  std::string name;
  uint32_t crc;
  uint64_t bytes, headerOffset;
};

/// What local header and directory share, from the needed version to the length of the extra field.
void addCommonFields(RecordWriter &writer, const WrittenEntry &entry, uint16_t extraBytes) {
  constexpr uint16_t stored = 0, midnight = 0,
                     firstOfJanuary1980 = 0x21; // No clock: the same bytes every time.
  writer.add(version64).add(utf8Flag).add(stored).add(midnight).add(firstOfJanuary1980).add(entry.crc);
  writer.add(in64).add(in64).add(static_cast<uint16_t>(entry.name.size())).add(extraBytes);
}

std::string localHeader(const WrittenEntry &entry) {
  RecordWriter writer;
  constexpr uint16_t bodyBytes = 16;
  writer.add(localSignature);
  addCommonFields(writer, entry, 4 + bodyBytes);
  writer.add(entry.name).add(extra64Id).add(bodyBytes).add(entry.bytes).add(entry.bytes);
  return std::move(writer.record);
}

std::string centralHeader(const WrittenEntry &entry) {
  RecordWriter writer;
  constexpr uint16_t bodyBytes = 24, noComment = 0, disk = 0, attributes = 0;
  constexpr uint32_t externalAttributes = 0;
  writer.add(centralSignature).add(version64);
  addCommonFields(writer, entry, 4 + bodyBytes);
  writer.add(noComment).add(disk).add(attributes).add(externalAttributes).add(in64).add(entry.name);
  writer.add(extra64Id).add(bodyBytes).add(entry.bytes).add(entry.bytes).add(entry.headerOffset);
  return std::move(writer.record);
}

std::string endRecords(uint64_t entries, uint64_t directoryOffset, uint64_t directoryBytes) {
  constexpr uint64_t bytesThatFollow = 44;
  constexpr uint32_t disk = 0, disks = 1;
  constexpr uint16_t noDisk = 0, manyEntries = 0xFFFF, noComment = 0;
  RecordWriter writer;
  if (entries == 0) { // NumPy takes a file that begins with a 64-bit record for none of its own.
    constexpr uint32_t nothing = 0;
    writer.add(endSignature)
        .add(noDisk)
        .add(noDisk)
        .add(uint16_t(0))
        .add(uint16_t(0))
        .add(nothing)
        .add(nothing);
    writer.add(noComment);
    return std::move(writer.record);
  }
  writer.add(end64Signature).add(bytesThatFollow).add(version64).add(version64).add(disk).add(disk);
  writer.add(entries).add(entries).add(directoryBytes).add(directoryOffset);
  writer.add(locator64Signature).add(disk).add(directoryOffset + directoryBytes).add(disks);
  writer.add(endSignature).add(noDisk).add(noDisk).add(manyEntries).add(manyEntries).add(in64).add(in64);
  writer.add(noComment);
  return std::move(writer.record);
}

} // namespace

std::vector<NamedTensor> decodeNpz(std::string_view bytes, const std::string &what) {
  ByteReader reader(bytes, what);
  Directory directory = readDirectory(bytes, reader);
  reader.seek(directory.offset);
  if (directory.entries > reader.remaining() / centralBytes)
    reader.fail("its ZIP directory is damaged: ", directory.entries, " entries do not fit into it");
  std::vector<NamedTensor> tensors;
  std::set<std::string> names;
  size_t contentBytes = 0;
  for (uint64_t i = 0; i < directory.entries; ++i) {
    Entry entry = readEntry(reader, what);
    std::string_view content = readContent(reader, entry);
    contentBytes += content.size();
    if (contentBytes > bytes.size()) // Else a small file could fill the memory.
      reader.fail("its entries overlap");
    std::string_view name = entry.name;
    if (name.size() > npySuffix.size() && name.substr(name.size() - npySuffix.size()) == npySuffix)
      name.remove_suffix(npySuffix.size());
    if (!names.insert(std::string(name)).second)
      reader.fail("holds two arrays named \"", name, "\"");
    tensors.push_back({std::string(name), decodeNpy(content, concat(what, ": array \"", name, "\""))});
  }
  return tensors;
}

// Every entry has ZIP64 fields, so that tensors of any size take the same way.
void writeNpz(OutputFile &file, const std::vector<NamedTensor> &tensors) {
  std::string directory;
  uint64_t offset = 0;
  for (const NamedTensor &named : tensors) {
    if (named.name.size() + npySuffix.size() > 0xFFFF)
      raiseBadData("the name of a tensor has ", named.name.size(), " bytes, too many for a .npz file");
    std::string header = npyHeader(named.tensor.get());
    std::string_view elements = tensorBytes(named.tensor.get());
    WrittenEntry entry{concat(named.name, npySuffix), crc32(elements, crc32(header)),
                       header.size() + elements.size(), offset};
    std::string local = localHeader(entry);
    for (std::string_view part : {std::string_view(local), std::string_view(header), elements})
      file.write(part);
    directory += centralHeader(entry);
    offset += local.size() + entry.bytes;
  }
  file.write(directory);
  file.write(endRecords(tensors.size(), offset, directory.size()));
}

} // namespace weft::runtime
