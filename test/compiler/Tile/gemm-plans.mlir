// A product's steps on a GPU: which there are follows from what is known of its rows, and what each one takes of them from their number.
// RUN: weft-opt %s --pass-pipeline='builtin.module(weft-form-steps{target=gpu})' -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: FileCheck %s --check-prefix=KERNEL --input-file=%t.mlir
#x = #weft.dims<"m", 1024>
#y = #weft.dims<"m", 256>

// Of 128 rows and 256 columns tensor cores have two tiles; 8 of a quarter, in four parts, are 32 blocks. The sums of
// parts are there before any of them are added: products that need nothing of each other stay beside each other.
// CHECK-LABEL: func.func @divided
// CHECK: %[[A:.*]] = weft.step @matmul[%c32]
// CHECK-SAME: tensor<4x128x256xf32>
// CHECK: %[[B:.*]] = weft.step @matmul_0[%c32]
// CHECK: weft.step @add_parts[%c128] ins(%[[A]]
// CHECK: weft.step @add_parts_1[%c128] ins(%[[B]]
// KERNEL: weft.kernel @matmul({{.*}}schedule = {columns = 64 : i64, rows = 64 : i64}
// KERNEL-NEXT: weft.gemm_tile {{.*}}{parts}
// KERNEL: weft.kernel @add_parts({{.*}}schedule = {columns = 256 : i64, rows = 1 : i64}
// KERNEL-NEXT: weft.add_parts_tile
func.func @divided(%x: tensor<128x1024xf16>, %w: tensor<1024x256xf16>, %v: tensor<1024x256xf16>) -> (tensor<128x256xf16>, tensor<128x256xf16>) {
  %0 = weft.matmul %x, %w : (tensor<128x1024xf16>, tensor<1024x256xf16>) -> tensor<128x256xf16>
  %1 = weft.matmul %x, %v : (tensor<128x1024xf16>, tensor<1024x256xf16>) -> tensor<128x256xf16>
  return %0, %1 : tensor<128x256xf16>, tensor<128x256xf16>
}

// Of any number of rows there are steps for many, for few, and for few tiles.
// CHECK-LABEL: func.func @any
// CHECK: weft.step @matmul{{[_0-9]*}}[{{.*}}work(<524288 * "m" * min(1, floordiv("m", 9)) * min(1, floordiv(2 * floordiv("m" + 127, 128), 53))> flops
// CHECK: weft.step @matmul{{[_0-9]*}}[{{.*}}{weft.alternative}{{.*}}work(<524288 * "m" * min(1, floordiv(8, max(1, "m")))> flops
// CHECK: weft.dims<min(1, floordiv(52, max(1, 2 * floordiv("m" + 127, 128)))) * min(1, floordiv("m", 9)) * max(1, min(4, floordiv(132, max(1, 4 * floordiv("m" + 127, 128))))), "m", 256>
// CHECK: weft.step @matmul
// CHECK: weft.step @add_parts
// KERNEL: weft.kernel @matmul_1({{.*}}schedule = {columns = 128 : i64, rows = 128 : i64}
// KERNEL: weft.kernel @matmul_2({{.*}}schedule = {columns = 16 : i64, rows = 8 : i64}
// KERNEL: weft.kernel @matmul_3({{.*}}schedule = {columns = 64 : i64, rows = 64 : i64}
// KERNEL-NEXT: weft.gemm_tile {{.*}}{parts}
func.func @any(%x: tensor<?x1024xf16, #x>, %w: tensor<1024x256xf16>) -> tensor<?x256xf16, #y> {
  %0 = weft.matmul %x, %w : (tensor<?x1024xf16, #x>, tensor<1024x256xf16>) -> tensor<?x256xf16, #y>
  return %0 : tensor<?x256xf16, #y>
}

// A shallow product is not divided; of threads' own sums of 64 bits there is no smaller tile then.
// CHECK-LABEL: func.func @shallow
// CHECK-COUNT-3: weft.step @matmul
// CHECK-NOT: weft.step @add_parts
// CHECK-LABEL: func.func @threads
// CHECK-COUNT-2: weft.step @matmul
// CHECK-NOT: weft.step
func.func @shallow(%x: tensor<?x768xf16, #weft.dims<"m", 768>>, %w: tensor<768x256xf16>) -> tensor<?x256xf16, #y> {
  %0 = weft.matmul %x, %w : (tensor<?x768xf16, #weft.dims<"m", 768>>, tensor<768x256xf16>) -> tensor<?x256xf16, #y>
  return %0 : tensor<?x256xf16, #y>
}
func.func @threads(%x: tensor<?x256xf64, #y>, %w: tensor<256x256xf64>) -> tensor<?x256xf64, #y> {
  %0 = weft.matmul %x, %w : (tensor<?x256xf64, #y>, tensor<256x256xf64>) -> tensor<?x256xf64, #y>
  return %0 : tensor<?x256xf64, #y>
}

// Columns alone give every processor a tile.
// CHECK-LABEL: func.func @wide
// CHECK-COUNT-2: weft.step @matmul
// CHECK-NOT: weft.step
func.func @wide(%x: tensor<?x1024xf16, #x>, %w: tensor<1024x50000xf16>) -> tensor<?x50000xf16, #weft.dims<"m", 50000>> {
  %0 = weft.matmul %x, %w : (tensor<?x1024xf16, #x>, tensor<1024x50000xf16>) -> tensor<?x50000xf16, #weft.dims<"m", 50000>>
  return %0 : tensor<?x50000xf16, #weft.dims<"m", 50000>>
}

// A schedule decides, and says how many parts there are.
// CHECK-LABEL: func.func @scheduled
// CHECK: weft.step @matmul{{[_0-9]*}}[%c15]
// CHECK-SAME: tensor<3x128x640xf32>
// KERNEL: weft.kernel @matmul_11({{.*}}schedule = {columns = 128 : i64, rows = 128 : i64}
func.func @scheduled(%x: tensor<128x1024xf32>, %w: tensor<1024x640xf32>) -> tensor<128x640xf32> {
  %0 = weft.matmul %x, %w {weft.schedule = {rows = 128 : i64, parts = 3 : i64}} : (tensor<128x1024xf32>, tensor<1024x640xf32>) -> tensor<128x640xf32>
  return %0 : tensor<128x640xf32>
}
