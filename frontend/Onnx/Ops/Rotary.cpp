// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention: RotaryEmbedding, of ai.onnx and of com.microsoft.
#include "frontend/Builder/Layers/Positions.h"
#include "frontend/Onnx/NodeImport.h"
#include "frontend/Onnx/OpTable.h"

using namespace mlir;
using namespace weft;
using weft::onnx::AttributeKind;
using weft::onnx::AttributeRow;
using weft::onnx::DiagnosticId;
using weft::onnx::NodeImport;
using weft::onnx::OpTable;

/// Rows [batch, length, heads * width] as [batch, length, heads, width]. Where nothing says how many heads
/// there are, the caches say how wide one is. Null after an error.
static Value splitRows(NodeImport &node, Value cosine, bool mustGiveHeads) {
  GraphBuilder &graph = node.graph;
  Value x = node.input(0);
  int64_t heads = node.integer("num_heads", 0);
  std::optional<int64_t> hidden = NodeImport::knownSize(x, -1), pairs = NodeImport::knownSize(cosine, -1);
  std::optional<int64_t> width;
  if (heads > 0 && hidden)
    width = *hidden / heads;
  else if (heads == 0 && pairs)
    width = 2 * *pairs;
  bool isDivided = !hidden || !width || (*width > 0 && *hidden % *width == 0);
  if (heads < 0 || (heads == 0 && mustGiveHeads) || !isDivided ||
      (hidden && heads > 0 && *hidden % heads != 0))
    return node.error(DiagnosticId::OperandType,
                      "expects a positive \"num_heads\" that divides the last dim, got " + Twine(heads) +
                          " heads of " + describeType(x.getType()));
  if (heads > 0)
    return graph.reshape(x, {0, 0, heads, width.value_or(-1)});
  int64_t last = int64_t(getDims(cosine)->size()) - 1;
  Value size =
      width ? graph.vector(*width) : graph.multiply(graph.shape(cosine, last, last + 1), graph.vector({2}));
  return graph.reshape(x, graph.concat({graph.vector({0, 0, -1}), size}, 0));
}

/// Rotates the heads of input 0, [batch, heads, length, width] or [batch, length, heads * width], by angles
/// [batch or 1, length, pairs].
static Value rotateHeads(NodeImport &node, Value cosine, Value sine, bool mustGiveHeads) {
  GraphBuilder &graph = node.graph;
  Value x = node.input(0);
  std::optional<int64_t> rank = node.requireRank(x, "its input");
  if (!rank || !cosine || !sine)
    return nullptr;
  if (*rank != 3 && *rank != 4)
    return node.error(DiagnosticId::OperandType,
                      "expects an input of rank 3 or 4, got " + describeType(x.getType()));
  if (*rank == 3)
    x = splitRows(node, cosine, mustGiveHeads);
  if (!x)
    return nullptr;
  int64_t last = int64_t(getDims(sine)->size()) - 1;
  if (!node.requireDim(sine, last, cosine, last, "sin_cache"))
    return nullptr;
  if (getElementTypeOrSelf(cosine) != getElementTypeOrSelf(x) ||
      getElementTypeOrSelf(sine) != getElementTypeOrSelf(x))
    return node.error(DiagnosticId::OperandType,
                      "expects caches of its input's type, got " + describeType(cosine.getType()));
  std::optional<int64_t> pairs = NodeImport::knownSize(cosine, -1), width = NodeImport::knownSize(x, -1);
  int64_t rotated = node.integer("rotary_embedding_dim", 0);
  std::optional<int64_t> expected = rotated == 0 ? width : std::optional<int64_t>(rotated);
  if ((pairs && expected && *expected != 2 * *pairs) || (width && pairs && *width < 2 * *pairs))
    return node.error(DiagnosticId::OperandType,
                      "expects caches with half as many columns as channels are rotated, got " +
                          describeType(cosine.getType()) + " for " + Twine(*expected) + " of " +
                          describeType(node.input(0).getType()));
  int64_t places = *rank == 3 ? 2 : 1; // where the dim of heads is
  Value result = layers::rotateBy(graph, x, graph.unsqueeze(cosine, {places}),
                                  graph.unsqueeze(sine, {places}), node.integer("interleaved", 0) != 0);
  return *rank == 3 ? graph.reshape(result, graph.shape(node.input(0)), /*allowZero=*/true) : result;
}

/// Whether ids [batch, length] may be those of input 0's rows, which has rank 3 or 4; reports an error if
/// not.
static bool areIdsOfRows(NodeImport &node, Value &ids) {
  int64_t length = int64_t(getDims(node.input(0))->size()) - 2;
  return node.requireDim(ids, 0, node.input(0), 0, "position_ids") &&
         node.requireDim(ids, 1, node.input(0), length, "position_ids");
}

/// X, cos_cache, sin_cache, and perhaps position_ids, the rows of the caches; without them the caches are
/// the angles of each row.
static Value buildRotaryEmbedding(NodeImport &node) {
  Value cosine = node.input(1), sine = node.input(2);
  int64_t expected = node.input(3) ? 2 : 3;
  for (Value cache : {cosine, sine})
    if (!node.hasRank(cache, expected, node.input(3) ? "its cache" : "its cache, without position_ids,"))
      return nullptr;
  if (node.input(3)) {
    Value ids = node.input(3);
    std::optional<int64_t> rank = node.requireRank(node.input(0), "its input");
    if (!rank || !node.hasRank(ids, 2, "position_ids") || (*rank >= 3 && !areIdsOfRows(node, ids)))
      return nullptr;
    cosine = node.graph.gather(cosine, ids, 0);
    sine = node.graph.gather(sine, ids, 0);
  }
  return rotateHeads(node, cosine, sine, /*mustGiveHeads=*/true);
}

/// What com.microsoft's may say and is not done; false after an error.
static bool checkContribAttributes(NodeImport &node) {
  if (node.number("scale", 1) == 1 && node.integer("is_packed_batching", 0) == 0)
    return true;
  node.error(DiagnosticId::NodeAttributeRange, "expects a \"scale\" of 1 and an \"is_packed_batching\" of 0");
  return false;
}

/// For each pair of channels, which of the three positions turns it; nothing after an error. Sections lie one
/// behind the other, or every third pair from the second and the third on is of those.
static std::optional<SmallVector<int64_t>> positionsOfPairs(NodeImport &node) {
  SmallVector<int64_t> sections = node.integers("mrope_section").value_or(SmallVector<int64_t>());
  int64_t layout = node.integer("mrope_layout", 0), pairs = 0;
  constexpr int64_t kMost = 1 << 16;
  bool fits = sections.size() == 3 && (layout == 0 || layout == 1) &&
              llvm::all_of(sections, [](int64_t size) { return size >= 0 && size <= kMost; });
  if (!fits) {
    node.error(DiagnosticId::NodeAttributeRange,
               "expects three sizes as \"mrope_section\" and an \"mrope_layout\" of 0 or 1");
    return std::nullopt;
  }
  SmallVector<int64_t> positions;
  for (int64_t section = 0; section < 3; ++section) {
    positions.append(sections[section], layout == 0 ? section : 0);
    pairs += sections[section];
  }
  for (int64_t section = 1; layout == 1 && section < 3; ++section)
    for (int64_t pair = section; pair < std::min(pairs, 3 * sections[section]); pair += 3)
      positions[pair] = section;
  return positions;
}

/// input, position_ids [3, batch, length] (time, height, width), cos_cache, sin_cache.
static Value buildMRotaryEmbedding(NodeImport &node) {
  GraphBuilder &graph = node.graph;
  Value ids = graph.cast(node.input(1), graph.i64()), cosine = node.input(2), sine = node.input(3);
  std::optional<SmallVector<int64_t>> positions = positionsOfPairs(node);
  std::optional<int64_t> rank = node.requireRank(node.input(0), "its input");
  if (!checkContribAttributes(node) || !positions || !rank || !node.hasRank(ids, 3, "position_ids") ||
      !node.requireDim(ids, 0, 3, "position_ids"))
    return nullptr;
  int64_t pairs = int64_t(positions->size());
  for (Value *cache : {&cosine, &sine})
    if (!node.hasRank(*cache, 2, "its cache") || !node.requireDim(*cache, 1, pairs, "its cache"))
      return nullptr;
  SmallVector<Value> idsOf;
  for (int64_t section = 0; section < 3; ++section) {
    idsOf.push_back(graph.gather(ids, graph.scalar(section), 0));
    if (*rank >= 3 && !areIdsOfRows(node, idsOf.back()))
      return nullptr;
  }
  Value table = graph.vector(*positions);
  auto take = [&](Value cache) {
    Value rows = graph.gather(cache, idsOf[0], 0); // [batch, length, pairs]
    for (int64_t section = 1; section < 3; ++section)
      if (llvm::is_contained(*positions, section))
        rows = graph.where(graph.compare(ComparePredicate::Equal, table, graph.scalar(section)),
                           graph.gather(cache, idsOf[section], 0), rows);
    return rows;
  };
  return rotateHeads(node, take(cosine), take(sine), /*mustGiveHeads=*/true);
}

/// input, position_ids, cos_cache, sin_cache. Positions are [batch, length], or [1], the first row's.
static Value buildContribRotaryEmbedding(NodeImport &node) {
  GraphBuilder &graph = node.graph;
  if (!checkContribAttributes(node))
    return nullptr;
  Value positions = graph.cast(node.input(1), graph.i64());
  std::optional<int64_t> rank = node.requireRank(positions, "its position_ids"),
                         rankOfX = node.requireRank(node.input(0), "its input");
  if (!rank || !rankOfX || !node.hasRank(node.input(2), 2, "cos_cache") ||
      !node.hasRank(node.input(3), 2, "sin_cache"))
    return nullptr;
  if (*rank > 2 || *rankOfX < 3)
    return node.error(DiagnosticId::OperandType, "expects position_ids of rank 0 to 2 and an input of rank 3 "
                                                 "or 4, got " +
                                                     describeType(positions.getType()) + " and " +
                                                     describeType(node.input(0).getType()));
  if (*rank == 2 && !areIdsOfRows(node, positions))
    return nullptr;
  if (*rank < 2) // [1, length], from one number
    positions = graph.addition(graph.reshape(positions, {1, 1}), node.places(node.input(0), *rankOfX - 2));
  auto take = [&](size_t index) { return graph.gather(node.input(index), positions, 0); };
  return rotateHeads(node, take(2), take(3), /*mustGiveHeads=*/false);
}

void weft::onnx::addRotaryOps(OpTable &table) {
  SmallVector<AttributeRow> attributes{{"interleaved", AttributeKind::Int},
                                       {"num_heads", AttributeKind::Int},
                                       {"rotary_embedding_dim", AttributeKind::Int}};
  table.add("RotaryEmbedding", {23}, {3, 4}, attributes, buildRotaryEmbedding);
  attributes.push_back({"is_packed_batching", AttributeKind::Int});
  attributes.push_back({"scale", AttributeKind::Float});
  table.add("com.microsoft.RotaryEmbedding", {1}, 4, attributes, buildContribRotaryEmbedding);
  attributes.push_back({"mrope_layout", AttributeKind::Int});
  attributes.push_back({"mrope_section", AttributeKind::Ints, true});
  table.add("com.microsoft.MRotaryEmbedding", {1}, 4, attributes, buildMRotaryEmbedding);
}
