// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A layer that runs row by row, as a recurrent one does: products with weights, whole, transposed and as they are around the loop, too; bias and
// relu behind them; rows that are normalized. loop-precision.test has the same in fewer bits.
// RUN: %python %S/../compare.py %s --element=f32 n=5,m=7 n=0,m=3 n=1,m=1 n=2,m=0 n=3,m=33 n=9,m=2
// RUN: %python %S/../compare.py %s --element=f64 n=5,m=7 n=0,m=3
// RUN: %python %S/../compare.py %s --element=f16 --rtol=4e-3 --atol=2e-2 n=5,m=7 n=0,m=3
!xs = tensor<?x?x5xTYPE, #weft.dims<"n", "m", 5>>
!x = tensor<?x5xTYPE, #weft.dims<"m", 5>>
!h = tensor<?x50xTYPE, #weft.dims<"m", 50>>
!hs = tensor<?x?x50xTYPE, #weft.dims<"n", "m", 50>>
func.func @main(%xs: tensor<?x?x5xTYPE, #weft.dims<"n", "m", 5>> {weft.name = "xs"}, %h: tensor<?x50xTYPE, #weft.dims<"m", 50>> {weft.name = "h"})
  -> (!h {weft.name = "last"}, !hs {weft.name = "all"}, !hs {weft.name = "around"}) {
  %first = weft.constant dense<-1.953125> : tensor<f32>
  %limit = weft.constant dense<1.953125> : tensor<f32>
  %step = weft.constant dense<0.015625> : tensor<f32>
  %range = weft.range %first to %limit by %step : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<250xf32>
  %flat = weft.cast %range to TYPE : (tensor<250xf32>) -> tensor<250xTYPE>
  %to = weft.constant dense<[5, 50]> : tensor<2xi64>
  %w = weft.reshape %flat, %to : (tensor<250xTYPE>, tensor<2xi64>) -> tensor<5x50xTYPE>
  %vfirst = weft.constant dense<-0.152587890625> : tensor<f32>
  %vlimit = weft.constant dense<0.152587890625> : tensor<f32>
  %vstep = weft.constant dense<0.0001220703125> : tensor<f32>
  %vrange = weft.range %vfirst to %vlimit by %vstep : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<2500xf32>
  %vflat = weft.cast %vrange to TYPE : (tensor<2500xf32>) -> tensor<2500xTYPE>
  %vto = weft.constant dense<50> : tensor<2xi64>
  %v = weft.reshape %vflat, %vto : (tensor<2500xTYPE>, tensor<2xi64>) -> tensor<50x50xTYPE>
  %bias = weft.slice %w {offsets = #weft.dims<2, 0>, strides = array<i64: 1, 1>} : (tensor<5x50xTYPE>) -> tensor<1x50xTYPE>
  %n = weft.shape %xs {start = 0 : i64, end = 1 : i64} : (!xs) -> tensor<1xi64>
  %around = weft.matmul %xs, %w : (!xs, tensor<5x50xTYPE>) -> !hs
  %r:2 = weft.loop trips(%n : tensor<1xi64>) states(%h : !h) captures(%xs, %w, %v, %bias : !xs, tensor<5x50xTYPE>, tensor<50x50xTYPE>, tensor<1x50xTYPE>) {
  ^bb0(%i: tensor<i64>, %t: !h, %all: !xs, %wx: tensor<5x50xTYPE>, %wh: tensor<50x50xTYPE>, %b: tensor<1x50xTYPE>):
    %x = weft.gather %all, %i {axis = 0 : i64} : (!xs, tensor<i64>) -> !x
    %a = weft.matmul %x, %wx : (!x, tensor<5x50xTYPE>) -> !h
    %turned = weft.transpose %wh {permutation = array<i64: 1, 0>} : (tensor<50x50xTYPE>) -> tensor<50x50xTYPE>
    %c = weft.matmul %t, %turned : (!h, tensor<50x50xTYPE>) -> !h
    %biased = weft.add %c, %b : (!h, tensor<1x50xTYPE>) -> !h
    %sum = weft.add %biased, %a : (!h, !h) -> !h
    %relu = weft.relu %sum : (!h) -> !h
    %minus = weft.constant dense<-1> : tensor<1xi64>
    %gain = weft.reshape %b, %minus : (tensor<1x50xTYPE>, tensor<1xi64>) -> tensor<50xTYPE>
    %next = weft.layer_norm %relu, %gain {axis = 1 : i64, epsilon = 1.0e-3 : f32} : (!h, tensor<50xTYPE>) -> !h
    weft.yield %next, %relu : !h, !h
  } -> (!h, !hs)
  return %r#0, %r#1, %around : !h, !hs, !hs
}
