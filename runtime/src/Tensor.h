// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors, as the runtime itself makes and describes them.

#ifndef WEFT_RUNTIME_TENSOR_H
#define WEFT_RUNTIME_TENSOR_H

#include "TensorRef.h"

#include <optional>
#include <vector>

namespace weft::runtime {

enum class Contents { Zeroed, Uninitialized };

/// Raises an Error if a dimension is negative, the size overflows or the memory is not there.
TensorRef makeTensor(WeftDType dtype, std::vector<int64_t> shape, Contents contents);
/// The same in memory of a pool, not initialized.
TensorRef makeTensor(WeftDType dtype, std::vector<int64_t> shape, class BlockPool &pool);

/// Bytes that a tensor takes; nothing if that overflows or a dimension is negative.
std::optional<size_t> sizeInBytes(WeftDType dtype, const std::vector<int64_t> &shape);

bool isDType(uint64_t value);
bool isFloat(WeftDType dtype);
bool isSignedInteger(WeftDType dtype);
/// Whether elements of that type may decide sizes: i32 and i64, and f32 and f64 where they are whole.
bool holdsSizes(WeftDType dtype);
/// Makes every byte of a bool tensor 0 or 1, as compiled code expects; in a file it may be anything.
void normalizeBools(WeftTensor *tensor);
int64_t elementCount(const WeftTensor *tensor);
std::vector<int64_t> shapeOf(const WeftTensor *tensor);
/// Such as "2 x 3 x f32".
std::string typeText(const WeftTensor *tensor);

} // namespace weft::runtime

#endif // WEFT_RUNTIME_TENSOR_H
