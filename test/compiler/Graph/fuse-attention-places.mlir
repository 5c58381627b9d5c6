// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The axis of a softmax that was taken apart on the way, and put together again, is still the columns of the product.
// RUN: weft-opt %S/../../same-answer/compiled/attention-places.mlir -pass-pipeline='builtin.module(func.func(weft-fuse-attention,canonicalize))' | FileCheck %s
// CHECK-NOT: weft.softmax
// CHECK: weft.attention
// CHECK: weft.attention
// CHECK-NOT: weft.softmax
