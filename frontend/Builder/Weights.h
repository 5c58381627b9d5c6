// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the layers of a model get their weights from, by name.
#ifndef WEFT_FRONTEND_BUILDER_WEIGHTS_H
#define WEFT_FRONTEND_BUILDER_WEIGHTS_H

#include "frontend/Builder/GraphBuilder.h"

namespace weft {

/// Gives weights as constants of a graph.
class Weights {
public:
  virtual ~Weights() = default;
  /// The weight of this name, which must have this shape, as a constant. Null after an error, which
  /// MLIR's diagnostics have; the graph has failed then.
  virtual mlir::Value get(GraphBuilder &graph, llvm::StringRef name, llvm::ArrayRef<int64_t> shape) = 0;
};

/// A part of a model: the graph, and a prefix of the names of its weights and nodes, which are those of
/// PyTorch's state_dict: "encoder.0.attention".
class Scope {
public:
  Scope(GraphBuilder &graph, Weights &weights, std::string prefix = "")
      : graph_(&graph), weights(&weights), prefix(std::move(prefix)) {}

  GraphBuilder &graph() { return *graph_; }
  Scope in(const llvm::Twine &name) const { return Scope(*graph_, *weights, join(name)); }
  /// Gives this part's name to the operations that follow.
  void enter() { graph_->setNode(prefix); }
  mlir::Value weight(llvm::StringRef name, llvm::ArrayRef<int64_t> shape) {
    return weights->get(*graph_, join(name), shape);
  }

private:
  std::string join(const llvm::Twine &name) const {
    return prefix.empty() ? name.str() : (prefix + "." + name).str();
  }

  GraphBuilder *graph_;
  Weights *weights;
  std::string prefix;
};

} // namespace weft

#endif // WEFT_FRONTEND_BUILDER_WEIGHTS_H
