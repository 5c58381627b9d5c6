// What a table has for a product: of a number of rows that is not known all there is, of the machine that counts most, of a known number what
// it has for that.
// RUN: weft-opt %s --pass-pipeline='builtin.module(weft-choose-schedules{target=gpu machines=sm_90a,sm_80 table=%S/Inputs/schedules.json})' | FileCheck %s --check-prefixes=CHECK,GPU
// RUN: weft-opt %s --pass-pipeline='builtin.module(weft-choose-schedules{machines=x86-64-v4 table=%S/Inputs/schedules.json})' | FileCheck %s --check-prefixes=CHECK,CPU
// RUN: weft-opt %s --pass-pipeline='builtin.module(weft-choose-schedules{target=gpu schedule=columns=16 marks=true})' | FileCheck %s --check-prefix=FEW
// RUN: weft-opt %s --pass-pipeline='builtin.module(weft-choose-schedules{target=gpu schedule=parts=12})' | FileCheck %s --check-prefix=PARTS
// RUN: not weft-opt %s --pass-pipeline='builtin.module(weft-choose-schedules{schedule=lines=2})' 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: weft-choose-schedules: 'lines=2' is no schedule
#x = #weft.dims<"m", 1024>
#z = #weft.dims<"m", 768>

// CHECK-LABEL: func.func @any
// GPU: weft.matmul {{.*}}{weft.schedules = [{columns = 32 : i64, of_rows = 4 : i64}, {columns = 128 : i64, hopper_columns = 128 : i64, of_rows = 128 : i64, parts = 2 : i64, rows = 64 : i64}, {of_rows = 256 : i64, parts = 1 : i64}, {hopper_columns = 256 : i64, of_rows = 4096 : i64, parts = 4 : i64}]}
// CPU-NOT: weft.schedules
// FEW-LABEL: func.func @any
// FEW: {weft.product = {columns = 1024 : i64, depth = 1024 : i64, tried, type = "bf16"}, weft.schedules = [{columns = 16 : i64, of_rows = 1 : i64}]}
// PARTS-LABEL: func.func @any
// PARTS: {weft.schedules = [{parts = 12 : i64}]}
func.func @any(%x: tensor<?x1024xbf16, #x>, %w: tensor<1024x1024xbf16>) -> tensor<?x1024xbf16, #x> {
  %0 = weft.matmul %x, %w : (tensor<?x1024xbf16, #x>, tensor<1024x1024xbf16>) -> tensor<?x1024xbf16, #x>
  return %0 : tensor<?x1024xbf16, #x>
}

// Rows of a batch count together. What has a schedule of its own keeps that. Of as many rows the first entry counts.
// CHECK-LABEL: func.func @known
// GPU: weft.matmul {{.*}}{weft.schedules = [{of_rows = 256 : i64, parts = 1 : i64}]}
// CPU-NOT: weft.schedules
// CHECK: weft.matmul {{.*}}{weft.schedule = {rows = 8 : i64}}
// CHECK-LABEL: func.func @floats
// CPU: weft.matmul {{.*}}{weft.schedules = [{of_rows = 128 : i64, rows = 48 : i64}]}
// CHECK-LABEL: func.func @others
// CHECK-NOT: weft.schedules
// FEW-LABEL: func.func @known
// FEW-NOT: weft.schedules
// PARTS-LABEL: func.func @known
// PARTS: {weft.schedules = [{of_rows = 256 : i64, parts = 12 : i64}]}
// PARTS-LABEL: func.func @floats
// PARTS: {weft.schedules = [{of_rows = 128 : i64, parts = 12 : i64}]}
// PARTS-LABEL: func.func @others
// PARTS-NOT: weft.schedules
func.func @known(%x: tensor<2x128x1024xbf16>, %w: tensor<1024x1024xbf16>) -> (tensor<2x128x1024xbf16>, tensor<2x128x1024xbf16>) {
  %0 = weft.matmul %x, %w : (tensor<2x128x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<2x128x1024xbf16>
  %1 = weft.matmul %x, %w {weft.schedule = {rows = 8 : i64}} : (tensor<2x128x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<2x128x1024xbf16>
  return %0, %1 : tensor<2x128x1024xbf16>, tensor<2x128x1024xbf16>
}
func.func @floats(%x: tensor<128x768xf32>, %w: tensor<768x1024xf32>) -> tensor<128x1024xf32> {
  %0 = weft.matmul %x, %w : (tensor<128x768xf32>, tensor<768x1024xf32>) -> tensor<128x1024xf32>
  return %0 : tensor<128x1024xf32>
}

// Not for other types, sizes or numbers of rows, nor where there are several matrices; the depth of 512 has no 12 parts.
func.func @others(%x: tensor<128x512xf32>, %w: tensor<512x1024xf32>, %y: tensor<2x128x1024xbf16>, %v: tensor<2x1024x1024xbf16>)
    -> (tensor<128x1024xf32>, tensor<2x128x1024xbf16>) {
  %0 = weft.matmul %x, %w : (tensor<128x512xf32>, tensor<512x1024xf32>) -> tensor<128x1024xf32>
  %1 = weft.matmul %y, %v : (tensor<2x128x1024xbf16>, tensor<2x1024x1024xbf16>) -> tensor<2x128x1024xbf16>
  return %0, %1 : tensor<128x1024xf32>, tensor<2x128x1024xbf16>
}
