// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contraction: MatMul, Gemm and Conv.
#include "frontend/Onnx/NodeImport.h"
#include "frontend/Onnx/OpTable.h"

using namespace mlir;
using namespace weft;
using weft::onnx::AttributeKind;
using weft::onnx::DiagnosticId;
using weft::onnx::NodeImport;
using weft::onnx::OpTable;
using weft::onnx::OptionalInts;

//===----------------------------------------------------------------------===//
// Gemm
//===----------------------------------------------------------------------===//

/// `value` times an attribute of the node; `value` itself for 1.
static Value scaled(NodeImport &node, Value value, float factor) {
  if (!value || factor == 1)
    return value;
  return node.graph.multiply(value, node.scalar(getElementTypeOrSelf(value), factor));
}

/// Gemm's C may be broadcast to the product, never the other way.
static bool checkAddend(NodeImport &node, Value product, Value addend) {
  auto into = getDims(product), from = getDims(addend);
  if (!into || !from)
    return true;
  bool fits = from->size() <= into->size();
  for (size_t i = 0; fits && i < from->size(); ++i) {
    Dim have = (*from)[i], want = (*into)[into->size() - from->size() + i];
    fits = !have || !want || !have.getConstant() || !want.getConstant() || have == want ||
           have.getConstant() == 1;
  }
  if (!fits)
    node.error(DiagnosticId::OperandType, "expects a C that broadcasts to " +
                                              describeType(product.getType()) + ", got " +
                                              describeType(addend.getType()));
  return fits;
}

/// alpha * A' * B' + beta * C, where A' and B' are perhaps transposed.
static Value buildGemm(NodeImport &node) {
  Value operands[2];
  for (int i : {0, 1}) {
    operands[i] = node.input(i);
    std::optional<int64_t> rank = NodeImport::rankOf(operands[i]);
    if (rank && rank != 2)
      return node.error(DiagnosticId::OperandType, "expects matrices, got " +
                                                       describeType(operands[i].getType()) + " as input " +
                                                       Twine(i));
    if (node.integer(i == 0 ? "transA" : "transB", 0))
      operands[i] = node.graph.transpose(operands[i], {1, 0});
  }
  Value result = scaled(node, node.graph.matmul(operands[0], operands[1]), node.number("alpha", 1));
  float beta = node.number("beta", 1);
  if (!result || !node.input(2) || beta == 0) // As in BLAS, a C that counts zero times is not read.
    return result;
  if (!checkAddend(node, result, node.input(2)))
    return nullptr;
  return node.graph.addition(result, scaled(node, node.input(2), beta));
}

//===----------------------------------------------------------------------===//
// Conv
//===----------------------------------------------------------------------===//

namespace {
/// How the window of a convolution moves, an entry per spatial dim.
struct Window {
  SmallVector<int64_t> strides, dilations;
};
} // namespace

/// The pads of auto_pad SAME_UPPER and SAME_LOWER: as many results as inputs, divided by the stride and
/// rounded up; where the padding is odd, the end or the begin gets the larger half.
static OptionalInts padsForSame(NodeImport &node, const Window &window, bool isUpper) {
  auto input = getDims(node.input(0)), filter = getDims(node.input(1));
  size_t spatial = window.strides.size();
  SmallVector<int64_t> pads(2 * spatial);
  for (size_t i = 0; i < spatial; ++i) {
    std::optional<int64_t> kernel = filter ? (*filter)[i + 2].getConstant() : std::nullopt;
    std::optional<int64_t> size = input ? (*input)[i + 2].getConstant() : std::nullopt;
    int64_t stride = window.strides[i];
    // With stride 1 the padding does not depend on the size.
    if (!kernel || (!size && stride != 1) || stride <= 0) {
      node.error(DiagnosticId::RankUnknown,
                 "expects known sizes for auto_pad with strides; export with explicit pads");
      return std::nullopt;
    }
    int64_t reach = (*kernel - 1) * window.dilations[i] + 1;
    int64_t steps = size ? (*size + stride - 1) / stride : 0;
    int64_t total = stride == 1 ? reach - 1 : std::max<int64_t>((steps - 1) * stride + reach - *size, 0);
    int64_t smaller = total / 2;
    pads[i] = isUpper ? smaller : total - smaller;
    pads[i + spatial] = total - pads[i];
  }
  return pads;
}

static OptionalInts padsOf(NodeImport &node, const Window &window) {
  StringRef mode = node.text("auto_pad", "NOTSET");
  SmallVector<int64_t> none(2 * window.strides.size(), 0);
  if (mode == "NOTSET")
    return node.integers("pads").value_or(none);
  if (mode == "VALID")
    return none;
  if (mode == "SAME_UPPER" || mode == "SAME_LOWER")
    return padsForSame(node, window, mode == "SAME_UPPER");
  node.error(DiagnosticId::NodeAttributeRange,
             "expects \"auto_pad\" to be NOTSET, VALID, SAME_UPPER or SAME_LOWER, got " + onnx::quoted(mode));
  return std::nullopt;
}

/// Whether the attribute kernel_shape, which only repeats the filter's shape, agrees with it.
static bool checkKernelShape(NodeImport &node, size_t spatial) {
  OptionalInts declared = node.integers("kernel_shape");
  auto filter = getDims(node.input(1));
  if (!declared)
    return true;
  bool fits = declared->size() == spatial;
  for (size_t i = 0; fits && filter && i < spatial; ++i)
    fits = (*filter)[i + 2].getConstant().value_or((*declared)[i]) == (*declared)[i];
  if (!fits)
    node.error(DiagnosticId::NodeAttributeRange,
               "expects \"kernel_shape\" to be that of the filter, " + describeType(node.input(1).getType()));
  return fits;
}

static Value buildConv(NodeImport &node) {
  std::optional<int64_t> rank = NodeImport::rankOf(node.input(1));
  if (!rank)
    rank = node.requireRank(node.input(0), "its input or its filter");
  if (!rank)
    return nullptr;
  if (*rank < 3 || NodeImport::rankOf(node.input(0)).value_or(*rank) != *rank)
    return node.error(DiagnosticId::OperandType,
                      "expects an input and a filter of one rank, at least 3, got " +
                          describeType(node.input(0).getType()) + " and " +
                          describeType(node.input(1).getType()));
  size_t spatial = *rank - 2;
  SmallVector<int64_t> ones(spatial, 1);
  Window window{node.integers("strides").value_or(ones), node.integers("dilations").value_or(ones)};
  if (window.strides.size() != spatial || window.dilations.size() != spatial)
    return node.error(DiagnosticId::NodeAttributeRange,
                      "expects " + Twine(spatial) + " strides and dilations, got " +
                          Twine(window.strides.size()) + " and " + Twine(window.dilations.size()));
  OptionalInts pads = padsOf(node, window);
  if (!pads || !checkKernelShape(node, spatial))
    return nullptr;
  return node.graph.conv(node.input(0), node.input(1), node.input(2), window.strides, *pads, window.dilations,
                         node.integer("group", 1));
}

void weft::onnx::addContractionOps(OpTable &table) {
  table.add("MatMul", {1, 9, 13}, 2, {},
            [](NodeImport &node) { return node.graph.matmul(node.input(0), node.input(1)); });
  const AttributeRow gemm[] = {{"alpha", AttributeKind::Float},
                               {"beta", AttributeKind::Float},
                               {"transA", AttributeKind::Int},
                               {"transB", AttributeKind::Int}};
  table.add("Gemm", {7, 9}, 3, gemm, buildGemm);
  table.add("Gemm", {11, 13}, {2, 3}, gemm, buildGemm);
  table.add("Conv", {1, 11, 22}, {2, 3},
            {{"auto_pad", AttributeKind::String},
             {"dilations", AttributeKind::Ints},
             {"group", AttributeKind::Int},
             {"kernel_shape", AttributeKind::Ints},
             {"pads", AttributeKind::Ints},
             {"strides", AttributeKind::Ints}},
            buildConv);
}
