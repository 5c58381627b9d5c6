// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Index: GatherBlockQuantized of com.microsoft, rows of an embedding that is stored in few bits.
#include "frontend/Builder/Layers/Basics.h"
#include "frontend/Onnx/NodeImport.h"
#include "frontend/Onnx/OpTable.h"

using namespace mlir;
using namespace weft;
using weft::onnx::AttributeKind;
using weft::onnx::DiagnosticId;
using weft::onnx::NodeImport;
using weft::onnx::OpTable;

namespace {
class GatherBlockQuantized {
public:
  explicit GatherBlockQuantized(NodeImport &node) : node(node), graph(node.graph) {}

  /// Null after an error.
  Value build();

private:
  bool readAttributes();
  bool readTypes();
  bool requireDims(Value &value, int64_t perByte, StringRef what);
  Value unpack(Value bytes);
  Value spread(Value ofBlocks, Value values);

  NodeImport &node;
  GraphBuilder &graph;
  Value data, indices, scales, zeros; ///< zeros may be null
  int64_t rank = 0, gatherAxis = 0, quantizeAxis = 0, block = 0;
  int64_t bits = 8;       ///< that a number takes in memory: less than 8 lie in bytes side by side
  double defaultZero = 0; ///< where there are no zero points
};
} // namespace

bool GatherBlockQuantized::readAttributes() {
  data = node.input(0), indices = node.input(1), scales = node.input(2), zeros = node.input(3);
  std::optional<int64_t> known = node.requireRank(data, "its data");
  auto gathered = known ? node.axis(node.integer("gather_axis", 0), known) : std::nullopt;
  auto quantized = gathered ? node.axis(node.integer("quantize_axis", 1), known) : std::nullopt;
  if (!quantized)
    return false;
  rank = *known, gatherAxis = *gathered, quantizeAxis = *quantized;
  block = node.integer("block_size", 128);
  if (gatherAxis == quantizeAxis || block < 16 || block > (1 << 30) || !llvm::isPowerOf2_64(block)) {
    node.error(DiagnosticId::NodeAttributeRange,
               "expects a \"gather_axis\" other than \"quantize_axis\", and as \"block_size\" a power of 2 "
               "from 16 on, got " +
                   Twine(gatherAxis) + ", " + Twine(quantizeAxis) + " and " + Twine(block));
    return false;
  }
  return true;
}

/// Bytes hold numbers of "bits" bits along the last dim; int4 and uint4 are numbers already.
bool GatherBlockQuantized::readTypes() {
  Type element = getElementTypeOrSelf(data);
  int64_t given = node.integer("bits", 4);
  bool isNibble = element.isInteger(4) && given == 4, isByte = element.isUnsignedInteger(8) && given == 8;
  bool isPacked = element.isUnsignedInteger(8) && (given == 2 || given == 4) && gatherAxis == 0 &&
                  quantizeAxis == rank - 1;
  if (!isNibble && !isByte && !isPacked) {
    node.error(
        DiagnosticId::OperandType,
        "expects data of int4 or uint4 with \"bits\" of 4, or of uint8 with 8, or with 2 or 4 that are "
        "gathered along the first dim and quantized along the last, got " +
            describeType(data.getType()) + " with " + Twine(given));
    return false;
  }
  if (zeros && getElementTypeOrSelf(zeros) != element) {
    node.error(DiagnosticId::OperandType,
               "expects zero points of its data's type, got " + describeType(zeros.getType()));
    return false;
  }
  bits = isPacked ? given : 8;
  defaultZero = isNibble ? 0 : double(int64_t(1) << (given - 1));
  return node.hasFloats(scales);
}

/// That a value for blocks has data's dims, but as many as there are blocks along the quantized one.
bool GatherBlockQuantized::requireDims(Value &value, int64_t perByte, StringRef what) {
  if (!node.hasRank(value, rank, what))
    return false;
  for (int64_t dim = 0; dim < rank; ++dim) {
    std::optional<int64_t> size = NodeImport::knownSize(data, dim);
    if (dim != quantizeAxis && !node.requireDim(value, dim, data, dim, what))
      return false;
    if (dim == quantizeAxis && size &&
        !node.requireDim(value, dim, llvm::divideCeil(llvm::divideCeil(*size * (8 / bits), block), perByte),
                         what))
      return false;
  }
  return true;
}

/// Numbers that lie in bytes along the last dim, the first in the lowest bits.
Value GatherBlockQuantized::unpack(Value bytes) {
  if (bits == 8)
    return bytes;
  int64_t last = *NodeImport::rankOf(bytes) - 1;
  Type element = getElementTypeOrSelf(bytes);
  Value mask = node.scalar(element, double((1 << bits) - 1));
  SmallVector<Value> parts;
  for (int64_t shift = 0; shift < 8; shift += bits) {
    Value shifted = graph.divide(bytes, node.scalar(element, double(1 << shift)));
    parts.push_back(graph.unsqueeze(graph.add("weft.bit_and", {shifted, mask}), {last + 1}));
  }
  Value count = graph.multiply(graph.shape(bytes, last, last + 1), graph.vector({8 / bits}));
  return graph.reshape(graph.concat(parts, last + 1), graph.concat({graph.shape(bytes, 0, last), count}, 0),
                       /*allowZero=*/true);
}

/// What belongs to blocks of the quantized dim, for each of the values.
Value GatherBlockQuantized::spread(Value ofBlocks, Value values) {
  int64_t ofIndices = *NodeImport::rankOf(indices);
  int64_t axis = quantizeAxis < gatherAxis ? quantizeAxis : quantizeAxis - 1 + ofIndices;
  return graph.gather(ofBlocks, graph.divide(node.places(values, axis), graph.scalar(block)), axis);
}

Value GatherBlockQuantized::build() {
  if (!readAttributes() || !readTypes() || !node.requireRank(indices, "its indices") ||
      !node.hasIndices(indices, "indices") || !requireDims(scales, 1, "its scales") ||
      (zeros && !requireDims(zeros, 8 / bits, "its zero points")))
    return nullptr;
  auto take = [&](Value from) { return graph.gather(from, indices, gatherAxis); };
  Type wide = graph.f32();
  Value values = unpack(take(data)), zero = node.scalar(wide, defaultZero);
  if (zeros)
    zero = graph.cast(spread(unpack(take(zeros)), values), wide);
  Value scale = node.castTo(spread(take(scales), values), wide);
  Value result = graph.multiply(graph.subtract(graph.cast(values, wide), zero), scale);
  return node.castTo(result, getElementTypeOrSelf(scales));
}

static Value buildGatherBlockQuantized(NodeImport &node) { return GatherBlockQuantized(node).build(); }

void weft::onnx::addGatherBlockQuantized(OpTable &table) {
  table.add("com.microsoft.GatherBlockQuantized", {1}, {3, 4},
            {{"bits", AttributeKind::Int},
             {"block_size", AttributeKind::Int},
             {"gather_axis", AttributeKind::Int},
             {"quantize_axis", AttributeKind::Int}},
            buildGatherBlockQuantized);
}
