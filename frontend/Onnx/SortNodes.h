// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Brings nodes into an order in which each comes behind those that it reads.
#ifndef WEFT_FRONTEND_ONNX_SORTNODES_H
#define WEFT_FRONTEND_ONNX_SORTNODES_H

#include "frontend/Onnx/OnnxModel.h"

namespace weft::onnx {

/// Sorts the nodes of all graphs and functions. ONNX asks for it, but converters to f16 put casts at the end,
/// and ONNX Runtime takes that. Sorted nodes stay as they are. Of nodes that depend on each other one stays
/// before what it reads.
void sortNodes(Model &model);

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_SORTNODES_H
