// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrices that rows are routed to have fewer bits with --weights, and with --precision, which leaves the rows as they are.
// RUN: weft compile --quiet %s --from=import --to=graph --weights=bf16 -o %t.mlir && FileCheck %s --input-file=%t.mlir --check-prefixes=CHECK,BF16
// RUN: weft compile --quiet %s --from=import --to=graph --precision=bf16 -o %t.mlir && FileCheck %s --input-file=%t.mlir --check-prefixes=CHECK,BF16
// RUN: weft compile --quiet %s --from=import --to=graph --weights=int8 -o %t.mlir && FileCheck %s --input-file=%t.mlir --check-prefixes=CHECK,INT8
// RUN: weft compile --quiet %s --from=import --to=graph --precision=int8 -o %t.mlir && FileCheck %s --input-file=%t.mlir --check-prefixes=CHECK,INT8
// RUN: weft compile --quiet %s --from=import --to=graph --weights=int4 -o %t.mlir && FileCheck %s --input-file=%t.mlir --check-prefixes=CHECK,INT4
// RUN: weft compile --quiet %s --from=import --to=graph --precision=int4 -o %t.mlir && FileCheck %s --input-file=%t.mlir --check-prefixes=CHECK,INT4
// CHECK-LABEL: @main
// BF16: weft.routed_matmul %{{.*}}, %{{.*}}, %arg1 {packed_columns = 50 : i64} : (tensor<?x3xf32, {{.*}}>, tensor<4x3x48xbf16>
// INT8: weft.routed_matmul %{{.*}}, %{{.*}}, %arg1 {groups = {{.*}}, packed_columns = 50 : i64} : (tensor<?x3xf32, {{.*}}>, tensor<4x1x5x48xi32>
// INT4: weft.routed_matmul %{{.*}}, %{{.*}}, %arg1 {packed_columns = 50 : i64} : (tensor<?x3xf32, {{.*}}>, tensor<4x1x9x48xi32>
func.func @main(%x: tensor<?x3x1xf32, #weft.dims<"n", 3, 1>> {weft.name = "x"}, %i: tensor<?xi64, #weft.dims<"n">> {weft.name = "i"})
    -> (tensor<?x50x1xf32, #weft.dims<"n", 50, 1>> {weft.name = "y"}) {
  %w = weft.constant dense<2.0> : tensor<2x50x3xf32>
  %g = weft.gather %w, %i {axis = 0 : i64} : (tensor<2x50x3xf32>, tensor<?xi64, #weft.dims<"n">>) -> tensor<?x50x3xf32, #weft.dims<"n", 50, 3>>
  %y = weft.matmul %g, %x : (tensor<?x50x3xf32, #weft.dims<"n", 50, 3>>, tensor<?x3x1xf32, #weft.dims<"n", 3, 1>>) -> tensor<?x50x1xf32, #weft.dims<"n", 50, 1>>
  return %y : tensor<?x50x1xf32, #weft.dims<"n", 50, 1>>
}
