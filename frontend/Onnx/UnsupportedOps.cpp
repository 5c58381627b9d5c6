// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Says which operators are missing, where they are used, and what may help.
#include "frontend/Onnx/UnsupportedOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace weft::onnx;
using llvm::Twine;

/// Names of nodes that one message lists.
static constexpr size_t kMostNames = 8;

void UnsupportedOps::add(const Node &node, const Place &place, int64_t opset) {
  auto [entry, isNew] = places.try_emplace(node.domain + "." + node.opType, uses.size());
  if (isNew)
    uses.push_back({node.domain, node.opType, place, opset, {}, 0});
  Use &use = uses[entry->second];
  ++use.count;
  if (use.nodes.size() < kMostNames)
    use.nodes.push_back(
        quoted(node.name.empty() && !node.outputs.empty() ? node.outputs.front() : node.name));
}

void UnsupportedOps::report(const OpTable &table, Diagnostics &diagnostics) const {
  for (const Use &use : uses) {
    std::string nodes;
    if (use.count > 1)
      nodes = "; " + std::to_string(use.count) + " nodes: " + llvm::join(use.nodes, ", ") +
              (use.count > use.nodes.size() ? ", ..." : "");
    if (std::optional<int64_t> oldest = table.oldestOpset(use.domain, use.opType))
      diagnostics.error(DiagnosticId::OpVersion, use.place,
                        "expects " + use.opType + " of opset " + Twine(*oldest) + " or newer, got opset " +
                            Twine(use.opset) + nodes + "; export the model with a newer opset");
    else
      diagnostics.error(DiagnosticId::OpUnsupported, use.place,
                        "expects an operator that Weft imports, got " +
                            (use.domain.empty() ? "" : use.domain + ".") + use.opType + nodes);
  }
}
