// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random weights, and a writer of .npz files for them.
#include "frontend/Builder/SeededWeights.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/EndianStream.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/xxhash.h"
#include <cmath>
#include <random>

using namespace mlir;
using namespace weft;

Value SeededWeights::get(GraphBuilder &graph, StringRef name, ArrayRef<int64_t> shape) {
  auto [found, isNew] = weights.try_emplace(StringAttr::get(graph.getContext(), name));
  Weight &weight = found->second;
  if (isNew) {
    std::mt19937_64 random(llvm::xxh3_64bits(name) ^ seed);
    int64_t count = ShapedType::getNumElements(shape);
    bool isMatrix = shape.size() > 1, isNormWeight = name.contains("norm") && name.ends_with("weight");
    float reach = isMatrix ? 1 / std::sqrt(float(count / std::max<int64_t>(shape[0], 1))) : 0.1f;
    for (int64_t i = 0; i < count; ++i) {
      float unit =
          float(int64_t(random() >> 40)) / float(int64_t(1) << 23) - 1; // of 24 bits: the same everywhere
      weight.values.push_back(unit * reach + (isNormWeight ? 1 : 0));
    }
    weight.shape.assign(shape.begin(), shape.end());
  }
  if (ArrayRef<int64_t>(weight.shape) != shape) {
    emitError(graph.getLocation()) << "weight \"" << name << "\" is asked for in two shapes";
    graph.fail();
    return nullptr;
  }
  if (weight.handle)
    return graph.constant(RankedTensorType::get(shape, graph.f32()), weight.handle);
  Value value = graph.constant(shape, ArrayRef<float>(weight.values));
  if (auto constant = value ? value.getDefiningOp<ConstantOp>() : ConstantOp())
    weight.handle = constant.getValue();
  return value;
}

//===----------------------------------------------------------------------===//
// .npz
//===----------------------------------------------------------------------===//

/// The .npy header of an array of f32; elements start at a multiple of 64 bytes.
static std::string makeHeader(ArrayRef<int64_t> shape) {
  std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
  for (int64_t dim : shape)
    text += std::to_string(dim) + ", ";
  text += "), }";
  constexpr size_t kBefore = 10; // magic, version, length
  text.resize(llvm::alignTo(kBefore + text.size() + 1, 64) - kBefore - 1, ' ');
  text += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += char(text.size() & 0xFF);
  header += char(text.size() >> 8);
  return header + text;
}

namespace {
struct ZipEntry {
  std::string name;
  uint32_t crc = 0;
  uint64_t bytes = 0, offset = 0;
};
} // namespace

/// What local headers and the directory share: versions, flags, method, time, the checksum, sizes, lengths.
/// Sizes are in a field of 64 bits behind the name.
static void writeCommon(llvm::support::endian::Writer &out, const ZipEntry &entry, uint16_t extraBytes) {
  out.write<uint16_t>(45); // the version that knows 64-bit sizes
  out.write<uint16_t>(1 << 11);
  out.write<uint16_t>(0);        // stored
  out.write<uint32_t>(0x210000); // 1980-01-01: the same bytes whenever it is written
  out.write<uint32_t>(entry.crc);
  out.write<uint32_t>(0xFFFFFFFF);
  out.write<uint32_t>(0xFFFFFFFF);
  out.write<uint16_t>(entry.name.size());
  out.write<uint16_t>(extraBytes);
}

static void writeLocal(llvm::support::endian::Writer &out, const ZipEntry &entry) {
  out.write<uint32_t>(0x04034b50);
  writeCommon(out, entry, 20);
  out.OS << entry.name;
  out.write<uint16_t>(1);
  out.write<uint16_t>(16);
  out.write<uint64_t>(entry.bytes);
  out.write<uint64_t>(entry.bytes);
}

static void writeCentral(llvm::support::endian::Writer &out, const ZipEntry &entry) {
  out.write<uint32_t>(0x02014b50);
  out.write<uint16_t>(45);
  writeCommon(out, entry, 28);
  out.write<uint16_t>(0); // comment
  out.write<uint16_t>(0); // disk
  out.write<uint16_t>(0); // attributes
  out.write<uint32_t>(0);
  out.write<uint32_t>(0xFFFFFFFF);
  out.OS << entry.name;
  out.write<uint16_t>(1);
  out.write<uint16_t>(24);
  out.write<uint64_t>(entry.bytes);
  out.write<uint64_t>(entry.bytes);
  out.write<uint64_t>(entry.offset);
}

static void writeEnd(llvm::support::endian::Writer &out, uint64_t count, uint64_t start, uint64_t end) {
  out.write<uint32_t>(0x06064b50);
  out.write<uint64_t>(44);
  out.write<uint16_t>(45);
  out.write<uint16_t>(45);
  out.write<uint32_t>(0);
  out.write<uint32_t>(0);
  for (uint64_t value : {count, count, end - start, start})
    out.write<uint64_t>(value);
  out.write<uint32_t>(0x07064b50);
  out.write<uint32_t>(0);
  out.write<uint64_t>(end);
  out.write<uint32_t>(1);
  out.write<uint32_t>(0x06054b50);
  out.write<uint32_t>(0);
  out.write<uint32_t>(0xFFFFFFFF);
  out.write<uint32_t>(0xFFFFFFFF);
  out.write<uint32_t>(0xFFFFFFFF);
  out.write<uint16_t>(0);
}

llvm::Error SeededWeights::save(StringRef path) const {
  std::error_code why;
  llvm::raw_fd_ostream file(path, why, llvm::sys::fs::OF_None);
  if (why)
    return llvm::createStringError("cannot write weights '" + path + "': " + why.message());
  llvm::support::endian::Writer out(file, llvm::endianness::little);
  SmallVector<ZipEntry> entries;
  for (const auto &[name, weight] : weights) {
    std::string header = makeHeader(weight.shape);
    ArrayRef<uint8_t> elements(reinterpret_cast<const uint8_t *>(weight.values.data()),
                               weight.values.size() * 4);
    ZipEntry entry{name.str() + ".npy", llvm::crc32(llvm::arrayRefFromStringRef(header)),
                   header.size() + elements.size(), file.tell()};
    entry.crc = llvm::crc32(entry.crc, elements);
    writeLocal(out, entry);
    file << header;
    file.write(reinterpret_cast<const char *>(elements.data()), elements.size());
    entries.push_back(std::move(entry));
  }
  uint64_t start = file.tell();
  for (const ZipEntry &entry : entries)
    writeCentral(out, entry);
  writeEnd(out, entries.size(), start, file.tell());
  file.close();
  if (file.has_error()) {
    std::string reason = file.error().message();
    file.clear_error();
    return llvm::createStringError("cannot write weights '" + path + "': " + reason);
  }
  return llvm::Error::success();
}
