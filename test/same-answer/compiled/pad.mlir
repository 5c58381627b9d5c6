// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pads of every mode, negative ones, with zeros and with a number that is known at run time.
// RUN: %python %S/../compare.py %s --element=f32 m=2,n=5,k=7 m=1,n=2,k=2 m=3,n=17,k=13 m=5,n=2,k=300 m=64,n=3,k=3
// RUN: %python %S/../compare.py %s --element=i8 m=2,n=5,k=7
// RUN: %python %S/../compare.py %s --element=i1 m=2,n=5,k=7
// RUN: %python %S/../compare.py %s --element=f16 m=2,n=5,k=7
func.func @main(%x: tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">> {weft.name = "x"},
                %r: tensor<?xTYPE, #weft.dims<"n">> {weft.name = "r"},
                %fill: tensor<TYPE> {weft.name = "fill"})
  -> (tensor<?x?x?xTYPE> {weft.name = "zeros"},
      tensor<?x?x?xTYPE> {weft.name = "filled"},
      tensor<?x?x?xTYPE> {weft.name = "rows"},
      tensor<?x?x?xTYPE> {weft.name = "cropped"},
      tensor<?x?x?xTYPE> {weft.name = "crop"},
      tensor<?x?x?xTYPE> {weft.name = "edges"},
      tensor<?x?x?xTYPE> {weft.name = "mirror"},
      tensor<?x?x?xTYPE> {weft.name = "round"},
      tensor<?xTYPE> {weft.name = "line"},
      tensor<?xTYPE> {weft.name = "line_edge"},
      tensor<?x?x?xTYPE> {weft.name = "edge_cropped"},
      tensor<?x?x?xTYPE> {weft.name = "nothing"}) {
  %p_zeros = weft.constant dense<[0, 1, 2, 0, 3, 4]> : tensor<6xi64>
  %zeros = weft.pad constant %x pads %p_zeros {axes = array<i64: 0, 1, 2>} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<6xi64>) -> tensor<?x?x?xTYPE>
  %p_filled = weft.constant dense<[1, 2]> : tensor<2xi64>
  %filled = weft.pad constant %x pads %p_filled fill %fill {axes = array<i64: 1>} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<2xi64>, tensor<TYPE>) -> tensor<?x?x?xTYPE>
  %p_rows = weft.constant dense<[2, 0]> : tensor<2xi64>
  %rows = weft.pad constant %x pads %p_rows fill %fill {axes = array<i64: 0>} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<2xi64>, tensor<TYPE>) -> tensor<?x?x?xTYPE>
  %p_cropped = weft.constant dense<[-1, 1, 0, -1]> : tensor<4xi64>
  %cropped = weft.pad constant %x pads %p_cropped fill %fill {axes = array<i64: 1, 2>} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<4xi64>, tensor<TYPE>) -> tensor<?x?x?xTYPE>
  %p_crop = weft.constant dense<[-1, -1]> : tensor<2xi64>
  %crop = weft.pad constant %x pads %p_crop {axes = array<i64: 2>} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<2xi64>) -> tensor<?x?x?xTYPE>
  %p_edges = weft.constant dense<[2, 0, 1, 3]> : tensor<4xi64>
  %edges = weft.pad edge %x pads %p_edges {axes = array<i64: 2, 0>} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<4xi64>) -> tensor<?x?x?xTYPE>
  %p_mirror = weft.constant dense<[1, 1, 1, 0]> : tensor<4xi64>
  %mirror = weft.pad reflect %x pads %p_mirror {axes = array<i64: 1, 2>} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<4xi64>) -> tensor<?x?x?xTYPE>
  %p_round = weft.constant dense<[2, 3, 1, 9]> : tensor<4xi64>
  %round = weft.pad wrap %x pads %p_round {axes = array<i64: 1, 2>} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<4xi64>) -> tensor<?x?x?xTYPE>
  %p_line = weft.constant dense<[3, 1]> : tensor<2xi64>
  %line = weft.pad constant %r pads %p_line fill %fill {axes = array<i64: 0>} : (tensor<?xTYPE, #weft.dims<"n">>, tensor<2xi64>, tensor<TYPE>) -> tensor<?xTYPE>
  %p_line_edge = weft.constant dense<[0, 1]> : tensor<2xi64>
  %line_edge = weft.pad edge %r pads %p_line_edge {axes = array<i64: 0>} : (tensor<?xTYPE, #weft.dims<"n">>, tensor<2xi64>) -> tensor<?xTYPE>
  %p_edge_cropped = weft.constant dense<[-1, 2]> : tensor<2xi64>
  %edge_cropped = weft.pad edge %x pads %p_edge_cropped {axes = array<i64: 1>} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<2xi64>) -> tensor<?x?x?xTYPE>
  %p_nothing = weft.constant dense<[0, 0]> : tensor<2xi64>
  %nothing = weft.pad constant %x pads %p_nothing {axes = array<i64: 1>} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<2xi64>) -> tensor<?x?x?xTYPE>
  return %zeros, %filled, %rows, %cropped, %crop, %edges, %mirror, %round, %line, %line_edge, %edge_cropped, %nothing : tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?xTYPE>, tensor<?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>
}
