// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a model may return: an input, a view of one, a value twice, views that share a buffer, constants, shapes, a value that
// is read afterwards.
// RUN: %python %S/../compare.py %s m=3,n=5 m=1,n=1 m=0,n=3 m=48,n=171
func.func @main(%x: tensor<?x?xf32, #weft.dims<"m", "n">> {weft.name = "x"},
                %flag: tensor<?xi1, #weft.dims<"m">> {weft.name = "flag"},
                %unused: tensor<?xi64, #weft.dims<"n">> {weft.name = "unused"},
                %s: tensor<ui8> {weft.name = "s"})
  -> (tensor<?x?xf32, #weft.dims<"m", "n">> {weft.name = "input"}, tensor<?x?xf32, #weft.dims<"m", "n">> {weft.name = "input_again"},
      tensor<?x1x?xf32> {weft.name = "view_of_input"}, tensor<?xi1, #weft.dims<"m">> {weft.name = "bool_input"}, tensor<ui8> {weft.name = "rank0"},
      tensor<?x?xf32> {weft.name = "value"}, tensor<?x?xf32> {weft.name = "value_again"},
      tensor<?xf32> {weft.name = "view_of_value"}, tensor<?x?xf32> {weft.name = "of_value"},
      tensor<3xf32> {weft.name = "constant"}, tensor<3xf32> {weft.name = "constant_again"}, tensor<2x2xi1> {weft.name = "bools"},
      tensor<f64> {weft.name = "scalar"}, tensor<0xui16> {weft.name = "empty"}, tensor<2xi64> {weft.name = "shape"},
      tensor<?x?xf32> {weft.name = "joined"}, tensor<?xi1> {weft.name = "not_flag"}) {
  %flat = weft.constant dense<-1> : tensor<1xi64>
  %view_of_input = weft.unsqueeze %x {axes = array<i64: 1>} : (tensor<?x?xf32, #weft.dims<"m", "n">>) -> tensor<?x1x?xf32>
  %value = weft.relu %x : (tensor<?x?xf32, #weft.dims<"m", "n">>) -> tensor<?x?xf32>
  %view = weft.reshape %value, %flat : (tensor<?x?xf32>, tensor<1xi64>) -> tensor<?xf32>
  %of_value = weft.add %value, %x : (tensor<?x?xf32>, tensor<?x?xf32, #weft.dims<"m", "n">>) -> tensor<?x?xf32>
  %constant = weft.constant dense<[1.0, -2.0, 3.5]> : tensor<3xf32>
  %bools = weft.constant dense<[[true, false], [false, true]]> : tensor<2x2xi1>
  %scalar = weft.constant dense<0.5> : tensor<f64>
  %empty = weft.constant dense<> : tensor<0xui16>
  %shape = weft.shape %x {start = 0 : i64, end = 2 : i64} : (tensor<?x?xf32, #weft.dims<"m", "n">>) -> tensor<2xi64>
  %joined = weft.concat %value, %of_value {axis = 0 : i64} : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %not_flag = weft.not %flag : (tensor<?xi1, #weft.dims<"m">>) -> tensor<?xi1>
  return %x, %x, %view_of_input, %flag, %s, %value, %value, %view, %of_value, %constant, %constant, %bools, %scalar, %empty, %shape, %joined, %not_flag
    : tensor<?x?xf32, #weft.dims<"m", "n">>, tensor<?x?xf32, #weft.dims<"m", "n">>, tensor<?x1x?xf32>, tensor<?xi1, #weft.dims<"m">>, tensor<ui8>,
      tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>, tensor<?x?xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x2xi1>, tensor<f64>,
      tensor<0xui16>, tensor<2xi64>, tensor<?x?xf32>, tensor<?xi1>
}
