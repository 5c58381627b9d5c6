// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every result becomes an output.
#include "dialects/Weft/IR/Weft.h"
#include "tools/weft/Evaluate.h"
#include "tools/weft/verify/Stages.h"

using namespace mlir;
using namespace weft;

SmallVector<Value> verify::getTappedValues(func::FuncOp entry) {
  SmallVector<Value> values;
  for (Operation &op : entry.getBody().front().without_terminator())
    for (Value result : op.getResults())
      if (!isa<ConstantOp>(op) && getDType(getElementTypeOrSelf(result)))
        values.push_back(result);
  return values;
}

void verify::addTaps(func::FuncOp entry) {
  Operation *terminator = entry.getBody().front().getTerminator();
  OpBuilder builder(terminator);
  SmallVector<Value> outputs(terminator->getOperands());
  SmallVector<Type> types(entry.getResultTypes());
  SmallVector<DictionaryAttr> attributes;
  entry.getAllResultAttrs(attributes);
  attributes.resize(types.size());
  for (auto [i, value] : llvm::enumerate(getTappedValues(entry))) {
    outputs.push_back(value);
    types.push_back(value.getType());
    StringAttr name = builder.getStringAttr("tap " + std::to_string(i));
    attributes.push_back(builder.getDictionaryAttr(builder.getNamedAttr(names::kName, name)));
  }
  terminator->setOperands(outputs);
  entry.setType(builder.getFunctionType(entry.getArgumentTypes(), types));
  entry.setAllResultAttrs(attributes);
}
