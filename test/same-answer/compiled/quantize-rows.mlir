// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows as bytes, to the bit those of the evaluator on every machine: lengths below, of and beyond a vector and what bytes are padded to, static and
// not; zeros, one number, one sign, tiny and huge numbers, and rows that are not finite, whose bytes are 0.
// RUN: %python %S/../compare.py %s --level=graph --every-machine --rtol=0 --atol=0 --special=rows n=3,k=7,b=1 n=1,k=64,b=2 n=17,k=70,b=3 n=130,k=1,b=1 n=130,k=129,b=1 \
// RUN:   n=0,k=5,b=2 n=3,k=0,b=1 n=5,k=1000,b=0
func.func @main(%x0: tensor<?x?xf32, #weft.dims<"n", "k">> {weft.name = "x0"},
                %x1: tensor<?x1xf32, #weft.dims<"n", 1>> {weft.name = "x1"},
                %x5: tensor<?x5xf32, #weft.dims<"n", 5>> {weft.name = "x5"},
                %x64: tensor<?x64xf32, #weft.dims<"n", 64>> {weft.name = "x64"},
                %x70: tensor<?x?x70xf32, #weft.dims<"b", "n", 70>> {weft.name = "x70"},
                %x1000: tensor<?x1000xf32, #weft.dims<"n", 1000>> {weft.name = "x1000"},
                %x17: tensor<17x48xf32> {weft.name = "x17"},
                %x65: tensor<65xf32> {weft.name = "x65"})
  -> (tensor<?x?xui8, #weft.dims<"n", 64 * floordiv("k" + 63, 64)>> {weft.name = "b0"}, tensor<?x1xf32, #weft.dims<"n", 1>> {weft.name = "s0"}, tensor<?x1xi32, #weft.dims<"n", 1>> {weft.name = "z0"},
      tensor<?x64xui8, #weft.dims<"n", 64>> {weft.name = "b1"}, tensor<?x1xf32, #weft.dims<"n", 1>> {weft.name = "s1"}, tensor<?x1xi32, #weft.dims<"n", 1>> {weft.name = "z1"},
      tensor<?x64xui8, #weft.dims<"n", 64>> {weft.name = "b5"}, tensor<?x1xf32, #weft.dims<"n", 1>> {weft.name = "s5"}, tensor<?x1xi32, #weft.dims<"n", 1>> {weft.name = "z5"},
      tensor<?x64xui8, #weft.dims<"n", 64>> {weft.name = "b64"}, tensor<?x1xf32, #weft.dims<"n", 1>> {weft.name = "s64"}, tensor<?x1xi32, #weft.dims<"n", 1>> {weft.name = "z64"},
      tensor<?x?x128xui8, #weft.dims<"b", "n", 128>> {weft.name = "b70"}, tensor<?x?x1xf32, #weft.dims<"b", "n", 1>> {weft.name = "s70"}, tensor<?x?x1xi32, #weft.dims<"b", "n", 1>> {weft.name = "z70"},
      tensor<?x1024xui8, #weft.dims<"n", 1024>> {weft.name = "b1000"}, tensor<?x1xf32, #weft.dims<"n", 1>> {weft.name = "s1000"}, tensor<?x1xi32, #weft.dims<"n", 1>> {weft.name = "z1000"},
      tensor<17x64xui8> {weft.name = "b17"}, tensor<17x1xf32> {weft.name = "s17"}, tensor<17x1xi32> {weft.name = "z17"},
      tensor<128xui8> {weft.name = "b65"}, tensor<1xf32> {weft.name = "s65"}, tensor<1xi32> {weft.name = "z65"}) {
  %b0, %s0, %z0 = weft.quantize_rows %x0 : (tensor<?x?xf32, #weft.dims<"n", "k">>) -> (tensor<?x?xui8, #weft.dims<"n", 64 * floordiv("k" + 63, 64)>>, tensor<?x1xf32, #weft.dims<"n", 1>>, tensor<?x1xi32, #weft.dims<"n", 1>>)
  %b1, %s1, %z1 = weft.quantize_rows %x1 : (tensor<?x1xf32, #weft.dims<"n", 1>>) -> (tensor<?x64xui8, #weft.dims<"n", 64>>, tensor<?x1xf32, #weft.dims<"n", 1>>, tensor<?x1xi32, #weft.dims<"n", 1>>)
  %b5, %s5, %z5 = weft.quantize_rows %x5 : (tensor<?x5xf32, #weft.dims<"n", 5>>) -> (tensor<?x64xui8, #weft.dims<"n", 64>>, tensor<?x1xf32, #weft.dims<"n", 1>>, tensor<?x1xi32, #weft.dims<"n", 1>>)
  %b64, %s64, %z64 = weft.quantize_rows %x64 : (tensor<?x64xf32, #weft.dims<"n", 64>>) -> (tensor<?x64xui8, #weft.dims<"n", 64>>, tensor<?x1xf32, #weft.dims<"n", 1>>, tensor<?x1xi32, #weft.dims<"n", 1>>)
  %b70, %s70, %z70 = weft.quantize_rows %x70 : (tensor<?x?x70xf32, #weft.dims<"b", "n", 70>>) -> (tensor<?x?x128xui8, #weft.dims<"b", "n", 128>>, tensor<?x?x1xf32, #weft.dims<"b", "n", 1>>, tensor<?x?x1xi32, #weft.dims<"b", "n", 1>>)
  %b1000, %s1000, %z1000 = weft.quantize_rows %x1000 : (tensor<?x1000xf32, #weft.dims<"n", 1000>>) -> (tensor<?x1024xui8, #weft.dims<"n", 1024>>, tensor<?x1xf32, #weft.dims<"n", 1>>, tensor<?x1xi32, #weft.dims<"n", 1>>)
  %b17, %s17, %z17 = weft.quantize_rows %x17 : (tensor<17x48xf32>) -> (tensor<17x64xui8>, tensor<17x1xf32>, tensor<17x1xi32>)
  %b65, %s65, %z65 = weft.quantize_rows %x65 : (tensor<65xf32>) -> (tensor<128xui8>, tensor<1xf32>, tensor<1xi32>)
  return %b0, %s0, %z0, %b1, %s1, %z1, %b5, %s5, %z5, %b64, %s64, %z64, %b70, %s70, %z70, %b1000, %s1000, %z1000, %b17, %s17, %z17, %b65, %s65, %z65
    : tensor<?x?xui8, #weft.dims<"n", 64 * floordiv("k" + 63, 64)>>, tensor<?x1xf32, #weft.dims<"n", 1>>, tensor<?x1xi32, #weft.dims<"n", 1>>,
      tensor<?x64xui8, #weft.dims<"n", 64>>, tensor<?x1xf32, #weft.dims<"n", 1>>, tensor<?x1xi32, #weft.dims<"n", 1>>,
      tensor<?x64xui8, #weft.dims<"n", 64>>, tensor<?x1xf32, #weft.dims<"n", 1>>, tensor<?x1xi32, #weft.dims<"n", 1>>,
      tensor<?x64xui8, #weft.dims<"n", 64>>, tensor<?x1xf32, #weft.dims<"n", 1>>, tensor<?x1xi32, #weft.dims<"n", 1>>,
      tensor<?x?x128xui8, #weft.dims<"b", "n", 128>>, tensor<?x?x1xf32, #weft.dims<"b", "n", 1>>, tensor<?x?x1xi32, #weft.dims<"b", "n", 1>>,
      tensor<?x1024xui8, #weft.dims<"n", 1024>>, tensor<?x1xf32, #weft.dims<"n", 1>>, tensor<?x1xi32, #weft.dims<"n", 1>>,
      tensor<17x64xui8>, tensor<17x1xf32>, tensor<17x1xi32>,
      tensor<128xui8>, tensor<1xf32>, tensor<1xi32>
}
