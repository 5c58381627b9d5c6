// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product of bytes with numbers of 4 bits, of several blocks in all directions.
func.func @main(%x: tensor<150x320xui8> {weft.name = "x"}, %w: tensor<5x5x9x48xi32> {weft.name = "w"}) -> (tensor<150x232xf32> {weft.name = "y"}) {
  %y = weft.matmul %x, %w epilogue {
  ^bb0(%sum: i32):
    %0 = arith.sitofp %sum : i32 to f32
    weft.yield %0 : f32
  } {packed_columns = 232 : i64, weft.schedule = {rows = 128 : i64, columns = 128 : i64}} : (tensor<150x320xui8>, tensor<5x5x9x48xi32>) -> tensor<150x232xf32>
  return %y : tensor<150x232xf32>
}
