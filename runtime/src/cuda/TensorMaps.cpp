// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the driver is told of a tensor.

#include "TensorMaps.h"

#include <algorithm>

namespace weft::runtime::cuda {

namespace {

// Values of the driver's enumerations (CUtensorMap...).
constexpr int elementsOf16Bits = 1, notInterleaved = 0, swizzleOf128Bytes = 3, cached256Bytes = 3,
              zeroOutside = 0;

void encodeMap(const WeftTensorMap &map, TensorMaps::Encoded &encoded) {
  uint64_t sizes[WEFT_TENSOR_MAP_DIMS], strides[WEFT_TENSOR_MAP_DIMS - 1];
  uint32_t box[WEFT_TENSOR_MAP_DIMS], steps[WEFT_TENSOR_MAP_DIMS];
  for (int64_t i = 0; i < map.rank; ++i) {
    sizes[i] = static_cast<uint64_t>(map.sizes[i]);
    box[i] = static_cast<uint32_t>(map.box[i]);
    steps[i] = 1;
    if (i + 1 < map.rank)
      strides[i] = static_cast<uint64_t>(map.strides[i]);
  }
  check(driver().cuTensorMapEncodeTiled(&encoded, elementsOf16Bits, static_cast<uint32_t>(map.rank),
                                        const_cast<void *>(map.address), sizes, strides, box, steps,
                                        notInterleaved, swizzleOf128Bytes, cached256Bytes, zeroOutside),
        "describing a tensor of a kernel");
}

} // namespace

const TensorMaps::Encoded &TensorMaps::encode(const WeftTensorMap &map) {
  if (next == entries.size())
    entries.emplace_back();
  Entry &entry = entries[next++];
  if (std::memcmp(&entry.map, &map, sizeof(map)) != 0) { // a new entry's address is null
    encodeMap(map, entry.encoded);
    entry.map = map;
  }
  return entry.encoded;
}

} // namespace weft::runtime::cuda
