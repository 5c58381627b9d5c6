// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of known length, which on a GPU a warp may have in its registers: of as many as its threads, of several times that, and of others.
// RUN: %python %S/../compare.py %s --element=f32 --atol=1e-3 m=3 m=1 m=37 m=0
// RUN: %python %S/../compare.py %s --element=f64 m=5
// RUN: %python %S/../compare.py %s --element=f16 --rtol=2e-3 --atol=4e-3 m=5
// RUN: %python %S/../compare.py %s --element=f32 --special=not-finite --atol=1e-3 m=33
func.func @main(%x16: tensor<?x16xTYPE, #weft.dims<"m", 16>> {weft.name = "x16"},
                %s16: tensor<16xTYPE> {weft.name = "s16"},
                %x32: tensor<?x32xTYPE, #weft.dims<"m", 32>> {weft.name = "x32"},
                %s32: tensor<32xTYPE> {weft.name = "s32"},
                %x96: tensor<?x96xTYPE, #weft.dims<"m", 96>> {weft.name = "x96"},
                %s96: tensor<96xTYPE> {weft.name = "s96"},
                %x480: tensor<?x480xTYPE, #weft.dims<"m", 480>> {weft.name = "x480"},
                %s480: tensor<480xTYPE> {weft.name = "s480"},
                %x1000: tensor<?x1000xTYPE, #weft.dims<"m", 1000>> {weft.name = "x1000"},
                %s1000: tensor<1000xTYPE> {weft.name = "s1000"},
                %x1024: tensor<?x1024xTYPE, #weft.dims<"m", 1024>> {weft.name = "x1024"},
                %s1024: tensor<1024xTYPE> {weft.name = "s1024"})
  -> (tensor<?x16xTYPE, #weft.dims<"m", 16>> {weft.name = "soft16"},
      tensor<?x16xTYPE, #weft.dims<"m", 16>> {weft.name = "log16"},
      tensor<?x16xTYPE, #weft.dims<"m", 16>> {weft.name = "layer16"},
      tensor<?x16xTYPE, #weft.dims<"m", 16>> {weft.name = "rms16"},
      tensor<?xTYPE, #weft.dims<"m">> {weft.name = "max16"},
      tensor<?xTYPE, #weft.dims<"m">> {weft.name = "mean16"},
      tensor<?x32xTYPE, #weft.dims<"m", 32>> {weft.name = "soft32"},
      tensor<?x32xTYPE, #weft.dims<"m", 32>> {weft.name = "log32"},
      tensor<?x32xTYPE, #weft.dims<"m", 32>> {weft.name = "layer32"},
      tensor<?x32xTYPE, #weft.dims<"m", 32>> {weft.name = "rms32"},
      tensor<?xTYPE, #weft.dims<"m">> {weft.name = "max32"},
      tensor<?xTYPE, #weft.dims<"m">> {weft.name = "mean32"},
      tensor<?x96xTYPE, #weft.dims<"m", 96>> {weft.name = "soft96"},
      tensor<?x96xTYPE, #weft.dims<"m", 96>> {weft.name = "log96"},
      tensor<?x96xTYPE, #weft.dims<"m", 96>> {weft.name = "layer96"},
      tensor<?x96xTYPE, #weft.dims<"m", 96>> {weft.name = "rms96"},
      tensor<?xTYPE, #weft.dims<"m">> {weft.name = "max96"},
      tensor<?xTYPE, #weft.dims<"m">> {weft.name = "mean96"},
      tensor<?x480xTYPE, #weft.dims<"m", 480>> {weft.name = "soft480"},
      tensor<?x480xTYPE, #weft.dims<"m", 480>> {weft.name = "log480"},
      tensor<?x480xTYPE, #weft.dims<"m", 480>> {weft.name = "layer480"},
      tensor<?x480xTYPE, #weft.dims<"m", 480>> {weft.name = "rms480"},
      tensor<?xTYPE, #weft.dims<"m">> {weft.name = "max480"},
      tensor<?xTYPE, #weft.dims<"m">> {weft.name = "mean480"},
      tensor<?x1000xTYPE, #weft.dims<"m", 1000>> {weft.name = "soft1000"},
      tensor<?x1000xTYPE, #weft.dims<"m", 1000>> {weft.name = "log1000"},
      tensor<?x1000xTYPE, #weft.dims<"m", 1000>> {weft.name = "layer1000"},
      tensor<?x1000xTYPE, #weft.dims<"m", 1000>> {weft.name = "rms1000"},
      tensor<?xTYPE, #weft.dims<"m">> {weft.name = "max1000"},
      tensor<?xTYPE, #weft.dims<"m">> {weft.name = "mean1000"},
      tensor<?x1024xTYPE, #weft.dims<"m", 1024>> {weft.name = "soft1024"},
      tensor<?x1024xTYPE, #weft.dims<"m", 1024>> {weft.name = "log1024"},
      tensor<?x1024xTYPE, #weft.dims<"m", 1024>> {weft.name = "layer1024"},
      tensor<?x1024xTYPE, #weft.dims<"m", 1024>> {weft.name = "rms1024"},
      tensor<?xTYPE, #weft.dims<"m">> {weft.name = "max1024"},
      tensor<?xTYPE, #weft.dims<"m">> {weft.name = "mean1024"}) {
  %soft16 = weft.softmax %x16 {axis = 1 : i64} : (tensor<?x16xTYPE, #weft.dims<"m", 16>>) -> tensor<?x16xTYPE, #weft.dims<"m", 16>>
  %log16 = weft.softmax %x16 {axis = 1 : i64, log} : (tensor<?x16xTYPE, #weft.dims<"m", 16>>) -> tensor<?x16xTYPE, #weft.dims<"m", 16>>
  %layer16 = weft.layer_norm %x16, %s16, %s16 {axis = 1 : i64, epsilon = 1.0e-3 : f32} : (tensor<?x16xTYPE, #weft.dims<"m", 16>>, tensor<16xTYPE>, tensor<16xTYPE>) -> tensor<?x16xTYPE, #weft.dims<"m", 16>>
  %rms16 = weft.rms_norm %x16, %s16 {axis = 1 : i64, epsilon = 1.0e-3 : f32} : (tensor<?x16xTYPE, #weft.dims<"m", 16>>, tensor<16xTYPE>) -> tensor<?x16xTYPE, #weft.dims<"m", 16>>
  %max16 = weft.reduce max %x16 {axes = array<i64: 1>} : (tensor<?x16xTYPE, #weft.dims<"m", 16>>) -> tensor<?xTYPE, #weft.dims<"m">>
  %mean16 = weft.reduce mean %x16 {axes = array<i64: 1>} : (tensor<?x16xTYPE, #weft.dims<"m", 16>>) -> tensor<?xTYPE, #weft.dims<"m">>
  %soft32 = weft.softmax %x32 {axis = 1 : i64} : (tensor<?x32xTYPE, #weft.dims<"m", 32>>) -> tensor<?x32xTYPE, #weft.dims<"m", 32>>
  %log32 = weft.softmax %x32 {axis = 1 : i64, log} : (tensor<?x32xTYPE, #weft.dims<"m", 32>>) -> tensor<?x32xTYPE, #weft.dims<"m", 32>>
  %layer32 = weft.layer_norm %x32, %s32, %s32 {axis = 1 : i64, epsilon = 1.0e-3 : f32} : (tensor<?x32xTYPE, #weft.dims<"m", 32>>, tensor<32xTYPE>, tensor<32xTYPE>) -> tensor<?x32xTYPE, #weft.dims<"m", 32>>
  %rms32 = weft.rms_norm %x32, %s32 {axis = 1 : i64, epsilon = 1.0e-3 : f32} : (tensor<?x32xTYPE, #weft.dims<"m", 32>>, tensor<32xTYPE>) -> tensor<?x32xTYPE, #weft.dims<"m", 32>>
  %max32 = weft.reduce max %x32 {axes = array<i64: 1>} : (tensor<?x32xTYPE, #weft.dims<"m", 32>>) -> tensor<?xTYPE, #weft.dims<"m">>
  %mean32 = weft.reduce mean %x32 {axes = array<i64: 1>} : (tensor<?x32xTYPE, #weft.dims<"m", 32>>) -> tensor<?xTYPE, #weft.dims<"m">>
  %soft96 = weft.softmax %x96 {axis = 1 : i64} : (tensor<?x96xTYPE, #weft.dims<"m", 96>>) -> tensor<?x96xTYPE, #weft.dims<"m", 96>>
  %log96 = weft.softmax %x96 {axis = 1 : i64, log} : (tensor<?x96xTYPE, #weft.dims<"m", 96>>) -> tensor<?x96xTYPE, #weft.dims<"m", 96>>
  %layer96 = weft.layer_norm %x96, %s96, %s96 {axis = 1 : i64, epsilon = 1.0e-3 : f32} : (tensor<?x96xTYPE, #weft.dims<"m", 96>>, tensor<96xTYPE>, tensor<96xTYPE>) -> tensor<?x96xTYPE, #weft.dims<"m", 96>>
  %rms96 = weft.rms_norm %x96, %s96 {axis = 1 : i64, epsilon = 1.0e-3 : f32} : (tensor<?x96xTYPE, #weft.dims<"m", 96>>, tensor<96xTYPE>) -> tensor<?x96xTYPE, #weft.dims<"m", 96>>
  %max96 = weft.reduce max %x96 {axes = array<i64: 1>} : (tensor<?x96xTYPE, #weft.dims<"m", 96>>) -> tensor<?xTYPE, #weft.dims<"m">>
  %mean96 = weft.reduce mean %x96 {axes = array<i64: 1>} : (tensor<?x96xTYPE, #weft.dims<"m", 96>>) -> tensor<?xTYPE, #weft.dims<"m">>
  %soft480 = weft.softmax %x480 {axis = 1 : i64} : (tensor<?x480xTYPE, #weft.dims<"m", 480>>) -> tensor<?x480xTYPE, #weft.dims<"m", 480>>
  %log480 = weft.softmax %x480 {axis = 1 : i64, log} : (tensor<?x480xTYPE, #weft.dims<"m", 480>>) -> tensor<?x480xTYPE, #weft.dims<"m", 480>>
  %layer480 = weft.layer_norm %x480, %s480, %s480 {axis = 1 : i64, epsilon = 1.0e-3 : f32} : (tensor<?x480xTYPE, #weft.dims<"m", 480>>, tensor<480xTYPE>, tensor<480xTYPE>) -> tensor<?x480xTYPE, #weft.dims<"m", 480>>
  %rms480 = weft.rms_norm %x480, %s480 {axis = 1 : i64, epsilon = 1.0e-3 : f32} : (tensor<?x480xTYPE, #weft.dims<"m", 480>>, tensor<480xTYPE>) -> tensor<?x480xTYPE, #weft.dims<"m", 480>>
  %max480 = weft.reduce max %x480 {axes = array<i64: 1>} : (tensor<?x480xTYPE, #weft.dims<"m", 480>>) -> tensor<?xTYPE, #weft.dims<"m">>
  %mean480 = weft.reduce mean %x480 {axes = array<i64: 1>} : (tensor<?x480xTYPE, #weft.dims<"m", 480>>) -> tensor<?xTYPE, #weft.dims<"m">>
  %soft1000 = weft.softmax %x1000 {axis = 1 : i64} : (tensor<?x1000xTYPE, #weft.dims<"m", 1000>>) -> tensor<?x1000xTYPE, #weft.dims<"m", 1000>>
  %log1000 = weft.softmax %x1000 {axis = 1 : i64, log} : (tensor<?x1000xTYPE, #weft.dims<"m", 1000>>) -> tensor<?x1000xTYPE, #weft.dims<"m", 1000>>
  %layer1000 = weft.layer_norm %x1000, %s1000, %s1000 {axis = 1 : i64, epsilon = 1.0e-3 : f32} : (tensor<?x1000xTYPE, #weft.dims<"m", 1000>>, tensor<1000xTYPE>, tensor<1000xTYPE>) -> tensor<?x1000xTYPE, #weft.dims<"m", 1000>>
  %rms1000 = weft.rms_norm %x1000, %s1000 {axis = 1 : i64, epsilon = 1.0e-3 : f32} : (tensor<?x1000xTYPE, #weft.dims<"m", 1000>>, tensor<1000xTYPE>) -> tensor<?x1000xTYPE, #weft.dims<"m", 1000>>
  %max1000 = weft.reduce max %x1000 {axes = array<i64: 1>} : (tensor<?x1000xTYPE, #weft.dims<"m", 1000>>) -> tensor<?xTYPE, #weft.dims<"m">>
  %mean1000 = weft.reduce mean %x1000 {axes = array<i64: 1>} : (tensor<?x1000xTYPE, #weft.dims<"m", 1000>>) -> tensor<?xTYPE, #weft.dims<"m">>
  %soft1024 = weft.softmax %x1024 {axis = 1 : i64} : (tensor<?x1024xTYPE, #weft.dims<"m", 1024>>) -> tensor<?x1024xTYPE, #weft.dims<"m", 1024>>
  %log1024 = weft.softmax %x1024 {axis = 1 : i64, log} : (tensor<?x1024xTYPE, #weft.dims<"m", 1024>>) -> tensor<?x1024xTYPE, #weft.dims<"m", 1024>>
  %layer1024 = weft.layer_norm %x1024, %s1024, %s1024 {axis = 1 : i64, epsilon = 1.0e-3 : f32} : (tensor<?x1024xTYPE, #weft.dims<"m", 1024>>, tensor<1024xTYPE>, tensor<1024xTYPE>) -> tensor<?x1024xTYPE, #weft.dims<"m", 1024>>
  %rms1024 = weft.rms_norm %x1024, %s1024 {axis = 1 : i64, epsilon = 1.0e-3 : f32} : (tensor<?x1024xTYPE, #weft.dims<"m", 1024>>, tensor<1024xTYPE>) -> tensor<?x1024xTYPE, #weft.dims<"m", 1024>>
  %max1024 = weft.reduce max %x1024 {axes = array<i64: 1>} : (tensor<?x1024xTYPE, #weft.dims<"m", 1024>>) -> tensor<?xTYPE, #weft.dims<"m">>
  %mean1024 = weft.reduce mean %x1024 {axes = array<i64: 1>} : (tensor<?x1024xTYPE, #weft.dims<"m", 1024>>) -> tensor<?xTYPE, #weft.dims<"m">>
  return %soft16, %log16, %layer16, %rms16, %max16, %mean16, %soft32, %log32, %layer32, %rms32, %max32, %mean32, %soft96, %log96, %layer96, %rms96, %max96, %mean96, %soft480, %log480, %layer480, %rms480, %max480, %mean480, %soft1000, %log1000, %layer1000, %rms1000, %max1000, %mean1000, %soft1024, %log1024, %layer1024, %rms1024, %max1024, %mean1024
    : tensor<?x16xTYPE, #weft.dims<"m", 16>>,
      tensor<?x16xTYPE, #weft.dims<"m", 16>>,
      tensor<?x16xTYPE, #weft.dims<"m", 16>>,
      tensor<?x16xTYPE, #weft.dims<"m", 16>>,
      tensor<?xTYPE, #weft.dims<"m">>,
      tensor<?xTYPE, #weft.dims<"m">>,
      tensor<?x32xTYPE, #weft.dims<"m", 32>>,
      tensor<?x32xTYPE, #weft.dims<"m", 32>>,
      tensor<?x32xTYPE, #weft.dims<"m", 32>>,
      tensor<?x32xTYPE, #weft.dims<"m", 32>>,
      tensor<?xTYPE, #weft.dims<"m">>,
      tensor<?xTYPE, #weft.dims<"m">>,
      tensor<?x96xTYPE, #weft.dims<"m", 96>>,
      tensor<?x96xTYPE, #weft.dims<"m", 96>>,
      tensor<?x96xTYPE, #weft.dims<"m", 96>>,
      tensor<?x96xTYPE, #weft.dims<"m", 96>>,
      tensor<?xTYPE, #weft.dims<"m">>,
      tensor<?xTYPE, #weft.dims<"m">>,
      tensor<?x480xTYPE, #weft.dims<"m", 480>>,
      tensor<?x480xTYPE, #weft.dims<"m", 480>>,
      tensor<?x480xTYPE, #weft.dims<"m", 480>>,
      tensor<?x480xTYPE, #weft.dims<"m", 480>>,
      tensor<?xTYPE, #weft.dims<"m">>,
      tensor<?xTYPE, #weft.dims<"m">>,
      tensor<?x1000xTYPE, #weft.dims<"m", 1000>>,
      tensor<?x1000xTYPE, #weft.dims<"m", 1000>>,
      tensor<?x1000xTYPE, #weft.dims<"m", 1000>>,
      tensor<?x1000xTYPE, #weft.dims<"m", 1000>>,
      tensor<?xTYPE, #weft.dims<"m">>,
      tensor<?xTYPE, #weft.dims<"m">>,
      tensor<?x1024xTYPE, #weft.dims<"m", 1024>>,
      tensor<?x1024xTYPE, #weft.dims<"m", 1024>>,
      tensor<?x1024xTYPE, #weft.dims<"m", 1024>>,
      tensor<?x1024xTYPE, #weft.dims<"m", 1024>>,
      tensor<?xTYPE, #weft.dims<"m">>,
      tensor<?xTYPE, #weft.dims<"m">>
}
