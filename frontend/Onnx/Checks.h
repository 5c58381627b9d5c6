// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The checks that look at a model as a whole. Each goes on after an error and reports all it finds.
#ifndef WEFT_FRONTEND_ONNX_CHECKS_H
#define WEFT_FRONTEND_ONNX_CHECKS_H

#include "frontend/Onnx/OnnxReader.h"
#include "llvm/ADT/StringMap.h"

namespace weft::onnx {

/// The functions of a model by what a call names: domain, operator and overload.
class FunctionTable {
public:
  explicit FunctionTable(const Model &model);

  /// The function that `node` calls, as an index into model.functions; nothing if it is an operator.
  std::optional<unsigned> calleeOf(const Node &node) const {
    return find(node.domain, node.opType, node.overload);
  }
  /// The first function with this identity.
  std::optional<unsigned> find(llvm::StringRef domain, llvm::StringRef name, llvm::StringRef overload) const;
  bool hasDomain(llvm::StringRef domain) const { return domains.contains(domain); }

private:
  llvm::StringMap<unsigned> functions;
  llvm::StringMap<bool> domains;
};

/// IR version, operator set versions, and that each node's domain is imported and known.
void checkVersions(const Model &model, const FunctionTable &table, Diagnostics &diagnostics);

/// Names: single assignment across nested scopes, no shadowing, definition before use, outputs that are
/// defined.
void checkNames(const Model &model, Diagnostics &diagnostics);

/// Functions: unique, not recursive, bounded when expanded; calls and attribute references that fit.
void checkFunctions(const Model &model, const FunctionTable &table, const ReaderLimits &limits,
                    Diagnostics &diagnostics);

/// That If, Loop and Scan have their subgraphs, with as many inputs and outputs as the node implies.
void checkSubgraphs(const Model &model, const FunctionTable &table, Diagnostics &diagnostics);

/// Visits the model's graph and every function.
void forEachBody(const Model &model, llvm::function_ref<void(const Body &, const std::vector<Node> &)> visit);

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_CHECKS_H
