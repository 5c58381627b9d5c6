// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// .npy: a header that is a Python dict, then the elements.

#include "Npy.h"
#include "ByteReader.h"
#include "Tensor.h"

#include <charconv>
#include <optional>

namespace weft::runtime {

namespace {

struct Descriptor {
  const char *text;
  WeftDType dtype;
};
/// The first one of a type is what we write. NumPy has no bfloat16: as everywhere, it travels as two raw
/// bytes. So do types of eight bits and less, as one, which does not say which of them it is.
constexpr Descriptor descriptors[] = {
    {"|b1", WEFT_DTYPE_BOOL}, {"|i1", WEFT_DTYPE_I8},  {"|u1", WEFT_DTYPE_U8},   {"<i2", WEFT_DTYPE_I16},
    {"<i4", WEFT_DTYPE_I32},  {"<i8", WEFT_DTYPE_I64}, {"<u2", WEFT_DTYPE_U16},  {"<u4", WEFT_DTYPE_U32},
    {"<u8", WEFT_DTYPE_U64},  {"<f2", WEFT_DTYPE_F16}, {"<V2", WEFT_DTYPE_BF16}, {"|V2", WEFT_DTYPE_BF16},
    {"<f4", WEFT_DTYPE_F32},  {"<f8", WEFT_DTYPE_F64}, {"<i1", WEFT_DTYPE_I8},   {"<u1", WEFT_DTYPE_U8},
    {"<b1", WEFT_DTYPE_BOOL},
};

constexpr char oneRawByte[] = "<V1";

struct Header {
  std::string descriptor;
  bool fortranOrder;
  std::vector<int64_t> shape;
};

/// Parses {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), } with the keys in any order.
class HeaderParser {
public:
  HeaderParser(std::string_view text, const ByteReader &reader) : text(text), reader(reader) {}

  Header parse() {
    std::optional<std::string> descriptor;
    std::optional<bool> fortranOrder;
    std::optional<std::vector<int64_t>> shape;
    expect('{');
    while (!accept('}')) {
      std::string key = parseString();
      expect(':');
      if (key == "descr")
        descriptor = parseDescriptor();
      else if (key == "fortran_order")
        fortranOrder = parseBool();
      else if (key == "shape")
        shape = parseShape();
      else
        reader.fail("its header has the unknown key '", key, "'");
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skipSpace();
    if (at != text.size())
      reader.fail("its header goes on after '}'");
    if (!descriptor || !fortranOrder || !shape)
      reader.fail("its header lacks descr, fortran_order or shape");
    return {*descriptor, *fortranOrder, *shape};
  }

private:
  void skipSpace() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t'))
      ++at;
  }
  bool accept(char wanted) {
    skipSpace();
    if (at == text.size() || text[at] != wanted)
      return false;
    ++at;
    return true;
  }
  void expect(char wanted) {
    if (!accept(wanted))
      reader.fail("its header is malformed: expected '", std::string(1, wanted), "' at character ", at);
  }
  std::string parseString() {
    char quote = accept('"') ? '"' : (expect('\''), '\'');
    size_t end = text.find(quote, at);
    if (end == std::string_view::npos)
      reader.fail("its header has a string without an end");
    std::string string(text.substr(at, end - at));
    at = end + 1;
    return string;
  }
  std::string parseDescriptor() {
    skipSpace();
    if (at < text.size() && text[at] == '[')
      reader.fail("holds records; only plain element types are supported");
    return parseString();
  }
  bool parseBool() {
    skipSpace();
    for (std::string_view word : {"True", "False"})
      if (text.substr(at, word.size()) == word) {
        at += word.size();
        return word == "True";
      }
    reader.fail("its header is malformed: expected True or False at character ", at);
  }
  std::vector<int64_t> parseShape() {
    std::vector<int64_t> shape;
    expect('(');
    while (!accept(')')) {
      skipSpace();
      int64_t dim;
      auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), dim);
      if (error != std::errc() || dim < 0)
        reader.fail("its header is malformed: expected a dimension at character ", at);
      shape.push_back(dim);
      at = static_cast<size_t>(end - text.data());
      accept('L'); // Python 2 wrote long integers so.
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return shape;
  }

  std::string_view text;
  const ByteReader &reader;
  size_t at = 0;
};

WeftDType dtypeOf(const std::string &descriptor, const ByteReader &reader) {
  for (const Descriptor &known : descriptors)
    if (descriptor == known.text)
      return known.dtype;
  if (descriptor == oneRawByte || descriptor == "|V1" || descriptor == "<f1")
    reader.fail("its elements are bytes ('", descriptor,
                "') of a type that the file does not say; save it as a TensorProto (.pb)");
  if (!descriptor.empty() && descriptor[0] == '>')
    reader.fail("its elements ('", descriptor, "') are big-endian; save it with x.astype('<",
                descriptor.substr(1), "')");
  reader.fail("element type '", descriptor, "' is not supported");
}

/// Copies elements that were stored with the first dimension varying fastest.
void copyTransposed(const char *from, char *to, const std::vector<int64_t> &shape, size_t elementBytes,
                    int64_t count) {
  std::vector<int64_t> strides(shape.size(), 1), index(shape.size(), 0);
  for (size_t d = 1; d < shape.size(); ++d)
    strides[d] = strides[d - 1] * shape[d - 1];
  int64_t source = 0;
  for (int64_t i = 0; i < count; ++i, to += elementBytes) {
    std::memcpy(to, from + source * static_cast<int64_t>(elementBytes), elementBytes);
    for (size_t d = shape.size(); d-- > 0;) {
      source += strides[d];
      if (++index[d] < shape[d])
        break;
      source -= strides[d] * shape[d];
      index[d] = 0;
    }
  }
}

Header readHeader(ByteReader &reader) {
  if (reader.take(npyMagic.size()) != npyMagic)
    reader.fail("is not a .npy file");
  uint8_t major = reader.read<uint8_t>();
  reader.read<uint8_t>(); // The minor version has always been 0.
  if (major < 1 || major > 3)
    reader.fail("is a .npy file of version ", static_cast<int>(major), "; 1 to 3 are supported");
  uint64_t length = major == 1 ? reader.read<uint16_t>() : reader.read<uint32_t>();
  return HeaderParser(reader.take(length), reader).parse();
}

} // namespace

TensorRef decodeNpy(std::string_view bytes, const std::string &what) {
  ByteReader reader(bytes, what);
  Header header = readHeader(reader);
  WeftDType dtype = dtypeOf(header.descriptor, reader);
  std::optional<size_t> wanted = sizeInBytes(dtype, header.shape);
  if (!wanted)
    reader.fail("its shape overflows");
  if (*wanted != reader.remaining())
    reader.fail("its shape asks for ", *wanted, " bytes of elements, but it has ", reader.remaining());

  TensorRef tensor = makeTensor(dtype, header.shape, Contents::Uninitialized);
  char *data = static_cast<char *>(weft_tensor_data(tensor.get()));
  const char *elements = reader.take(*wanted).data();
  if (*wanted == 0)
    return tensor;
  if (header.fortranOrder)
    copyTransposed(elements, data, header.shape, weft_dtype_bytes(dtype), elementCount(tensor.get()));
  else
    std::memcpy(data, elements, *wanted);
  if (dtype == WEFT_DTYPE_BOOL)
    normalizeBools(tensor.get());
  return tensor;
}

std::string npyHeader(const WeftTensor *tensor) {
  const char *descriptor = oneRawByte;
  for (size_t i = std::size(descriptors); i-- > 0;) // Backwards: the first one stays.
    if (descriptors[i].dtype == weft_tensor_dtype(tensor))
      descriptor = descriptors[i].text;
  std::string dict = concat("{'descr': '", descriptor, "', 'fortran_order': False, 'shape': (");
  for (int64_t dim : shapeOf(tensor))
    dict += std::to_string(dim) + ", ";
  dict += "), }";

  // The elements start at a multiple of 64; a newline ends the header. Version 2 is for headers above 64 KiB.
  constexpr size_t alignment = 64;
  bool isLong = dict.size() + 2 * alignment > 0xFFFF;
  size_t prefix = npyMagic.size() + 2 + (isLong ? 4 : 2);
  dict.append(alignment - 1 - (prefix + dict.size()) % alignment, ' ');
  dict += '\n';
  std::string header(npyMagic);
  header += isLong ? '\2' : '\1';
  header += '\0';
  for (size_t byte = 0; byte < prefix - npyMagic.size() - 2; ++byte)
    header += static_cast<char>(dict.size() >> 8 * byte & 0xFF);
  return header + dict;
}

std::string_view tensorBytes(WeftTensor *tensor) {
  return {static_cast<const char *>(weft_tensor_data(tensor)), weft_tensor_bytes(tensor)};
}

void writeNpy(OutputFile &file, WeftTensor *tensor) {
  file.write(npyHeader(tensor));
  file.write(tensorBytes(tensor));
}

} // namespace weft::runtime
