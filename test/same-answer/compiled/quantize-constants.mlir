// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What quantized models do between two operations: divide by a scale, round, add a zero point, saturate, and all of it back: to the bit
// what the evaluator divides and converts, also of numbers that are not finite.
// RUN: %python %S/../compare.py %s --rtol=0 --atol=0 m=7,n=19 m=1,n=1 m=0,n=2 m=129,n=65
// RUN: %python %S/../compare.py %s --rtol=0 --atol=0 --special=all m=7,n=19 m=129,n=65
func.func @main(%a: tensor<?x?xf32, #weft.dims<"m", "n">> {weft.name = "a"})
  -> (tensor<?x?xf32, #weft.dims<"m", "n">> {weft.name = "y0"},
     tensor<?x?xf32, #weft.dims<"m", "n">> {weft.name = "y1"},
     tensor<?x?xf32, #weft.dims<"m", "n">> {weft.name = "y2"},
     tensor<?x?xf32, #weft.dims<"m", "n">> {weft.name = "y3"},
     tensor<?x?xf32, #weft.dims<"m", "n">> {weft.name = "y4"},
     tensor<?x?xf32, #weft.dims<"m", "n">> {weft.name = "y5"},
     tensor<?x?xf32, #weft.dims<"m", "n">> {weft.name = "y6"}) {
  %s0 = weft.constant dense<0.0227492619> : tensor<f32>
  %z0 = weft.constant dense<137.0> : tensor<f32>
  %d0 = weft.div %a, %s0 : (tensor<?x?xf32, #weft.dims<"m", "n">>, tensor<f32>) -> tensor<?x?xf32, #weft.dims<"m", "n">>
  %r0 = weft.round %d0 : (tensor<?x?xf32, #weft.dims<"m", "n">>) -> tensor<?x?xf32, #weft.dims<"m", "n">>
  %o0 = weft.add %r0, %z0 : (tensor<?x?xf32, #weft.dims<"m", "n">>, tensor<f32>) -> tensor<?x?xf32, #weft.dims<"m", "n">>
  %q0 = weft.cast %o0 to ui8 : (tensor<?x?xf32, #weft.dims<"m", "n">>) -> tensor<?x?xui8, #weft.dims<"m", "n">>
  %b0 = weft.cast %q0 to f32 : (tensor<?x?xui8, #weft.dims<"m", "n">>) -> tensor<?x?xf32, #weft.dims<"m", "n">>
  %l0 = weft.sub %b0, %z0 : (tensor<?x?xf32, #weft.dims<"m", "n">>, tensor<f32>) -> tensor<?x?xf32, #weft.dims<"m", "n">>
  %y0 = weft.mul %l0, %s0 : (tensor<?x?xf32, #weft.dims<"m", "n">>, tensor<f32>) -> tensor<?x?xf32, #weft.dims<"m", "n">>
  %s1 = weft.constant dense<7.3> : tensor<f32>
  %z1 = weft.constant dense<0.0> : tensor<f32>
  %d1 = weft.div %a, %s1 : (tensor<?x?xf32, #weft.dims<"m", "n">>, tensor<f32>) -> tensor<?x?xf32, #weft.dims<"m", "n">>
  %r1 = weft.round %d1 : (tensor<?x?xf32, #weft.dims<"m", "n">>) -> tensor<?x?xf32, #weft.dims<"m", "n">>
  %o1 = weft.add %r1, %z1 : (tensor<?x?xf32, #weft.dims<"m", "n">>, tensor<f32>) -> tensor<?x?xf32, #weft.dims<"m", "n">>
  %q1 = weft.cast %o1 to ui8 : (tensor<?x?xf32, #weft.dims<"m", "n">>) -> tensor<?x?xui8, #weft.dims<"m", "n">>
  %b1 = weft.cast %q1 to f32 : (tensor<?x?xui8, #weft.dims<"m", "n">>) -> tensor<?x?xf32, #weft.dims<"m", "n">>
  %l1 = weft.sub %b1, %z1 : (tensor<?x?xf32, #weft.dims<"m", "n">>, tensor<f32>) -> tensor<?x?xf32, #weft.dims<"m", "n">>
  %y1 = weft.mul %l1, %s1 : (tensor<?x?xf32, #weft.dims<"m", "n">>, tensor<f32>) -> tensor<?x?xf32, #weft.dims<"m", "n">>
  %s2 = weft.constant dense<-0.013> : tensor<f32>
  %z2 = weft.constant dense<-5.0> : tensor<f32>
  %d2 = weft.div %a, %s2 : (tensor<?x?xf32, #weft.dims<"m", "n">>, tensor<f32>) -> tensor<?x?xf32, #weft.dims<"m", "n">>
  %r2 = weft.round %d2 : (tensor<?x?xf32, #weft.dims<"m", "n">>) -> tensor<?x?xf32, #weft.dims<"m", "n">>
  %o2 = weft.add %r2, %z2 : (tensor<?x?xf32, #weft.dims<"m", "n">>, tensor<f32>) -> tensor<?x?xf32, #weft.dims<"m", "n">>
  %q2 = weft.cast %o2 to i8 : (tensor<?x?xf32, #weft.dims<"m", "n">>) -> tensor<?x?xi8, #weft.dims<"m", "n">>
  %b2 = weft.cast %q2 to f32 : (tensor<?x?xi8, #weft.dims<"m", "n">>) -> tensor<?x?xf32, #weft.dims<"m", "n">>
  %l2 = weft.sub %b2, %z2 : (tensor<?x?xf32, #weft.dims<"m", "n">>, tensor<f32>) -> tensor<?x?xf32, #weft.dims<"m", "n">>
  %y2 = weft.mul %l2, %s2 : (tensor<?x?xf32, #weft.dims<"m", "n">>, tensor<f32>) -> tensor<?x?xf32, #weft.dims<"m", "n">>
  %s3 = weft.constant dense<3.1e-4> : tensor<f32>
  %z3 = weft.constant dense<300.0> : tensor<f32>
  %d3 = weft.div %a, %s3 : (tensor<?x?xf32, #weft.dims<"m", "n">>, tensor<f32>) -> tensor<?x?xf32, #weft.dims<"m", "n">>
  %r3 = weft.round %d3 : (tensor<?x?xf32, #weft.dims<"m", "n">>) -> tensor<?x?xf32, #weft.dims<"m", "n">>
  %o3 = weft.add %r3, %z3 : (tensor<?x?xf32, #weft.dims<"m", "n">>, tensor<f32>) -> tensor<?x?xf32, #weft.dims<"m", "n">>
  %q3 = weft.cast %o3 to i16 : (tensor<?x?xf32, #weft.dims<"m", "n">>) -> tensor<?x?xi16, #weft.dims<"m", "n">>
  %b3 = weft.cast %q3 to f32 : (tensor<?x?xi16, #weft.dims<"m", "n">>) -> tensor<?x?xf32, #weft.dims<"m", "n">>
  %l3 = weft.sub %b3, %z3 : (tensor<?x?xf32, #weft.dims<"m", "n">>, tensor<f32>) -> tensor<?x?xf32, #weft.dims<"m", "n">>
  %y3 = weft.mul %l3, %s3 : (tensor<?x?xf32, #weft.dims<"m", "n">>, tensor<f32>) -> tensor<?x?xf32, #weft.dims<"m", "n">>
  %s4 = weft.constant dense<1.0e-30> : tensor<f32>
  %z4 = weft.constant dense<128.0> : tensor<f32>
  %d4 = weft.div %a, %s4 : (tensor<?x?xf32, #weft.dims<"m", "n">>, tensor<f32>) -> tensor<?x?xf32, #weft.dims<"m", "n">>
  %r4 = weft.round %d4 : (tensor<?x?xf32, #weft.dims<"m", "n">>) -> tensor<?x?xf32, #weft.dims<"m", "n">>
  %o4 = weft.add %r4, %z4 : (tensor<?x?xf32, #weft.dims<"m", "n">>, tensor<f32>) -> tensor<?x?xf32, #weft.dims<"m", "n">>
  %q4 = weft.cast %o4 to ui8 : (tensor<?x?xf32, #weft.dims<"m", "n">>) -> tensor<?x?xui8, #weft.dims<"m", "n">>
  %b4 = weft.cast %q4 to f32 : (tensor<?x?xui8, #weft.dims<"m", "n">>) -> tensor<?x?xf32, #weft.dims<"m", "n">>
  %l4 = weft.sub %b4, %z4 : (tensor<?x?xf32, #weft.dims<"m", "n">>, tensor<f32>) -> tensor<?x?xf32, #weft.dims<"m", "n">>
  %y4 = weft.mul %l4, %s4 : (tensor<?x?xf32, #weft.dims<"m", "n">>, tensor<f32>) -> tensor<?x?xf32, #weft.dims<"m", "n">>
  %s5 = weft.constant dense<0.5> : tensor<f32>
  %z5 = weft.constant dense<1.5> : tensor<f32>
  %d5 = weft.div %a, %s5 : (tensor<?x?xf32, #weft.dims<"m", "n">>, tensor<f32>) -> tensor<?x?xf32, #weft.dims<"m", "n">>
  %r5 = weft.round %d5 : (tensor<?x?xf32, #weft.dims<"m", "n">>) -> tensor<?x?xf32, #weft.dims<"m", "n">>
  %o5 = weft.add %r5, %z5 : (tensor<?x?xf32, #weft.dims<"m", "n">>, tensor<f32>) -> tensor<?x?xf32, #weft.dims<"m", "n">>
  %q5 = weft.cast %o5 to ui16 : (tensor<?x?xf32, #weft.dims<"m", "n">>) -> tensor<?x?xui16, #weft.dims<"m", "n">>
  %b5 = weft.cast %q5 to f32 : (tensor<?x?xui16, #weft.dims<"m", "n">>) -> tensor<?x?xf32, #weft.dims<"m", "n">>
  %l5 = weft.sub %b5, %z5 : (tensor<?x?xf32, #weft.dims<"m", "n">>, tensor<f32>) -> tensor<?x?xf32, #weft.dims<"m", "n">>
  %y5 = weft.mul %l5, %s5 : (tensor<?x?xf32, #weft.dims<"m", "n">>, tensor<f32>) -> tensor<?x?xf32, #weft.dims<"m", "n">>
  %s6 = weft.constant dense<1.41421354> : tensor<f32>
  %z6 = weft.constant dense<-128.0> : tensor<f32>
  %d6 = weft.div %a, %s6 : (tensor<?x?xf32, #weft.dims<"m", "n">>, tensor<f32>) -> tensor<?x?xf32, #weft.dims<"m", "n">>
  %r6 = weft.round %d6 : (tensor<?x?xf32, #weft.dims<"m", "n">>) -> tensor<?x?xf32, #weft.dims<"m", "n">>
  %o6 = weft.add %r6, %z6 : (tensor<?x?xf32, #weft.dims<"m", "n">>, tensor<f32>) -> tensor<?x?xf32, #weft.dims<"m", "n">>
  %q6 = weft.cast %o6 to i8 : (tensor<?x?xf32, #weft.dims<"m", "n">>) -> tensor<?x?xi8, #weft.dims<"m", "n">>
  %b6 = weft.cast %q6 to f32 : (tensor<?x?xi8, #weft.dims<"m", "n">>) -> tensor<?x?xf32, #weft.dims<"m", "n">>
  %l6 = weft.sub %b6, %z6 : (tensor<?x?xf32, #weft.dims<"m", "n">>, tensor<f32>) -> tensor<?x?xf32, #weft.dims<"m", "n">>
  %y6 = weft.mul %l6, %s6 : (tensor<?x?xf32, #weft.dims<"m", "n">>, tensor<f32>) -> tensor<?x?xf32, #weft.dims<"m", "n">>
  return %y0, %y1, %y2, %y3, %y4, %y5, %y6 : tensor<?x?xf32, #weft.dims<"m", "n">>, tensor<?x?xf32, #weft.dims<"m", "n">>, tensor<?x?xf32, #weft.dims<"m", "n">>, tensor<?x?xf32, #weft.dims<"m", "n">>, tensor<?x?xf32, #weft.dims<"m", "n">>, tensor<?x?xf32, #weft.dims<"m", "n">>, tensor<?x?xf32, #weft.dims<"m", "n">>
}
