// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The checks on tensors, and the packing of elements that the model spells out one by one.
#include "frontend/Onnx/TensorData.h"
#include "frontend/Onnx/RawDataLift.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace weft::onnx;
using llvm::Twine;
using ::onnx::TensorProto;

namespace {
/// The fields that can hold a tensor's data.
enum class Storage { Raw, External, Floats, Int32s, Strings, Int64s, Doubles, UInt64s };

class TensorDecoder {
public:
  TensorDecoder(TensorProto &proto, TensorSources &sources, PlaceFn place)
      : proto(proto), sources(sources), place(place) {}

  Tensor run();

private:
  bool decodeDims();
  bool findStorage(std::optional<Storage> &storage);
  bool decodeBytes(Storage storage);
  bool decodeExternal();
  bool packElements(Storage storage);
  bool packInt32s();
  bool checkSize(uint64_t size);
  bool checkBools();
  template <typename Stored, typename Values> void pack(const Values &values);
  bool error(DiagnosticId id, const Twine &text);

  TensorProto &proto;
  TensorSources &sources;
  PlaceFn place;
  Tensor tensor;
  uint64_t count = 0;     // Elements.
  uint64_t byteCount = 0; // That they take; 0 for strings.
};
} // namespace

static llvm::StringRef fieldName(Storage storage) {
  static constexpr llvm::StringRef names[] = {"raw_data",    "external_data", "float_data",  "int32_data",
                                              "string_data", "int64_data",    "double_data", "uint64_data"};
  return names[static_cast<size_t>(storage)];
}

/// The field for elements spelled out one by one.
static Storage typedStorage(ElementType type) {
  switch (type) {
  case ElementType::Float32:
  case ElementType::Complex64:
    return Storage::Floats;
  case ElementType::Float64:
  case ElementType::Complex128:
    return Storage::Doubles;
  case ElementType::Int64:
    return Storage::Int64s;
  case ElementType::UInt32:
  case ElementType::UInt64:
    return Storage::UInt64s;
  case ElementType::String:
    return Storage::Strings;
  default:
    return Storage::Int32s;
  }
}

bool TensorDecoder::error(DiagnosticId id, const Twine &text) {
  sources.diagnostics.error(id, place(), text);
  return false;
}

Tensor TensorDecoder::run() {
  tensor.name = std::move(*proto.mutable_name());
  tensor.elementType = decodeElementType(proto.data_type(), sources.diagnostics, place);
  std::optional<Storage> storage;
  bool good = tensor.elementType != ElementType::Undefined;
  good &= decodeDims();
  if (proto.has_segment())
    good = error(DiagnosticId::TensorForm, "expects a whole tensor, got a segment of one");
  if (good && findStorage(storage) && storage)
    decodeBytes(*storage);
  return std::move(tensor);
}

bool TensorDecoder::decodeDims() {
  tensor.dims.assign(proto.dims().begin(), proto.dims().end());
  // Sizes are computed as if no dim was zero: then the answer does not depend on the order of the dims, and
  // no product that anybody forms later can overflow either.
  uint64_t bits = std::max(elementBits(tensor.elementType), 1u);
  count = 1;
  for (int64_t dim : tensor.dims) {
    if (dim < 0)
      return error(DiagnosticId::DimNegative, "expects dimensions >= 0, got " + Twine(dim));
    bool overflow = false;
    bits = llvm::SaturatingMultiply(bits, std::max<uint64_t>(dim, 1), &overflow);
    if (overflow || bits > uint64_t(INT64_MAX))
      return error(DiagnosticId::DimOverflow,
                   "expects a size below 2^63 bits, got dimensions whose product is larger");
    count *= dim;
  }
  byteCount = (count * elementBits(tensor.elementType) + 7) / 8;
  return true;
}

/// Finds the one storage; none is fine for a tensor without elements.
bool TensorDecoder::findStorage(std::optional<Storage> &storage) {
  bool isExternal = proto.data_location() == TensorProto::EXTERNAL;
  if (!isExternal && proto.external_data_size() > 0)
    return error(DiagnosticId::StorageCount,
                 "expects data_location EXTERNAL with external_data, got DEFAULT");
  const std::pair<Storage, bool> found[] = {{Storage::Raw, proto.has_raw_data()},
                                            {Storage::External, isExternal},
                                            {Storage::Floats, proto.float_data_size() > 0},
                                            {Storage::Int32s, proto.int32_data_size() > 0},
                                            {Storage::Strings, proto.string_data_size() > 0},
                                            {Storage::Int64s, proto.int64_data_size() > 0},
                                            {Storage::Doubles, proto.double_data_size() > 0},
                                            {Storage::UInt64s, proto.uint64_data_size() > 0}};
  for (auto [candidate, present] : found) {
    if (!present)
      continue;
    if (storage)
      return error(DiagnosticId::StorageCount, "expects data in one field, got both " + fieldName(*storage) +
                                                   " and " + fieldName(candidate));
    storage = candidate;
  }
  if (!storage && count > 0)
    return error(DiagnosticId::StorageCount, "expects data for " + Twine(count) + " elements, got none");
  return true;
}

bool TensorDecoder::decodeBytes(Storage storage) {
  bool isString = tensor.elementType == ElementType::String;
  bool isTyped = storage != Storage::Raw && storage != Storage::External;
  if (isTyped ? storage != typedStorage(tensor.elementType) : isString)
    return error(DiagnosticId::StorageKind, "expects " + elementTypeName(tensor.elementType) + " data in " +
                                                fieldName(typedStorage(tensor.elementType)) +
                                                (isString ? "" : " or raw_data") + ", got " +
                                                fieldName(storage));
  if (isTyped)
    return packElements(storage);
  if (storage == Storage::External)
    return decodeExternal() && checkBools();
  RawDataSlice slice = RawDataSlice::decode(proto.raw_data());
  if (!checkSize(slice.size))
    return false;
  tensor.file = sources.modelFile;
  tensor.offset = slice.offset;
  tensor.size = slice.size;
  return checkBools();
}

bool TensorDecoder::decodeExternal() {
  llvm::SmallVector<std::pair<llvm::StringRef, llvm::StringRef>, 4> entries;
  for (const ::onnx::StringStringEntryProto &entry : proto.external_data())
    entries.push_back({entry.key(), entry.value()});
  std::optional<ExternalSlice> slice = sources.external.locate(entries, place, sources.diagnostics);
  if (!slice || !checkSize(slice->size))
    return false;
  tensor.file = std::move(slice->file);
  tensor.offset = slice->offset;
  tensor.size = slice->size;
  return true;
}

bool TensorDecoder::checkSize(uint64_t size) {
  if (size == byteCount)
    return true;
  return error(DiagnosticId::StorageSize, "expects " + Twine(byteCount) + " bytes for " + Twine(count) +
                                              " elements of " + elementTypeName(tensor.elementType) +
                                              ", got " + Twine(size));
}

/// Generated code loads a bool as a byte that is 0 or 1.
bool TensorDecoder::checkBools() {
  if (tensor.elementType != ElementType::Bool)
    return true;
  for (unsigned char byte : tensor.bytes())
    if (byte > 1)
      return error(DiagnosticId::StorageValue, "expects bool elements 0 or 1, got " + Twine(unsigned(byte)));
  return true;
}

template <typename Stored, typename Values> void TensorDecoder::pack(const Values &values) {
  tensor.owned.resize(values.size() * sizeof(Stored));
  char *out = tensor.owned.data();
  for (auto value : values) {
    llvm::support::endian::write<Stored>(out, static_cast<Stored>(value), llvm::endianness::little);
    out += sizeof(Stored);
  }
  tensor.size = tensor.owned.size();
}

bool TensorDecoder::packElements(Storage storage) {
  bool isComplex =
      tensor.elementType == ElementType::Complex64 || tensor.elementType == ElementType::Complex128;
  bool isSubByte = elementBits(tensor.elementType) < 8 && tensor.elementType != ElementType::String;
  uint64_t expected = isSubByte ? byteCount : isComplex ? 2 * count : count;
  uint64_t got = 0;
  switch (storage) {
  case Storage::Floats:
    got = proto.float_data_size();
    break;
  case Storage::Doubles:
    got = proto.double_data_size();
    break;
  case Storage::Int64s:
    got = proto.int64_data_size();
    break;
  case Storage::UInt64s:
    got = proto.uint64_data_size();
    break;
  case Storage::Strings:
    got = proto.string_data_size();
    break;
  default:
    got = proto.int32_data_size();
  }
  if (got != expected)
    return error(DiagnosticId::StorageSize, "expects " + Twine(expected) + " entries in " +
                                                fieldName(storage) + " for " + Twine(count) +
                                                " elements, got " + Twine(got));
  switch (storage) {
  case Storage::Floats:
    pack<float>(proto.float_data());
    return true;
  case Storage::Doubles:
    pack<double>(proto.double_data());
    return true;
  case Storage::Int64s:
    pack<int64_t>(proto.int64_data());
    return true;
  case Storage::Strings:
    return true;
  case Storage::UInt64s:
    if (tensor.elementType == ElementType::UInt64) {
      pack<uint64_t>(proto.uint64_data());
      return true;
    }
    for (uint64_t value : proto.uint64_data())
      if (value > UINT32_MAX)
        return error(DiagnosticId::StorageValue, "expects uint32 elements, got " + Twine(value));
    pack<uint32_t>(proto.uint64_data());
    return true;
  default:
    return packInt32s();
  }
}

/// The element types narrower than 32 bits share int32_data. Integers must be in their own range; bit
/// patterns (small floats, packed sub-byte elements) must fit their width, whichever sign the exporter gave
/// them.
bool TensorDecoder::packInt32s() {
  unsigned width = std::max(elementBits(tensor.elementType), 8u);
  int64_t most = (int64_t(1) << width) - 1, least = -(int64_t(1) << (width - 1));
  switch (tensor.elementType) {
  case ElementType::Bool:
    most = 1;
    least = 0;
    break;
  case ElementType::UInt8:
  case ElementType::UInt16:
    least = 0;
    break;
  case ElementType::Int8:
  case ElementType::Int16:
    most = -(least + 1);
    break;
  default:
    break;
  }
  for (int32_t value : proto.int32_data())
    if (value < least || value > most)
      return error(DiagnosticId::StorageValue, "expects " + elementTypeName(tensor.elementType) +
                                                   " elements between " + Twine(least) + " and " +
                                                   Twine(most) + ", got " + Twine(value));
  if (width == 8)
    pack<uint8_t>(proto.int32_data());
  else if (width == 16)
    pack<uint16_t>(proto.int32_data());
  else
    pack<int32_t>(proto.int32_data());
  return true;
}

Tensor weft::onnx::decodeTensor(TensorProto &proto, TensorSources &sources, PlaceFn place) {
  return TensorDecoder(proto, sources, place).run();
}

ElementType weft::onnx::decodeElementType(int32_t number, Diagnostics &diagnostics, PlaceFn place) {
  if (number > 0 && number <= static_cast<int32_t>(ElementType::Last))
    return static_cast<ElementType>(number);
  diagnostics.error(DiagnosticId::ElementTypeUnknown, place(),
                    "expects an element type between 1 and " + Twine(static_cast<int>(ElementType::Last)) +
                        ", got " + Twine(number));
  return ElementType::Undefined;
}
