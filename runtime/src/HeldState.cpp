// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Room for a state, and its entries in another order.

#include "HeldState.h"
#include "Error.h"
#include "Tensor.h"

namespace weft::runtime {

namespace {

/// strides[d]: how many bytes neighbours along dim d are apart, row-major.
std::vector<size_t> stridesOf(const std::vector<int64_t> &dims, size_t elementBytes) {
  std::vector<size_t> strides(dims.size(), elementBytes);
  for (size_t d = dims.size() - 1; d-- > 0;)
    strides[d] = strides[d + 1] * static_cast<size_t>(dims[d + 1]);
  return strides;
}

/// Copies the entries `rows` along `axis`; of the dim `positions` only what is there.
struct EntryCopy {
  const std::vector<int64_t> &dims; ///< of what is there
  size_t axis, positions;
  const std::vector<size_t> &rows;
  std::vector<size_t> fromStrides, toStrides;
  Executor &executor;

  void run(const char *from, char *to, size_t d = 0) const {
    if (d > axis && d >= positions) { // all of this lies side by side, in both
      size_t bytes = d == dims.size() ? fromStrides.back() : static_cast<size_t>(dims[d]) * fromStrides[d];
      executor.copy(to, from, bytes);
      return;
    }
    size_t count = d == axis ? rows.size() : static_cast<size_t>(dims[d]);
    for (size_t i = 0; i < count; ++i)
      run(from + (d == axis ? rows[i] : i) * fromStrides[d], to + i * toStrides[d], d + 1);
  }
};

} // namespace

std::vector<int64_t> HeldState::room(std::vector<int64_t> held) const {
  held[state.axis] = state.capacity;
  return held;
}

size_t HeldState::bytesFor(const std::vector<int64_t> &held) const {
  std::optional<size_t> bytes = sizeInBytes(state.type.dtype, room(held));
  if (!bytes)
    raiseBadData("state \"", state.type.name, "\": its size overflows for these inputs");
  return *bytes;
}

void *HeldState::reserve() { return data = memory->reserve(bytesFor(dims)); }

bool HeldState::isMovedBy(size_t axis, const std::vector<size_t> &rows) const {
  if (length() == 0)
    return false;
  for (size_t i = 0; i < rows.size(); ++i)
    if (rows[i] != i)
      return true;
  return rows.size() != static_cast<size_t>(dims[axis]);
}

void HeldState::select(size_t axis, const std::vector<size_t> &rows) {
  selectedDims = dims;
  selectedDims[axis] = static_cast<int64_t>(rows.size());
  if (!spare)
    spare = executor->makeMemory("a state");
  selected = spare->reserve(bytesFor(selectedDims));
  size_t bytes = weft_dtype_bytes(state.type.dtype);
  EntryCopy{
      dims,     axis, state.axis, rows, stridesOf(room(dims), bytes), stridesOf(room(selectedDims), bytes),
      *executor}
      .run(data, selected);
}

void *HeldState::takeSelected() {
  memory.swap(spare);
  dims = selectedDims;
  return data = selected;
}

} // namespace weft::runtime
