// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a softmax forward to the products that its weights are used in.
#include "compiler/Graph/Attention/AttentionMatch.h"
#include "compiler/Graph/ConstantMatch.h"

using namespace mlir;
using namespace weft;
using namespace weft::graph;

namespace {
/// The weights in some layout and element type, and the form that it was made of.
struct Form {
  Value value;
  Layout layout;
  int from; ///< -1: the weights themselves
  bool isGuarded = false;
  double factor = 1;
  Value zeroMask = nullptr;
  bool zeroWhere = false;
};

class UseFinder {
public:
  UseFinder(ScoreAxes &axes, Type element) : axes(axes), element(element) {}
  SoftmaxUses find(Value weights, const Layout &layout);

private:
  bool follow(Operation *user, int form);
  bool addForm(Value value, std::optional<Layout> layout, int from);
  bool followScale(Operation *user, int from);
  bool followZeros(WhereOp where, int from);
  bool isGuard(Operation *user, Value weights, Value &result);
  void keep(ArrayRef<int> needed);

  ScoreAxes &axes;
  Type element;
  SmallVector<Form> forms;
  SoftmaxUses uses;
};
} // namespace

bool UseFinder::addForm(Value value, std::optional<Layout> layout, int from) {
  if (!layout)
    return false;
  Form form = forms[from];
  form.value = value;
  form.layout = std::move(*layout);
  form.from = from;
  forms.push_back(std::move(form));
  return true;
}

/// where(mask, 0, weights), with the softmax's own mask.
bool UseFinder::followZeros(WhereOp where, int from) {
  Form form = forms[from];
  bool zeroWhere = where.getElseValue() == form.value;
  Value zero = zeroWhere ? where.getThenValue() : where.getElseValue();
  Value other = zeroWhere ? where.getElseValue() : where.getThenValue();
  // The mask is the softmax's only where its dims are.
  bool isInPlace = axes.getLeaves(form.layout) == axes.getLeaves(forms.front().layout);
  if (form.zeroMask || !isInPlace || other != form.value || getSplatNumber(zero) != 0.0 ||
      where.getType() != form.value.getType())
    return false;
  addForm(where, form.layout, from);
  forms.back().zeroMask = where.getCondition();
  forms.back().zeroWhere = zeroWhere;
  return true;
}

/// A constant factor, which the result of the product can be multiplied by instead; or a 0 that is added.
bool UseFinder::followScale(Operation *user, int from) {
  bool isDivided = isa<DivOp>(user), isAdded = isa<AddOp>(user);
  for (unsigned side : {1u, 0u}) {
    std::optional<double> number = getSplatNumber(user->getOperand(side));
    if (!number || !std::isfinite(*number) || (*number == 0) != isAdded || (isDivided && side == 0) ||
        user->getOperand(1 - side) != forms[from].value ||
        user->getResult(0).getType() != forms[from].value.getType())
      continue;
    addForm(user->getResult(0), forms[from].layout, from);
    if (!isAdded)
      forms.back().factor *= isDivided ? 1 / *number : *number;
    return true;
  }
  return false;
}

/// The test of `x == x`, or not, which no NaN passes.
static bool isTestForNaN(Value condition, Value weights, bool &isNaN) {
  isNaN = false;
  if (auto negated = condition.getDefiningOp<NotOp>()) {
    isNaN = true;
    condition = negated.getInput();
  }
  auto compare = condition.getDefiningOp<CompareOp>();
  return compare && compare.getPredicate() == ComparePredicate::Equal && compare.getLhs() == weights &&
         compare.getRhs() == weights;
}

/// Whether `user` replaces the NaNs of the weights by 0, or is a part of doing so; `result` is then what
/// comes out.
bool UseFinder::isGuard(Operation *user, Value weights, Value &result) {
  if (auto test = dyn_cast<CompareOp>(user)) {
    if (test.getLhs() != weights || test.getRhs() != weights)
      return false;
    return llvm::all_of(test->getUsers(), [&](Operation *next) {
      if (isa<NotOp>(next))
        return llvm::all_of(next->getUsers(),
                            [&](Operation *where) { return isGuard(where, weights, result); });
      return isa<WhereOp>(next) && isGuard(next, weights, result);
    });
  }
  auto where = dyn_cast<WhereOp>(user);
  bool isNaN;
  if (!where || !isTestForNaN(where.getCondition(), weights, isNaN))
    return false;
  Value zero = isNaN ? where.getThenValue() : where.getElseValue();
  Value other = isNaN ? where.getElseValue() : where.getThenValue();
  result = where.getResult();
  return other == weights && getSplatNumber(zero) == 0.0 && result.getType() == weights.getType();
}

/// False if the user needs the form as a tensor.
bool UseFinder::follow(Operation *user, int from) {
  Form form = forms[from];
  if (auto context = dyn_cast<MatmulOp>(user)) {
    if (!context.getEpilogue().empty() || context.getPackedColumns() || context.getLhs() == context.getRhs())
      return false;
    unsigned operand = context.getLhs() == form.value ? 0 : 1;
    uses.products.push_back({context, operand, form.layout, form.factor});
    return context->getOperand(operand) == form.value; // not a capture
  }
  if (auto transpose = dyn_cast<TransposeOp>(user))
    return addForm(transpose, permute(form.layout, transpose.getPermutation()), from);
  if (auto reshape = dyn_cast<ReshapeOp>(user))
    return getDims(reshape.getResult()) &&
           addForm(reshape,
                   axes.reshape(form.layout, *getDims(reshape.getResult()), ScoreAxes::Splitting::Allowed),
                   from);
  if (auto cast = dyn_cast<CastOp>(user))
    return isa<FloatType>(cast.getTo()) && addForm(cast, form.layout, from);
  if (isa<MulOp, DivOp, AddOp>(user))
    return followScale(user, from);
  Value guarded;
  if (form.isGuarded || !isGuard(user, form.value, guarded)) {
    auto where = dyn_cast<WhereOp>(user);
    return where && followZeros(where, from);
  }
  if (!guarded) // a test that nothing uses
    return true;
  if (llvm::none_of(forms, [&](const Form &known) { return known.value == guarded; })) {
    addForm(guarded, form.layout, from);
    forms.back().isGuarded = true;
  }
  return true;
}

/// Finds the one form that all needed ones are made of and that an attention can give.
void UseFinder::keep(ArrayRef<int> needed) {
  if (needed.empty())
    return;
  auto isMadeOf = [&](int form, int root) {
    while (form != root && form >= 0)
      form = forms[form].from;
    return form == root;
  };
  for (size_t root = 0; root < forms.size(); ++root) {
    const Form &form = forms[root];
    if (form.isGuarded != uses.isGuarded || form.factor != 1 || form.zeroMask != uses.zeroMask ||
        getElementTypeOrSelf(form.value) != element ||
        !llvm::all_of(needed, [&](int one) { return isMadeOf(one, int(root)); }))
      continue;
    uses.kept = form.value;
    uses.keptLayout = form.layout;
    return;
  }
  uses.obstacle = "its result is also needed before it is cast, masked, or guarded against NaN";
}

SoftmaxUses UseFinder::find(Value weights, const Layout &layout) {
  forms.push_back({weights, layout, -1});
  SmallVector<int> needed, used;
  constexpr size_t kMaxForms = 64;
  for (size_t i = 0; i < forms.size() && i < kMaxForms; ++i)
    for (Operation *user : forms[i].value.getUsers()) {
      size_t products = uses.products.size();
      if (!follow(user, i)) {
        uses.products.truncate(products);
        needed.push_back(i);
      } else if (uses.products.size() > products) {
        used.push_back(i);
      }
    }
  llvm::sort(uses.products, [](const WeightsUse &left, const WeightsUse &right) {
    return left.context->isBeforeInBlock(right.context);
  });
  // Guarded are all products or none.
  uses.isGuarded = llvm::any_of(used, [&](int i) { return forms[i].isGuarded; });
  if (llvm::any_of(used, [&](int i) { return forms[i].isGuarded != uses.isGuarded; }))
    uses.obstacle = "some products use its result with a guard against NaN, and some without";
  else if (llvm::any_of(used, [&](int i) { return forms[i].zeroMask != forms[used.front()].zeroMask; }))
    uses.obstacle = "some products use its result with masked weights, and some without";
  if (!used.empty()) {
    uses.zeroMask = forms[used.front()].zeroMask;
    uses.zeroWhere = forms[used.front()].zeroWhere;
  }
  if (uses.obstacle.empty())
    keep(needed);
  return std::move(uses);
}

SoftmaxUses weft::graph::findUses(Value weights, const Layout &layout, ScoreAxes &axes, Type element) {
  return UseFinder(axes, element).find(weights, layout);
}
