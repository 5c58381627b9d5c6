// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// .npy, .npz and .pb files: round trips, the variants that NumPy and ONNX write, and hostile bytes.

#include "runtime/src/TensorFiles.h"
#include "ModelBuilder.h"
#include "runtime/src/Compact.h"
#include "runtime/src/Crc32.h"
#include "runtime/src/Elements.h"
#include "runtime/src/Error.h"
#include "runtime/src/Float16.h"
#include "runtime/src/Npy.h"
#include "runtime/src/Npz.h"
#include "runtime/src/OnnxTensor.h"
#include "runtime/src/Tensor.h"

#include <cmath>

using namespace weft::runtime;
using namespace weft::runtime::test;

namespace {

const WeftDType allTypes[] = {WEFT_DTYPE_BOOL, WEFT_DTYPE_I8,  WEFT_DTYPE_I16, WEFT_DTYPE_I32, WEFT_DTYPE_I64,
                              WEFT_DTYPE_U8,   WEFT_DTYPE_U16, WEFT_DTYPE_U32, WEFT_DTYPE_U64, WEFT_DTYPE_F16,
                              WEFT_DTYPE_BF16, WEFT_DTYPE_F32, WEFT_DTYPE_F64};

const WeftDType compactTypes[] = {WEFT_DTYPE_I4,         WEFT_DTYPE_U4,         WEFT_DTYPE_I2,
                                  WEFT_DTYPE_U2,         WEFT_DTYPE_F8E4M3FN,   WEFT_DTYPE_F8E5M2,
                                  WEFT_DTYPE_F8E4M3FNUZ, WEFT_DTYPE_F8E5M2FNUZ, WEFT_DTYPE_F8E8M0FNU,
                                  WEFT_DTYPE_F4E2M1FN};

TensorRef randomTensor(WeftDType dtype, std::vector<int64_t> shape) {
  TensorRef tensor = makeTensor(dtype, std::move(shape), Contents::Zeroed);
  fillRandom(tensor.get(), 7);
  return tensor;
}

std::string textOf(const TensorRef &tensor) {
  return typeText(tensor.get()) + " = " + previewText(tensor.get(), 100);
}

std::string le(uint64_t value, size_t bytes) {
  std::string text;
  for (size_t byte = 0; byte < bytes; ++byte)
    text += static_cast<char>(byte < 8 ? value >> 8 * byte & 0xFF : 0);
  return text;
}

std::string npy(const std::string &header, const std::string &data, char version = 1) {
  return std::string(npyMagic) + version + '\0' + le(header.size(), version == 1 ? 2 : 4) + header + data;
}

/// The decoded tensor as text, or the error.
template <typename Decode> std::string decoded(Decode decode) {
  try {
    return decode();
  } catch (const Error &error) {
    EXPECT_EQ(error.code, WEFT_STATUS_BAD_DATA) << error.message;
    return error.message;
  }
}
std::string decodedNpy(const std::string &bytes) {
  return decoded([&] { return textOf(decodeNpy(bytes, "f")); });
}
std::string decodedPb(const std::string &bytes) {
  return decoded([&] {
    NamedTensor named = decodeOnnxTensor(bytes, "f");
    return named.name + ": " + textOf(named.tensor);
  });
}
std::string decodedNpz(const std::string &bytes) {
  return decoded([&] {
    std::string text;
    for (const NamedTensor &named : decodeNpz(bytes, "f"))
      text += named.name + ": " + textOf(named.tensor) + "; ";
    return text;
  });
}

const std::string twoByThree = "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }          \n";
const std::string sixShorts = le(1, 2) + le(2, 2) + le(3, 2) + le(4, 2) + le(5, 2) + le(0xFFFF, 2);

TEST(Npy, EveryTypeAndRankComesBack) {
  TemporaryFolder folder;
  for (WeftDType dtype : allTypes)
    for (const std::vector<int64_t> &shape : {std::vector<int64_t>{}, {5}, {2, 3, 4}, {2, 0, 3}}) {
      TensorRef tensor = randomTensor(dtype, shape);
      ASSERT_OK(saveTensors(folder / "x.npy", {{"x", tensor}}));
      std::vector<NamedTensor> loaded;
      ASSERT_OK(loadTensors(folder / "x.npy", loaded));
      ASSERT_EQ(loaded.size(), 1u);
      EXPECT_EQ(loaded[0].name, "");
      EXPECT_EQ(textOf(loaded[0].tensor), textOf(tensor));
      EXPECT_EQ(npyHeader(tensor.get()).size() % 64, 0u);
    }
}

TEST(Npy, VersionsOrdersAndSpellings) {
  EXPECT_EQ(decodedNpy(npy(twoByThree, sixShorts)), "2 x 3 x i16 = 1 2 3 4 5 -1");
  EXPECT_EQ(decodedNpy(npy(twoByThree, sixShorts, 2)), "2 x 3 x i16 = 1 2 3 4 5 -1");
  EXPECT_EQ(decodedNpy(npy(twoByThree, sixShorts, 3)), "2 x 3 x i16 = 1 2 3 4 5 -1");
  EXPECT_EQ(decodedNpy(npy("{'shape': (3L, 2L), \"fortran_order\": True, 'descr': '<i2'}", sixShorts)),
            "3 x 2 x i16 = 1 4 2 5 3 -1");
  EXPECT_EQ(
      decodedNpy(npy("{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }", std::string("\0\1\7", 3))),
      "3 x bool = false true true");
  EXPECT_EQ(decodedNpy(npy("{'descr': '|V2', 'fortran_order': False, 'shape': (), }", le(0x3FC0, 2))),
            "bf16 = 1.5");
}

TEST(Npy, WhatIsRefused) {
  auto header = [](const std::string &text) { return decodedNpy(npy(text, "")); };
  EXPECT_EQ(header("{'descr': '<V1', 'fortran_order': False, 'shape': (0,), }"),
            "f: its elements are bytes ('<V1') of a type that the file does not say; save it as a "
            "TensorProto (.pb)");
  EXPECT_EQ(header("{'descr': '>f4', 'fortran_order': False, 'shape': (0,), }"),
            "f: its elements ('>f4') are big-endian; save it with x.astype('<f4')");
  EXPECT_EQ(header("{'descr': '<c8', 'fortran_order': False, 'shape': (0,), }"),
            "f: element type '<c8' is not supported");
  EXPECT_EQ(header("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (0,), }"),
            "f: holds records; only plain element types are supported");
  EXPECT_EQ(header("{'descr': '<f4', 'shape': (0,), }"), "f: its header lacks descr, fortran_order or shape");
  EXPECT_EQ(header("{'descr': '<f4', 'odd': 1}"), "f: its header has the unknown key 'odd'");
  EXPECT_EQ(header("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }"),
            "f: its header is malformed: expected a dimension at character 51");
  EXPECT_EQ(header("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }"),
            "f: its header is malformed: expected a dimension at character 51");
  EXPECT_EQ(header("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4), }"),
            "f: its shape overflows");
  EXPECT_EQ(header("{'descr': '<f4', 'fortran_order': True, 'shape': (4611686018427387904, "
                   "4611686018427387904, 0), }"),
            "4611686018427387904 x 4611686018427387904 x 0 x f32 = ");
  EXPECT_EQ(header("{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000,), }"),
            "f: its shape asks for 4000000000 bytes of elements, but it has 0");
  EXPECT_EQ(decodedNpy(npy(twoByThree, sixShorts + "x")),
            "f: its shape asks for 12 bytes of elements, but it has 13");
  EXPECT_EQ(decodedNpy(npy(twoByThree, sixShorts, 4)),
            "f: is a .npy file of version 4; 1 to 3 are supported");
}

TEST(Npy, EveryTruncationAndFlippedByteIsHandled) {
  std::string bytes = npy(twoByThree, sixShorts);
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_EQ(decodedNpy(bytes.substr(0, size)).rfind("f: ", 0), 0u) << size;
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] ^= static_cast<char>(1 << bit % 8);
    decodedNpy(damaged);
  }
}

/// A .npz as numpy.savez writes it where everything fits into 32 bits.
std::string smallNpz(uint16_t method = 0, uint16_t flags = 0, uint32_t sizeChange = 0) {
  std::string content = npy(twoByThree, sixShorts), name = "a.npy";
  std::string common = le(20, 2) + le(flags, 2) + le(method, 2) + le(0, 4) + le(crc32(content), 4) +
                       le(content.size() + sizeChange, 4) + le(content.size() + sizeChange, 4) +
                       le(name.size(), 2);
  std::string local = "PK\3\4" + common + le(0, 2) + name;
  std::string central =
      "PK\1\2" + le(20, 2) + common + le(0, 2) + le(0, 2) + le(0, 2) + le(0, 2) + le(0, 4) + le(0, 4) + name;
  std::string comment = "remark";
  return local + content + central + "PK\5\6" + le(0, 4) + le(1, 2) + le(1, 2) + le(central.size(), 4) +
         le(local.size() + content.size(), 4) + le(comment.size(), 2) + comment;
}

TEST(Npz, ManyEntriesComeBack) {
  TemporaryFolder folder;
  std::vector<NamedTensor> tensors;
  for (WeftDType dtype : allTypes)
    tensors.push_back({std::string("/layer.0/") + weft_dtype_name(dtype), randomTensor(dtype, {3, 2})});
  ASSERT_OK(saveTensors(folder / "x.npz", tensors));
  std::vector<NamedTensor> loaded;
  ASSERT_OK(loadTensors(folder / "x.npz", loaded));
  ASSERT_EQ(loaded.size(), tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i) {
    EXPECT_EQ(loaded[i].name, tensors[i].name);
    EXPECT_EQ(textOf(loaded[i].tensor), textOf(tensors[i].tensor));
  }
  ASSERT_OK(saveTensors(folder / "again.npz", loaded));
  EXPECT_EQ(readWholeFile(folder / "x.npz"), readWholeFile(folder / "again.npz"));
  ASSERT_OK(saveTensors(folder / "none.npz", {}));
  EXPECT_EQ(readWholeFile(folder / "none.npz").substr(0, 4), "PK\5\6"); // by which NumPy knows an empty one
  ASSERT_OK(loadTensors(folder / "none.npz", loaded));
  EXPECT_TRUE(loaded.empty());
}

TEST(Npz, SmallFilesOfOthers) {
  EXPECT_EQ(decodedNpz(smallNpz()), "a: 2 x 3 x i16 = 1 2 3 4 5 -1; ");
  EXPECT_EQ(decodedNpz(smallNpz(8)),
            "f: entry \"a.npy\" is compressed; save it with numpy.savez, not numpy.savez_compressed");
  EXPECT_EQ(decodedNpz(smallNpz(0, 1)), "f: entry \"a.npy\" is encrypted");
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "is cut short", decodedNpz(smallNpz(0, 0, 100000)));
  EXPECT_EQ(decodedNpz(smallNpz(0, 0, 1)), "f: entry \"a.npy\" is damaged: its checksum is wrong");
  std::string damaged = smallNpz();
  damaged[damaged.find(sixShorts)] ^= 1;
  EXPECT_EQ(decodedNpz(damaged), "f: entry \"a.npy\" is damaged: its checksum is wrong");
}

TEST(Npz, EveryTruncationAndFlippedByteIsHandled) {
  TemporaryFolder folder;
  ASSERT_OK(saveTensors(folder / "x.npz", {{"a", randomTensor(WEFT_DTYPE_F32, {2, 2})},
                                           {"b", randomTensor(WEFT_DTYPE_I8, {3})}}));
  for (const std::string &bytes : {readWholeFile(folder / "x.npz"), smallNpz()}) {
    for (size_t size = 0; size < bytes.size(); ++size)
      EXPECT_EQ(decodedNpz(bytes.substr(0, size)).rfind("f: ", 0), 0u) << size;
    for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
      std::string damaged = bytes;
      damaged[bit / 8] ^= static_cast<char>(1 << bit % 8);
      decodedNpz(damaged);
    }
  }
}

TEST(Npz, EntriesThatShareTheirBytesCannotFillTheMemory) {
  std::string content =
      npy("{'descr': '|u1', 'fortran_order': False, 'shape': (9000,), }", std::string(9000, 'x'));
  std::string local = "PK\3\4" + le(0, 22) + le(0, 4), central;
  for (char name = 'a'; name < 'e'; ++name)
    central += "PK\1\2" + le(0, 12) + le(crc32(content), 4) + le(content.size(), 4) + le(content.size(), 4) +
               le(1, 2) + le(0, 12) + le(0, 4) + name;
  std::string end = "PK\5\6" + le(0, 4) + le(4, 2) + le(4, 2) + le(central.size(), 4) +
                    le(local.size() + content.size(), 4) + le(0, 2);
  EXPECT_EQ(decodedNpz(local + content + central + end), "f: its entries overlap");
}

std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7)
    bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}
std::string number(int field, uint64_t value) { return varint(field << 3) + varint(value); }
std::string chunk(int field, const std::string &bytes) {
  return varint(field << 3 | 2) + varint(bytes.size()) + bytes;
}
std::string f32(float value) { return le(bitsOfFloat(value), 4); }

TEST(OnnxTensor, EveryTypeAndRankComesBack) {
  TemporaryFolder folder;
  for (WeftDType dtype : allTypes)
    for (const std::vector<int64_t> &shape : {std::vector<int64_t>{}, {5}, {300, 1}, {2, 0, 3}}) {
      TensorRef tensor = randomTensor(dtype, shape);
      ASSERT_OK(saveTensors(folder / "x.pb", {{"the name", tensor}}));
      std::vector<NamedTensor> loaded;
      ASSERT_OK(loadTensors(folder / "x.pb", loaded));
      ASSERT_EQ(loaded.size(), 1u);
      EXPECT_EQ(loaded[0].name, "the name");
      EXPECT_EQ(textOf(loaded[0].tensor), textOf(tensor));
    }
}

TEST(OnnxTensor, CompactTypesComeBackPacked) {
  TemporaryFolder folder;
  for (WeftDType dtype : compactTypes)
    for (const std::vector<int64_t> &shape : {std::vector<int64_t>{}, {5}, {301, 1}, {2, 0, 3}}) {
      TensorRef tensor = randomTensor(dtype, shape);
      ASSERT_OK(saveTensors(folder / "x.pb", {{"x", tensor}}));
      std::vector<NamedTensor> loaded;
      ASSERT_OK(loadTensors(folder / "x.pb", loaded));
      EXPECT_EQ(textOf(loaded[0].tensor), textOf(tensor));
    }
}

TEST(OnnxTensor, CompactTypesOfAFile) {
  std::string three = number(1, 3), five = number(1, 5);
  EXPECT_EQ(decodedPb(three + number(2, 22) + chunk(9, "\x8F\xF7")), ": 3 x i4 = -1 -8 7");
  EXPECT_EQ(decodedPb(three + number(2, 21) + chunk(5, varint(0x8F) + varint(7))), ": 3 x u4 = 15 8 7");
  EXPECT_EQ(decodedPb(three + number(2, 22) + chunk(5, varint(~uint64_t(0x70)) + varint(7))),
            ": 3 x i4 = -1 -8 7");
  EXPECT_EQ(decodedPb(five + number(2, 26) + chunk(9, "\x1B\x02")), ": 5 x i2 = -1 -2 1 0 -2");
  EXPECT_EQ(decodedPb(five + number(2, 25) + chunk(9, "\x1B\x02")), ": 5 x u2 = 3 2 1 0 2");
  EXPECT_EQ(decodedPb(three + number(2, 23) + chunk(9, "\x9F\x05")), ": 3 x f4e2m1fn = -6 -0.5 3");
  EXPECT_EQ(decodedPb(three + number(2, 17) + chunk(9, "\x38\xFE\x7F")), ": 3 x f8e4m3fn = 1 -448 nan");
  EXPECT_EQ(decodedPb(three + number(2, 18) + chunk(9, "\x40\xFF\x80")), ": 3 x f8e4m3fnuz = 1 -240 nan");
  EXPECT_EQ(decodedPb(three + number(2, 19) + chunk(9, "\x3C\xFC\x01")),
            ": 3 x f8e5m2 = 1 -inf 1.5258789e-05");
  EXPECT_EQ(decodedPb(three + number(2, 20) + chunk(9, "\x40\xFF\x80")), ": 3 x f8e5m2fnuz = 1 -57344 nan");
  EXPECT_EQ(decodedPb(three + number(2, 24) + chunk(9, "\x7F\x80\xFF")), ": 3 x f8e8m0fnu = 1 2 nan");
  EXPECT_EQ(decodedPb(five + number(2, 22) + chunk(9, "12")),
            "f: its dims ask for 3 bytes of i4, but it has 2");
  EXPECT_EQ(decodedPb(number(1, 1) + number(2, 22) + number(5, 256)), "f: value 256 does not fit into i4");
}

TEST(OnnxTensor, EveryWayToStoreElements) {
  std::string pair = number(1, 2);
  EXPECT_EQ(decodedPb(pair + number(2, 1) + chunk(8, "x") + chunk(9, f32(1.5) + f32(-2))),
            "x: 2 x f32 = 1.5 -2");
  EXPECT_EQ(decodedPb(chunk(1, varint(2) + varint(1)) + number(2, 1) + chunk(4, f32(1.5) + f32(-2))),
            ": 2 x 1 x f32 = 1.5 -2");
  EXPECT_EQ(decodedPb(pair + number(2, 1) + varint(4 << 3 | 5) + f32(1) + varint(4 << 3 | 5) + f32(2)),
            ": 2 x f32 = 1 2");
  EXPECT_EQ(decodedPb(pair + number(2, 11) + chunk(10, le(0x3FF8000000000000, 8) + le(0, 8))),
            ": 2 x f64 = 1.5 0");
  EXPECT_EQ(decodedPb(pair + number(2, 7) + chunk(7, varint(5) + varint(~uint64_t(0)))), ": 2 x i64 = 5 -1");
  EXPECT_EQ(decodedPb(pair + number(2, 6) + number(5, 5) + number(5, 0xFFFFFFFF)), ": 2 x i32 = 5 -1");
  EXPECT_EQ(decodedPb(pair + number(2, 3) + chunk(5, varint(5) + varint(~uint64_t(6)))), ": 2 x i8 = 5 -7");
  EXPECT_EQ(decodedPb(pair + number(2, 10) + chunk(5, varint(0x3C00) + varint(0xC000))), ": 2 x f16 = 1 -2");
  EXPECT_EQ(decodedPb(pair + number(2, 16) + chunk(5, varint(0x3F80) + varint(0xC000))), ": 2 x bf16 = 1 -2");
  EXPECT_EQ(decodedPb(pair + number(2, 9) + chunk(5, varint(0) + varint(2))), ": 2 x bool = false true");
  EXPECT_EQ(decodedPb(pair + number(2, 12) + chunk(11, varint(0xFFFFFFFF) + varint(1))),
            ": 2 x u32 = 4294967295 1");
  EXPECT_EQ(decodedPb(pair + number(2, 13) + chunk(11, varint(~uint64_t(0)) + varint(1))),
            ": 2 x u64 = 18446744073709551615 1");
  EXPECT_EQ(decodedPb(number(2, 7) + number(7, 9)), ": i64 = 9");
  EXPECT_EQ(decodedPb(number(1, 0) + number(2, 7)), ": 0 x i64 = ");
  EXPECT_EQ(decodedPb(number(2, 7) + number(7, 9) + chunk(12, "doc") + chunk(99, "new")), ": i64 = 9");
}

TEST(OnnxTensor, WhatIsRefused) {
  std::string floats = number(1, 2) + number(2, 1);
  EXPECT_EQ(decodedPb(number(1, 2)), "f: element type 0 of ONNX is not supported");
  EXPECT_EQ(decodedPb(number(2, 8)), "f: element type 8 of ONNX is not supported");
  EXPECT_EQ(decodedPb(floats), "f: its dims ask for 8 bytes of f32, but it has 0");
  EXPECT_EQ(decodedPb(floats + chunk(9, "12345")), "f: its dims ask for 8 bytes of f32, but it has 5");
  EXPECT_EQ(decodedPb(floats + chunk(7, "12")), "f: elements of f32 are in field 7, expected field 4");
  EXPECT_EQ(decodedPb(floats + chunk(4, f32(1)) + number(7, 1)), "f: has elements in two fields, 4 and 7");
  EXPECT_EQ(decodedPb(floats + chunk(4, f32(1)) + chunk(9, f32(1))),
            "f: has elements both in raw_data and in field 4");
  EXPECT_EQ(decodedPb(floats + chunk(13, "x")),
            "f: keeps its elements in another file, which is not supported here");
  EXPECT_EQ(decodedPb(floats + number(14, 1)),
            "f: keeps its elements in another file, which is not supported here");
  EXPECT_EQ(decodedPb(chunk(3, "")), "f: is one segment of a tensor, which is not supported");
  EXPECT_EQ(decodedPb(number(1, ~uint64_t(0)) + number(2, 1)), "f: its dims are negative or overflow");
  EXPECT_EQ(decodedPb(number(1, 1) + number(2, 2) + number(5, 256)), "f: value 256 does not fit into u8");
  EXPECT_EQ(decodedPb(number(1, 1) + number(2, 3) + number(5, 128)), "f: value 128 does not fit into i8");
  EXPECT_EQ(decodedPb(varint(2 << 3 | 3)), "f: is no TensorProto: wire type 3 at byte 1");
  EXPECT_EQ(decodedPb(std::string(11, '\xFF')), "f: is no TensorProto: a number at byte 10 is too long");
  EXPECT_EQ(decodedPb(varint(9 << 3 | 2) + varint(~uint64_t(0))),
            "f: is cut short: needs 18446744073709551615 bytes at byte 11, has 0");
}

TEST(OnnxTensor, EveryTruncationAndFlippedByteIsHandled) {
  std::string bytes = chunk(1, varint(2)) + number(2, 1) + chunk(8, "x") + chunk(4, f32(1) + f32(2));
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_EQ(decodedPb(bytes.substr(0, size)).rfind("f: ", 0), 0u) << size;
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] ^= static_cast<char>(1 << bit % 8);
    decodedPb(damaged);
  }
}

TEST(TensorFiles, PathsAndKinds) {
  TemporaryFolder folder;
  std::vector<NamedTensor> tensors;
  EXPECT_ERROR(loadTensors(folder / "none.npy", tensors), WEFT_STATUS_SYSTEM, "No such file or directory");
  EXPECT_ERROR(loadTensors(folder.path, tensors), WEFT_STATUS_SYSTEM, "Is a directory");
  writeWholeFile(folder / "text.npy", "hello");
  EXPECT_ERROR(loadTensors(folder / "text.npy", tensors), WEFT_STATUS_BAD_DATA, "is not a tensor file");
  writeWholeFile(folder / "x.pb", number(2, 7) + number(7, 9));
  EXPECT_OK(loadTensors(folder / "x.pb", tensors));

  std::vector<NamedTensor> two = {{"a", randomTensor(WEFT_DTYPE_F32, {2})},
                                  {"b", randomTensor(WEFT_DTYPE_F32, {2})}};
  EXPECT_ERROR(saveTensors(folder / "x.npy", two), WEFT_STATUS_BAD_ARGUMENT, "holds one tensor, not 2");
  EXPECT_ERROR(saveTensors(folder / "x.txt", two), WEFT_STATUS_BAD_ARGUMENT,
               "written to .npz, .npy or .pb files");
  EXPECT_ERROR(saveTensors(folder / "none/x.npz", two), WEFT_STATUS_SYSTEM, "No such file or directory");
  EXPECT_ERROR(saveTensors("/dev/full", two), WEFT_STATUS_SYSTEM,
               "/dev/full: cannot be written: No space left");
  ASSERT_EQ(mkdir((folder / "folder.npz").c_str(), 0700), 0);
  EXPECT_ERROR(saveTensors(folder / "folder.npz", two), WEFT_STATUS_SYSTEM, "Is a directory");
}

TEST(TensorFiles, ALinkAndItsTargetSurviveWriting) {
  TemporaryFolder folder;
  std::vector<NamedTensor> one = {{"a", randomTensor(WEFT_DTYPE_F32, {2})}}, loaded;
  writeWholeFile(folder / "target.npz", "old");
  ASSERT_EQ(chmod((folder / "target.npz").c_str(), 0640), 0);
  ASSERT_EQ(symlink("target.npz", (folder / "link.npz").c_str()), 0);
  ASSERT_OK(saveTensors(folder / "link.npz", one));
  struct stat info;
  ASSERT_EQ(lstat((folder / "link.npz").c_str(), &info), 0);
  EXPECT_TRUE(S_ISLNK(info.st_mode));
  ASSERT_EQ(stat((folder / "target.npz").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777u, 0640u);
  EXPECT_OK(loadTensors(folder / "target.npz", loaded));
}

TEST(Crc32, KnownValues) {
  EXPECT_EQ(crc32("123456789"), 0xCBF43926u);
  EXPECT_EQ(crc32("The quick brown fox jumps over the lazy dog"), 0x414FA339u);
  EXPECT_EQ(crc32("456789", crc32("123")), 0xCBF43926u);
}

TEST(Float16, EveryHalfComesBack) {
  for (uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
    auto half = static_cast<uint16_t>(bits);
    if (std::isnan(floatOfF16(half)))
      EXPECT_TRUE(std::isnan(floatOfF16(f16OfFloat(floatOfF16(half)))));
    else
      ASSERT_EQ(f16OfFloat(floatOfF16(half)), half);
    if (std::isnan(floatOfBf16(half)))
      EXPECT_TRUE(std::isnan(floatOfBf16(bf16OfFloat(floatOfBf16(half)))));
    else
      ASSERT_EQ(bf16OfFloat(floatOfBf16(half)), half);
  }
}

TEST(Float16, RoundsToNearestEven) {
  EXPECT_EQ(floatOfF16(0x3C01), 1.0f + 0x1p-10f);
  EXPECT_EQ(f16OfFloat(1.0f + 0x1p-11f), 0x3C00);
  EXPECT_EQ(f16OfFloat(1.0f + 0x3p-11f), 0x3C02);
  EXPECT_EQ(f16OfFloat(65519.0f), 0x7BFF);
  EXPECT_EQ(f16OfFloat(65520.0f), 0x7C00);
  EXPECT_EQ(f16OfFloat(-0x1p-24f), 0x8001);
  EXPECT_EQ(f16OfFloat(0x1p-25f), 0);
  EXPECT_EQ(f16OfFloat(0x1.8p-25f), 1);
  EXPECT_EQ(f16OfFloat(0x1.FFFp-15f), 0x0400);
  EXPECT_EQ(bf16OfFloat(1.0f + 0x1p-8f), 0x3F80);
  EXPECT_EQ(bf16OfFloat(1.0f + 0x3p-8f), 0x3F82);
}

TEST(Elements, TextReadsBack) {
  for (WeftDType dtype : allTypes) {
    TensorRef tensor = randomTensor(dtype, {64}), copy = makeTensor(dtype, {64}, Contents::Zeroed);
    for (int64_t i = 0; i < 64; ++i) {
      ASSERT_TRUE(parseElement(copy.get(), i, elementText(tensor.get(), i)));
      EXPECT_EQ(elementValue(copy.get(), i), elementValue(tensor.get(), i));
    }
  }
  TensorRef bytes = makeTensor(WEFT_DTYPE_U8, {1}, Contents::Zeroed);
  for (const char *wrong : {"256", "-1", "1.5", "", "1 ", "x"})
    EXPECT_FALSE(parseElement(bytes.get(), 0, wrong)) << wrong;
}

TEST(Elements, CompactTextReadsBack) {
  for (WeftDType dtype : compactTypes) {
    TensorRef tensor = makeTensor(dtype, {1}, Contents::Zeroed),
              copy = makeTensor(dtype, {1}, Contents::Zeroed);
    for (unsigned code = 0; code < 1u << compactBits(dtype); ++code) {
      *static_cast<uint8_t *>(weft_tensor_data(tensor.get())) =
          extendCompact(dtype, static_cast<uint8_t>(code));
      std::string text = elementText(tensor.get(), 0);
      if (text.find("inf") != std::string::npos)
        continue; // What is beyond the greatest is read as that.
      ASSERT_TRUE(parseElement(copy.get(), 0, text)) << text;
      if (text.find("nan") == std::string::npos) // NaN has no sign that matters.
        EXPECT_EQ(elementText(copy.get(), 0), text);
      else
        EXPECT_NE(elementText(copy.get(), 0).find("nan"), std::string::npos);
    }
  }
  auto read = [](WeftDType dtype, const char *text) {
    TensorRef tensor = makeTensor(dtype, {1}, Contents::Zeroed);
    return parseElement(tensor.get(), 0, text) ? elementText(tensor.get(), 0) : "no";
  };
  EXPECT_EQ(read(WEFT_DTYPE_I4, "8"), "no");
  EXPECT_EQ(read(WEFT_DTYPE_U4, "-1"), "no");
  EXPECT_EQ(read(WEFT_DTYPE_I2, "0.5"), "no");
  EXPECT_EQ(read(WEFT_DTYPE_F8E4M3FN, "1e9"), "448");
  EXPECT_EQ(read(WEFT_DTYPE_F8E5M2, "inf"), "57344");
  EXPECT_EQ(read(WEFT_DTYPE_F4E2M1FN, "-inf"), "-6");
  EXPECT_EQ(read(WEFT_DTYPE_F8E4M3FN, "1.0625"), "1");
  EXPECT_EQ(read(WEFT_DTYPE_F8E4M3FN, "1.1875"), "1.25");
  EXPECT_EQ(read(WEFT_DTYPE_F4E2M1FN, "-0.25"), "-0");
}

TEST(Elements, RandomStaysInRange) {
  for (WeftDType dtype : allTypes) {
    TensorRef tensor = randomTensor(dtype, {1000});
    double least = 2, most = -2;
    for (int64_t i = 0; i < 1000; ++i) {
      least = std::min(least, elementValue(tensor.get(), i));
      most = std::max(most, elementValue(tensor.get(), i));
    }
    EXPECT_GE(least, isFloat(dtype) ? -1 : 0);
    EXPECT_LT(most, isFloat(dtype) ? 1 : 2);
    EXPECT_GT(most - least, 0.9);
  }
}

} // namespace
