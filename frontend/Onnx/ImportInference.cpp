// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inference of contents, operation by operation, as far back as constants are.
#include "frontend/Onnx/ImportInference.h"

using namespace mlir;
using namespace weft;
using weft::onnx::ImportInference;

weft::Dim ImportInference::fix(weft::Dim dim) const {
  if (!dim || fixedDims.empty())
    return dim;
  weft::Dim fixed = dim.substitute([&](StringRef name) {
    auto size = fixedDims.find(name);
    return size == fixedDims.end() ? weft::Dim() : weft::Dim::constant(dim.getContext(), size->second);
  });
  return fixed ? fixed : dim;
}

/// Whether a number is not one of the type, because arithmetic with dims does not wrap.
static bool isOutside(weft::Dim dim, Type element) {
  auto type = dyn_cast<IntegerType>(element);
  std::optional<int64_t> number = dim ? dim.getConstant() : std::nullopt;
  return type && type.getWidth() > 1 && number && !llvm::isIntN(type.getWidth(), *number);
}

std::optional<SmallVector<weft::Dim>> ImportInference::elements(Value value) {
  auto infer = value.getDefiningOp<InferInterface>();
  if (!isShort(value.getType()))
    return std::nullopt;
  if (cast<ShapedType>(value.getType()).getNumElements() == 0)
    return SmallVector<weft::Dim>();
  if (!infer)
    return std::nullopt;
  if (auto found = known.find(value); found != known.end())
    return found->second;
  if (depth == kMostDepth) {
    isCut = true;
    return std::nullopt;
  }
  ++depth;
  std::optional<SmallVector<weft::Dim>> found = infer.inferContents(*this);
  --depth;
  Type element = getElementTypeOrSelf(value);
  if (found && llvm::any_of(*found, [&](weft::Dim dim) { return isOutside(dim, element); }))
    found.reset();
  if (found)
    for (weft::Dim &dim : *found)
      dim = fix(dim);
  known[value] = found;
  // The next question may begin where this one had to stop.
  if (depth == 0 && std::exchange(isCut, false))
    known.clear();
  return found;
}

std::optional<SmallVector<int64_t>> ImportInference::numbers(Value value) {
  if (!getElementTypeOrSelf(value).isSignlessInteger())
    return std::nullopt;
  auto elements = contents(value);
  if (!elements)
    return std::nullopt;
  SmallVector<int64_t> numbers;
  for (weft::Dim dim : *elements) {
    if (!dim.getConstant())
      return std::nullopt;
    numbers.push_back(*dim.getConstant());
  }
  return numbers;
}
