// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-describe-attention: what each attention sees, for people.
#include "compiler/Graph/Attention/DescribeScores.h"
#include "compiler/Graph/NodeErrors.h"
#include "compiler/Graph/Passes.h"

using namespace mlir;
using namespace weft;

namespace weft::graph {
#define GEN_PASS_DEF_DESCRIBEATTENTION
#include "compiler/Graph/Passes.h.inc"
} // namespace weft::graph

namespace {
struct DescribeAttention : graph::impl::DescribeAttentionBase<DescribeAttention> {
  using DescribeAttentionBase::DescribeAttentionBase;

  void runOnOperation() override {
    getOperation().walk([&](AttentionOp attention) {
      std::string text = graph::describeScores(attention);
      attention->setAttr(names::kScores, StringAttr::get(&getContext(), text));
      if (explain)
        emitRemark(attention.getLoc()) << graph::describeNode(attention) << ": attention: " << text;
    });
  }
};
} // namespace
