// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise: operators whose result's elements come from the operands' elements at the same place.
#include "frontend/Onnx/NodeImport.h"
#include "frontend/Onnx/OpTable.h"

using namespace mlir;
using namespace weft;
using weft::onnx::Arity;
using weft::onnx::AttributeKind;
using weft::onnx::DiagnosticId;
using weft::onnx::NodeImport;
using weft::onnx::OpTable;

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

/// Clip with bounds that may be left out. Where they cross, the upper one wins, as ONNX has it.
static Value clip(NodeImport &node, Value low, Value high) {
  Value result = node.input(0);
  if (low)
    result = node.graph.add("weft.max", {result, low});
  if (high)
    result = node.graph.add("weft.min", {result, high});
  return result;
}

static Value buildClip(NodeImport &node) { return clip(node, node.input(1), node.input(2)); }

/// Before opset 11 the bounds are attributes.
static Value buildClipByAttributes(NodeImport &node) {
  Type element = getElementTypeOrSelf(node.input(0));
  auto bound = [&](StringRef name) {
    return node.has(name) ? node.scalar(element, node.number(name, 0)) : Value();
  };
  return clip(node, bound("min"), bound("max"));
}

//===----------------------------------------------------------------------===//
// Activations, logic, and what inference makes the identity
//===----------------------------------------------------------------------===//

static Value buildGelu(NodeImport &node) {
  StringRef form = node.text("approximate", "none");
  if (form != "none" && form != "tanh")
    return node.error(DiagnosticId::NodeAttributeRange,
                      "expects \"approximate\" to be \"none\" or \"tanh\", got " + onnx::quoted(form));
  return node.graph.gelu(node.input(0), form == "tanh" ? GeluForm::Tanh : GeluForm::Erf);
}

/// Only NaN differs from itself.
static Value buildIsNaN(NodeImport &node) {
  Value same = node.graph.compare(ComparePredicate::Equal, node.input(0), node.input(0));
  return node.graph.add("weft.not", {same});
}

static Value buildXor(NodeImport &node) {
  Value same = node.graph.compare(ComparePredicate::Equal, node.input(0), node.input(1));
  return node.graph.add("weft.not", {same});
}

static Value buildBitShift(NodeImport &node) {
  StringRef direction = node.text("direction", "");
  if (direction != "LEFT" && direction != "RIGHT")
    return node.error(DiagnosticId::NodeAttributeRange,
                      "expects \"direction\" to be LEFT or RIGHT, got " + onnx::quoted(direction));
  return node.graph.add(direction == "LEFT" ? "weft.shift_left" : "weft.shift_right",
                        {node.input(0), node.input(1)});
}

/// In two's complement, and without a sign, what is left to all ones.
static Value buildBitwiseNot(NodeImport &node) {
  auto element = dyn_cast<IntegerType>(getElementTypeOrSelf(node.input(0)));
  if (!element || element.getWidth() == 1)
    return node.error(DiagnosticId::OperandType,
                      "expects integers, got " + describeType(node.input(0).getType()));
  auto type = RankedTensorType::get({}, element);
  auto ones = DenseElementsAttr::get(type, APInt::getAllOnes(element.getWidth()));
  return node.graph.subtract(node.graph.constant(type, ones), node.input(0));
}

static onnx::ModelValue buildIdentity(NodeImport &node) { return node.getGiven().front(); }

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

namespace {
/// An operator that is one of the dialect's.
struct PlainRow {
  StringRef opType;
  SmallVector<int64_t> versions;
  StringRef operation;
};
} // namespace

static void addUnary(OpTable &table) {
  const PlainRow rows[] = {{"Neg", {6, 13}, "weft.neg"},
                           {"Abs", {6, 13}, "weft.abs"},
                           {"Sqrt", {6, 13}, "weft.sqrt"},
                           {"Exp", {6, 13}, "weft.exp"},
                           {"Log", {6, 13}, "weft.log"},
                           {"Erf", {9, 13}, "weft.erf"},
                           {"Tanh", {6, 13}, "weft.tanh"},
                           {"Sigmoid", {6, 13}, "weft.sigmoid"},
                           {"Reciprocal", {6, 13}, "weft.reciprocal"},
                           {"Relu", {6, 13, 14}, "weft.relu"},
                           {"Sin", {7, 22}, "weft.sin"},
                           {"Cos", {7, 22}, "weft.cos"},
                           {"Atan", {7, 22}, "weft.atan"},
                           {"Floor", {6, 13}, "weft.floor"},
                           {"Ceil", {6, 13}, "weft.ceil"},
                           {"Round", {11, 22}, "weft.round"},
                           {"Not", {1}, "weft.not"}};
  for (const PlainRow &row : rows)
    table.add(row.opType, row.versions, 1, {}, [operation = row.operation](NodeImport &node) {
      return node.graph.add(operation, {node.input(0)});
    });
}

static void addBinary(OpTable &table) {
  // Before opset 7, shapes were broadcast by other rules.
  const PlainRow rows[] = {{"Add", {7, 13, 14}, "weft.add"},
                           {"Sub", {7, 13, 14}, "weft.sub"},
                           {"Mul", {7, 13, 14}, "weft.mul"},
                           {"Div", {7, 13, 14}, "weft.div"},
                           {"Pow", {7, 12, 13, 15}, "weft.pow"},
                           {"And", {7}, "weft.and"},
                           {"Or", {7}, "weft.or"},
                           {"BitwiseAnd", {18}, "weft.bit_and"},
                           {"BitwiseOr", {18}, "weft.bit_or"},
                           {"BitwiseXor", {18}, "weft.bit_xor"}};
  for (const PlainRow &row : rows)
    table.add(row.opType, row.versions, 2, {}, [operation = row.operation](NodeImport &node) {
      return node.graph.add(operation, {node.input(0), node.input(1)});
    });
  // Of any number of operands; a chain from the left.
  const PlainRow chains[] = {
      {"Min", {8, 12, 13}, "weft.min"}, {"Max", {8, 12, 13}, "weft.max"}, {"Sum", {8, 13}, "weft.add"}};
  for (const PlainRow &row : chains)
    table.add(row.opType, row.versions, {1, Arity::kAny}, {}, [operation = row.operation](NodeImport &node) {
      Value result = node.input(0);
      for (Value operand : node.getInputs().drop_front())
        result = node.graph.add(operation, {result, operand});
      return result;
    });
}

static void addComparisons(OpTable &table) {
  struct CompareRow {
    StringRef opType;
    SmallVector<int64_t> versions;
    ComparePredicate predicate;
  };
  const CompareRow rows[] = {{"Equal", {7, 11, 13, 19}, ComparePredicate::Equal},
                             {"Greater", {7, 9, 13}, ComparePredicate::Greater},
                             {"Less", {7, 9, 13}, ComparePredicate::Less},
                             {"GreaterOrEqual", {12, 16}, ComparePredicate::GreaterEqual},
                             {"LessOrEqual", {12, 16}, ComparePredicate::LessEqual}};
  for (const CompareRow &row : rows)
    table.add(row.opType, row.versions, 2, {}, [predicate = row.predicate](NodeImport &node) {
      return node.graph.compare(predicate, node.input(0), node.input(1));
    });
}

void weft::onnx::addElementwiseOps(OpTable &table) {
  addUnary(table);
  addBinary(table);
  addComparisons(table);
  table.add("Where", {9, 16}, 3, {},
            [](NodeImport &node) { return node.graph.where(node.input(0), node.input(1), node.input(2)); });
  table.add("Xor", {7}, 2, {}, buildXor);
  table.add("IsNaN", {9, 13, 20}, 1, {}, buildIsNaN);
  table.add("Gelu", {20}, 1, {{"approximate", AttributeKind::String}}, buildGelu);

  table.add("Clip", {6}, 1, {{"min", AttributeKind::Float}, {"max", AttributeKind::Float}},
            buildClipByAttributes);
  table.add("Clip", {11, 12, 13}, {1, 3}, {}, buildClip);
  table.add("BitShift", {11}, 2, {{"direction", AttributeKind::String, true}}, buildBitShift);
  table.add("BitwiseNot", {18}, 1, {}, buildBitwiseNot);
  table.add("Identity", {1, 13, 14, 16, 19, 21, 23, 24, 25}, 1, {}, buildIdentity, /*maxOutputs=*/1,
            /*takesSequences=*/true);
}
