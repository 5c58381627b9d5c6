// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Attention/ChunkedScores.h"
#include "compiler/Graph/ConstantMatch.h"

using namespace mlir;
using namespace weft;
using namespace weft::graph;

std::optional<std::vector<int32_t>> weft::graph::findVectors(Value operand, Value source, bool areColumns) {
  ArrayRef<int64_t> shape = shapeOf(operand);
  int64_t width = shapeOf(source).back();
  int64_t rows = shape.end()[-2], columns = shape.back();
  if (width == 0 || width != (areColumns ? rows : columns))
    return std::nullopt;
  auto origins = OriginFinder(source).find(operand);
  if (!origins)
    return std::nullopt;
  int64_t step = areColumns ? columns : 1, count = areColumns ? columns : rows;
  std::vector<int32_t> vectors;
  vectors.reserve(origins->size() / width);
  for (int64_t matrix = 0; matrix < int64_t(origins->size()); matrix += rows * columns)
    for (int64_t i = 0; i < count; ++i) {
      const int32_t *first = origins->data() + matrix + i * (areColumns ? 1 : columns);
      bool isVector = *first >= 0 && *first % width == 0;
      for (int64_t k = 1; isVector && k < width; ++k)
        isVector = first[k * step] == *first + k;
      vectors.push_back(isVector ? int32_t(*first / width) : -1);
    }
  return vectors;
}

std::optional<Strides> weft::graph::findStrides(ArrayRef<int64_t> shape, ArrayRef<int64_t> numbers) {
  Strides places = getStrides(shape), strides;
  for (auto [size, place] : llvm::zip_equal(shape, places))
    strides.push_back(size > 1 ? numbers[place] - numbers[0] : 0);
  int64_t at = 0;
  bool fits = !numbers.empty() && numbers[0] == 0;
  forEachIndex(shape, [&](ArrayRef<int64_t> index) { fits &= numbers[at++] == getPlace(index, strides); });
  return fits ? std::optional(std::move(strides)) : std::nullopt;
}

std::optional<SmallVector<int64_t>> weft::graph::findOrder(ArrayRef<int64_t> shape, ArrayRef<int64_t> strides,
                                                           int64_t unit, int64_t count) {
  SmallVector<int64_t> order;
  for (auto [dim, stride] : llvm::enumerate(strides))
    if (stride != 0)
      order.push_back(int64_t(dim));
  llvm::sort(order, [&](int64_t left, int64_t right) { return strides[left] > strides[right]; });
  int64_t next = unit;
  for (int64_t dim : llvm::reverse(order)) {
    if (strides[dim] != next)
      return std::nullopt;
    next *= shape[dim];
  }
  return next == count ? std::optional(std::move(order)) : std::nullopt;
}

/// Sorts the terms of a sum into scores and what is added to them.
bool ChunkedScores::takeTerms(Value value, Type type) {
  if (auto sum = value.getDefiningOp<AddOp>())
    return takeTerms(sum.getLhs(), type) && takeTerms(sum.getRhs(), type);
  auto own = dyn_cast<RankedTensorType>(value.getType());
  Value source = own && own.hasStaticShape() ? findMoveSource(value) : Value();
  if (!source)
    return fail("its input is not made of a product by moves and sums");
  if (value.getType() == type && takeProduct(value, source))
    return true;
  Term term;
  term.value = value;
  term.source = source;
  terms.push_back(std::move(term));
  return true;
}

bool ChunkedScores::takeProduct(Value term, Value source) {
  double factor = 1;
  Value of = source;
  while (std::optional<double> number = getConstantFactor(of.getDefiningOp())) {
    factor *= *number;
    of = of.getDefiningOp()->getOperand(0);
  }
  auto found = of.getDefiningOp<MatmulOp>();
  if (product || !found || !found.getEpilogue().empty() || found.getPackedColumns())
    return false;
  auto lhs = dyn_cast<RankedTensorType>(found.getLhs().getType());
  auto rhs = dyn_cast<RankedTensorType>(found.getRhs().getType());
  if (!lhs || !rhs || !lhs.hasStaticShape() || !rhs.hasStaticShape() || lhs.getRank() < 3 ||
      lhs.getNumElements() == 0 || rhs.getNumElements() == 0 ||
      lhs.getShape().drop_back(2) != rhs.getShape().drop_back(2))
    return false;
  product = found, scale = factor, scores = term, scoresSource = source;
  return true;
}

/// Takes queries and keys as they were before they were cut: where every chunk is of one head.
bool ChunkedScores::takeVectors(const ChunkSource &queries, const ChunkSource &keys) {
  auto ofQueries = findVectors(product.getLhs(), queries.value, /*areColumns=*/false);
  auto ofKeys = ofQueries ? findVectors(product.getRhs(), keys.value, /*areColumns=*/true) : std::nullopt;
  if (!ofKeys)
    return fail("its chunks are not made of whole queries and keys");
  int64_t queriesOfChunk = shapeOf(product.getLhs()).end()[-2],
          keysOfChunk = shapeOf(product.getRhs()).back();
  for (size_t chunk = 0; chunk < ofQueries->size() / queriesOfChunk; ++chunk) {
    int64_t head = -1;
    auto isSame = [&](const ChunkSource &source, int32_t vector) {
      int64_t found = vector < 0 ? head : source.headOf(vector); // a pad is of any head
      head = head < 0 ? found : head;
      return found == head;
    };
    bool isOfOneHead = true;
    for (int64_t i = 0; i < queriesOfChunk; ++i)
      isOfOneHead &= isSame(queries, (*ofQueries)[chunk * queriesOfChunk + i]);
    for (int64_t i = 0; i < keysOfChunk; ++i)
      isOfOneHead &= isSame(keys, (*ofKeys)[chunk * keysOfChunk + i]);
    if (!isOfOneHead)
      return fail("its chunks are of several heads");
  }
  query = queries, key = keys;
  queryVectors = std::move(*ofQueries), keyVectors = std::move(*ofKeys);
  return true;
}

bool ChunkedScores::takeChunks() {
  SmallVector<Value> queries = findSmallestMoveSources(product.getLhs());
  SmallVector<Value> keys = findSmallestMoveSources(product.getRhs());
  chunked =
      countElements(shapeOf(keys.front())) < countElements(shapeOf(product.getRhs())) &&
      isMovedBy(product.getRhs(), keys.front(), [](Operation *op) { return isa<SliceOp, GatherOp>(op); });
  if (!chunked)
    return fail("its keys are no chunks that overlap");
  if (getElementTypeOrSelf(product) != getElementTypeOrSelf(scores))
    return fail("the scores are not of the product's type");
  obstacle = "its queries and keys are not of the same heads";
  for (Value ofKeys : keys)
    for (Value ofQueries : queries)
      for (int64_t axis = int64_t(shapeOf(ofKeys).size()) - 2; axis >= 0; --axis) {
        auto key = ChunkSource::get(ofKeys, axis), query = ChunkSource::get(ofQueries, axis);
        if (key && query && query->hasHeadsOf(*key) && takeVectors(*query, *key))
          return true;
      }
  return false;
}

/// What one of the terms adds to a score that counts.
bool ChunkedScores::takeTerm(Term &term, int64_t row, int32_t origin, int64_t keyPosition) {
  bool isData = origin >= 0, isFirst = row == 0 && keptOfRow == 0;
  if (isFirst)
    term.isData = isData;
  if (isData != term.isData || (!isData && term.finder->getNumber(origin) != 0))
    return fail("what is added to some scores is a number, or to all of them a number that is not 0");
  if (!isData)
    return true;
  if (keptOfRow == 0)
    term.rowStarts.push_back(origin - keyPosition);
  return origin - keyPosition == term.rowStarts.back() ||
         fail("what is added to scores does not lie in the order of the keys");
}

bool ChunkedScores::takeElement(int64_t row, int64_t place, int64_t column) {
  int32_t origin = (*scoreOrigins)[place];
  double number = origin < 0 ? scoreFinder->getNumber(origin) : 0;
  auto originOf = [&](size_t i) {
    return (*terms[i].origins)[termStarts[i] + column * terms[i].strides.back()];
  };
  for (size_t i = 0; i < terms.size(); ++i)
    if (int32_t added = originOf(i); added < 0)
      number += terms[i].finder->getNumber(added);
  if (number == -std::numeric_limits<double>::infinity()) {
    keyAt[place] = -1;
    return true;
  }
  if (origin < 0)
    return fail("a number stands among its scores");
  int64_t columns = shapeOf(product).back(), height = shapeOf(product).end()[-2];
  int64_t chunk = origin / (height * columns);
  int32_t queryVector = queryVectors[origin / columns];
  int32_t keyVector = keyVectors[chunk * columns + origin % columns];
  if (queryVector < 0 || keyVector < 0)
    return fail("a score of what is no query or no key counts");
  int64_t queryRow = query.headOf(queryVector) * query.length + query.positionOf(queryVector);
  int64_t position = key.positionOf(keyVector);
  for (size_t i = 0; i < terms.size(); ++i)
    if (!takeTerm(terms[i], row, originOf(i), position))
      return false;
  if (keptOfRow++ == 0) {
    rowOf.push_back(queryRow);
    firstOfRow = lastOfRow = position;
  }
  if (rowOf.back() != queryRow)
    return fail("scores of several queries share a row");
  if (lastRowOf[position] == row)
    return fail("a key counts twice for a query");
  lastRowOf[position] = int32_t(row);
  firstOfRow = std::min(firstOfRow, position), lastOfRow = std::max(lastOfRow, position);
  keyAt[place] = int32_t(position);
  return true;
}

/// Reads all scores; those that count have to be a window that is the same for every query.
bool ChunkedScores::takeWindow() {
  scoreFinder = std::make_unique<OriginFinder>(scoresSource);
  scoreOrigins = scoreFinder->find(scores);
  ArrayRef<int64_t> shape = shapeOf(scores);
  rows.assign(shape.begin(), shape.end() - 1);
  for (Term &term : terms) {
    term.finder = std::make_unique<OriginFinder>(term.source);
    term.origins = term.finder->find(term.value);
    if (!term.origins)
      return fail("what is added to scores is too large to be followed");
    term.strides = getBroadcastStrides(shapeOf(term.value), shape);
  }
  if (!scoreOrigins)
    return fail("its scores are too large to be followed");
  keyAt.resize(scoreOrigins->size());
  lastRowOf.assign(key.length, -1);
  std::vector<std::pair<int32_t, int32_t>> ends; // the first and the last key of each row
  int64_t row = 0, columns = shape.back(), most = std::numeric_limits<int64_t>::max();
  firstKey = most, lastKey = -most;
  bool fits = true;
  forEachIndex(rows, [&](ArrayRef<int64_t> index) {
    if (!fits)
      return;
    termStarts.clear();
    for (const Term &term : terms)
      termStarts.push_back(getPlace(index, ArrayRef(term.strides).drop_back()));
    keptOfRow = 0;
    for (int64_t column = 0; fits && column < columns; ++column)
      fits = takeElement(row, row * columns + column, column);
    if (fits && keptOfRow == 0)
      fits = fail("no key counts for some query");
    if (fits && lastOfRow - firstOfRow + 1 != keptOfRow)
      fits = fail("the keys of a query are no window");
    if (!fits)
      return;
    int64_t position = rowOf.back() % query.length;
    firstKey = std::min(firstKey, firstOfRow - position), lastKey = std::max(lastKey, lastOfRow - position);
    ends.push_back({int32_t(firstOfRow), int32_t(lastOfRow)});
    kept += keptOfRow;
    ++row;
  });
  if (!fits)
    return false;
  for (auto [queryRow, end] : llvm::zip_equal(rowOf, ends)) {
    int64_t position = queryRow % query.length;
    if (end.first != std::max<int64_t>(position + firstKey, 0) ||
        end.second != std::min(position + lastKey, key.length - 1))
      return fail("the windows of keys differ by query");
  }
  auto strides = findStrides(rows, rowOf);
  if (!strides)
    return fail("its rows are not in an order that dims make");
  rowStrides = std::move(*strides);
  return true;
}

bool ChunkedScores::takeMasks() {
  for (Term &term : terms) {
    if (!term.isData)
      continue;
    std::optional<Strides> strides = findStrides(rows, term.rowStarts);
    if (!strides)
      return fail("what is added to scores is not in an order that dims make");
    masks.push_back({term.source, std::move(*strides)});
  }
  return true;
}

bool ChunkedScores::find(Value input) {
  auto type = dyn_cast<RankedTensorType>(input.getType());
  if (!type || !type.hasStaticShape() || type.getRank() < 2 || type.getNumElements() == 0)
    return fail("its shape is not known");
  if (!takeTerms(input, type))
    return false;
  if (!product)
    return fail("its input is not made of a product by moves and sums");
  bool found = takeChunks() && takeWindow() && takeMasks();
  scoreOrigins = nullptr;
  terms.clear();
  return found;
}
