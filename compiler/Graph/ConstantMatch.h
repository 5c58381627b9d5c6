// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers among a graph's constants, for the recognizers.
#ifndef WEFT_COMPILER_GRAPH_CONSTANTMATCH_H
#define WEFT_COMPILER_GRAPH_CONSTANTMATCH_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Value.h"
#include <optional>

namespace weft::graph {

/// The one element that an inline constant repeats, expanded or not, as an attribute of its element type;
/// null otherwise.
mlir::TypedAttr getSplatElement(mlir::Value value);
/// The same as a number, if it is a float.
std::optional<double> getSplatNumber(mlir::Value value);
/// What a multiplication or division by a finite number that is not 0, its second operand, multiplies the
/// first one by, which has the result's type; nothing for any other operation, or none.
std::optional<double> getConstantFactor(mlir::Operation *op);
/// Whether a factor written in `type` means `wanted`: exporters round constants to that type, and some to
/// five digits.
bool isAbout(double number, double wanted, mlir::Type type);

} // namespace weft::graph

#endif // WEFT_COMPILER_GRAPH_CONSTANTMATCH_H
