// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of bytes whose results are bytes, with signs and without, or integers, and that read other bytes: to the bit those of the evaluator on every machine; of
// depths that are summed at once and of those that wait in memory, where no byte could.
// RUN: %python %S/../compare.py %s --level=graph --every-machine --rtol=0 --atol=0 m=3 m=1 m=17 m=130 m=0
#m64 = #weft.dims<"m", 64>
#m8256 = #weft.dims<"m", 8256>
#m49 = #weft.dims<"m", 49>
#m96 = #weft.dims<"m", 96>
func.func @main(%x: tensor<?x64xui8, #weft.dims<"m", 64>> {weft.name = "x"}, %w: tensor<2x16x48x4xi8> {weft.name = "w"},
                %far: tensor<?x8256xui8, #weft.dims<"m", 8256>> {weft.name = "far"}, %deep: tensor<2x2064x48x4xi8> {weft.name = "deep"},
                %bias: tensor<49xi32> {weft.name = "bias"}, %skip: tensor<?x49xui8, #weft.dims<"m", 49>> {weft.name = "skip"})
  -> (tensor<?x49xui8, #m49> {weft.name = "plain"}, tensor<?x96xui8, #m96> {weft.name = "summed"}, tensor<?x96xi8, #m96> {weft.name = "signed"},
      tensor<?x49xi32, #m49> {weft.name = "wide"}, tensor<?x49xui8, #m49> {weft.name = "added"}) {
  %plain = weft.matmul %x, %w epilogue {
  ^bb0(%sum: i32):
    %shift = arith.constant 9 : i32
    %0 = arith.shrui %sum, %shift : i32
    %1 = arith.trunci %0 : i32 to i8
    weft.yield %1 : i8
  } {packed_columns = 49 : i64} : (tensor<?x64xui8, #m64>, tensor<2x16x48x4xi8>) -> tensor<?x49xui8, #m49>
  %summed = weft.matmul %far, %deep epilogue {
  ^bb0(%sum: i32):
    %scale = arith.constant 0.0001 : f32
    %low = arith.constant 0.0 : f32
    %high = arith.constant 255.0 : f32
    %0 = arith.sitofp %sum : i32 to f32
    %1 = arith.mulf %0, %scale : f32
    %2 = math.roundeven %1 : f32
    %3 = arith.maxnumf %2, %low : f32
    %4 = arith.minnumf %3, %high : f32
    %5 = arith.fptoui %4 : f32 to i8
    weft.yield %5 : i8
  } {packed_columns = 96 : i64} : (tensor<?x8256xui8, #m8256>, tensor<2x2064x48x4xi8>) -> tensor<?x96xui8, #m96>
  %signed = weft.matmul %far, %deep epilogue {
  ^bb0(%sum: i32):
    %shift = arith.constant 14 : i32
    %0 = arith.shrui %sum, %shift : i32
    %1 = arith.trunci %0 : i32 to i8
    weft.yield %1 : i8
  } {packed_columns = 96 : i64} : (tensor<?x8256xui8, #m8256>, tensor<2x2064x48x4xi8>) -> tensor<?x96xi8, #m96>
  %wide = weft.matmul %x, %w captures(%bias : tensor<49xi32>) epilogue {
  ^bb0(%sum: i32, %b: i32):
    %0 = arith.addi %sum, %b : i32
    weft.yield %0 : i32
  } {packed_columns = 49 : i64} : (tensor<?x64xui8, #m64>, tensor<2x16x48x4xi8>) -> tensor<?x49xi32, #m49>
  %added = weft.matmul %x, %w captures(%skip : tensor<?x49xui8, #m49>) epilogue {
  ^bb0(%sum: i32, %b: i8):
    %shift = arith.constant 11 : i32
    %0 = arith.shrui %sum, %shift : i32
    %1 = arith.uitofp %b : i8 to f32
    %2 = arith.sitofp %0 : i32 to f32
    %3 = arith.addf %1, %2 : f32
    %high = arith.constant 255.0 : f32
    %4 = arith.minnumf %3, %high : f32
    %5 = arith.fptoui %4 : f32 to i8
    weft.yield %5 : i8
  } {packed_columns = 49 : i64} : (tensor<?x64xui8, #m64>, tensor<2x16x48x4xi8>) -> tensor<?x49xui8, #m49>
  return %plain, %summed, %signed, %wide, %added : tensor<?x49xui8, #m49>, tensor<?x96xui8, #m96>, tensor<?x96xi8, #m96>, tensor<?x49xi32, #m49>, tensor<?x49xui8, #m49>
}
