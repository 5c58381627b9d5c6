// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Options that no processor has.
// RUN: not weft-opt --weft-emit-kernels=vector-bits=128 %s 2>&1 | FileCheck %s --check-prefix=WIDTH
// RUN: not weft-opt --weft-emit-kernels="vector-bits=256 vnni" %s 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: not weft-opt --weft-emit-kernels="vector-bits=256 amx" %s 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: weft-opt --weft-emit-kernels="vector-bits=512 vnni amx" %s
// WIDTH: weft-emit-kernels: expects vector-bits of 256 or 512, got 128
// BYTES: weft-emit-kernels: expects vector-bits of 512 with vnni or amx
module {}
