// A schedule of a table is for the step that takes so many rows: few, too few for tiles of 128 x 128, or many.
// RUN: weft-opt %s --pass-pipeline='builtin.module(weft-form-steps{target=gpu})' -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: FileCheck %s --check-prefix=KERNEL --input-file=%t.mlir
// RUN: weft-opt %s --pass-pipeline='builtin.module(weft-form-steps)' | FileCheck %s --check-prefix=CPU
#x = #weft.dims<"m", 1024>

// KERNEL: weft.kernel @matmul({{.*}}schedule = {columns = 32 : i64, rows = 8 : i64}
// KERNEL: weft.kernel @matmul_0({{.*}}schedule = {columns = 128 : i64, hopper_columns = 256 : i64, rows = 128 : i64}
// KERNEL-NEXT: weft.gemm_tile {{.*}}{parts, weft.bf16}
// KERNEL: weft.kernel @matmul_1({{.*}}schedule = {columns = 128 : i64, hopper_columns = 64 : i64, rows = 64 : i64}
// KERNEL-NEXT: weft.gemm_tile {{.*}}{parts, weft.bf16}
// CHECK-LABEL: func.func @any
// CHECK: %[[FEW:.*]] = weft.step @matmul[
// CHECK: weft.dims<4 * min(1, {{.*}}, "m", 1024>
// CHECK: %[[MANY:.*]] = weft.step @matmul_0[
// CHECK: weft.dims<2 * min(1, {{.*}}, "m", 1024>
// CHECK: %[[SMALL:.*]] = weft.step @matmul_1[
// CHECK: %[[SOME:.*]] = weft.step @add_parts[{{.*}} ins(%[[MANY]] {{.*}} outs(%[[FEW]]
// CHECK: weft.step @add_parts_2[{{.*}} ins(%[[SMALL]] {{.*}} outs(%[[SOME]]
// CPU: weft.kernel @matmul({{.*}}schedule = {columns = 48 : i64, rows = 128 : i64}
func.func @any(%x: tensor<?x1024xbf16, #x>, %w: tensor<1024x1024xbf16>) -> tensor<?x1024xbf16, #x> {
  %0 = weft.matmul %x, %w {weft.schedules = [{of_rows = 8 : i64, columns = 32 : i64}, {of_rows = 9 : i64, rows = 128 : i64},
      {of_rows = 768 : i64, rows = 64 : i64, columns = 128 : i64, hopper_columns = 64 : i64, parts = 2 : i64},
      {of_rows = 1024 : i64, parts = 3 : i64, rows = 64 : i64}, {of_rows = 4096 : i64, rows = 128 : i64, hopper_columns = 256 : i64, parts = 4 : i64}]}
    : (tensor<?x1024xbf16, #x>, tensor<1024x1024xbf16>) -> tensor<?x1024xbf16, #x>
  return %0 : tensor<?x1024xbf16, #x>
}

// One part is none.
// CHECK-LABEL: func.func @whole
// CHECK: weft.step @matmul
// CHECK-NOT: weft.step
func.func @whole(%x: tensor<128x1024xf16>, %w: tensor<1024x256xf16>) -> tensor<128x256xf16> {
  %0 = weft.matmul %x, %w {weft.schedules = [{of_rows = 128 : i64, parts = 1 : i64}]} : (tensor<128x1024xf16>, tensor<1024x256xf16>) -> tensor<128x256xf16>
  return %0 : tensor<128x256xf16>
}
