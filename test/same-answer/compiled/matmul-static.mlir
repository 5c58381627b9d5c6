// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products of static shapes, whose kernels have no code for what cannot occur.
// RUN: %python %S/../compare.py %s m=1
func.func @main(%x: tensor<7x5xf32> {weft.name = "x"},
                %w: tensor<5x47xf32> {weft.name = "w"},
                %a: tensor<3x1x9x33xf32> {weft.name = "a"},
                %c: tensor<2x33x48xf32> {weft.name = "c"},
                %big: tensor<130x1025xf32> {weft.name = "big"},
                %wide: tensor<1025x97xf32> {weft.name = "wide"},
                %none: tensor<4x0xf32> {weft.name = "none"},
                %of_none: tensor<0x6xf32> {weft.name = "of_none"})
  -> (tensor<7x47xf32> {weft.name = "y"},
     tensor<3x2x9x48xf32> {weft.name = "batch"},
     tensor<130x97xf32> {weft.name = "blocks"},
     tensor<4x6xf32> {weft.name = "zeros"}) {
  %y = weft.matmul %x, %w : (tensor<7x5xf32>, tensor<5x47xf32>) -> tensor<7x47xf32>
  %batch = weft.matmul %a, %c : (tensor<3x1x9x33xf32>, tensor<2x33x48xf32>) -> tensor<3x2x9x48xf32>
  %blocks = weft.matmul %big, %wide : (tensor<130x1025xf32>, tensor<1025x97xf32>) -> tensor<130x97xf32>
  %zeros = weft.matmul %none, %of_none : (tensor<4x0xf32>, tensor<0x6xf32>) -> tensor<4x6xf32>
  return %y, %batch, %blocks, %zeros : tensor<7x47xf32>, tensor<3x2x9x48xf32>, tensor<130x97xf32>, tensor<4x6xf32>
}
