// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Look-up of operators by opset, and the check that a node fits its operator's signature.
#include "frontend/Onnx/OpTable.h"
#include "llvm/ADT/STLExtras.h"

using namespace weft::onnx;
using llvm::StringRef;
using llvm::Twine;

int64_t OpRow::versionIn(int64_t opset) const {
  int64_t newest = versions.front();
  for (int64_t version : versions)
    if (version <= opset)
      newest = version;
  return newest;
}

OpTable::OpTable() {
  addElementwiseOps(*this);
  addCastOps(*this);
  addActivationOps(*this);
  addDropoutOps(*this);
  addContractionOps(*this);
  addConvOps(*this);
  addConvTranspose(*this);
  addReductionOps(*this);
  addAxisOps(*this);
  addNormOps(*this);
  addShapeOps(*this);
  addPadOps(*this);
  addPoolOps(*this);
  addBlockOps(*this);
  addRangeOps(*this);
  addIndexOps(*this);
  addNonZeroOps(*this);
  addCol2Im(*this);
  addGridSample(*this);
  addResizeOps(*this);
  addGatherBlockQuantized(*this);
  addTensorScatter(*this);
  addAttentionOps(*this);
  addFlexAttention(*this);
  addQuantizeOps(*this);
  addFewBitsOps(*this);
  addMatMulBnb4(*this);
  addQLinearOps(*this);
  addMixtureOfExperts(*this);
  addGroupQueryAttention(*this);
  addMultiHeadAttentionOps(*this);
  addRotaryOps(*this);
  addFusedNormOps(*this);
  addControlOps(*this);
  addScanOps(*this);
  addSequenceOps(*this);
  addRandomOps(*this);
  addSignalOps(*this);
  addMelWeightMatrix(*this);
  addRecurrenceOps(*this);
  addRecurrentLayers(*this);
  addCausalConvOps(*this);
}

void OpTable::add(StringRef opType, llvm::ArrayRef<int64_t> versions, Arity inputs,
                  llvm::ArrayRef<AttributeRow> attributes, BuildNode build, unsigned maxOutputs,
                  bool takesSequences) {
  rows[opType].push_back({llvm::SmallVector<int64_t>(versions), inputs,
                          llvm::SmallVector<AttributeRow>(attributes), std::move(build), maxOutputs,
                          takesSequences});
}

/// What an operator is called in the table.
static std::string qualified(StringRef domain, StringRef opType) {
  return domain.empty() ? opType.str() : (domain + "." + opType).str();
}

const OpRow *OpTable::find(StringRef domain, StringRef opType, int64_t opset) const {
  if (opType.contains('.')) // no operator's name; it would be one with its domain
    return nullptr;
  auto found = rows.find(qualified(domain, opType));
  if (found == rows.end())
    return nullptr;
  const OpRow *newest = nullptr;
  for (const OpRow &row : found->second)
    if (row.versions.front() <= opset && (!newest || row.versions.front() > newest->versions.front()))
      newest = &row;
  return newest;
}

std::optional<int64_t> OpTable::oldestOpset(StringRef domain, StringRef opType) const {
  auto found = rows.find(qualified(domain, opType));
  if (found == rows.end())
    return std::nullopt;
  int64_t oldest = found->second.front().versions.front();
  for (const OpRow &row : found->second)
    oldest = std::min(oldest, row.versions.front());
  return oldest;
}

/// How many names a list has without the empty ones at its end.
static size_t countGiven(llvm::ArrayRef<std::string> names) {
  while (!names.empty() && names.back().empty())
    names = names.drop_back();
  return names.size();
}

static std::string describe(Arity arity) {
  if (arity.min == arity.max)
    return (Twine(arity.min) + (arity.min == 1 ? " input" : " inputs")).str();
  if (arity.max == Arity::kAny)
    return ("at least " + Twine(arity.min) + (arity.min == 1 ? " input" : " inputs")).str();
  return (Twine(arity.min) + " to " + Twine(arity.max) + " inputs").str();
}

static bool checkArity(const OpRow &row, const Node &node, const Place &place, Diagnostics &diagnostics) {
  size_t inputs = countGiven(node.inputs), outputs = countGiven(node.outputs);
  auto bad = [&](const Twine &text) {
    diagnostics.error(DiagnosticId::NodeArity, place, text);
    return false;
  };
  if (inputs < row.inputs.min || inputs > row.inputs.max)
    return bad("expects " + describe(row.inputs) + ", got " + Twine(inputs));
  // A list of any length has no input that may be left out.
  size_t needed = row.inputs.max == Arity::kAny ? inputs : row.inputs.min;
  for (size_t i = 0; i < needed; ++i)
    if (node.inputs[i].empty())
      return bad("expects input " + Twine(i) + ", which is left out");
  if (outputs > row.maxOutputs)
    return bad("expects at most " + Twine(row.maxOutputs) + (row.maxOutputs == 1 ? " output" : " outputs") +
               ", got " + Twine(outputs));
  return true;
}

bool weft::onnx::checkSignature(const OpRow &row, const Node &node, const Place &place,
                                Diagnostics &diagnostics) {
  bool good = checkArity(row, node, place, diagnostics);
  auto bad = [&](DiagnosticId id, const Twine &text) {
    diagnostics.error(id, place, text);
    good = false;
  };
  for (const Attribute &attribute : node.attributes) {
    auto known =
        llvm::find_if(row.attributes, [&](const AttributeRow &a) { return a.name == attribute.name; });
    if (known == row.attributes.end())
      bad(DiagnosticId::NodeAttributeUnknown,
          "expects no attribute " + quoted(attribute.name) + " in this opset");
    else if (attribute.kind != known->kind)
      bad(DiagnosticId::NodeAttributeKind, "expects attribute " + quoted(attribute.name) + " to be " +
                                               attributeKindName(known->kind) + ", got " +
                                               attributeKindName(attribute.kind));
  }
  for (const AttributeRow &known : row.attributes)
    if (known.isRequired && !node.attribute(known.name))
      bad(DiagnosticId::NodeAttributeMissing, "expects the attribute " + quoted(known.name) + ", got none");
  return good;
}
