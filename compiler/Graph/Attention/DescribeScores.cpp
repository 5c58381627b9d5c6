// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Attention/DescribeScores.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace weft;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

/// The numbers of the query, the key and the first capture among a score region's arguments.
constexpr unsigned kQueryArgument = 3, kKeyArgument = 4, kFirstCapture = 5;
/// What takes this much from scores, or more, is a mask.
constexpr double kMask = -1e3;

namespace {
/// query * i + key * j + rest, for query i and key j.
struct Places {
  int64_t query = 0, key = 0;
  Dim rest;
};

class ScoreReader {
public:
  explicit ScoreReader(AttentionOp op) : op(op) {}
  std::string read();

private:
  void readScore(Value score);
  void readAdded(Value added);
  void readProduct(arith::MulFOp product);
  void readChoice(arith::SelectOp select);
  void readCondition(Value condition, bool keepsWhere);
  void readComparison(CmpIPredicate predicate, Value left, Value right);
  void readBound(const Places &atMostZero);
  bool readCaptures(Value value, StringRef what);
  std::optional<Places> placesOf(Value value);
  Dim capturedDim(BlockArgument argument);
  bool dependsOnScore(Value value);
  void note(std::string what) {
    if (!llvm::is_contained(notes, what))
      notes.push_back(std::move(what));
  }
  std::string describeBounds();
  std::string describeCapture(unsigned number, StringRef what);

  Dim constant(int64_t value) { return Dim::constant(op.getContext(), value); }

  /// Whether a value is read for the first time in a role; values may be used many times over.
  enum Role { Score, Added, Keeping, Closing };
  bool isNew(Value value, Role role) { return seen.insert({value, int(role)}).second; }

  AttentionOp op;
  llvm::DenseSet<std::pair<Value, int>> seen;
  SmallVector<Dim> lasts, firsts; ///< keys from i + first to i + last count for query i
  SmallVector<std::string> notes;
};
} // namespace

static std::optional<double> numberOf(Value value) {
  FloatAttr number;
  return matchPattern(value, m_Constant(&number)) ? std::optional(number.getValueAsDouble()) : std::nullopt;
}

/// What a conversion converts, between types that hold places; null if it is none.
static Value convertedOf(Value value) {
  Operation *conversion = value.getDefiningOp();
  return isa_and_present<arith::IndexCastOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::SIToFPOp,
                         arith::UIToFPOp, arith::FPToSIOp, arith::ExtFOp, arith::TruncFOp>(conversion)
             ? conversion->getOperand(0)
             : Value();
}

/// What a value is the size of, in either direction; null if it is none.
static Value absoluteOf(Value value) {
  Operation *computed = value.getDefiningOp();
  if (isa_and_present<math::AbsIOp, math::AbsFOp>(computed))
    return computed->getOperand(0);
  auto select = dyn_cast_or_null<arith::SelectOp>(computed); // x < 0 ? 0 - x : x
  auto test = select ? select.getCondition().getDefiningOp<arith::CmpIOp>() : arith::CmpIOp();
  auto negative = select ? select.getTrueValue().getDefiningOp<arith::SubIOp>() : arith::SubIOp();
  bool isSize = test && negative && test.getPredicate() == CmpIPredicate::slt &&
                test.getLhs() == select.getFalseValue() && matchPattern(test.getRhs(), m_Zero()) &&
                matchPattern(negative.getLhs(), m_Zero()) && negative.getRhs() == select.getFalseValue();
  return isSize ? select.getFalseValue() : Value();
}

bool ScoreReader::dependsOnScore(Value value) {
  llvm::SmallSetVector<Value, 16> pending;
  pending.insert(value);
  for (size_t i = 0; i < pending.size(); ++i) {
    if (pending[i] == op.getScore().getArgument(0))
      return true;
    if (Operation *computed = pending[i].getDefiningOp())
      pending.insert_range(computed->getOperands());
  }
  return false;
}

/// A size that the region reads; null if the capture is another one.
Dim ScoreReader::capturedDim(BlockArgument argument) {
  if (argument.getArgNumber() < kFirstCapture)
    return {};
  Value captured = op.getCaptures()[argument.getArgNumber() - kFirstCapture];
  while (auto reshape = captured.getDefiningOp<ReshapeOp>())
    captured = reshape.getInput();
  auto dims = captured.getDefiningOp<DimsOp>();
  return dims && dims.getValues().getDims().size() == 1 ? Dim(dims.getValues().getDims().front()) : Dim();
}

std::optional<Places> ScoreReader::placesOf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getArgNumber() == kQueryArgument)
      return Places{1, 0, constant(0)};
    if (argument.getArgNumber() == kKeyArgument)
      return Places{0, 1, constant(0)};
    Dim dim = capturedDim(argument);
    return dim ? std::optional(Places{0, 0, dim}) : std::nullopt;
  }
  if (Value converted = convertedOf(value))
    return converted.getType().isInteger(1) ? std::nullopt : placesOf(converted);
  APInt integer;
  if (matchPattern(value, m_ConstantInt(&integer)))
    return Places{0, 0, constant(integer.getSExtValue())};
  if (std::optional<double> number = numberOf(value))
    return *number == std::trunc(*number) && std::abs(*number) < 1e15
               ? std::optional(Places{0, 0, constant(int64_t(*number))})
               : std::nullopt;
  Operation *computed = value.getDefiningOp();
  if (!isa<arith::AddIOp, arith::SubIOp, arith::AddFOp, arith::SubFOp>(computed))
    return std::nullopt;
  auto left = placesOf(computed->getOperand(0)), right = placesOf(computed->getOperand(1));
  if (!left || !right)
    return std::nullopt;
  int64_t sign = isa<arith::SubIOp, arith::SubFOp>(computed) ? -1 : 1;
  Dim rest = sign < 0 ? left->rest - right->rest : left->rest + right->rest;
  return rest ? std::optional(Places{left->query + sign * right->query, left->key + sign * right->key, rest})
              : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

/// What is never more than 0 where a key counts.
void ScoreReader::readBound(const Places &atMostZero) {
  auto [query, key, rest] = atMostZero;
  if (query == -1 && key == 1)
    lasts.push_back(-rest);
  else if (query == 1 && key == -1)
    firsts.push_back(rest);
  else if (query <= 0 && key <= 0 && provablyNonNegative(-rest))
    return; // always so
  else if (query == 0 && key == 1)
    note("keys up to " + (-rest).toString());
  else if (query == 0 && key == -1)
    note("keys from " + rest.toString());
  else
    note("other conditions of places");
}

void ScoreReader::readComparison(CmpIPredicate predicate, Value left, Value right) {
  bool isAtMost = predicate == CmpIPredicate::sle || predicate == CmpIPredicate::slt;
  if (Value inside = isAtMost ? absoluteOf(left) : Value()) { // -x <= right, and x <= right
    auto x = placesOf(inside), most = placesOf(right);
    if (x && most && most->query == 0 && most->key == 0) {
      Dim rest = -most->rest + int64_t(predicate == CmpIPredicate::slt);
      for (int64_t sign : {1, -1})
        if (Dim bound = rest ? x->rest * sign + rest : Dim())
          readBound({sign * x->query, sign * x->key, bound});
      return;
    }
  }
  auto a = placesOf(left), b = placesOf(right);
  if (!a || !b) {
    bool isOfData = readCaptures(left, "mask");
    isOfData |= readCaptures(right, "mask");
    return isOfData ? void() : note("other conditions of places");
  }
  if (predicate == CmpIPredicate::eq || predicate == CmpIPredicate::ne)
    return note("other conditions of places");
  bool isGreater = predicate == CmpIPredicate::sge || predicate == CmpIPredicate::sgt ||
                   predicate == CmpIPredicate::uge || predicate == CmpIPredicate::ugt;
  bool isStrict = predicate == CmpIPredicate::slt || predicate == CmpIPredicate::sgt ||
                  predicate == CmpIPredicate::ult || predicate == CmpIPredicate::ugt;
  if (isGreater)
    std::swap(a, b);
  if (Dim rest = a->rest - b->rest + int64_t(isStrict))
    readBound({a->query - b->query, a->key - b->key, rest});
}

static std::optional<CmpIPredicate> integerPredicate(CmpFPredicate predicate) {
  switch (predicate) {
  case CmpFPredicate::OLE:
  case CmpFPredicate::ULE:
    return CmpIPredicate::sle;
  case CmpFPredicate::OLT:
  case CmpFPredicate::ULT:
    return CmpIPredicate::slt;
  case CmpFPredicate::OGE:
  case CmpFPredicate::UGE:
    return CmpIPredicate::sge;
  case CmpFPredicate::OGT:
  case CmpFPredicate::UGT:
    return CmpIPredicate::sgt;
  default:
    return std::nullopt;
  }
}

/// A key counts only where the condition is `keepsWhere`.
void ScoreReader::readCondition(Value condition, bool keepsWhere) {
  Operation *computed = condition.getDefiningOp();
  if (matchPattern(condition, m_Constant()) || !isNew(condition, keepsWhere ? Keeping : Closing))
    return;
  if (auto flip = dyn_cast_or_null<arith::XOrIOp>(computed); flip && matchPattern(flip.getRhs(), m_One()))
    return readCondition(flip.getLhs(), !keepsWhere);
  if ((keepsWhere && isa_and_present<arith::AndIOp>(computed)) ||
      (!keepsWhere && isa_and_present<arith::OrIOp>(computed))) {
    readCondition(computed->getOperand(0), keepsWhere);
    return readCondition(computed->getOperand(1), keepsWhere);
  }
  if (auto compare = dyn_cast_or_null<arith::CmpIOp>(computed)) {
    CmpIPredicate predicate = compare.getPredicate();
    return readComparison(keepsWhere ? predicate : arith::invertPredicate(predicate), compare.getLhs(),
                          compare.getRhs());
  }
  auto compare = dyn_cast_or_null<arith::CmpFOp>(computed);
  if (auto predicate = compare ? integerPredicate(compare.getPredicate()) : std::nullopt)
    return readComparison(keepsWhere ? *predicate : arith::invertPredicate(*predicate), compare.getLhs(),
                          compare.getRhs());
  bool isOfData = readCaptures(condition, "mask");
  if (!isOfData || isa_and_present<arith::AndIOp, arith::OrIOp>(computed))
    note("other conditions");
}

//===----------------------------------------------------------------------===//
// Scores and what is added to them
//===----------------------------------------------------------------------===//

static bool isMask(Value value) {
  std::optional<double> number = numberOf(value);
  return number && *number <= kMask;
}

void ScoreReader::readChoice(arith::SelectOp select) {
  bool ofTrue = dependsOnScore(select.getTrueValue()), ofFalse = dependsOnScore(select.getFalseValue());
  if (ofTrue == ofFalse)
    return note("other conditions");
  readCondition(select.getCondition(), ofTrue);
  readScore(ofTrue ? select.getTrueValue() : select.getFalseValue());
}

void ScoreReader::readScore(Value score) {
  Operation *computed = score.getDefiningOp();
  if (!computed || !isNew(score, Score))
    return;
  if (auto select = dyn_cast<arith::SelectOp>(computed))
    return readChoice(select);
  if (isa<math::TanhOp>(computed))
    note("softcap");
  else if (!isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp, arith::MaximumFOp,
                arith::MinimumFOp, arith::ExtFOp, arith::TruncFOp>(computed))
    note("other arithmetic");
  for (Value operand : computed->getOperands()) {
    if (dependsOnScore(operand))
      readScore(operand);
    else if (isa<arith::AddFOp, arith::SubFOp>(computed))
      readAdded(operand);
    else
      readCaptures(operand, "factor");
  }
}

/// A condition as a number, or 1 less it, times what closes.
void ScoreReader::readProduct(arith::MulFOp product) {
  for (unsigned side : {0, 1}) {
    Value other = product->getOperand(1 - side);
    if (!isMask(product->getOperand(side)))
      continue;
    bool isComplement = false;
    if (auto difference = other.getDefiningOp<arith::SubFOp>();
        difference && numberOf(difference.getLhs()) == 1.0)
      isComplement = true, other = difference.getRhs();
    while (Value converted = convertedOf(other))
      other = converted;
    if (other.getType().isInteger(1))
      return readCondition(other, isComplement);
    readCaptures(other, "mask");
    return;
  }
  readAdded(product.getLhs());
  readAdded(product.getRhs());
}

void ScoreReader::readAdded(Value added) {
  Operation *computed = added.getDefiningOp();
  if (matchPattern(added, m_Constant()) || !isNew(added, Added))
    return;
  if (auto product = dyn_cast_or_null<arith::MulFOp>(computed))
    return readProduct(product);
  if (auto select = dyn_cast_or_null<arith::SelectOp>(computed)) {
    bool closesTrue = isMask(select.getTrueValue()), closesFalse = isMask(select.getFalseValue());
    if (closesTrue != closesFalse) {
      readCondition(select.getCondition(), closesFalse);
      return readAdded(closesTrue ? select.getFalseValue() : select.getTrueValue());
    }
  }
  if (isa_and_present<arith::AddFOp, arith::SubFOp, arith::MaximumFOp, arith::MinimumFOp>(computed)) {
    readAdded(computed->getOperand(0));
    return readAdded(computed->getOperand(1));
  }
  if (!readCaptures(added, "bias"))
    note("bias by distance");
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

/// The one input that a value follows from; nothing if it follows from none or several, or from products.
static StringAttr findInput(Value value) {
  constexpr size_t kMaxOperations = 200;
  llvm::SmallSetVector<Value, 16> pending;
  pending.insert(value);
  StringAttr input;
  for (size_t i = 0; i < pending.size(); ++i) {
    Operation *computed = pending[i].getDefiningOp();
    if (isa_and_present<MatmulOp, AttentionOp>(computed) || i > kMaxOperations)
      return {};
    if (computed) {
      pending.insert_range(computed->getOperands());
      continue;
    }
    auto argument = cast<BlockArgument>(pending[i]);
    auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
    auto name = function ? function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), names::kName)
                         : StringAttr();
    if (!name || input)
      return {};
    input = name;
  }
  return input;
}

/// Whether a capture is a number for each distance between query and key (weft-compute-by-distance).
static bool isByDistance(Value captured) {
  Operation *op = captured.getDefiningOp();
  while (isa_and_nonnull<ReshapeOp, SliceOp, TransposeOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return isa_and_nonnull<ToeplitzOp>(op);
}

/// "mask by batch and key (attention_mask)"
std::string ScoreReader::describeCapture(unsigned number, StringRef what) {
  Value captured = op.getCaptures()[number];
  constexpr StringLiteral kDims[] = {"batch", "head", "query", "key"};
  auto dims = getDims(captured);
  SmallVector<StringRef> varying;
  for (size_t i = 0; dims && i < dims->size(); ++i)
    if ((*dims)[i] && (*dims)[i].getConstant() != 1)
      varying.push_back(kDims[4 - dims->size() + i]);
  if (isByDistance(captured)) {
    llvm::erase_if(varying, [&](StringRef dim) { return dim == kDims[2] || dim == kDims[3]; });
    varying.push_back("distance");
  }
  std::string text = what.str();
  for (auto [i, dim] : llvm::enumerate(varying))
    text += (i == 0 ? " by " : i + 1 == varying.size() ? " and " : ", ") + dim.str();
  if (StringAttr input = findInput(captured))
    text += " (" + input.getValue().str() + ")";
  return text;
}

/// What a value reads of captures that are no sizes; false if it reads none.
bool ScoreReader::readCaptures(Value value, StringRef what) {
  bool readsAny = false;
  llvm::SmallSetVector<Value, 16> pending;
  pending.insert(value);
  for (size_t i = 0; i < pending.size(); ++i) {
    if (Operation *computed = pending[i].getDefiningOp()) {
      pending.insert_range(computed->getOperands());
      continue;
    }
    auto argument = cast<BlockArgument>(pending[i]);
    if (argument.getArgNumber() >= kFirstCapture && !capturedDim(argument)) {
      note(describeCapture(argument.getArgNumber() - kFirstCapture, what));
      readsAny = true;
    }
  }
  return readsAny;
}

std::string ScoreReader::describeBounds() {
  if (lasts.empty() && firsts.empty())
    return "";
  if (lasts.size() > 1 || firsts.size() > 1)
    return "several windows";
  SmallVector<Dim> scores = *op.getScoreDims();
  Dim queries = scores[2], keys = scores[3];
  Dim before = queries && keys ? keys - queries : Dim(); // positions of a past
  bool isCausal = !lasts.empty() && before && provablyEqual(lasts.front(), before) == true;
  auto distance = [](Dim dim) -> std::string {
    std::optional<int64_t> number = dim.getConstant();
    if (number && *number <= 0)
      return *number == 0 ? "i" : "i - " + std::to_string(-*number);
    return "i + " + dim.toString();
  };
  std::string text = isCausal ? "causal" : "";
  if (!firsts.empty() && !lasts.empty()) {
    Dim window = lasts.front() - firsts.front() + 1;
    if (isCausal && window)
      return text + ", window " + window.toString();
    return "keys from " + distance(firsts.front()) + " to " + distance(lasts.front());
  }
  if (firsts.empty())
    return isCausal ? text : "keys up to " + distance(lasts.front());
  return "keys from " + distance(firsts.front());
}

std::string ScoreReader::read() {
  if (!op.getScore().empty()) {
    Operation *yield = op.getScore().front().getTerminator();
    readCondition(yield->getOperand(1), true);
    readScore(yield->getOperand(0));
  }
  std::string text = describeBounds();
  if (auto blocks = op.getBlocks())
    text = std::to_string(blocks->getType().getDimSize(1)) + " blocks of " +
           std::to_string(op.getBlockSize()) + " keys" + (text.empty() ? "" : ", " + text);
  for (const std::string &what : notes)
    text += (text.empty() ? "" : ", ") + what;
  return (text.empty() ? "all keys" : text) + (op.getSink() ? ", a sink" : "");
}

std::string weft::graph::describeScores(AttentionOp op) { return ScoreReader(op).read(); }
