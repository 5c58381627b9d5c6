// The model of docs/levels.md and what it says of each level, line by line. Whoever changes one changes the other.
// RUN: weft compile %s --to=import | weft-opt | FileCheck %s --check-prefix=IMPORT
// RUN: weft compile %s --to=graph | weft-opt | FileCheck %s --check-prefix=GRAPH
// RUN: weft compile %s --to=tile | weft-opt | FileCheck %s --check-prefix=TILE
// RUN: weft compile %s --to=buffer | weft-opt | FileCheck %s --check-prefix=BUFFER
// RUN: weft compile %s --to=target --mcpu=x86-64-v3 | weft-opt | FileCheck %s --check-prefix=TARGET

func.func @main(%x: tensor<?x64xf32, #weft.dims<"n", 64>> {weft.name = "x"})
    -> (tensor<?x8xf32, #weft.dims<"n", 8>> {weft.name = "y"}) {
  %w = weft.constant dense<0.5> : tensor<64x8xf32>
  %b = weft.constant dense<1.0> : tensor<8xf32>
  %product = weft.matmul %x, %w : (tensor<?x64xf32, #weft.dims<"n", 64>>, tensor<64x8xf32>) -> tensor<?x8xf32, #weft.dims<"n", 8>>
  %sum = weft.add %product, %b : (tensor<?x8xf32, #weft.dims<"n", 8>>, tensor<8xf32>) -> tensor<?x8xf32, #weft.dims<"n", 8>>
  %y = weft.softmax %sum {axis = 1 : i64} : (tensor<?x8xf32, #weft.dims<"n", 8>>) -> tensor<?x8xf32, #weft.dims<"n", 8>>
  return %y : tensor<?x8xf32, #weft.dims<"n", 8>>
}

// IMPORT: weft.matmul %arg0, %0 : (tensor<?x64xf32, #weft.dims<"n", 64>>, tensor<64x8xf32>) -> tensor<?x8xf32, #weft.dims<"n", 8>>
// IMPORT: weft.add
// IMPORT: weft.softmax
