// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checksum of ZIP files.

#ifndef WEFT_RUNTIME_CRC32_H
#define WEFT_RUNTIME_CRC32_H

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace weft::runtime {

namespace detail {

/// tables[k][b] is the remainder of byte b followed by k zero bytes.
constexpr std::array<std::array<uint32_t, 256>, 8> makeCrcTables() {
  std::array<std::array<uint32_t, 256>, 8> tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t remainder = byte;
    for (int bit = 0; bit < 8; ++bit)
      remainder = remainder >> 1 ^ (remainder & 1 ? 0xEDB88320u : 0);
    tables[0][byte] = remainder;
  }
  for (size_t k = 1; k < tables.size(); ++k)
    for (uint32_t byte = 0; byte < 256; ++byte)
      tables[k][byte] = tables[k - 1][byte] >> 8 ^ tables[0][tables[k - 1][byte] & 0xFF];
  return tables;
}
inline constexpr auto crcTables = makeCrcTables();

} // namespace detail

/// Continues `crc`, which is 0 at the start. Eight bytes at a time, as tensors are large.
inline uint32_t crc32(std::string_view bytes, uint32_t crc = 0) {
  const auto &tables = detail::crcTables;
  crc = ~crc;
  while (bytes.size() >= 8) {
    uint64_t word;
    std::memcpy(&word, bytes.data(), sizeof(word));
    word ^= crc;
    crc = 0;
    for (size_t byte = 0; byte < 8; ++byte)
      crc ^= tables[7 - byte][word >> 8 * byte & 0xFF];
    bytes.remove_prefix(8);
  }
  for (unsigned char byte : bytes)
    crc = crc >> 8 ^ tables[0][(crc ^ byte) & 0xFF];
  return ~crc;
}

} // namespace weft::runtime

#endif // WEFT_RUNTIME_CRC32_H
