// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// .npz files: the part of ZIP that numpy.savez writes (stored entries, 64-bit sizes), and the headers of .npy
// files.
#include "frontend/Builder/NpzWeights.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace weft;

static constexpr uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50, kEnd64 = 0x06064b50,
                          kLocator64 = 0x07064b50;
static constexpr uint32_t kIn64 = 0xFFFFFFFF; ///< says that the value is in a 64-bit field elsewhere
static constexpr int64_t kLocalBytes = 30, kCentralBytes = 46, kEndBytes = 22, kEnd64Bytes = 56,
                         kLocator64Bytes = 20, kMostCommentBytes = 0xFFFF;

/// An integer at a place that lies within the bytes.
template <typename T> static T readAt(StringRef bytes, int64_t at) {
  return llvm::support::endian::read<T>(bytes.data() + at, llvm::endianness::little);
}

static bool holds(StringRef bytes, int64_t at, int64_t count) {
  int64_t size = bytes.size();
  return at >= 0 && count >= 0 && at <= size && count <= size - at;
}

llvm::Error NpzWeights::error(const Twine &message) const {
  return llvm::createStringError("weights '" + path + "' " + message);
}

llvm::Expected<std::unique_ptr<NpzWeights>> NpzWeights::open(StringRef path) {
  if (llvm::sys::fs::is_directory(path))
    return llvm::createStringError("weights '" + path + "' are a directory; expects a .npz file");
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file)
    return llvm::createStringError("cannot read weights '" + path + "': " + file.getError().message());
  // Not make_unique: the constructor is private.
  std::unique_ptr<NpzWeights> weights(new NpzWeights(path, std::move(*file)));
  if (llvm::Error failed = weights->readDirectory())
    return std::move(failed);
  return weights;
}

//===----------------------------------------------------------------------===//
// The archive
//===----------------------------------------------------------------------===//

/// The end record lies behind everything but a comment, whose length it knows. Less than 0 if there is none.
static int64_t findEnd(StringRef bytes) {
  for (int64_t back = kEndBytes; back <= std::min<int64_t>(bytes.size(), kEndBytes + kMostCommentBytes);
       ++back) {
    int64_t at = bytes.size() - back;
    if (readAt<uint32_t>(bytes, at) == kEnd && readAt<uint16_t>(bytes, at + 20) == back - kEndBytes)
      return at;
  }
  return -1;
}

llvm::Error NpzWeights::readDirectory() {
  StringRef bytes = file->getBuffer();
  int64_t end = findEnd(bytes);
  if (end < 0)
    return error("are no .npz file, or cut short: the ZIP directory is missing");
  uint64_t count = readAt<uint16_t>(bytes, end + 10), at = readAt<uint32_t>(bytes, end + 16);
  if (count == 0xFFFF || at == kIn64) {
    int64_t locator = end - kLocator64Bytes;
    if (!holds(bytes, locator, kLocator64Bytes) || readAt<uint32_t>(bytes, locator) != kLocator64)
      return error("have no ZIP64 directory where it should be");
    int64_t end64 = readAt<uint64_t>(bytes, locator + 8);
    if (!holds(bytes, end64, kEnd64Bytes) || readAt<uint32_t>(bytes, end64) != kEnd64)
      return error("have a damaged ZIP64 directory");
    count = readAt<uint64_t>(bytes, end64 + 32);
    at = readAt<uint64_t>(bytes, end64 + 48);
  }
  int64_t place = at;
  for (uint64_t i = 0; i < count; ++i)
    if (llvm::Error failed = readEntry(place))
      return failed;
  return llvm::Error::success();
}

namespace {
/// What the 64-bit field of a directory entry replaces.
struct Sizes {
  uint64_t bytes, stored, offset;
};
} // namespace

/// Reads the values that are `kIn64` from the entry's extra fields.
static void widen(Sizes &sizes, StringRef extra) {
  while (extra.size() >= 4) {
    uint16_t id = readAt<uint16_t>(extra, 0), size = readAt<uint16_t>(extra, 2);
    StringRef field = extra.drop_front(4).take_front(size);
    extra = extra.drop_front(4 + field.size());
    if (id != 1)
      continue;
    for (uint64_t *value : {&sizes.bytes, &sizes.stored, &sizes.offset})
      if (*value == kIn64 && field.size() >= 8) {
        *value = readAt<uint64_t>(field, 0);
        field = field.drop_front(8);
      }
  }
}

llvm::Error NpzWeights::readEntry(int64_t &at) {
  StringRef bytes = file->getBuffer();
  if (!holds(bytes, at, kCentralBytes) || readAt<uint32_t>(bytes, at) != kCentral)
    return error("have a damaged ZIP directory");
  uint16_t flags = readAt<uint16_t>(bytes, at + 8), method = readAt<uint16_t>(bytes, at + 10);
  int64_t nameBytes = readAt<uint16_t>(bytes, at + 28), extraBytes = readAt<uint16_t>(bytes, at + 30),
          commentBytes = readAt<uint16_t>(bytes, at + 32);
  if (!holds(bytes, at + kCentralBytes, nameBytes + extraBytes + commentBytes))
    return error("have a damaged ZIP directory");
  StringRef name = bytes.substr(at + kCentralBytes, nameBytes);
  Sizes sizes{readAt<uint32_t>(bytes, at + 24), readAt<uint32_t>(bytes, at + 20),
              readAt<uint32_t>(bytes, at + 42)};
  widen(sizes, bytes.substr(at + kCentralBytes + nameBytes, extraBytes));
  at += kCentralBytes + nameBytes + extraBytes + commentBytes;
  if (flags & 1)
    return error("are encrypted: \"" + name + "\"");
  if (method != 0)
    return error("are compressed: \"" + name + "\"; hint: numpy.savez writes them uncompressed");
  int64_t local = sizes.offset, size = sizes.bytes;
  if (sizes.stored != sizes.bytes || !holds(bytes, local, kLocalBytes) ||
      readAt<uint32_t>(bytes, local) != kLocal)
    return error("have a damaged entry \"" + name + "\"");
  int64_t start =
      local + kLocalBytes + readAt<uint16_t>(bytes, local + 26) + readAt<uint16_t>(bytes, local + 28);
  if (!holds(bytes, start, size))
    return error("are cut short in \"" + name + "\"");
  if (name.consume_back(".npy") && !entries.try_emplace(name, Entry{start, size}).second)
    return error("have two arrays \"" + name + "\"");
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

/// What follows a key of the header, which is a Python dict: `'descr': '<f4', ...`.
static StringRef findKey(StringRef header, StringRef key) {
  size_t at = header.find(("'" + key + "':").str());
  return at == StringRef::npos ? StringRef() : header.drop_front(at + key.size() + 3).ltrim();
}

static bool parseShape(StringRef text, SmallVectorImpl<int64_t> &shape) {
  if (!text.consume_front("("))
    return false;
  size_t end = text.find(')');
  SmallVector<StringRef> parts;
  text.take_front(end).split(parts, ',');
  for (StringRef part : parts) {
    int64_t dim;
    if (part.trim().empty())
      continue;
    if (part.trim().getAsInteger(10, dim) || dim < 0)
      return false;
    shape.push_back(dim);
  }
  return end != StringRef::npos;
}

llvm::Expected<NpzWeights::Array> NpzWeights::readArray(StringRef name) {
  auto found = entries.find(name);
  if (found == entries.end())
    return error("have no array \"" + name + "\"");
  auto [start, size] = found->second;
  StringRef bytes = file->getBuffer().substr(start, size);
  auto damaged = [&] { return error("have an array \"" + name + "\" that is no .npy file"); };
  if (!bytes.starts_with("\x93NUMPY") || bytes.size() < 12)
    return damaged();
  bool isLong = bytes[6] >= 2;
  int64_t headerStart = isLong ? 12 : 10;
  int64_t headerBytes = isLong ? readAt<uint32_t>(bytes, 8) : readAt<uint16_t>(bytes, 8);
  if (!holds(bytes, headerStart, headerBytes))
    return damaged();
  StringRef header = bytes.substr(headerStart, headerBytes);
  Array array{{}, {}, start + headerStart + headerBytes, size - headerStart - headerBytes};
  StringRef element = findKey(header, "descr");
  if (!element.consume_front("'") || !parseShape(findKey(header, "shape"), array.shape))
    return damaged();
  array.element = element.take_until([](char c) { return c == '\''; }).str();
  bool isRowMajor = findKey(header, "fortran_order").starts_with("False");
  if (!isRowMajor && llvm::count_if(array.shape, [](int64_t dim) { return dim != 1; }) > 1)
    return error("have an array \"" + name +
                 "\" in column-major order; hint: save numpy.ascontiguousarray of it");
  return array;
}

static Type getElementType(MLIRContext *context, StringRef name) {
  Builder builder(context);
  return llvm::StringSwitch<Type>(name)
      .Case("<f4", builder.getF32Type())
      .Case("<f2", builder.getF16Type())
      .Case("<f8", builder.getF64Type())
      .Case("<i8", builder.getI64Type())
      .Case("<i4", builder.getI32Type())
      .Case("|b1", builder.getI1Type())
      .Default(Type());
}

static std::string describe(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::interleaveComma(shape, stream << "[");
  stream << "]";
  return text;
}

Value NpzWeights::get(GraphBuilder &graph, StringRef name, ArrayRef<int64_t> shape) {
  auto refuse = [&](const Twine &message) -> Value {
    emitError(graph.getLocation()) << message;
    graph.fail();
    return nullptr;
  };
  llvm::Expected<Array> array = readArray(name);
  if (!array)
    return refuse(llvm::toString(array.takeError()));
  if (ArrayRef<int64_t>(array->shape) != shape)
    return refuse("weights '" + path + "': expects an array \"" + name + "\" of shape " + describe(shape) +
                  ", got " + describe(array->shape));
  Type element = getElementType(graph.getContext(), array->element);
  if (!element)
    return refuse("weights '" + path + "': expects an array \"" + name + "\" of f32, got NumPy's " +
                  array->element);
  auto type = RankedTensorType::get(shape, element);
  int64_t count = type.getNumElements(), width = getElementBytes(element);
  if (array->bytes != count * width)
    return refuse("weights '" + path + "': array \"" + name + "\" has " + Twine(array->bytes) +
                  " bytes, but " + Twine(count * width) + " by its shape");
  StringRef bytes = file->getBuffer().substr(array->offset, array->bytes);
  constexpr int64_t kMaxInlineElements = 64; // as makeConstant has it
  bool isSplat = bytes.drop_front(std::min<int64_t>(width, bytes.size())) ==
                 bytes.drop_back(std::min<int64_t>(width, bytes.size()));
  if (count > kMaxInlineElements && !isSplat) {
    uint64_t hash = WeightStore::hash(ArrayRef<char>(bytes.data(), bytes.size()));
    return graph.constant(type, WeightAttr::get(graph.getContext(), path, array->offset, array->bytes, hash));
  }
  FailureOr<Attribute> value = makeConstant(type, graph.getLocation(), [&](MutableArrayRef<char> into) {
    std::copy(bytes.begin(), bytes.end(), into.begin());
  });
  return failed(value) ? refuse("there is no room for a weight") : graph.constant(type, *value);
}
