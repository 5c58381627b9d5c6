// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of nodes in diagnostics.
#include "compiler/Graph/NodeErrors.h"
#include "dialects/Weft/IR/Weft.h"

using namespace mlir;

/// The kind that a front end gave the node, as the location inside the name's location.
static std::string getNodeKind(Operation *op) {
  if (auto named = dyn_cast<NameLoc>(op->getLoc()))
    if (auto kind = dyn_cast<NameLoc>(named.getChildLoc()))
      return kind.getName().str();
  return op->getName().getStringRef().str();
}

std::string weft::graph::describeNode(Operation *op) {
  return "node \"" + getNodeName(op) + "\" (" + getNodeKind(op) + ")";
}

void weft::graph::emitNodeError(Operation *op, const Twine &message, const Twine &hint, StringRef id) {
  std::string help = hint.str();
  emitError(op->getLoc()) << describeNode(op) << ": " << message.str() << (help.empty() ? "" : "; ") << help
                          << " [" << id << "]";
}
