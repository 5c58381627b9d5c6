// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the one protobuf message that we need, field by field.

#include "OnnxTensor.h"
#include "ByteReader.h"
#include "Compact.h"
#include "FileIO.h"
#include "Tensor.h"

#include <optional>

namespace weft::runtime {

namespace {

// The field numbers and element types of onnx.proto.
enum Field {
  FieldDims = 1,
  FieldDataType = 2,
  FieldSegment = 3,
  FieldFloatData = 4,
  FieldInt32Data = 5,
  FieldStringData = 6,
  FieldInt64Data = 7,
  FieldName = 8,
  FieldRawData = 9,
  FieldDoubleData = 10,
  FieldUint64Data = 11,
  FieldExternalData = 13,
  FieldDataLocation = 14
};
enum WireType { WireVarint = 0, WireFixed64 = 1, WireBytes = 2, WireFixed32 = 5 };

struct ElementType {
  uint64_t onnx;
  WeftDType dtype;
  Field dataField; ///< Where the elements are if not in raw_data.
};
constexpr ElementType elementTypes[] = {
    {1, WEFT_DTYPE_F32, FieldFloatData},         {2, WEFT_DTYPE_U8, FieldInt32Data},
    {3, WEFT_DTYPE_I8, FieldInt32Data},          {4, WEFT_DTYPE_U16, FieldInt32Data},
    {5, WEFT_DTYPE_I16, FieldInt32Data},         {6, WEFT_DTYPE_I32, FieldInt32Data},
    {7, WEFT_DTYPE_I64, FieldInt64Data},         {9, WEFT_DTYPE_BOOL, FieldInt32Data},
    {10, WEFT_DTYPE_F16, FieldInt32Data},        {11, WEFT_DTYPE_F64, FieldDoubleData},
    {12, WEFT_DTYPE_U32, FieldUint64Data},       {13, WEFT_DTYPE_U64, FieldUint64Data},
    {16, WEFT_DTYPE_BF16, FieldInt32Data},       {17, WEFT_DTYPE_F8E4M3FN, FieldInt32Data},
    {18, WEFT_DTYPE_F8E4M3FNUZ, FieldInt32Data}, {19, WEFT_DTYPE_F8E5M2, FieldInt32Data},
    {20, WEFT_DTYPE_F8E5M2FNUZ, FieldInt32Data}, {21, WEFT_DTYPE_U4, FieldInt32Data},
    {22, WEFT_DTYPE_I4, FieldInt32Data},         {23, WEFT_DTYPE_F4E2M1FN, FieldInt32Data},
    {24, WEFT_DTYPE_F8E8M0FNU, FieldInt32Data},  {25, WEFT_DTYPE_U2, FieldInt32Data},
    {26, WEFT_DTYPE_I2, FieldInt32Data},
};

struct TensorFields {
  std::vector<int64_t> dims;
  uint64_t dataType = 0;
  std::string name;
  std::optional<std::string_view> raw;
  std::optional<Field> dataField; ///< The field that `values` came from.
  std::vector<uint64_t> values;   ///< Bits; a 32-bit value in the lower half.
};

class TensorProtoReader {
public:
  TensorProtoReader(std::string_view bytes, const std::string &what) : reader(bytes, what), what(what) {}

  TensorFields read() {
    while (!reader.atEnd()) {
      uint64_t tag = readVarint(reader);
      readField(tag >> 3, static_cast<unsigned>(tag & 7));
    }
    return std::move(fields);
  }

private:
  static uint64_t readVarint(ByteReader &from) {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      uint64_t byte = from.read<uint8_t>();
      value |= (byte & 0x7F) << shift;
      if (byte < 0x80)
        return value;
    }
    from.fail("is no TensorProto: a number at byte ", from.position(), " is too long");
  }

  uint64_t readNumber(ByteReader &from, unsigned wire) {
    switch (wire) {
    case WireVarint:
      return readVarint(from);
    case WireFixed32:
      return from.read<uint32_t>();
    case WireFixed64:
      return from.read<uint64_t>();
    default:
      from.fail("is no TensorProto: wire type ", wire, " at byte ", from.position());
    }
  }

  std::string_view readBytes(unsigned wire) {
    if (wire != WireBytes)
      reader.fail("is no TensorProto: wire type ", wire, " at byte ", reader.position());
    return reader.take(readVarint(reader));
  }

  /// Repeated numbers come one by one, or many packed into one field.
  template <typename Number>
  void readRepeated(unsigned wire, unsigned elementWire, std::vector<Number> &numbers) {
    if (wire != WireBytes) {
      numbers.push_back(static_cast<Number>(readNumber(reader, wire)));
      return;
    }
    ByteReader packed(readBytes(wire), what);
    while (!packed.atEnd())
      numbers.push_back(static_cast<Number>(readNumber(packed, elementWire)));
  }

  void readValues(Field field, unsigned wire, unsigned elementWire) {
    if (fields.dataField && *fields.dataField != field)
      reader.fail("has elements in two fields, ", int(*fields.dataField), " and ", int(field));
    fields.dataField = field;
    readRepeated(wire, elementWire, fields.values);
  }

  void readField(uint64_t field, unsigned wire) {
    switch (field) {
    case FieldDims:
      return readRepeated(wire, WireVarint, fields.dims);
    case FieldDataType:
      fields.dataType = readNumber(reader, wire);
      return;
    case FieldFloatData:
      return readValues(FieldFloatData, wire, WireFixed32);
    case FieldDoubleData:
      return readValues(FieldDoubleData, wire, WireFixed64);
    case FieldInt32Data:
    case FieldInt64Data:
    case FieldUint64Data:
      return readValues(static_cast<Field>(field), wire, WireVarint);
    case FieldName:
      fields.name = readBytes(wire);
      return;
    case FieldRawData:
      fields.raw = readBytes(wire);
      return;
    case FieldDataLocation:
      if (readNumber(reader, wire) == 0)
        return;
      [[fallthrough]];
    case FieldExternalData:
      reader.fail("keeps its elements in another file, which is not supported here");
    case FieldSegment:
      reader.fail("is one segment of a tensor, which is not supported");
    default: // doc_string, metadata, and what later versions add.
      if (wire == WireBytes)
        readBytes(wire);
      else
        readNumber(reader, wire);
    }
  }

  ByteReader reader;
  const std::string &what;
  TensorFields fields;
};

const ElementType &elementTypeOf(const TensorFields &fields, const std::string &what) {
  for (const ElementType &type : elementTypes)
    if (type.onnx == fields.dataType)
      return type;
  raiseBadData(what, ": element type ", fields.dataType, " of ONNX is not supported");
}

/// Whether the low bytes of `value` say all of it: they extend to it, with the sign or with zeros.
bool fits(uint64_t value, WeftDType dtype) {
  size_t bits = 8 * weft_dtype_bytes(dtype);
  if (compactBits(dtype) > 0) // Bits, whichever sign the writer gave them.
    return static_cast<int64_t>(value) >= -128 && static_cast<int64_t>(value) < 256;
  if (bits == 64 || dtype == WEFT_DTYPE_F32)
    return true;
  int64_t asSigned = static_cast<int64_t>(value);
  if (isSignedInteger(dtype))
    return asSigned >= -(int64_t(1) << (bits - 1)) && asSigned < int64_t(1) << (bits - 1);
  return value < uint64_t(1) << bits;
}

/// Stores the values' low bytes one after the other.
void storeValues(const TensorFields &fields, WeftDType dtype, char *to, const std::string &what) {
  size_t bytes = weft_dtype_bytes(dtype);
  for (uint64_t value : fields.values) {
    if (fields.dataField == FieldInt32Data) // Protobuf keeps the low 32 bits of an int32.
      value = static_cast<uint64_t>(int64_t(static_cast<int32_t>(value)));
    if (!fits(value, dtype))
      raiseBadData(what, ": value ", static_cast<int64_t>(value), " does not fit into ",
                   weft_dtype_name(dtype));
    std::memcpy(to, &value, bytes);
    to += bytes;
  }
}

/// How many elements share a byte of a file.
size_t elementsPerByte(WeftDType dtype) { return compactBits(dtype) > 0 ? 8 / compactBits(dtype) : 1; }

/// The bytes of a file that `elements` elements take, the first in the lowest bits.
size_t packedBytes(WeftDType dtype, size_t elements) {
  size_t each = elementsPerByte(dtype);
  return elements * weft_dtype_bytes(dtype) / each + (elements % each != 0);
}

void unpack(WeftDType dtype, std::string_view packed, WeftTensor *tensor) {
  auto *to = static_cast<uint8_t *>(weft_tensor_data(tensor));
  size_t each = elementsPerByte(dtype), bits = compactBits(dtype);
  for (size_t i = 0; i < weft_tensor_bytes(tensor); ++i)
    to[i] = extendCompact(dtype,
                          static_cast<uint8_t>(static_cast<uint8_t>(packed[i / each]) >> bits * (i % each)));
}

std::string pack(WeftDType dtype, WeftTensor *tensor) {
  auto *from = static_cast<const uint8_t *>(weft_tensor_data(tensor));
  size_t each = elementsPerByte(dtype), bits = compactBits(dtype), count = weft_tensor_bytes(tensor);
  std::string packed(packedBytes(dtype, count), '\0');
  for (size_t i = 0; i < count; ++i)
    packed[i / each] |= static_cast<char>((from[i] & ((1u << bits) - 1)) << bits * (i % each));
  return packed;
}

} // namespace

NamedTensor decodeOnnxTensor(std::string_view bytes, const std::string &what) {
  TensorFields fields = TensorProtoReader(bytes, what).read();
  const ElementType &type = elementTypeOf(fields, what);
  std::optional<size_t> wanted = sizeInBytes(type.dtype, fields.dims);
  if (!wanted)
    raiseBadData(what, ": its dims are negative or overflow");
  if (fields.raw && fields.dataField)
    raiseBadData(what, ": has elements both in raw_data and in field ", int(*fields.dataField));
  if (fields.dataField && *fields.dataField != type.dataField)
    raiseBadData(what, ": elements of ", weft_dtype_name(type.dtype), " are in field ",
                 int(*fields.dataField), ", expected field ", int(type.dataField));
  size_t width = weft_dtype_bytes(type.dtype), packed = packedBytes(type.dtype, *wanted / width);
  std::string stored;
  if (!fields.raw) {
    stored.resize(fields.values.size() * width);
    storeValues(fields, type.dtype, stored.data(), what);
  }
  std::string_view data = fields.raw ? *fields.raw : std::string_view(stored);
  if (data.size() != packed)
    raiseBadData(what, ": its dims ask for ", packed, " bytes of ", weft_dtype_name(type.dtype),
                 ", but it has ", data.size());

  TensorRef tensor = makeTensor(type.dtype, fields.dims, Contents::Uninitialized);
  if (compactBits(type.dtype) > 0)
    unpack(type.dtype, data, tensor.get());
  else if (!data.empty())
    std::memcpy(weft_tensor_data(tensor.get()), data.data(), data.size());
  if (type.dtype == WEFT_DTYPE_BOOL)
    normalizeBools(tensor.get());
  return {std::move(fields.name), std::move(tensor)};
}

namespace {

void appendVarint(std::string &bytes, uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    bytes.push_back(static_cast<char>(value | 0x80));
  bytes.push_back(static_cast<char>(value));
}

void appendTag(std::string &bytes, Field field, WireType type) { appendVarint(bytes, field << 3 | type); }

} // namespace

void writeOnnxTensor(OutputFile &file, const NamedTensor &named) {
  WeftTensor *tensor = named.tensor.get();
  std::string head;
  for (size_t i = 0; i < weft_tensor_rank(tensor); ++i) {
    appendTag(head, FieldDims, WireVarint);
    appendVarint(head, weft_tensor_shape(tensor)[i]);
  }
  for (const ElementType &type : elementTypes)
    if (type.dtype == weft_tensor_dtype(tensor)) {
      appendTag(head, FieldDataType, WireVarint);
      appendVarint(head, type.onnx);
    }
  appendTag(head, FieldName, WireBytes);
  appendVarint(head, named.name.size());
  head += named.name;
  appendTag(head, FieldRawData, WireBytes);
  WeftDType dtype = weft_tensor_dtype(tensor);
  std::string packed = elementsPerByte(dtype) > 1 ? pack(dtype, tensor) : std::string();
  std::string_view data =
      elementsPerByte(dtype) > 1
          ? std::string_view(packed)
          : std::string_view(static_cast<const char *>(weft_tensor_data(tensor)), weft_tensor_bytes(tensor));
  appendVarint(head, data.size());
  file.write(head);
  file.write(data);
}

} // namespace weft::runtime
