// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every cast: to bool x != 0; floats to integers toward zero and saturating, NaN to 0; integers wrap.
// RUN: %python %S/../compare.py %s --element=i1 m=7,n=19 m=1,n=1 m=0,n=2 m=129,n=65
// RUN: %python %S/../compare.py %s --element=i8 m=7,n=19 m=1,n=1 m=0,n=2 m=129,n=65
// RUN: %python %S/../compare.py %s --element=i16 m=7,n=19 m=1,n=1 m=0,n=2 m=129,n=65
// RUN: %python %S/../compare.py %s --element=i32 m=7,n=19 m=1,n=1 m=0,n=2 m=129,n=65
// RUN: %python %S/../compare.py %s --element=i64 m=7,n=19 m=1,n=1 m=0,n=2 m=129,n=65
// RUN: %python %S/../compare.py %s --element=ui8 m=7,n=19 m=1,n=1 m=0,n=2 m=129,n=65
// RUN: %python %S/../compare.py %s --element=ui16 m=7,n=19 m=1,n=1 m=0,n=2 m=129,n=65
// RUN: %python %S/../compare.py %s --element=ui32 m=7,n=19 m=1,n=1 m=0,n=2 m=129,n=65
// RUN: %python %S/../compare.py %s --element=ui64 m=7,n=19 m=1,n=1 m=0,n=2 m=129,n=65
// RUN: %python %S/../compare.py %s --element=f16 --special=all --rtol=1e-3 m=7,n=19 m=1,n=1 m=0,n=2 m=129,n=65
// RUN: %python %S/../compare.py %s --element=f32 --special=all --rtol=1e-3 m=7,n=19 m=1,n=1 m=0,n=2 m=129,n=65
// RUN: %python %S/../compare.py %s --element=f64 --special=all --rtol=1e-3 m=7,n=19 m=1,n=1 m=0,n=2 m=129,n=65
func.func @main(%a: tensor<?x?xTYPE, #weft.dims<"m", "n">> {weft.name = "a"})
  -> (tensor<?x?xi1> {weft.name = "to_i1"},
     tensor<?x?xi8> {weft.name = "to_i8"},
     tensor<?x?xi16> {weft.name = "to_i16"},
     tensor<?x?xi32> {weft.name = "to_i32"},
     tensor<?x?xi64> {weft.name = "to_i64"},
     tensor<?x?xui8> {weft.name = "to_ui8"},
     tensor<?x?xui16> {weft.name = "to_ui16"},
     tensor<?x?xui32> {weft.name = "to_ui32"},
     tensor<?x?xui64> {weft.name = "to_ui64"},
     tensor<?x?xf16> {weft.name = "to_f16"},
     tensor<?x?xf32> {weft.name = "to_f32"},
     tensor<?x?xf64> {weft.name = "to_f64"}) {
  %to_i1 = weft.cast %a to i1 : (tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xi1>
  %to_i8 = weft.cast %a to i8 : (tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xi8>
  %to_i16 = weft.cast %a to i16 : (tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xi16>
  %to_i32 = weft.cast %a to i32 : (tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xi32>
  %to_i64 = weft.cast %a to i64 : (tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xi64>
  %to_ui8 = weft.cast %a to ui8 : (tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xui8>
  %to_ui16 = weft.cast %a to ui16 : (tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xui16>
  %to_ui32 = weft.cast %a to ui32 : (tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xui32>
  %to_ui64 = weft.cast %a to ui64 : (tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xui64>
  %to_f16 = weft.cast %a to f16 : (tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xf16>
  %to_f32 = weft.cast %a to f32 : (tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xf32>
  %to_f64 = weft.cast %a to f64 : (tensor<?x?xTYPE, #weft.dims<"m", "n">>) -> tensor<?x?xf64>
  return %to_i1, %to_i8, %to_i16, %to_i32, %to_i64, %to_ui8, %to_ui16, %to_ui32, %to_ui64, %to_f16, %to_f32, %to_f64 : tensor<?x?xi1>, tensor<?x?xi8>, tensor<?x?xi16>, tensor<?x?xi32>, tensor<?x?xi64>, tensor<?x?xui8>, tensor<?x?xui16>, tensor<?x?xui32>, tensor<?x?xui64>, tensor<?x?xf16>, tensor<?x?xf32>, tensor<?x?xf64>
}
