// RUN: weft-opt %s -weft-emit-kernels -split-input-file -verify-diagnostics

weft.kernel @unknown(%t: index, %a: memref<4xf32>) attributes {schedule = {rows = 4 : i64}} {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{the CPU target has no kernel for memref.load}}
  %0 = memref.load %a[%c0] : memref<4xf32>
  weft.yield
}

// -----

// expected-error@+1 {{kernel @empty has no operation to emit}}
weft.kernel @empty(%t: index) attributes {schedule = {rows = 4 : i64}} {
  weft.yield
}

// -----

weft.kernel @no_rows(%t: index, %a: memref<4x4xf32>) attributes {schedule = {}} {
  // expected-error@+1 {{expects a kernel whose schedule has rows}}
  weft.softmax_tile %a, %a : (memref<4x4xf32>, memref<4x4xf32>) -> ()
  weft.yield
}

// -----

weft.kernel @gemm_of_bools(%t: index, %a: memref<4x4xi1>) attributes {schedule = {rows = 4 : i64, columns = 48 : i64}} {
  // expected-error@+1 {{expects numbers, got 'i1'}}
  weft.gemm_tile ins(%a, %a : memref<4x4xi1>, memref<4x4xi1>) outs(%a : memref<4x4xi1>)
  weft.yield
}

// -----

weft.kernel @gemm_columns(%t: index, %a: memref<4x4xf32>) attributes {schedule = {rows = 4 : i64, columns = 40 : i64}} {
  // expected-error@+1 {{expects a schedule of rows and of columns that are a multiple of 48, got 4 and 40}}
  weft.gemm_tile ins(%a, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%a : memref<4x4xf32>)
  weft.yield
}

// -----

weft.kernel @panel(%t: index, %a: memref<4x4xf32>, %b: memref<1x4x32xf32>)
    attributes {schedule = {rows = 4 : i64, columns = 48 : i64}} {
  // expected-error@+1 {{expects packed panels of 48 columns, got 'memref<1x4x32xf32>'}}
  weft.gemm_tile ins(%a, %b : memref<4x4xf32>, memref<1x4x32xf32>) outs(%a : memref<4x4xf32>) {packed}
  weft.yield
}

// -----

weft.kernel @gemm_of_parts(%t: index, %a: memref<4x300xf32>, %b: memref<7x300x48xf32>, %c: memref<2x4x300xf32>)
    attributes {schedule = {rows = 4 : i64, columns = 48 : i64}} {
  // expected-error@+1 {{has parts of the depth on GPUs alone}}
  weft.gemm_tile ins(%a, %b : memref<4x300xf32>, memref<7x300x48xf32>) outs(%c : memref<2x4x300xf32>) {packed, parts}
  weft.yield
}

// -----

weft.kernel @gemm_of_windows(%t: index, %a: memref<4x3x96xf32>, %b: memref<2x288x48xf32>, %c: memref<2x2x48xf32>)
    attributes {schedule = {rows = 4 : i64, columns = 48 : i64}} {
  // expected-error@+1 {{expects windows, and for each matrix of the result one of numbers, got 'memref<4x3x96xf32>', 'memref<2x288x48xf32>' and 'memref<2x2x48xf32>'}}
  weft.gemm_tile ins(%a, %b : memref<4x3x96xf32>, memref<2x288x48xf32>) outs(%c : memref<2x2x48xf32>) {packed, row_dims = 1 : i64}
  weft.yield
}

// -----

weft.kernel @sums_of_too_few_dims(%t: index, %a: memref<4x48xf32>, %c: memref<4x48xf32>)
    attributes {schedule = {rows = 1 : i64, columns = 48 : i64}} {
  // expected-error@+1 {{expects parts of f32, f64 or i32 with a dim more than matrices of out, got 'memref<4x48xf32>' and 'memref<4x48xf32>'}}
  weft.add_parts_tile ins(%a : memref<4x48xf32>) outs(%c : memref<4x48xf32>)
  weft.yield
}

// -----

weft.kernel @sums_of_other_elements(%t: index, %a: memref<3x4x48xi32>, %c: memref<4x48xf32>)
    attributes {schedule = {rows = 1 : i64, columns = 48 : i64}} {
  // expected-error@+1 {{expects elements that are computed as 'i32', got 'memref<4x48xf32>'}}
  weft.add_parts_tile ins(%a : memref<3x4x48xi32>) outs(%c : memref<4x48xf32>)
  weft.yield
}

// -----

weft.kernel @sums_of_rows(%t: index, %a: memref<3x4x48xf32>, %c: memref<4x48xf32>)
    attributes {schedule = {rows = 2 : i64, columns = 48 : i64}} {
  // expected-error@+1 {{expects a schedule of columns of one row, got 48 of 2}}
  weft.add_parts_tile ins(%a : memref<3x4x48xf32>) outs(%c : memref<4x48xf32>)
  weft.yield
}

// -----

weft.kernel @gemm_of_scalar(%t: index, %a: memref<i16>, %b: memref<1x16x48x2xi16>, %c: memref<4x48xf32>)
    attributes {schedule = {rows = 4 : i64, columns = 48 : i64}} {
  // expected-error@+1 {{expects matrices with batch dims of out at most, got 'memref<i16>', }}
  weft.gemm_tile ins(%a, %b : memref<i16>, memref<1x16x48x2xi16>) outs(%c : memref<4x48xf32>) {packed, weft.bf16}
  weft.yield
}

// -----

// Pairs of bf16 are for rows of pairs, known to be padded.
weft.kernel @gemm_of_odd_pairs(%t: index, %a: memref<4x31xi16>, %b: memref<1x16x48x2xi16>, %c: memref<4x48xf32>)
    attributes {schedule = {rows = 4 : i64, columns = 48 : i64}} {
  // expected-error@+1 {{or pairs of bf16 for bf16, got 'memref<4x31xi16>'}}
  weft.gemm_tile ins(%a, %b : memref<4x31xi16>, memref<1x16x48x2xi16>) outs(%c : memref<4x48xf32>) {packed, weft.bf16}
  weft.yield
}

// -----

weft.kernel @gemm_of_wide_pairs(%t: index, %a: memref<4x32xi16>, %b: memref<1x8x48x4xi16>, %c: memref<4x48xf32>)
    attributes {schedule = {rows = 4 : i64, columns = 48 : i64}} {
  // expected-error@+1 {{or pairs of bf16 for bf16, got 'memref<4x32xi16>'}}
  weft.gemm_tile ins(%a, %b : memref<4x32xi16>, memref<1x8x48x4xi16>) outs(%c : memref<4x48xf32>) {packed, weft.bf16}
  weft.yield
}

// -----

weft.kernel @gemm_of_groups_of_another_depth(%t: index, %a: memref<64x1024xf32>, %b: memref<1x31x5x48xi32>, %c: memref<64x48xf32>)
    attributes {schedule = {rows = 64 : i64, columns = 48 : i64}} {
  // expected-error@+1 {{packed weights of i8, bf16, 4 bits or groups for f32}}
  weft.gemm_tile ins(%a, %b : memref<64x1024xf32>, memref<1x31x5x48xi32>) outs(%c : memref<64x48xf32>)
    {packed, groups = #weft.weight_groups<bits = 4, rows = 32, hasOffsets = false>}
  weft.yield
}

// -----

weft.kernel @gemm_of_groups_of_other_words(%t: index, %a: memref<64x1024xf32>, %b: memref<1x32x5x48xi32>, %c: memref<64x48xf32>)
    attributes {schedule = {rows = 64 : i64, columns = 48 : i64}} {
  // expected-error@+1 {{packed weights of i8, bf16, 4 bits or groups for f32}}
  weft.gemm_tile ins(%a, %b : memref<64x1024xf32>, memref<1x32x5x48xi32>) outs(%c : memref<64x48xf32>)
    {packed, groups = #weft.weight_groups<bits = 4, rows = 32, hasOffsets = true>}
  weft.yield
}

// -----

weft.kernel @gemm_of_groups_not_packed(%t: index, %a: memref<64x1024xf32>, %b: memref<1x32x5x48xi32>, %c: memref<64x48xf32>)
    attributes {schedule = {rows = 64 : i64, columns = 48 : i64}} {
  // expected-error@+1 {{matrices with batch dims of out at most}}
  weft.gemm_tile ins(%a, %b : memref<64x1024xf32>, memref<1x32x5x48xi32>) outs(%c : memref<64x48xf32>)
    {groups = #weft.weight_groups<bits = 4, rows = 32, hasOffsets = false>}
  weft.yield
}

// -----

// Sums of f16 would not wait in memory while parts of the depth are unpacked.
weft.kernel @gemm_of_int4_to_half(%t: index, %a: memref<64x1024xf32>, %b: memref<1x16x9x48xi32>, %c: memref<64x48xf16>)
    attributes {schedule = {rows = 64 : i64, columns = 48 : i64}} {
  // expected-error@+1 {{packed weights of i8, bf16, 4 bits or groups for f32}}
  weft.gemm_tile ins(%a, %b : memref<64x1024xf32>, memref<1x16x9x48xi32>) outs(%c : memref<64x48xf16>) {packed}
  weft.yield
}

// -----

weft.kernel @integer_softmax(%t: index, %a: memref<4x4xi32>) attributes {schedule = {rows = 4 : i64}} {
  // expected-error@+1 {{expects floats, got 'memref<4x4xi32>'}}
  weft.softmax_tile %a, %a : (memref<4x4xi32>, memref<4x4xi32>) -> ()
  weft.yield
}

// -----

// i16 is bf16 only where the work says so.
weft.kernel @short_softmax(%t: index, %a: memref<4x4xi16>) attributes {schedule = {rows = 4 : i64}} {
  // expected-error@+1 {{expects floats, got 'memref<4x4xi16>'}}
  weft.softmax_tile %a, %a : (memref<4x4xi16>, memref<4x4xi16>) -> ()
  weft.yield
}

// -----

weft.kernel @mixed_sum(%t: index, %a: memref<4x4xf16>, %out: memref<4xf32>) attributes {schedule = {rows = 4 : i64}} {
  // expected-error@+1 {{expects a matrix and its rows' results of one number type}}
  weft.reduce_tile %a, %out {kind = 0 : i32} : (memref<4x4xf16>, memref<4xf32>) -> ()
  weft.yield
}

// -----

#map = affine_map<(i) -> (i)>
weft.kernel @bits(%t: index, %a: memref<4xi1>) attributes {schedule = {rows = 1 : i64, columns = 4 : i64}} {
  // expected-error@+1 {{expects bools to be i8 in memory, got 'memref<4xi1>'}}
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%a : memref<4xi1>) {
  ^bb0(%z: i1):
    linalg.yield %z : i1
  }
  weft.yield
}

// -----

#in = affine_map<(i, j) -> (i, j)>
#out = affine_map<(i, j) -> (i)>
weft.kernel @reduction(%t: index, %a: memref<4x4xf32>, %out: memref<4xf32>)
    attributes {schedule = {rows = 1 : i64, columns = 4 : i64}} {
  // expected-error@+1 {{expects parallel loops and one output, indexed by all of them in order}}
  linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<4x4xf32>) outs(%out : memref<4xf32>) {
  ^bb0(%x: f32, %z: f32):
    %s = arith.addf %x, %z : f32
    linalg.yield %s : f32
  }
  weft.yield
}

// -----

#map = affine_map<(i) -> (i)>
weft.kernel @region(%t: index, %a: memref<4xf32>, %b: memref<4xf32>)
    attributes {schedule = {rows = 1 : i64, columns = 4 : i64}} {
  %c0 = arith.constant 0 : index
  linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%a : memref<4xf32>) outs(%b : memref<4xf32>) {
  ^bb0(%x: f32, %z: f32):
    // expected-error@+1 {{has no vector form; expects an elementwise operation in the region of a kernel}}
    %y = memref.load %a[%c0] : memref<4xf32>
    linalg.yield %y : f32
  }
  weft.yield
}

// -----

weft.kernel @scatter_columns(%t: index, %p: memref<?xi64>, %u: memref<?x4xf32>) attributes {schedule = {rows = 4 : i64}} {
  // expected-error@+1 {{expects a schedule with columns}}
  weft.scatter_tile %p, %u, %u {kind = 0 : i32} : (memref<?xi64>, memref<?x4xf32>, memref<?x4xf32>) -> ()
  weft.yield
}

// -----

weft.kernel @scatter_types(%t: index, %p: memref<?xi64>, %u: memref<?x4xf32>, %out: memref<?x4xf64>)
    attributes {schedule = {columns = 4 : i64}} {
  // expected-error@+1 {{expects places [count] of i64, updates [count, inner] and out [rows, inner], got}}
  weft.scatter_tile %p, %u, %out {kind = 0 : i32} : (memref<?xi64>, memref<?x4xf32>, memref<?x4xf64>) -> ()
  weft.yield
}

// -----

weft.kernel @top_k_rank(%t: index, %a: memref<?x?xf32>, %out: memref<?x?xi64>) attributes {schedule = {rows = 4 : i64}} {
  // expected-error@+1 {{expects numbers [outer, axis, inner] and indices [outer, k, inner] of i64, got}}
  weft.top_k_tile %a, %out : (memref<?x?xf32>, memref<?x?xi64>) -> ()
  weft.yield
}

// -----

weft.kernel @rms_norm_scale(%t: index, %a: memref<4x8xf32>, %scale: memref<1x8xf32>) attributes {schedule = {rows = 4 : i64}} {
  // expected-error@+1 {{expects a scale of one row and the matrices' element type, got 'memref<1x8xf32>'}}
  weft.rms_norm_tile %a, %scale, %a {epsilon = 1.0e-5 : f32} : (memref<4x8xf32>, memref<1x8xf32>, memref<4x8xf32>) -> ()
  weft.yield
}

// -----

weft.kernel @rms_norm_of_integers(%t: index, %a: memref<4x8xi32>, %scale: memref<8xi32>) attributes {schedule = {rows = 4 : i64}} {
  // expected-error@+1 {{expects floats, got 'memref<4x8xi32>'}}
  weft.rms_norm_tile %a, %scale, %a {epsilon = 1.0e-5 : f32} : (memref<4x8xi32>, memref<8xi32>, memref<4x8xi32>) -> ()
  weft.yield
}

// -----

// The scores of a block and its values in quads are on the stack.
weft.kernel @attention_block(%t: index, %q: memref<1x1x64x8xf32>, %k: memref<1x1x9x8x64xf32>, %v: memref<1x1x576x20xf32>, %out: memref<1x1x64x20xf32>)
    attributes {schedule = {rows = 1 : i64, columns = 8256 : i64}} {
  // expected-error@+1 {{expects a schedule of at most 8192 columns and 131072 scores in a block}}
  weft.attention_tile ins(%q, %k, %v : memref<1x1x64x8xf32>, memref<1x1x9x8x64xf32>, memref<1x1x576x20xf32>) outs(%out : memref<1x1x64x20xf32>) scale(1.0) empty_rows(nan)
  weft.yield
}

// -----

weft.kernel @attention_panels(%t: index, %q: memref<1x1x64x8xf32>, %k: memref<1x1x576x8xf32>, %v: memref<1x1x576x20xf32>, %p: memref<1x1x576x8xf32>, %out: memref<1x1x64x20xf32>)
    attributes {schedule = {rows = 64 : i64, columns = 512 : i64}} {
  // expected-error@+1 {{expects keys in panels, or of rank 4, got 'memref<1x1x576x8xf32>', and panels 'memref<1x1x576x8xf32>'}}
  weft.attention_tile ins(%q, %k, %v : memref<1x1x64x8xf32>, memref<1x1x576x8xf32>, memref<1x1x576x20xf32>) panels(%p : memref<1x1x576x8xf32>) outs(%out : memref<1x1x64x20xf32>) scale(1.0) empty_rows(nan)
  weft.yield
}

// -----

weft.kernel @uniform_of_integers(%t: index, %a: memref<1x1x?x?xi32>, %b: memref<1x1x?x?xf32>) attributes {schedule = {rows = 1 : i64}} {
  // expected-error@+1 {{expects f32, f64 or bools of rank 4 and their map, got 'memref<1x1x?x?xi32>', 'memref<1x1x?x?xf32>'}}
  weft.uniform_tile %a, %b : (memref<1x1x?x?xi32>, memref<1x1x?x?xf32>) -> ()
  weft.yield
}

// -----

weft.kernel @map_of_nothing(%t: index, %q: memref<1x1x8x8xf32>, %m: memref<8xf32>, %map: memref<1x1x1x1xf32>)
    attributes {schedule = {rows = 4 : i64, columns = 64 : i64}} {
  // expected-error@+1 {{expects maps of captures, got one of number 1}}
  weft.attention_tile ins(%q, %q, %q : memref<1x1x8x8xf32>, memref<1x1x8x8xf32>, memref<1x1x8x8xf32>) captures(%m : memref<8xf32>)
    maps [1](%map : memref<1x1x1x1xf32>) outs(%q : memref<1x1x8x8xf32>) scale(1.0) empty_rows(nan) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %add: f32):
    %true = arith.constant true
    weft.yield %s, %true : f32, i1
  }
  weft.yield
}

// -----

weft.kernel @map_of_another_type(%t: index, %q: memref<1x1x8x8xf32>, %m: memref<8xf32>, %map: memref<1x1x1x1xf64>)
    attributes {schedule = {rows = 4 : i64, columns = 64 : i64}} {
  // expected-error@+1 {{expects maps of rank 4 of bools and floats, got 'memref<1x1x1x1xf64>' of 'f32'}}
  weft.attention_tile ins(%q, %q, %q : memref<1x1x8x8xf32>, memref<1x1x8x8xf32>, memref<1x1x8x8xf32>) captures(%m : memref<8xf32>)
    maps [0](%map : memref<1x1x1x1xf64>) outs(%q : memref<1x1x8x8xf32>) scale(1.0) empty_rows(nan) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %add: f32):
    %true = arith.constant true
    weft.yield %s, %true : f32, i1
  }
  weft.yield
}

// -----

weft.kernel @panels_of_16(%t: index, %q: memref<1x1x8x8xf32>, %k: memref<1x1x1x8x16xf32>, %m: memref<8xf32>, %map: memref<1x1x1x1xf32>)
    attributes {schedule = {rows = 4 : i64, columns = 64 : i64}} {
  // expected-error@+1 {{expects maps with panels of 64 keys}}
  weft.attention_tile ins(%q, %k, %q : memref<1x1x8x8xf32>, memref<1x1x1x8x16xf32>, memref<1x1x8x8xf32>) captures(%m : memref<8xf32>)
    maps [0](%map : memref<1x1x1x1xf32>) outs(%q : memref<1x1x8x8xf32>) scale(1.0) empty_rows(nan) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %add: f32):
    %true = arith.constant true
    weft.yield %s, %true : f32, i1
  }
  weft.yield
}

// -----

weft.kernel @map_of_integers(%t: index, %q: memref<1x1x8x8xf32>, %m: memref<8xi8>, %map: memref<1x1x1x1xf32>)
    attributes {schedule = {rows = 4 : i64, columns = 64 : i64}} {
  // expected-error@+1 {{expects maps of rank 4 of bools and floats, got 'memref<1x1x1x1xf32>' of 'i8'}}
  weft.attention_tile ins(%q, %q, %q : memref<1x1x8x8xf32>, memref<1x1x8x8xf32>, memref<1x1x8x8xf32>) captures(%m : memref<8xi8>)
    maps [0](%map : memref<1x1x1x1xf32>) outs(%q : memref<1x1x8x8xf32>) scale(1.0) empty_rows(nan) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %id: i8):
    %zero = arith.constant 0 : i8
    %is = arith.cmpi ne, %id, %zero : i8
    weft.yield %s, %is : f32, i1
  }
  weft.yield
}
