// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 1 against n at run time in every position of up to five dims, and of three operands.
// RUN: %python %S/../compare.py %s m=1,n=1,k=1,p=1,q=1,r=1 m=3,n=3,k=17,p=1,q=1,r=1 m=3,n=3,k=1,p=3,q=1,r=1 m=3,n=1,k=17,p=3,q=1,r=1 m=1,n=3,k=17,p=3,q=1,r=1 m=3,n=3,k=1,p=1,q=3,r=1 m=3,n=1,k=17,p=1,q=3,r=1 m=1,n=3,k=17,p=1,q=3,r=1 m=3,n=1,k=1,p=3,q=3,r=1 m=1,n=3,k=1,p=3,q=3,r=1 m=1,n=1,k=17,p=3,q=3,r=1 m=3,n=3,k=1,p=1,q=1,r=17 m=3,n=1,k=17,p=1,q=1,r=17 m=1,n=3,k=17,p=1,q=1,r=17 m=3,n=1,k=1,p=3,q=1,r=17 m=1,n=3,k=1,p=3,q=1,r=17 m=1,n=1,k=17,p=3,q=1,r=17 m=3,n=1,k=1,p=1,q=3,r=17 m=1,n=3,k=1,p=1,q=3,r=17 m=1,n=1,k=17,p=1,q=3,r=17 m=1,n=1,k=1,p=3,q=3,r=17 m=3,n=3,k=17,p=3,q=3,r=17
// RUN: %python %S/../compare.py %s m=2,n=129,k=65,p=1,q=129,r=1 m=257,n=1,k=33,p=257,q=4,r=33 m=1,n=1,k=8193,p=3,q=1,r=1 m=1,n=1,k=1,p=1,q=1,r=8192 m=0,n=1,k=1,p=1,q=5,r=7 m=3,n=0,k=5,p=3,q=1,r=1
func.func @main(%a: tensor<?x?x?xf32, #weft.dims<"m", "n", "k">> {weft.name = "a"},
                %b: tensor<?x?x?xf32, #weft.dims<"p", "q", "r">> {weft.name = "b"},
                %c: tensor<?x1xf32, #weft.dims<"q", 1>> {weft.name = "c"},
                %mask: tensor<1x?x1xi1, #weft.dims<1, "n", 1>> {weft.name = "mask"},
                %e: tensor<?x1x?x?x?xf32, #weft.dims<"m", 1, "p", "n", "k">> {weft.name = "e"})
  -> (tensor<?x?x?xf32> {weft.name = "add"},
     tensor<?x?x?xf32> {weft.name = "where"},
     tensor<?x?x?xf32> {weft.name = "middle"},
     tensor<?x?x?x?x?xf32> {weft.name = "rank5"},
     tensor<?x?x?xi1> {weft.name = "compare"}) {
  %add = weft.add %a, %b : (tensor<?x?x?xf32, #weft.dims<"m", "n", "k">>, tensor<?x?x?xf32, #weft.dims<"p", "q", "r">>) -> tensor<?x?x?xf32>
  %where = weft.where %mask, %a, %b : (tensor<1x?x1xi1, #weft.dims<1, "n", 1>>, tensor<?x?x?xf32, #weft.dims<"m", "n", "k">>, tensor<?x?x?xf32, #weft.dims<"p", "q", "r">>) -> tensor<?x?x?xf32>
  %middle = weft.mul %a, %c : (tensor<?x?x?xf32, #weft.dims<"m", "n", "k">>, tensor<?x1xf32, #weft.dims<"q", 1>>) -> tensor<?x?x?xf32>
  %rank5 = weft.sub %e, %b : (tensor<?x1x?x?x?xf32, #weft.dims<"m", 1, "p", "n", "k">>, tensor<?x?x?xf32, #weft.dims<"p", "q", "r">>) -> tensor<?x?x?x?x?xf32>
  %compare = weft.compare lt %b, %a : (tensor<?x?x?xf32, #weft.dims<"p", "q", "r">>, tensor<?x?x?xf32, #weft.dims<"m", "n", "k">>) -> tensor<?x?x?xi1>
  return %add, %where, %middle, %rank5, %compare : tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?x?x?x?x?xf32>, tensor<?x?x?xi1>
}
