// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shapes as lists of dims: broadcasting, guards, and the verifier that inference gives.
#include "dialects/Weft/IR/InferContext.h"
#include "dialects/Weft/IR/Weft.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weft;

bool weft::isShort(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return false;
  int64_t count = 1;
  bool isEmpty = llvm::is_contained(tensor.getShape(), 0);
  for (int64_t size : tensor.getShape())
    if (size != 0 && llvm::MulOverflow(count, size, count)) // of no use, even where another size is 0
      return false;
  return isEmpty || count <= kMaxKnownElements;
}

void weft::forEachDefinition(Operation *function, function_ref<void(StringAttr, Dim)> visit) {
  if (auto definitions = function->getAttrOfType<ArrayAttr>(names::kDefinitions))
    for (size_t i = 0; i + 1 < definitions.size(); i += 2)
      visit(cast<StringAttr>(definitions[i]), Dim(cast<DimAttr>(definitions[i + 1])));
}

void weft::forEachElement(ArrayAttr symbols,
                          function_ref<void(size_t element, StringAttr above, StringAttr below)> visit) {
  for (size_t i = 0; i + 1 < symbols.size(); i += 2) {
    auto above = cast<StringAttr>(symbols[i]), below = cast<StringAttr>(symbols[i + 1]);
    visit(i / 2, above, below.empty() ? StringAttr() : below);
  }
}

void weft::forEachElementSymbol(FunctionOpInterface function, function_ref<void(StringAttr)> visit) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (auto symbols = function.getArgAttrOfType<ArrayAttr>(i, names::kElementSymbols))
      forEachElement(symbols, [&](size_t, StringAttr above, StringAttr below) {
        visit(above);
        if (below)
          visit(below);
      });
}

std::optional<std::pair<StringRef, int64_t>> weft::getComputedBy(DictionaryAttr argument) {
  auto by = argument ? argument.getAs<ArrayAttr>(names::kComputedBy) : nullptr;
  auto function = by && by.size() == 2 ? dyn_cast<StringAttr>(by[0]) : nullptr;
  auto result = by && by.size() == 2 ? dyn_cast<IntegerAttr>(by[1]) : nullptr;
  if (!function || !result)
    return std::nullopt;
  return std::pair(function.getValue(), result.getInt());
}

SmallVector<Dim> weft::getElementDims(ArrayAttr symbols) {
  SmallVector<Dim> elements;
  auto symbol = [](StringAttr name) { return Dim::symbol(name.getContext(), name.getValue()); };
  forEachElement(symbols, [&](size_t, StringAttr above, StringAttr below) {
    elements.push_back(below ? symbol(above) - symbol(below) : symbol(above));
  });
  return elements;
}

std::optional<SmallVector<Dim>> InferContext::contents(Value value) {
  auto all = elements(value);
  return all && !llvm::is_contained(*all, Dim()) ? all : std::nullopt;
}

std::optional<SmallVector<Dim>> InferContext::elements(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !isa<ConstantOp, DimsOp>(op))
    return std::nullopt;
  return cast<InferInterface>(op).inferContents(*this);
}

SmallVector<Dim> weft::getDims(ShapedType type) {
  SmallVector<Dim> dims;
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    if (auto encoding = dyn_cast_if_present<DimsAttr>(tensor.getEncoding())) {
      for (DimAttr dim : encoding.getDims())
        dims.push_back(Dim(dim));
      return dims;
    }
  for (int64_t size : type.getShape())
    dims.push_back(ShapedType::isDynamic(size) ? Dim() : Dim::constant(type.getContext(), size));
  return dims;
}

std::optional<SmallVector<Dim>> weft::getDims(Value value) {
  auto type = dyn_cast<ShapedType>(value.getType());
  if (!type || !type.hasRank())
    return std::nullopt;
  return getDims(type);
}

RankedTensorType weft::getTensorType(ArrayRef<Dim> dims, Type element) {
  SmallVector<int64_t> shape;
  SmallVector<DimAttr> expressions;
  bool known = true, dynamic = false;
  for (Dim dim : dims) {
    known &= bool(dim);
    std::optional<int64_t> constant = dim ? dim.getConstant() : std::nullopt;
    dynamic |= !constant;
    shape.push_back(constant.value_or(ShapedType::kDynamic));
    expressions.push_back(dim ? dim.getAttr() : DimAttr());
  }
  Attribute encoding;
  if (known && dynamic)
    encoding = DimsAttr::get(element.getContext(), expressions);
  return RankedTensorType::get(shape, element, encoding);
}

RankedTensorType weft::getTensorType(InferContext &context, SmallVector<Dim> dims, Type element) {
  for (Dim &dim : dims)
    if (!dim)
      dim = context.fresh();
  return getTensorType(dims, element);
}

DimsAttr weft::getDimsAttr(MLIRContext *context, ArrayRef<Dim> dims) {
  return DimsAttr::get(context, llvm::map_to_vector(dims, [](Dim dim) { return dim.getAttr(); }));
}

std::string weft::describeType(Type type) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped) {
    stream << type;
    return text;
  }
  if (!shaped.hasRank()) {
    stream << "unknown rank x " << shaped.getElementType();
    return text;
  }
  for (Dim dim : getDims(shaped))
    stream << (dim ? dim.toString() : std::string("?")) << " x ";
  stream << shaped.getElementType();
  return text;
}

void weft::guardBroadcastTo(InferContext &context, Operation *op, Dim from, Dim to) {
  if (!from || !to || from == to || from.getConstant() == 1)
    return;
  // The second alone would hold of 5 and 3, of which no broadcast is.
  context.guard(op, Relation::Broadcast, from, to);
  context.guard(op, Relation::Equal, Dim::broadcast(from, to), to);
}

bool weft::requireEqual(InferContext &context, Operation *op, Dim left, Dim right) {
  if (!left || !right || left == right)
    return true;
  if (left.getConstant() && right.getConstant())
    return false;
  context.guard(op, Relation::Equal, left, right);
  return true;
}

std::optional<Dim> weft::broadcastDims(InferContext &context, Operation *op, Dim left, Dim right) {
  auto isConstant = [](Dim dim, int64_t value) { return dim && dim.getConstant() == value; };
  if (left && left == right)
    return left;
  if (isConstant(left, 1))
    return right;
  if (isConstant(right, 1))
    return left;
  bool leftConstant = left && left.getConstant(), rightConstant = right && right.getConstant();
  if (leftConstant && rightConstant)
    return std::nullopt;
  if (left && right)
    context.guard(op, Relation::Broadcast, left, right);
  if (leftConstant || rightConstant) // A constant other than 1 wins whatever the symbol is.
    return leftConstant ? left : right;
  if (!left || !right)
    return Dim();
  return Dim::broadcast(left, right);
}

FailureOr<SmallVector<Dim>> weft::broadcastShapes(InferContext &context, Operation *op,
                                                  ArrayRef<SmallVector<Dim>> shapes, StringRef constraint) {
  size_t rank = 0;
  for (const SmallVector<Dim> &shape : shapes)
    rank = std::max(rank, shape.size());
  SmallVector<Dim> result(rank, Dim::constant(op->getContext(), 1));
  for (const SmallVector<Dim> &shape : shapes)
    for (size_t i = 0; i < shape.size(); ++i) {
      Dim &into = result[rank - shape.size() + i];
      std::optional<Dim> dim = broadcastDims(context, op, into, shape[i]);
      if (!dim)
        return op->emitOpError() << constraint << ": dims " << into.toString() << " and "
                                 << shape[i].toString() << " do not broadcast; expects equal dims, or 1";
      into = *dim;
    }
  return result;
}

bool weft::provablyBroadcastsTo(ArrayRef<Dim> shape, ArrayRef<Dim> to) {
  if (shape.size() > to.size())
    return false;
  return llvm::all_of(llvm::zip(shape, to.take_back(shape.size())), [](auto pair) {
    auto [from, into] = pair;
    return from && (from == into || from.getConstant() == 1);
  });
}

bool weft::provablyEqualShapes(ArrayRef<Dim> left, ArrayRef<Dim> right) {
  return left.size() == right.size() && llvm::all_of(llvm::zip(left, right), [](auto pair) {
           return std::get<0>(pair) && std::get<0>(pair) == std::get<1>(pair);
         });
}

std::pair<size_t, size_t> weft::matchDims(ArrayRef<Dim> from, ArrayRef<Dim> to) {
  for (size_t total = 2; total <= from.size() + to.size(); ++total)
    for (size_t count = 1; count < total; ++count) {
      if (count > from.size() || total - count > to.size())
        continue;
      MLIRContext *context = from.front().getContext();
      Dim left = Dim::product(context, from.take_front(count)),
          right = Dim::product(context, to.take_front(total - count));
      if (left && left == right)
        return {count, total - count};
    }
  return {0, 0};
}

bool weft::agree(Type declared, Type inferred) {
  auto left = dyn_cast<ShapedType>(declared), right = dyn_cast<ShapedType>(inferred);
  if (!left || !right)
    return declared == inferred;
  if (left.getElementType() != right.getElementType())
    return false;
  if (!left.hasRank() || !right.hasRank())
    return true;
  if (left.getRank() != right.getRank())
    return false;
  // Unequal expressions may still be equal numbers; only constants are proof.
  return llvm::all_of(llvm::zip(left.getShape(), right.getShape()), [](auto pair) {
    auto [a, b] = pair;
    return ShapedType::isDynamic(a) || ShapedType::isDynamic(b) || a == b;
  });
}

LogicalResult weft::verifyInferredTypes(Operation *op) {
  InferContext context;
  SmallVector<Type> types;
  if (failed(cast<InferInterface>(op).inferTypes(context, types)))
    return failure();
  for (auto [result, type] : llvm::zip(op->getResults(), types))
    if (!agree(result.getType(), type))
      return op->emitOpError() << "declares the result type " << describeType(result.getType()) << ", but "
                               << describeType(type) << " follows from its operands";
  return success();
}
