// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Says which option makes a value known that is not.
#include "frontend/Onnx/Ops/KnownCourse.h"

using namespace mlir;
using namespace weft;
using weft::onnx::DiagnosticId;
using weft::onnx::ModelValue;
using weft::onnx::NodeImport;

/// The model's input that a value is made of by operations of one operand each, if it is.
static StringRef inputBehind(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (op->getNumOperands() != 1)
      return "";
    value = op->getOperand(0);
  }
  auto argument = cast<BlockArgument>(value);
  auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  if (!function) // a loop's
    return "";
  auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), names::kName);
  return name ? name.getValue() : "";
}

std::nullptr_t onnx::errorUnknown(NodeImport &node, StringRef what, Value value) {
  std::string got = "one that the model computes when it runs";
  if (weft::Dim dim = node.knownDim(value))
    got = dim.toString() + ", which varies; fix it with --dim";
  else if (StringRef input = inputBehind(value); !input.empty())
    got += "; --set " + input.str() + "=VALUE makes a constant of the input";
  return node.error(DiagnosticId::ControlFlow,
                    "expects " + what + " that constants and shapes decide, got " + got);
}

std::optional<int64_t> onnx::requireKnown(NodeImport &node, const ModelValue &value, StringRef what) {
  if (!value.tensor) {
    node.error(DiagnosticId::OperandType, "expects " + what + " to be a tensor, got a sequence");
    return std::nullopt;
  }
  std::optional<int64_t> known = node.knownInt(value.tensor);
  if (!known)
    errorUnknown(node, what, value.tensor);
  return known;
}

std::optional<int64_t> onnx::requireKnown(NodeImport &node, size_t index, StringRef what, int64_t otherwise) {
  ArrayRef<ModelValue> given = node.getGiven();
  return index < given.size() && given[index] ? requireKnown(node, given[index], what) : otherwise;
}

std::optional<int64_t> onnx::requireSize(NodeImport &node, Value value, int64_t dim, StringRef what) {
  std::optional<int64_t> size = node.fixedSize(value, dim);
  if (!size)
    node.error(DiagnosticId::ControlFlow, "expects " + what + " a dim whose size is known, got dim " +
                                              Twine(dim) + " of " + describeType(value.getType()) +
                                              "; fix it with --dim");
  return size;
}
