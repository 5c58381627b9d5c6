// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans of all softmaxes of a function. The layers of a model are alike, and to read every score takes a
// second where there are some ten million: it is done once for softmaxes that stand among the same
// operations.
#ifndef WEFT_COMPILER_GRAPH_ATTENTION_CHUNKEDPLANS_H
#define WEFT_COMPILER_GRAPH_ATTENTION_CHUNKEDPLANS_H

#include "compiler/Graph/Attention/ChunkedPlan.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace weft::graph {

class ChunkedPlans {
public:
  struct Outcome {
    std::optional<ChunkedPlan> plan;
    std::string obstacle;     ///< if there is none
    bool isCandidate = false; ///< whether keys are chunks that overlap
  };
  /// Whether a softmax is that of an attention over chunks, and how it is made.
  Outcome find(SoftmaxOp softmax);

private:
  struct Known {
    Outcome outcome;
    llvm::SmallVector<size_t> places; ///< of the plan's values among those of the operations
  };
  std::map<std::vector<uintptr_t>, Known> known; ///< by what the operations are
};

} // namespace weft::graph

#endif // WEFT_COMPILER_GRAPH_ATTENTION_CHUNKEDPLANS_H
