// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Index: Gather.
#include "frontend/Onnx/NodeImport.h"
#include "frontend/Onnx/OpTable.h"

using namespace mlir;
using namespace weft;
using weft::onnx::AttributeKind;
using weft::onnx::NodeImport;
using weft::onnx::OpTable;

static Value buildGather(NodeImport &node) {
  std::optional<int64_t> axis = node.axis(node.integer("axis", 0), NodeImport::rankOf(node.input(0)));
  return axis ? node.graph.gather(node.input(0), node.input(1), *axis) : Value();
}

void weft::onnx::addIndexOps(OpTable &table) {
  table.add("Gather", {1, 11, 13}, 2, {{"axis", AttributeKind::Int}}, buildGather);
}
