// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors: a reference count, a shape and aligned memory.

#include "Tensor.h"
#include "BlockPool.h"
#include "Error.h"

#include <atomic>
#include <cstring>

struct WeftTensor {
  std::atomic<size_t> references{1};
  WeftDType dtype;
  std::vector<int64_t> shape;
  size_t bytes;
  weft::runtime::Block block;

  void *data() const { return block.data(); }
};

namespace weft::runtime {

namespace {

struct DTypeInfo {
  const char *name;
  size_t bytes;
};
/// In the order of WeftDType.
constexpr DTypeInfo dtypes[] = {
    {"bool", 1},       {"i8", 1},     {"i16", 2},        {"i32", 4},       {"i64", 8},     {"u8", 1},
    {"u16", 2},        {"u32", 4},    {"u64", 8},        {"f16", 2},       {"bf16", 2},    {"f32", 4},
    {"f64", 8},        {"i4", 1},     {"u4", 1},         {"i2", 1},        {"u2", 1},      {"f8e4m3fn", 1},
    {"f8e4m3fnuz", 1}, {"f8e5m2", 1}, {"f8e5m2fnuz", 1}, {"f8e8m0fnu", 1}, {"f4e2m1fn", 1}};

std::string shapeText(WeftDType dtype, const std::vector<int64_t> &shape) {
  std::string text;
  for (int64_t dim : shape)
    text += std::to_string(dim) + " x ";
  return text + weft_dtype_name(dtype);
}

} // namespace

std::optional<size_t> sizeInBytes(WeftDType dtype, const std::vector<int64_t> &shape) {
  int64_t bytes = static_cast<int64_t>(weft_dtype_bytes(dtype));
  bool overflows = false, isEmpty = false;
  for (int64_t dim : shape) {
    if (dim < 0)
      return std::nullopt;
    overflows |= __builtin_mul_overflow(bytes, dim, &bytes);
    isEmpty |= dim == 0;
  }
  if (isEmpty)
    return 0;
  return overflows ? std::nullopt : std::optional<size_t>(bytes);
}

bool isDType(uint64_t value) { return value < std::size(dtypes); }

bool isFloat(WeftDType dtype) {
  return (dtype >= WEFT_DTYPE_F16 && dtype <= WEFT_DTYPE_F64) || dtype >= WEFT_DTYPE_F8E4M3FN;
}

bool isSignedInteger(WeftDType dtype) { return dtype >= WEFT_DTYPE_I8 && dtype <= WEFT_DTYPE_I64; }

bool holdsSizes(WeftDType dtype) {
  return dtype == WEFT_DTYPE_BOOL || dtype == WEFT_DTYPE_I32 || dtype == WEFT_DTYPE_I64 ||
         (dtype >= WEFT_DTYPE_F16 && dtype <= WEFT_DTYPE_F64);
}

void normalizeBools(WeftTensor *tensor) {
  auto *bytes = static_cast<unsigned char *>(tensor->data());
  for (size_t i = 0; i < tensor->bytes; ++i)
    bytes[i] = bytes[i] != 0;
}

int64_t elementCount(const WeftTensor *tensor) {
  return static_cast<int64_t>(tensor->bytes / weft_dtype_bytes(tensor->dtype));
}

std::vector<int64_t> shapeOf(const WeftTensor *tensor) { return tensor->shape; }

std::string typeText(const WeftTensor *tensor) { return shapeText(tensor->dtype, tensor->shape); }

namespace {

size_t checkedSize(WeftDType dtype, const std::vector<int64_t> &shape) {
  if (!isDType(dtype))
    raiseBadArgument("element type ", static_cast<int>(dtype), " is not a WeftDType");
  std::optional<size_t> bytes = sizeInBytes(dtype, shape);
  if (!bytes)
    raiseBadArgument("a tensor of ", shapeText(dtype, shape),
                     " has a negative dimension or overflows its size");
  return *bytes;
}

TensorRef makeTensor(WeftDType dtype, std::vector<int64_t> shape, size_t bytes, Block block) {
  if (!block.data())
    raiseSystem("no memory for a tensor of ", shapeText(dtype, shape), " (", bytes, " bytes)");
  auto *tensor = new WeftTensor;
  tensor->dtype = dtype;
  tensor->shape = std::move(shape);
  tensor->bytes = bytes;
  tensor->block = std::move(block);
  return TensorRef(tensor);
}

} // namespace

TensorRef makeTensor(WeftDType dtype, std::vector<int64_t> shape, Contents contents) {
  size_t bytes = checkedSize(dtype, shape);
  TensorRef tensor = makeTensor(dtype, std::move(shape), bytes, Block(bytes));
  if (contents == Contents::Zeroed)
    std::memset(weft_tensor_data(tensor.get()), 0, bytes);
  return tensor;
}

TensorRef makeTensor(WeftDType dtype, std::vector<int64_t> shape, BlockPool &pool) {
  size_t bytes = checkedSize(dtype, shape);
  return makeTensor(dtype, std::move(shape), bytes, pool.take(bytes));
}

} // namespace weft::runtime

using namespace weft::runtime;

WeftStatus weft_tensor_create(WeftDType dtype, size_t rank, const int64_t *shape, WeftTensor **out_tensor) {
  return guarded([&] {
    if (!out_tensor || (rank > 0 && !shape))
      raiseBadArgument("weft_tensor_create: ", out_tensor ? "shape" : "out_tensor", " is NULL");
    *out_tensor = makeTensor(dtype, std::vector<int64_t>(shape, shape + rank), Contents::Zeroed).take();
  });
}

void weft_tensor_retain(WeftTensor *tensor) { tensor->references.fetch_add(1, std::memory_order_relaxed); }

void weft_tensor_release(WeftTensor *tensor) {
  if (tensor && tensor->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
    delete tensor;
}

WeftDType weft_tensor_dtype(const WeftTensor *tensor) { return tensor->dtype; }
size_t weft_tensor_rank(const WeftTensor *tensor) { return tensor->shape.size(); }
const int64_t *weft_tensor_shape(const WeftTensor *tensor) { return tensor->shape.data(); }
size_t weft_tensor_bytes(const WeftTensor *tensor) { return tensor->bytes; }
void *weft_tensor_data(WeftTensor *tensor) { return tensor->data(); }
const char *weft_dtype_name(WeftDType dtype) { return isDType(dtype) ? dtypes[dtype].name : "?"; }
size_t weft_dtype_bytes(WeftDType dtype) { return isDType(dtype) ? dtypes[dtype].bytes : 0; }
