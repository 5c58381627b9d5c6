// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention: weighted means of values, by the similarity of queries and keys; and by a state that positions change.
#ifndef WEFT_ATTENTION_OPS_TD
#define WEFT_ATTENTION_OPS_TD

include "Weft/IR/WeftOpBase.td"

def Weft_AttentionOp : Weft_Op<"attention", [AttrSizedOperandSegments]> {
  let summary = "scaled dot-product attention with grouped heads and a score region";
  let description = [{
    On query [B, H, L, d], key [B, G, S, d] and value [B, G, S, e], where G divides H and query head h reads key and value
    head `floordiv(h, H / G)`:

    `result[b, h, i, :] = sum over j of p[j] * value[b, g, j, :]`, with `p = softmax over j of score(s[j], b, h, i, j)` and
    `s[j] = scale * sum over k of query[b, h, i, k] * key[b, g, j, k]`
    (Vaswani et al., arXiv 1706.03762; grouped heads: Ainslie et al., arXiv 2305.13245).

    The score region is isolated: scalar `arith` and `math` operations. Its arguments are the scaled score, the indices b, h,
    i and j, and the elements of `captures`, each broadcast to [B, H, L, S]. It yields the score to use and whether to keep
    it: what is not kept is excluded from the softmax, and so is a score of minus infinity. `empty_rows` says what the
    p of a row with nothing kept is: NaN, zero, or zero wherever p would be NaN, as exporters' guards against NaN make it. A
    large negative score is not exclusion but arithmetic. Without a region every score is used as it is.

    `weights`, if it is there, is p, [B, H, L, S].

    `sink`, if it is there, broadcasts to [B, H, L, 1] and is one score more of each row, that of no key: it takes its part of
    the softmax, so that p sums to less than 1, and adds nothing to the result. (Attention sinks that are learned, as in
    gpt-oss: arXiv 2508.10925; where it is 0, as in ONNX Runtime's smooth_softmax, p is exp(s) / (1 + sum of exp(s)).)

    With `blocks`, [H, N] of i64, the keys of a query head are N blocks of `block_size` rows of its key head, which may lie
    anywhere and as often as one likes: j is row `blocks[h, floordiv(j, block_size)] + mod(j, block_size)` of key and value,
    and S is N * block_size. (Block-sparse attention: Zaheer et al., arXiv 2007.14062; the lists are a head's, so a head for
    each block of queries has its own.)

    f16 and bf16: scores and probabilities are f32; the results are rounded once.

    Constraints:
    - attention-c1: query, key and value have rank 4 and one floating element type.
    - attention-c2: batches are equal, key and value have equal heads and lengths, and query and key one width (guards, where
      they are symbols).
    - attention-c3: the heads of query are a multiple of those of key.
    - attention-c4: each capture broadcasts to [B, H, L, S] without enlarging it.
    - attention-c5: a score region takes the score (f32, or f64 for f64), four indices and an element of each capture, and yields
      a score and an i1.
    - attention-c6: blocks are a list for each query head, of rows that the keys have, whose number is known.
    - attention-c7: a sink broadcasts to [B, H, L, 1] without enlarging it, and has the score's element type.

    Made by the builder. Removed by weft-form-steps.

    Example:
    ```mlir
    %y = weft.attention %q, %k, %v scale(0.125) empty_rows(zero) score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %keep = arith.cmpi sle, %j, %i : index
      weft.yield %s, %keep : f32, i1
    } : (tensor<2x4x?x64xf32, #weft.dims<2, 4, "n", 64>>, tensor<2x4x?x64xf32, #weft.dims<2, 4, "n", 64>>,
         tensor<2x4x?x64xf32, #weft.dims<2, 4, "n", 64>>) -> tensor<2x4x?x64xf32, #weft.dims<2, 4, "n", 64>>
    ```
  }];
  let arguments = (ins Weft_FloatTensor:$query, Weft_FloatTensor:$key, Weft_FloatTensor:$value,
                       Variadic<Weft_ComputedTensor>:$captures, Optional<Weft_FloatTensor>:$sink, F64Attr:$scale,
                       Weft_EmptyRows:$empty_rows, OptionalAttr<I64ElementsAttr>:$blocks, DefaultValuedAttr<I64Attr, "0">:$block_size);
  let results = (outs Weft_FloatTensor:$result, Optional<Weft_FloatTensor>:$weights);
  let regions = (region AnyRegion:$score);
  let extraClassDeclaration = [{
    /// [B, H, L, S]; nothing if the dims of query and key are not known.
    std::optional<::llvm::SmallVector<Dim>> getScoreDims();
    /// What scores are computed in: f32, or f64 for f64.
    ::mlir::Type getScoreType();
  }];
  let assemblyFormat = [{
    $query `,` $key `,` $value `scale` `(` $scale `)` `empty_rows` `(` $empty_rows `)`
    (`captures` `(` $captures^ `:` type($captures) `)`)? (`sink` `(` $sink^ `:` type($sink) `)`)? (`score` $score^)? attr-dict
    `:` `(` type($query) `,` type($key) `,` type($value) `)` `->` type($result) (`,` type($weights)^)?
  }];
}

def Weft_LinearAttentionOp : Weft_Op<"linear_attention", [AttrSizedOperandSegments]> {
  let summary = "attention through a state that each position changes, of fixed size";
  let description = [{
    On query [B, L, H, K], key [B, L, G, K], value [B, L, G, V] and state [B, G, K, V], where G divides H and query head h
    reads head `floordiv(h, H / G)`. With S the state of a batch and a head, for each position t in turn:

    - `S = decay[t, :] * S`, a factor for each row, if there is a decay;
    - `u = value[t, :]`, or with a rate `u = rate[t] * (value[t, :] - key[t, :] S)`;
    - `S = S + outer(key[t, :], u)`;
    - `result[t, :] = query[t, :] S`.

    `final` is S behind the last position, and `state` where there is none. A decay is [B, L, G, K] or [B, L, G, 1], a rate
    [B, L, G, 1] or [B, L, 1, 1]. (Linear attention: Katharopoulos et al., arXiv 2006.16236; with a rate it is the delta
    rule: Yang et al., arXiv 2406.06484; with both: Yang et al., arXiv 2412.06464.)

    Constraints:
    - linear-attention-c1: all operands have rank 4 and one element type, f32 or f64.
    - linear-attention-c2: batches, lengths, the heads of key, value and state and their widths are equal (guards, where they
      are symbols); so are those of a decay and a rate, where they are not 1.
    - linear-attention-c3: the heads of query are a multiple of those of key.

    Made by the builder. Removed by weft-form-steps.

    Example:
    ```mlir
    %y, %s = weft.linear_attention %q, %k, %v, %past decay(%g : tensor<2x?x4x1xf32, #weft.dims<2, "n", 4, 1>>)
      : (tensor<2x?x8x64xf32, #weft.dims<2, "n", 8, 64>>, tensor<2x?x4x64xf32, #weft.dims<2, "n", 4, 64>>,
         tensor<2x?x4x32xf32, #weft.dims<2, "n", 4, 32>>, tensor<2x4x64x32xf32>)
      -> (tensor<2x?x8x32xf32, #weft.dims<2, "n", 8, 32>>, tensor<2x4x64x32xf32>)
    ```
  }];
  let arguments = (ins TensorOf<[F32, F64]>:$query, TensorOf<[F32, F64]>:$key, TensorOf<[F32, F64]>:$value,
                       TensorOf<[F32, F64]>:$state, Optional<TensorOf<[F32, F64]>>:$decay,
                       Optional<TensorOf<[F32, F64]>>:$rate);
  let results = (outs TensorOf<[F32, F64]>:$result, TensorOf<[F32, F64]>:$final);
  let assemblyFormat = [{
    $query `,` $key `,` $value `,` $state (`decay` `(` $decay^ `:` type($decay) `)`)?
    (`rate` `(` $rate^ `:` type($rate) `)`)? attr-dict
    `:` `(` type($query) `,` type($key) `,` type($value) `,` type($state) `)` `->` `(` type($result) `,` type($final) `)`
  }];
}

#endif // WEFT_ATTENTION_OPS_TD
