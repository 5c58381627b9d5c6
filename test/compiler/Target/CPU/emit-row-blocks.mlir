// RUN: weft compile %s --to=target --mcpu=x86-64-v4 | FileCheck %s
// Places of a convolution that lie side by side are done at once: what several see is loaded once, and so are weights.

// A line of 8 places sees 3 x 10 elements, and 3 x 3 weights.
// CHECK-LABEL: llvm.func {{.*}}@depthwise_conv(
// CHECK-COUNT-39: llvm.load {{.*}} vector<16xf32>
// CHECK-NOT: llvm.load {{.*}} vector<16xf32>
// CHECK-COUNT-8: llvm.store {{.*}} vector<16xf32>
// Of what is left of a line, 4 places see 3 x 6.
// CHECK-COUNT-27: llvm.load {{.*}} vector<16xf32>
// CHECK-NOT: llvm.load {{.*}} vector<16xf32>
// CHECK-COUNT-4: llvm.store {{.*}} vector<16xf32>

// So it is where lines lie as far from each other as a run says.
// CHECK-LABEL: llvm.func {{.*}}@depthwise_conv_
// CHECK-COUNT-39: llvm.load {{.*}} vector<16xf32>
// CHECK-NOT: llvm.load {{.*}} vector<16xf32>
// CHECK-COUNT-8: llvm.store {{.*}} vector<16xf32>
func.func @main(%x: tensor<1x5x10x16xf32> {weft.name = "x"}, %any: tensor<?x?x?x16xf32, #weft.dims<"b", "h", "w", 16>> {weft.name = "any"}, %f: tensor<3x3x16xf32> {weft.name = "f"})
    -> (tensor<1x3x8x16xf32> {weft.name = "y"}, tensor<?x?x?x16xf32> {weft.name = "z"}) {
  %y = weft.depthwise_conv %x, %f {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x5x10x16xf32>, tensor<3x3x16xf32>) -> tensor<1x3x8x16xf32>
  %z = weft.depthwise_conv %any, %f {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<?x?x?x16xf32, #weft.dims<"b", "h", "w", 16>>, tensor<3x3x16xf32>) -> tensor<?x?x?x16xf32>
  return %y, %z : tensor<1x3x8x16xf32>, tensor<?x?x?x16xf32>
}
