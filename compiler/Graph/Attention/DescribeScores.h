// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an attention does to scores, in words: which keys a query sees, and what is added.
#ifndef WEFT_COMPILER_GRAPH_ATTENTION_DESCRIBESCORES_H
#define WEFT_COMPILER_GRAPH_ATTENTION_DESCRIBESCORES_H

#include "dialects/Weft/IR/Weft.h"
#include <string>

namespace weft::graph {

/// Read from the score region: "causal, window 256, mask by batch and key (attention_mask)"; "all keys" if
/// scores are used as they are; ", a sink" if there is one. Said is what is recognised: "other conditions"
/// stands for the rest.
std::string describeScores(AttentionOp op);

} // namespace weft::graph

#endif // WEFT_COMPILER_GRAPH_ATTENTION_DESCRIBESCORES_H
