// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recurrence: RNN, GRU and LSTM. What depends on the input alone is one product for all positions; a loop
// over these does the rest.
#include "frontend/Onnx/OpTable.h"
#include "frontend/Onnx/Ops/Activations.h"

using namespace mlir;
using namespace weft;
using weft::onnx::AttributeKind;
using weft::onnx::AttributeRow;
using weft::onnx::DiagnosticId;
using weft::onnx::ModelValue;
using weft::onnx::NodeImport;
using weft::onnx::OpTable;

namespace {
enum class Cell { Rnn, Gru, Lstm };

/// How many gates a cell has, and how many activations it names for a direction.
int64_t gatesOf(Cell cell) { return cell == Cell::Lstm ? 4 : cell == Cell::Gru ? 3 : 1; }
size_t activationsOf(Cell cell) { return cell == Cell::Lstm ? 3 : cell == Cell::Gru ? 2 : 1; }

/// In f32 at least. Of T positions, a batch of B, and H numbers of a state.
class RecurrentLayer {
public:
  RecurrentLayer(NodeImport &node, Cell cell)
      : node(node), graph(node.graph), cell(cell), gates(gatesOf(cell)) {}
  ModelValue build();

private:
  /// The weights of one direction, and where its states start.
  struct Direction {
    bool isReverse = false;
    ArrayRef<std::string> activations;
    Value recurrence;          ///< [H, gates H]
    Value bias;                ///< [gates H], of the product with it, if it is apart
    Value peepholes;           ///< [3 H], or null
    Value products;            ///< of the inputs, with all other biases: [T, B, gates H]
    SmallVector<Value> states; ///< h, and c of an LSTM: [B, H]
  };
  struct Results {
    Value all;                 ///< [T, B, H]
    SmallVector<Value> states; ///< the last ones
  };

  bool readAttributes();
  bool readInputs();
  bool fits(Value &value, StringRef what, ArrayRef<std::optional<int64_t>> sizes);
  Value numbers(size_t index);
  Direction directionOf(int64_t index);
  Results run(const Direction &direction);
  SmallVector<Value> next(const Direction &direction, Value product, ValueRange states);
  SmallVector<Value> nextGru(const Direction &direction, Value product, Value h);
  SmallVector<Value> nextLstm(const Direction &direction, Value product, Value h, Value c);
  Value clipped(Value x);
  Value activate(const Direction &direction, size_t which, Value x);

  Value part(Value x, int64_t index, int64_t count = 1);
  Value ofDirection(Value x, int64_t index) { return graph.gather(x, graph.scalar(index), 0); }
  Value plus(Value a, Value b) { return graph.addition(a, b); }
  Value times(Value a, Value b) { return graph.multiply(a, b); }
  Value number(double value) { return node.scalar(type, value); }
  Value apply(StringRef name, ValueRange operands) { return graph.add(("weft." + name).str(), operands); }

  NodeImport &node;
  GraphBuilder &graph;
  Cell cell;
  int64_t gates, hidden = 0, directions = 1;
  bool isReverse = false, isBatchFirst = false, resetsBehind = false, couplesGates = false;
  std::optional<double> clip;
  SmallVector<std::string> activations; ///< of all directions
  Type type;                            ///< that is computed in
  Value x, weights, recurrences, biases, lengths, peepholes;
  SmallVector<Value> initial; ///< [directions, B, H]; null where it is 0
};
} // namespace

//===----------------------------------------------------------------------===//
// What the node says
//===----------------------------------------------------------------------===//

bool RecurrentLayer::readAttributes() {
  StringRef direction = node.text("direction", "forward");
  directions = direction == "bidirectional" ? 2 : 1;
  isReverse = direction == "reverse";
  isBatchFirst = node.integer("layout", 0) != 0;
  resetsBehind = node.integer("linear_before_reset", 0) != 0;
  couplesGates = node.integer("input_forget", 0) != 0;
  if (node.has("clip"))
    clip = node.number("clip", 0);
  if (!isReverse && directions == 1 && direction != "forward") {
    node.error(DiagnosticId::NodeAttributeRange,
               "expects \"direction\" to be forward, reverse or bidirectional, got " +
                   onnx::quoted(direction));
    return false;
  }
  for (int64_t i = 0; i < directions; ++i)
    for (size_t which = 0; which < activationsOf(cell); ++which)
      activations.push_back(which == 0 && cell != Cell::Rnn ? "Sigmoid" : "Tanh");
  if (node.has("activations")) {
    ArrayRef<std::string> given = node.texts("activations");
    if (given.size() != activations.size()) {
      node.error(DiagnosticId::NodeAttributeRange,
                 "expects " + Twine(activations.size()) + " activations, got " + Twine(given.size()));
      return false;
    }
    activations.assign(given.begin(), given.end());
  }
  for (std::string &name : activations) {
    name = StringRef(name).lower(); // as others take them
    if (!llvm::is_contained({"sigmoid", "tanh", "relu", "softsign", "softplus"}, name)) {
      node.error(DiagnosticId::NodeAttributeRange,
                 "expects \"activations\" of Sigmoid, Tanh, Relu, Softsign and Softplus, got " +
                     onnx::quoted(name));
      return false;
    }
  }
  return true;
}

/// Whether an input, which may be null, has those sizes, as far as they are given.
bool RecurrentLayer::fits(Value &value, StringRef what, ArrayRef<std::optional<int64_t>> sizes) {
  if (!value)
    return true;
  if (!node.hasRank(value, sizes.size(), what))
    return false;
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (size && !node.requireDim(value, dim, *size, what))
      return false;
  return true;
}

/// An input in the type that is computed in; null for one that is left out.
Value RecurrentLayer::numbers(size_t index) { return node.castTo(node.input(index), type); }

bool RecurrentLayer::readInputs() {
  if (!node.hasFloats(node.input(0)) || !node.hasRank(node.input(0), 3, "its input") ||
      !node.hasRank(node.input(2), 3, "its recurrence weights"))
    return false;
  type = getElementTypeOrSelf(node.widened(node.input(0)));
  std::optional<int64_t> size = NodeImport::knownSize(node.input(2), 2);
  hidden = node.integer("hidden_size", size.value_or(0));
  if (hidden < 1) {
    node.error(DiagnosticId::NodeAttributeRange, "expects a \"hidden_size\", got " + Twine(hidden));
    return false;
  }
  x = numbers(0);
  weights = numbers(1);
  recurrences = numbers(2);
  biases = numbers(3);
  lengths = node.input(4);
  initial.push_back(numbers(5));
  if (cell == Cell::Lstm) {
    initial.push_back(numbers(6));
    peepholes = numbers(7);
  }
  if (lengths && !node.hasIndices(lengths, "its lengths"))
    return false;
  if (isBatchFirst) {
    x = graph.transpose(x, {1, 0, 2});
    for (Value &state : initial)
      if (state && node.hasRank(state, 3, "its states"))
        state = graph.transpose(state, {1, 0, 2});
  }
  if (!fits(weights, "its weights", {directions, gates * hidden, std::nullopt}) ||
      !node.requireDim(weights, 2, x, 2, "its weights") ||
      !fits(recurrences, "its recurrence weights", {directions, gates * hidden, hidden}) ||
      !fits(biases, "its bias", {directions, 2 * gates * hidden}) ||
      !fits(peepholes, "its peepholes", {directions, 3 * hidden}) ||
      !fits(lengths, "its lengths", {std::nullopt}))
    return false;
  for (Value &state : initial)
    if (!fits(state, "its states", {directions, std::nullopt, hidden}) ||
        (state && !node.requireDim(state, 1, x, 1, "its states")))
      return false;
  return !lengths || node.requireDim(lengths, 0, x, 1, "its lengths");
}

//===----------------------------------------------------------------------===//
// One direction
//===----------------------------------------------------------------------===//

/// `count` of the parts of H numbers along the last dim.
Value RecurrentLayer::part(Value x, int64_t index, int64_t count) {
  return graph.slice(x, graph.vector({index * hidden}), graph.vector({(index + count) * hidden}),
                     graph.vector({1}), {*NodeImport::rankOf(x) - 1});
}

RecurrentLayer::Direction RecurrentLayer::directionOf(int64_t index) {
  Direction direction;
  direction.isReverse = isReverse || index == 1;
  direction.activations = ArrayRef(activations).slice(index * activationsOf(cell), activationsOf(cell));
  direction.recurrence = graph.transpose(ofDirection(recurrences, index), {1, 0});
  direction.products = graph.matmul(x, graph.transpose(ofDirection(weights, index), {1, 0}));
  if (biases) {
    Value both = ofDirection(biases, index), own = part(both, 0, gates), bias = part(both, gates, gates);
    if (cell == Cell::Gru && resetsBehind)
      direction.bias = bias; // the reset gate is multiplied with it
    else
      own = plus(own, bias);
    direction.products = plus(direction.products, own);
  }
  if (peepholes)
    direction.peepholes = ofDirection(peepholes, index);
  Value shape = graph.concat({graph.shape(x, 1, 2), graph.vector({hidden})}, 0);
  for (Value state : initial)
    direction.states.push_back(state ? ofDirection(state, index) : graph.expand(number(0), shape));
  return direction;
}

/// The sum that an activation is of.
Value RecurrentLayer::clipped(Value x) {
  return clip ? apply("max", {apply("min", {x, number(*clip)}), number(-*clip)}) : x;
}

Value RecurrentLayer::activate(const Direction &direction, size_t which, Value x) {
  StringRef name = direction.activations[which];
  if (name == "softsign")
    return graph.divide(x, plus(apply("abs", {x}), number(1)));
  return name == "softplus" ? onnx::softplus(node, x) : apply(name, {x});
}

/// With the gates z, r and h:
///   h' = (1 - z) * g(x_h + (r * h) R_h) + z * h, or g(x_h + r * (h R_h + b)) where the reset comes behind
SmallVector<Value> RecurrentLayer::nextGru(const Direction &direction, Value product, Value h) {
  Value gatesOnly = part(direction.recurrence, 0, 2), ofCandidate = part(direction.recurrence, 2);
  Value update, reset, candidate;
  auto gate = [&](int64_t index, Value recurrent) {
    return activate(direction, 0, clipped(plus(part(product, index), part(recurrent, index))));
  };
  if (resetsBehind) {
    Value recurrent = graph.matmul(h, direction.recurrence);
    if (direction.bias)
      recurrent = plus(recurrent, direction.bias);
    update = gate(0, recurrent);
    reset = gate(1, recurrent);
    candidate = times(reset, part(recurrent, 2));
  } else {
    Value recurrent = graph.matmul(h, gatesOnly);
    update = gate(0, recurrent);
    reset = gate(1, recurrent);
    candidate = graph.matmul(times(reset, h), ofCandidate);
  }
  candidate = activate(direction, 1, clipped(plus(part(product, 2), candidate)));
  return {plus(times(graph.subtract(number(1), update), candidate), times(update, h))};
}

/// With the gates i, o, f and c, and peepholes p:
///   c' = f * c + i * g(x_c + h R_c), h' = o * h(c')
/// where i and f see c, and o sees c'.
SmallVector<Value> RecurrentLayer::nextLstm(const Direction &direction, Value product, Value h, Value c) {
  Value sum = plus(product, graph.matmul(h, direction.recurrence));
  auto gate = [&](int64_t index, Value seen) {
    Value x = part(sum, index);
    if (direction.peepholes)
      x = plus(x, times(part(direction.peepholes, index), seen));
    return activate(direction, 0, clipped(x));
  };
  Value input = gate(0, c), forget = couplesGates ? graph.subtract(number(1), input) : gate(2, c);
  Value candidate = activate(direction, 1, clipped(part(sum, 3)));
  Value cell = plus(times(forget, c), times(input, candidate));
  return {times(gate(1, cell), activate(direction, 2, cell)), cell};
}

SmallVector<Value> RecurrentLayer::next(const Direction &direction, Value product, ValueRange states) {
  if (cell == Cell::Lstm)
    return nextLstm(direction, product, states[0], states[1]);
  if (cell == Cell::Gru)
    return nextGru(direction, product, states[0]);
  return {activate(direction, 0, clipped(plus(product, graph.matmul(states[0], direction.recurrence))))};
}

/// Behind its length a sequence's states stay, and its results are 0.
RecurrentLayer::Results RecurrentLayer::run(const Direction &direction) {
  Value trips = node.size(x, 0), last = graph.subtract(trips, graph.scalar(int64_t(1)));
  auto body = [&](Value iteration, ValueRange states) -> std::optional<SmallVector<Value>> {
    Value position = direction.isReverse ? graph.subtract(last, iteration) : iteration;
    SmallVector<Value> results = next(direction, graph.gather(direction.products, position, 0), states);
    Value output = results.front();
    if (lengths) {
      Value ends = graph.unsqueeze(node.castTo(lengths, graph.i64()), {1});
      Value counts = graph.compare(ComparePredicate::Less, position, ends);
      output = graph.where(counts, output, number(0));
      for (auto [result, state] : llvm::zip(results, states))
        result = graph.where(counts, result, state);
    }
    results.push_back(output);
    return results.back() ? std::optional(results) : std::nullopt;
  };
  SmallVector<Value> values = graph.loop(trips, direction.states, body);
  if (values.empty())
    return {};
  Value all = values.pop_back_val();
  if (direction.isReverse)
    all = graph.slice(all, graph.vector({-1}), graph.vector({std::numeric_limits<int64_t>::min()}),
                      graph.vector({-1}), {0});
  return {all, values};
}

//===----------------------------------------------------------------------===//
// All directions
//===----------------------------------------------------------------------===//

ModelValue RecurrentLayer::build() {
  if (!readAttributes() || !readInputs())
    return nullptr;
  SmallVector<Value> all;
  SmallVector<SmallVector<Value>> states(initial.size());
  for (int64_t i = 0; i < directions; ++i) {
    Results results = run(directionOf(i));
    if (!results.all)
      return nullptr;
    all.push_back(graph.unsqueeze(results.all, {1}));
    for (auto [list, state] : llvm::zip(states, results.states))
      list.push_back(graph.unsqueeze(state, {0}));
  }
  Type given = getElementTypeOrSelf(node.input(0));
  auto arranged = [&](Value value, ArrayRef<int64_t> batchFirst) {
    return node.castTo(isBatchFirst ? graph.transpose(value, batchFirst) : value, given);
  };
  SmallVector<ModelValue> outputs{arranged(graph.concat(all, 1), {2, 0, 1, 3})};
  for (ArrayRef<Value> list : states)
    outputs.push_back(arranged(graph.concat(list, 0), {1, 0, 2}));
  return node.setOutputs(outputs);
}

void weft::onnx::addRecurrentLayers(OpTable &table) {
  const AttributeRow common[] = {{"activation_alpha", AttributeKind::Floats},
                                 {"activation_beta", AttributeKind::Floats},
                                 {"activations", AttributeKind::Strings},
                                 {"clip", AttributeKind::Float},
                                 {"direction", AttributeKind::String},
                                 {"hidden_size", AttributeKind::Int},
                                 {"layout", AttributeKind::Int}};
  auto add = [&](StringRef name, ArrayRef<int64_t> versions, unsigned inputs, unsigned outputs, Cell cell,
                 std::optional<StringRef> own) {
    SmallVector<AttributeRow> attributes(std::begin(common), std::end(common));
    if (own)
      attributes.push_back({*own, AttributeKind::Int});
    table.add(
        name, versions, {3, inputs}, attributes,
        [cell](NodeImport &node) { return RecurrentLayer(node, cell).build(); }, outputs);
  };
  add("RNN", {7, 14, 22}, 6, 2, Cell::Rnn, std::nullopt);
  add("GRU", {7, 14, 22}, 6, 2, Cell::Gru, "linear_before_reset");
  add("LSTM", {7, 14, 22}, 8, 3, Cell::Lstm, "input_forget");
}
