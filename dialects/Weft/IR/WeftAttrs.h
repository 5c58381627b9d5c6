// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes and enums of the weft dialect.
#ifndef WEFT_DIALECTS_WEFT_IR_WEFTATTRS_H
#define WEFT_DIALECTS_WEFT_IR_WEFTATTRS_H

#include "dialects/Weft/IR/DimKind.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TensorEncoding.h"

#include "dialects/Weft/IR/WeftEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Weft/IR/WeftAttrs.h.inc"

#endif // WEFT_DIALECTS_WEFT_IR_WEFTATTRS_H
