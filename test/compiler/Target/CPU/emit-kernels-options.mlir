// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Options that no processor has.
// RUN: not weft-opt --weft-emit-kernels=vector-bits=64 %s 2>&1 | FileCheck %s --check-prefix=WIDTH
// RUN: not weft-opt --weft-emit-kernels="vector-bits=256 vnni" %s 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: not weft-opt --weft-emit-kernels="vector-bits=256 bf16" %s 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: not weft-opt --weft-emit-kernels="vector-bits=256 amx" %s 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: not weft-opt --weft-emit-kernels="vector-bits=256 dotprod" %s 2>&1 | FileCheck %s --check-prefix=DOTPROD
// RUN: weft-opt --weft-emit-kernels="vector-bits=512 vnni bf16 amx" %s
// RUN: weft-opt --weft-emit-kernels="vector-bits=128 dotprod" %s
// WIDTH: weft-emit-kernels: expects vector-bits of 128, 256 or 512, got 64
// DOTPROD: weft-emit-kernels: expects vector-bits of 128 with dotprod
// BYTES: weft-emit-kernels: expects vector-bits of 512 with vnni, bf16 or amx
module {}
