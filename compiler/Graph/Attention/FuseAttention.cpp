// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-fuse-attention: what is found around a softmax becomes weft.attention.
#include "compiler/Graph/Attention/ChunkedPlans.h"
#include "compiler/Graph/Attention/ComputedMasks.h"
#include "compiler/Graph/Attention/SoftmaxFusion.h"
#include "compiler/Graph/DeadOperations.h"
#include "compiler/Graph/NodeErrors.h"
#include "compiler/Graph/Passes.h"

using namespace mlir;
using namespace weft;

namespace weft::graph {
#define GEN_PASS_DEF_FUSEATTENTION
#include "compiler/Graph/Passes.h.inc"
} // namespace weft::graph

using namespace weft::graph;

namespace {
struct FuseAttention : graph::impl::FuseAttentionBase<FuseAttention> {
  using FuseAttentionBase::FuseAttentionBase;

  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    unsigned wanted = 0;
    if (!require.empty() && require != "all" && StringRef(require).getAsInteger(10, wanted)) {
      emitError(getOperation().getLoc())
          << "option require: expects a number or all, got \"" << require << "\"";
      return signalPassFailure();
    }
    Outcome outcome = fuseAll();
    fused += outcome.fused;
    left += outcome.left;
    std::string count = "fused attention: " + std::to_string(outcome.fused) + " of " +
                        std::to_string(outcome.fused + outcome.left);
    if (explain)
      emitRemark(getOperation().getLoc()) << count;
    if ((require == "all" && outcome.left) || wanted > outcome.fused) {
      emitError(getOperation().getLoc())
          << count << ", and " << require << " required" << (outcome.firstLeft.empty() ? "" : "; ")
          << outcome.firstLeft << " [" << errors::kFusion << "]";
      signalPassFailure();
    }
  }

private:
  struct Outcome {
    unsigned fused = 0, left = 0;
    std::string firstLeft; ///< a softmax that a product follows, and why it is left
  };

  Outcome fuseAll() {
    Outcome outcome;
    IRRewriter rewriter(&getContext());
    IndexTables tables;
    getOperation().walk([&](AttentionOp given) { computeMasks(given, tables, rewriter); });
    ChunkedPlans plans;
    SmallVector<SoftmaxOp> softmaxes;
    getOperation().walk([&](SoftmaxOp softmax) { softmaxes.push_back(softmax); });
    for (SoftmaxOp softmax : softmaxes) {
      // Chunks first: what follows them would take them for a batch, and leave the copies.
      ChunkedPlans::Outcome chunked = plans.find(softmax);
      if (chunked.plan) {
        chunked.plan->apply(rewriter, softmax.getLoc());
        ++outcome.fused;
        continue;
      }
      SoftmaxFusion fusion(softmax, tables);
      if (fusion.fuse(rewriter)) {
        ++outcome.fused;
        continue;
      }
      std::string reason = describeNode(softmax) +
                           ": not fused: " + (chunked.isCandidate ? chunked.obstacle : fusion.getObstacle());
      if ((chunked.isCandidate || fusion.isCandidate()) && outcome.left++ == 0)
        outcome.firstLeft = reason;
      if (explain)
        emitRemark(softmax.getLoc()) << reason;
    }
    eraseDead(getOperation().front());
    return outcome;
  }
};
} // namespace
