// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrices of f32 whose numbers were f16 or bf16 before a file was made of them: 16 bits hold them, too.
#ifndef WEFT_COMPILER_GRAPH_SHORTFLOATS_H
#define WEFT_COMPILER_GRAPH_SHORTFLOATS_H

#include "compiler/Graph/MatrixWeights.h"

namespace weft::graph {

/// The bits of the f16 that equals a float; nothing if none does, or if it is a NaN.
std::optional<uint16_t> exactF16(float value);

/// bf16 or f16, if each element of a weight of f32, whose data starts at `source`, is a number of that type;
/// otherwise null.
mlir::Type findShortFloat(const MatrixWeight &weight, const char *source);

} // namespace weft::graph

#endif // WEFT_COMPILER_GRAPH_SHORTFLOATS_H
