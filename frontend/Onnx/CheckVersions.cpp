// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which versions of ONNX and of its operator sets are known.
#include "frontend/Onnx/Checks.h"
#include "llvm/ADT/StringSet.h"

using namespace weft::onnx;
using llvm::Twine;

namespace {
struct KnownDomain {
  llvm::StringRef name;
  int64_t newest;
};
} // namespace

// IR version 2 and older have no opset_import; 14 came with ONNX 1.23.
static constexpr int64_t kOldestIrVersion = 3, kNewestIrVersion = 14;

// The operators in them that Weft compiles are in the importer's table.
static constexpr KnownDomain kKnownDomains[] = {{"", 28},
                                                {"ai.onnx.ml", 5},
                                                {"ai.onnx.preview", 1},
                                                {"ai.onnx.preview.training", 1},
                                                {"com.microsoft", 1}};

static const KnownDomain *findDomain(llvm::StringRef name) {
  auto found = llvm::find_if(kKnownDomains, [&](const KnownDomain &domain) { return domain.name == name; });
  return found == std::end(kKnownDomains) ? nullptr : found;
}

static std::string printedDomain(llvm::StringRef domain) {
  return quoted(domain.empty() ? "ai.onnx" : domain);
}

static void checkRanges(const Opsets &opsets, const Place &place, Diagnostics &diagnostics) {
  for (const auto &[domain, version] : opsets) {
    const KnownDomain *known = findDomain(domain);
    if (version < 1)
      diagnostics.error(DiagnosticId::OpsetRange, place,
                        "expects a version >= 1 of " + printedDomain(domain) + ", got " + Twine(version));
    else if (known && version > known->newest)
      diagnostics.error(DiagnosticId::OpsetRange, place,
                        "expects a version between 1 and " + Twine(known->newest) + " of " +
                            printedDomain(domain) + ", got " + Twine(version) +
                            "; export with an older opset");
  }
}

void weft::onnx::checkVersions(const Model &model, const FunctionTable &table, Diagnostics &diagnostics) {
  if (model.irVersion < kOldestIrVersion || model.irVersion > kNewestIrVersion)
    diagnostics.error(DiagnosticId::IrVersion, {},
                      "expects an IR version between " + Twine(kOldestIrVersion) + " and " +
                          Twine(kNewestIrVersion) + ", got " + Twine(model.irVersion));
  checkRanges(model.opsets, {}, diagnostics);
  for (const Function &function : model.functions)
    checkRanges(function.opsets, {"function " + quoted(function.name), ""}, diagnostics);

  // One message for each domain, not for each node.
  llvm::StringSet<> reported;
  forEachBody(model, [&](const Body &body, const std::vector<Node> &nodes) {
    forEachNode(nodes, [&](const Node &node) {
      bool isKnown = findDomain(node.domain) || table.hasDomain(node.domain);
      bool isImported = body.opsets.count(node.domain) > 0;
      if ((isKnown && isImported) || !reported.insert(node.domain).second)
        return;
      if (!isImported)
        diagnostics.error(DiagnosticId::DomainNotImported, body.at(node),
                          "expects an imported domain, got " + printedDomain(node.domain));
      else
        diagnostics.error(DiagnosticId::DomainUnknown, body.at(node),
                          "expects an ONNX domain or one that the model's functions define, got " +
                              printedDomain(node.domain) +
                              (node.domain == "com.microsoft.nchwc"
                                   ? "; ONNX Runtime saved the model for one kind of processor: save it at "
                                     "ORT_ENABLE_EXTENDED, not at ORT_ENABLE_ALL"
                                   : ""));
    });
  });
}

void weft::onnx::forEachBody(const Model &model,
                             llvm::function_ref<void(const Body &, const std::vector<Node> &)> visit) {
  visit({model.opsets, ""}, model.graph.nodes);
  for (const Function &function : model.functions)
    visit({function.opsets, function.name}, function.nodes);
}
