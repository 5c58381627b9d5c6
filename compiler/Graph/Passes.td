// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes of the graph level, in the order in which the pipeline runs them.
#ifndef WEFT_COMPILER_GRAPH_PASSES_TD
#define WEFT_COMPILER_GRAPH_PASSES_TD

include "mlir/Pass/PassBase.td"

class GraphPass<string mnemonic> : Pass<mnemonic, "::mlir::func::FuncOp"> {
  let dependentDialects = ["::weft::WeftDialect"];
}

def InferShapes : GraphPass<"weft-infer-shapes"> {
  let summary = "Gives every value a shape, and turns import forms into graph forms";
  let description = [{
    Forward walks, as long as one finds out something of symbols. Every argument and result gets a ranked type whose dims are expressions over symbols. Shape
    arithmetic disappears into the types: integer tensors whose elements are known become `weft.constant` or
    `weft.dims`, and operations that took a shape as data say it in their type. Relations that the model relies on and
    that do not follow are collected in the function's `weft.guards`; one that cannot hold is an error.

    - reshape(x, shape), squeeze(x), unsqueeze(x) => reshape(x)
    - expand(x, shape) => expand(x);  tile(x, repeats) => tile(x)
    - slice(x, starts, ends, steps) => slice(x) {offsets, strides}
    - range(start, limit, delta) => range {first, step}

    Equal dims are solved for a symbol (docs/shapes.md), which goes; what guards say of order simplifies dims.

    A dim of which nothing is known is named after its input ("x.0"), or "d0", "d1", ... where it arises elsewhere.
    What depends on data keeps its import form; weft-verify-graph reports it.
  }];
  let options = [
    ListOption<"dims", "dims", "std::string", "Sizes of symbols, such as batch=4, seq=1..512 or total=past+length">
  ];
}

def ComputeSizesFirst : Pass<"weft-compute-sizes-first", "::mlir::ModuleOp"> {
  let summary = "Has a program of its own compute what sizes depend on";
  let description = [{
    Integers on which a size depends, and of which nothing is known before they are computed (the count of a mask's ones, the
    number of a range's floats, what a model says that a loop does), become the result of a function `main.sizes`, which has
    what they are computed from, and an input of `main`, whose `weft.computed_by` says so. A session runs the one and then the
    other. So such a size is an element of an input (docs/shapes.md), and all that holds of those holds of it. Where a size
    depends on what has another such size, there are several functions, each with the results of those before it.

    weft-infer-shapes marks the operations (`weft.decides_sizes`), and runs again on each function.
  }];
  let dependentDialects = ["::weft::WeftDialect"];
  let statistics = [Statistic<"sizes", "sizes-computed-first", "Number of tensors computed first">];
}

def FoldConstants : GraphPass<"weft-fold-constants"> {
  let summary = "Evaluates operations whose operands are all constant";
  let description = [{
    One forward walk: an operation of constants becomes the constant that the evaluator computes, if the result takes at most
    `cap` bytes and handles so many elements, of a matmul 32 times as many: a product takes its time in every run. A transpose of
    a constant that nothing else reads may take any number of bytes and 4 times as many elements. That of
    a matrix whose only users are right-hand sides of matmul stays, unless rows are constant as well: weft-pack-weights reads
    through it, so that the transposed matrix never exists.
  }];
  let options = [
    Option<"cap", "cap", "int64_t", /*default=*/"16 * 1024 * 1024", "Most bytes that a folded constant may take">,
    Option<"leavesGathered", "leaves-gathered", "bool", "false", "Matrices of few bits that are gathered stay, for weft-route-products">
  ];
  let statistics = [Statistic<"folded", "operations-folded", "Number of operations evaluated">];
}

def RecognizeByteProducts : GraphPass<"weft-recognize-byte-products"> {
  let summary = "Finds products of bytes in what quantized models multiply: integers of 32 bits, or floats";
  let description = [{
    matmul(cast(x) - zero, cast(constant [K, N]) - zeros), of bytes as i32 => matmul(x, quads of i8) with the
    epilogue sum - zero * column's sum, which is the same number. And matmul of f32 of (cast(x) - zero) * scale and
    (cast(constant) - zeros) * scales, perhaps transposed, with scale and scales in the epilogue, which rounds less. zero and
    scale are one for all of x or for each of its rows, the others for all of the weight or for each column. Signed bytes of x
    become unsigned ones, 128 more. K is padded with zeros to a multiple of 64. Where numbers of the weight less their zeros do
    not fit signed bytes, quads hold them less 128 (signed ones as they are), and row's sum * (128 - zeros) is added.
    Convolutions of one group are such products of windows of bytes, around which zero stands for 0; zero and scale are one for
    all of x then, and others for all of the filter or for each output.
  }];
  let statistics = [Statistic<"recognized", "byte-products-recognized", "Number of products made of bytes">];
}

def RecognizeGelu : GraphPass<"weft-recognize-gelu"> {
  let summary = "Finds GELU in the operations that exporters write it with";
  let description = [{
    - a product of x, 1/2 and 1 + erf(x / sqrt(2)) => gelu(x) {form = erf}
    - a product of x, 1/2 and 1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3)) => gelu(x) {form = tanh}

    Products in any order and association; x / c for x * (1/c); powers as weft.pow or as products. Factors are compared
    with the tolerance of the element type. Declined where an intermediate value has another user.
  }];
  let statistics = [Statistic<"recognized", "gelu-recognized", "Number of GELUs found">];
}

def RecognizeNorm : GraphPass<"weft-recognize-norm"> {
  let summary = "Finds layer and root mean square normalization in the operations that exporters write them with";
  let description = [{
    With d = x - mean(x): d / sqrt(mean(d * d) + eps) * scale + bias => layer_norm(x, scale, bias).
    x / sqrt(mean(x * x) + eps) * scale => rms_norm(x, scale).

    - means over the same trailing axes, keepdims
    - d written once or twice; d * d or d^2; division, product with the reciprocal, or with the power of -1/2; operands
      commuted; scale and bias optional
    - eps is one number inside the root; scale and bias broadcast within the normalised dims
    - x may be widened from f16 or bf16, and the quotient rounded back

    Declined otherwise, and where an intermediate value has another user.
  }];
  let statistics = [Statistic<"recognized", "norms-recognized", "Number of norms found">];
}

def RecognizeSoftmax : GraphPass<"weft-recognize-softmax"> {
  let summary = "Finds softmax in the operations that some exporters write it with";
  let description = [{
    - with e = exp(x - max(x)): e / sum(e) => softmax(x); also e * (1 / sum(e))
    - (e @ y) / sum(e) => softmax(x) @ y, where the product sums over the same axis
    - exp(log_softmax(x)) => softmax(x), where nothing else uses the logarithm
    - softmax(x - max(x)) => softmax(x), and softmax((y / c - max(y / c)) * c) => softmax(y), c a positive number

    Maximum and sum along the same axis, with keepdims or with a reshape that brings the axis back. The numerator may have
    other users. Without a maximum it is left as it is: exp(x) may overflow where softmax does not.
  }];
  let statistics = [Statistic<"recognized", "softmax-recognized", "Number of softmaxes found">];
}

def NormalizeContractions : GraphPass<"weft-normalize-contractions"> {
  let summary = "Brings contractions and reductions to the forms that have kernels";
  let description = [{
    - conv => matmul of its windows side by side and the filter, and a transpose that puts channels second. With a kernel
      of 1 the windows are the transposed input; where they cover it without meeting, a reshape and a transpose of it;
      else weft.windows of the input with channels last and zeros around it. Groups are a batch of the matmul; channels that
      do not meet are a weft.depthwise_conv, if the kernel has 64 taps or fewer
    - einsum => for two operands at a time, from left to right: sums over what nobody else names, then a matmul (or a product
      of elements, where nothing is summed or the elements are integers) between transposes and reshapes; a diagonal is a
      column of the padded square
    - matmul of a rank-1 operand => reshape, matmul of rank 2, reshape
    - reduce over leading axes => transpose, reduce over trailing axes
    - softmax and log_softmax of an inner axis => transpose, the same of the last axis, transpose
    - elementwise(transpose(x)) => transpose(elementwise(x)), where other operands are splats or the same transposition,
      so that transposes meet and cancel
  }];
  let statistics = [Statistic<"normalized", "operations-normalized", "Number of operations rewritten">];
}

def FuseEpilogue : GraphPass<"weft-fuse-epilogue"> {
  let summary = "Moves element-wise operations after a matmul into its epilogue";
  let description = [{
    A chain of element-wise operations, each the only user of the one before, whose types have the matmul's shape and
    whose other operands provably broadcast to it, becomes scalar operations on the sum. Splat constants become
    `arith.constant`, other operands captures: bytes in place of numbers that are made of them. A product of bytes yields what
    the last operation gives, f32 or bytes.

    relu(add(matmul(x, w), b)) => matmul(x, w) captures(b) epilogue { max(sum + b, 0) }
  }];
  let statistics = [Statistic<"fused", "operations-fused", "Number of operations moved into epilogues">];
}

def JoinProducts : GraphPass<"weft-join-products"> {
  let summary = "Makes one product of several with the same queries whose scores lie beside each other in a softmax";
  let description = [{
    softmax(concat(a * (q k0) + m0, a * (q k1) + m1, ...)), parts of which weigh v0, v1, ..., and these products summed up
      => softmax(a * (q concat(k0, k1, ...)) + concat(m0, m1, ...)) concat(v0, v1, ...)

    BigBird's layers are written so: a query's own block and its neighbours, blocks that are drawn at random, the first one and
    the last. All is along the last axis; reshapes may split the rows of a product. Where the weights are needed for anything
    else, or a part of them for nothing, it stays as it is.
  }];
  let statistics = [Statistic<"joined", "softmaxes-joined", "Number of softmaxes over one product instead of several">];
}

def ComputeByDistance : GraphPass<"weft-compute-by-distance"> {
  let summary = "Looks up once for each distance what is looked up by how far keys are from queries";
  let description = [{
    gather(table, f(keys - queries)) => toeplitz(gather(table, f(distances)))

    The keys and queries are ranges, whose lengths only a run may know, and f pointwise operations with numbers: the buckets
    of T5, say. The result is a view of Q + K - 1 numbers for each head where it was Q * K, each of which took some twenty
    operations.
  }];
  let statistics = [Statistic<"computed", "gathers-by-distance", "Number of gathers for each distance">];
}

def MeetTransposes : GraphPass<"weft-meet-transposes"> {
  let summary = "Moves a transpose to those before it, through moves and elementwise operations, so that they are one";
  let description = [{
    transpose(slice(reshape(concat(0, transpose(x))))) => slice(reshape(concat(0, transpose(x))))

    Through slices, reshapes, joins, gathers along one dim, and elementwise operations whose other operands are numbers in a row.

    Transformer-XL shifts scores so whose dims are in another order than those of attention: the transposes would copy them
    twice, and all that is left can be read in place. Between convolutions, which have channels last, images are enlarged by
    gathers and sums: they then move rows of channels. Who else uses a value between the two gets it transposed back, where
    fewer transposes are left then. Reshapes of dims that do not stay together leave them where they are.

    matmul(transpose(x), w) => transpose(matmul(transpose(w), x))

    where few channels are left that come to the end for a product and go back behind it (the heads that talking-heads attention
    mixes): what lies behind them fills vectors.
  }];
  let statistics = [Statistic<"met", "transposes-met", "Number of transposes that became one with others">];
}

def RouteProducts : GraphPass<"weft-route-products"> {
  let summary = "Lets products read matrices that are gathered for each row where they lie";
  let description = [{
    matmul(x, gather(w, experts)) => routed_matmul(x, w, experts), where x is a row for each matrix; so for a column on the other
    side, matmul(gather(w, experts), x), if w is constant: it is transposed when it is packed. There may be 1024 matrices.

    So are mixtures of experts exported ("batched_mm" in the package transformers): a copy of an expert's weights for each token that
    is routed to it.
  }];
  let statistics = [Statistic<"routed", "products-routed", "Number of products that read matrices through indices">];
}

def FuseAttention : GraphPass<"weft-fuse-attention"> {
  let summary = "Makes one attention of two products and the softmax between them";
  let description = [{
    product -> pointwise operations, transposes, reshapes -> softmax -> transposes, reshapes, casts -> product
      => attention score { the pointwise operations }

    The softmax is over an axis that the first product makes and the second sums over. Both products may have their operands
    in any order and their dims in any layout: how a tensor's dims are made of the scores' axes is followed through transposes
    and reshapes. Constants that scale query or key become the attention's scale; keys and values that are repeated for
    groups of heads are taken as they were before. A guard that replaces NaN by 0 becomes `empty_rows(nan_to_zero)`; without
    one a row of minus infinities yields NaN. Weights that have other users are the attention's second result; scores
    that have stay what they were, beside it.

    Operands of the pointwise operations that follow from places alone (ranges, triangles, slices and comparisons of these,
    constants that hold such) are computed in the score region; the rest is captured. So are captures of attentions that a
    model gives as such.

    slice(softmax(concat(scores, x))), of which the scores' weights are left, makes x the attention's sink.

    Before that, products of chunks of keys that overlap: where each score comes from is followed through slices, pads,
    joins, tables of places and reshapes across rows, all of known shape. If the keys of each query are the same window around
    it, and the second product, of chunks of values, uses each weight once and with the value of its key, then it is one
    attention that keeps the window (docs/attention.md).

    With `explain` there is a remark for each softmax that is left, with the first condition that failed, and one that counts;
    `require` is how many attentions there must be: a number, or `all`, which is one for each softmax that a product
    follows.
  }];
  let options = [
    Option<"explain", "explain", "bool", "false", "Say why a softmax is left as it is">,
    Option<"require", "require", "std::string", "", "How many attentions there must be: a number, or all">
  ];
  let statistics = [
    Statistic<"fused", "attentions-fused", "Number of attentions made">,
    Statistic<"left", "softmaxes-left", "Number of softmaxes that a product follows, but no attention was made of">
  ];
}

def FindKeyBlocks : GraphPass<"weft-find-key-blocks"> {
  let summary = "Lets attention read blocks of keys and values where they lie, instead of copies of them";
  let description = [{
    attention(q, k', v'), where the keys k' of each query head are rows of k, some of them next to each other, put together by
    slices, joins, tables and reshapes => attention(q, k, v) blocks(...)

    So are BigBird's layers exported: a head for each block of queries, and for each of these copies of eight blocks. Which
    rows they are is found by moving their places (ADR 19); nothing but the first dim may be known to a run alone. Blocks are as
    large as they can be; where they are of fewer than 16 rows, copies stay.
  }];
  let statistics = [Statistic<"found", "attentions-found", "Number of attentions that read blocks">];
}

def DescribeAttention : GraphPass<"weft-describe-attention"> {
  let summary = "Says in words what each attention sees";
  let description = [{
    Sets `weft.scores` on every weft.attention: which keys its score region keeps for a query, and what it adds, such as
    "causal, window 256, mask by batch and key (attention_mask)". Nothing reads it but people: it goes with the step into
    the artifact, where `weft inspect` prints it, and into reports. With `explain` it is a remark, too.
  }];
  let options = [Option<"explain", "explain", "bool", "false", "Print it as a remark">];
}

def PackWeights : GraphPass<"weft-pack-weights"> {
  let summary = "Stores constant right-hand sides of matmul as panels of 48 columns";
  let description = [{
    matmul(x, constant [K, N]) and matmul(x, transpose(constant [N, K])) of f32 => matmul(x, constant [ceil(N/48), K, 48])
    {packed_columns = N}, padded with zeros. A weight that several matmuls share is packed once. The data streams
    through the weight store; nothing is copied to the heap. So are the matrices of routed_matmul, [E, K, N], each in panels of its own,
    for which `routed-storage` counts.

    matmul(x, transpose(weft.dequantize(constants))), or routed_matmul, takes the numbers as they are, with scales and zeros as
    #weft.weight_groups says, where a group of the model's has a multiple of 16, or is a whole row.

    With `storage` bf16 weights are rounded to nearest. With i8 each column n is divided by scale[n] = max |w| / 127 and
    rounded, and the epilogue begins with a product by the scale, which is a capture; a weight with an infinity or a NaN
    stays f32. With i4 a column is divided so in groups of 32 rows, by max |w| / 7 rounded to bf16, and the numbers lie
    beside the scales (dialects/Weft/IR/PackedWeights.h). With i2 a weight of which each column holds, in groups of 128 rows,
    nothing but zeros, one number and its negation is stored as -1, 0 and 1 and that number; others stay f32. How far results are off: docs/numerics.md.

    With `short-from`, if all weights of f32 take at least so many bytes, those that would stay f32, but are of numbers that
    bf16 holds, or f16, are stored as these. They are multiplied in f32, so that results are the same bits.

    Panels of numbers that are multiplied in 32 bits or more have `panel-columns`, 48 or 16: where registers hold sums of no more columns than 16, as with
    AVX2, a panel that is no wider is read from one end to the other again and again, which caches are made for.

    With `keeps-matrices`, for GPUs, weights that keep their type stay as they are, and with i8 and i4 the same numbers and scales lie
    as #weft.weight_groups says.
  }];
  let options = [
    Option<"storage", "storage", "std::string", "\"f32\"", "How weights of f32 are stored: f32, bf16, i8, i4 or i2">,
    Option<"routedStorage", "routed-storage", "std::string", "\"f32\"", "The same of matrices that rows are routed to">,
    Option<"keepsMatrices", "keeps-matrices", "bool", "false", "Weights that keep their type are not packed">,
    Option<"panelColumns", "panel-columns", "int64_t", "48", "Columns of a panel of numbers that are multiplied in 32 bits or more: 48 or 16">,
    Option<"shortFrom", "short-from", "int64_t", "-1", "Bytes of weights from which on f16 and bf16 hold those that they can; -1: none are">,
    Option<"roundsRows", "rounds-rows", "bool", "false", "Rows of f32 are rounded to bf16 for weights that the model has in few bits">
  ];
  let statistics = [Statistic<"packed", "weights-packed", "Number of weights packed">];
}

def QuantizeProducts : GraphPass<"weft-quantize-products"> {
  let summary = "Turns products of f32 with constant matrices into products of bytes";
  let description = [{
    matmul(x, constant [K, N]) and matmul(x, transpose(constant [N, K])) of f32 => matmul(bytes, quads of i8) with
    bytes, scale, zero = quantize_rows(x). Column n of the weight is divided by scale[n] = max |w| / 127 and rounded. With
    weights=i4 rhs is blocks of 4-bit numbers, -8 to 7, with an integer s, 1 to 15, for 8 of K: scale[n] = max |w| / 105, and a
    number is w / (s * scale[n]), rounded. s = ceil(max |w of the 8| / (7 * scale[n])), or less, if that is nearer to w. The
    epilogue begins with (sum - zero * column's sum) * scale * column's scale. Products of one x share its bytes. A weight
    with an infinity or a NaN, deeper than sums of i32 bear, or not known to be as deep as rows are long, stays f32. How far results are off: docs/numerics.md.
  }];
  let options = [
    Option<"weights", "weights", "std::string", /*default=*/"\"i8\"", "Numbers that weights become: i8 or i4">
  ];
  let statistics = [Statistic<"quantized", "products-quantized", "Number of products made of bytes">];
}

def RoundProducts : GraphPass<"weft-round-products"> {
  let summary = "Turns products of f32 with constant matrices into products of bf16";
  let description = [{
    matmul(x, constant [K, N]) and matmul(x, transpose(constant [N, K])) of f32 => matmul(cast(x), pairs of bf16), whose
    sum is an f32. K is padded with zeros to a multiple of 32. For GPUs the weight stays a matrix, and K what it is. Products of one x share the cast. A product stays f32 whose
    rows are not known to be K long, or whose epilogue takes integers of 16 bits. How far results are off: docs/numerics.md.
  }];
  let options = [Option<"packs", "packs", "bool", /*default=*/"true", "Whether weights are brought into panels of pairs">];
  let statistics = [Statistic<"rounded", "products-rounded", "Number of products made of bf16">];
}

def TF32Products : GraphPass<"weft-tf32-products"> {
  let summary = "Marks products of f32 as products of tf32";
  let description = "For GPUs, behind weft-pack-weights: what is not packed.";
  let statistics = [Statistic<"marked", "products-marked", "Number of products of tf32">];
}

def RoundAttention : GraphPass<"weft-round-attention"> {
  let summary = "Turns attention of f32 beside products of bf16 into attention of bf16";
  let description = [{
    attention(q, k, v) of f32 => cast(attention(cast(q), cast(k), cast(v))) of bf16, where tensor cores take heads of that width, and keys
    and values are computed in this run: those of a state are read as they are. Not with `weights`.

    Then casts to bf16 move up: through reshapes, slices and transposes, and into the epilogue of a product with f32_sums, if all uses are
    such casts; cast(cast(x of bf16)) is x.
  }];
  let statistics = [Statistic<"rounded", "attentions-rounded", "Number of attentions made of bf16">];
}

def RecognizeState : GraphPass<"weft-recognize-state"> {
  let summary = "Finds inputs that a session can keep, since a run only appends to them";
  let description = [{
    An input and a result are one state, and the input's argument gets `weft.capacity`, if

    - the result is a weft.concat that begins with the input, and the input has no other use,
    - the input's dim along the concatenation is a symbol, which neither its other dims name nor the length of what is
      appended, and all states of one such symbol grow by one number of positions,
    - every symbol of its other dims is sized by an input that is no state.

    There is a warning for each input that a result's concatenation takes, but that is no such, with what is missing, and
    one if no state is found.
  }];
  let options = [
    Option<"capacity", "capacity", "int64_t", /*default=*/"0", "Positions that a state has room for">
  ];
  let statistics = [Statistic<"recognized", "states-recognized", "Number of states found">];
}

def VerifyGraph : GraphPass<"weft-verify-graph"> {
  let summary = "Checks that the function is of the graph level";
  let description = [{
    - every tensor is ranked and each of its dims is known (weft-0201)
    - no import form is left: no shape is data (weft-0202)
    - only operations that have a lowering, in the forms that have one (weft-0203)

    All violations are reported at once.
  }];
}

#endif // WEFT_COMPILER_GRAPH_PASSES_TD
