// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dictionary {axis, capacity, next}.
#include "dialects/Weft/IR/StateGrowth.h"
#include "dialects/Weft/IR/Weft.h"

using namespace mlir;
using namespace weft;

std::optional<StateGrowth> StateGrowth::get(Attribute attribute) {
  auto entries = dyn_cast_or_null<DictionaryAttr>(attribute);
  auto axis = entries ? entries.getAs<IntegerAttr>("axis") : IntegerAttr(),
       capacity = entries ? entries.getAs<IntegerAttr>("capacity") : IntegerAttr();
  auto next = entries ? entries.getAs<DimAttr>("next") : DimAttr();
  auto isI64 = [](IntegerAttr value) { return value && value.getType().isSignlessInteger(64); };
  if (!isI64(axis) || !isI64(capacity) || !next)
    return std::nullopt;
  return StateGrowth{axis.getInt(), capacity.getInt(), Dim(next)};
}

DictionaryAttr StateGrowth::getAttr() const {
  Builder builder(next.getContext());
  auto entry = [&](StringRef name, Attribute value) { return builder.getNamedAttr(name, value); };
  return builder.getDictionaryAttr({entry("axis", builder.getI64IntegerAttr(axis)),
                                    entry("capacity", builder.getI64IntegerAttr(capacity)),
                                    entry("next", next.getAttr())});
}

LogicalResult weft::verifyStates(func::FuncOp program) {
  for (unsigned i = 0; i < program.getNumArguments(); ++i) {
    Attribute attribute = program.getArgAttr(i, names::kState);
    if (!attribute)
      continue;
    std::optional<StateGrowth> growth = StateGrowth::get(attribute);
    auto type = dyn_cast<ShapedType>(program.getArgument(i).getType());
    auto dims = program.getArgAttrOfType<DimsAttr>(i, names::kDims);
    if (!growth || !type || !type.hasRank() || !dims || int64_t(dims.getDims().size()) != type.getRank() ||
        growth->axis < 0 || growth->axis >= type.getRank() || growth->capacity <= 0 ||
        type.getDimSize(growth->axis) != growth->capacity)
      return program.emitError()
             << "expects argument " << i << " with " << names::kState
             << " = {axis, capacity, next} to have weft.dims, and the capacity as the dim of "
                "that axis";
  }
  return success();
}
