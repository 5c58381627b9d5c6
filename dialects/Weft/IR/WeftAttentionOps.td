// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention: weighted means of values, by the similarity of queries and keys.
#ifndef WEFT_ATTENTION_OPS_TD
#define WEFT_ATTENTION_OPS_TD

include "Weft/IR/WeftOpBase.td"

def Weft_AttentionOp : Weft_Op<"attention"> {
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

    f16 and bf16: scores and probabilities are f32; the results are rounded once.

    Constraints:
    - attention-c1: query, key and value have rank 4 and one floating element type.
    - attention-c2: batches are equal, key and value have equal heads and lengths, and query and key one width (guards, where
      they are symbols).
    - attention-c3: the heads of query are a multiple of those of key.
    - attention-c4: each capture broadcasts to [B, H, L, S] without enlarging it.
    - attention-c5: a score region takes the score (f32, or f64 for f64), four indices and an element of each capture, and yields
      a score and an i1.

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
                       Variadic<Weft_ComputedTensor>:$captures, F64Attr:$scale, Weft_EmptyRows:$empty_rows);
  let results = (outs Weft_FloatTensor:$result, Optional<Weft_FloatTensor>:$weights);
  let regions = (region AnyRegion:$score);
  let assemblyFormat = [{
    $query `,` $key `,` $value `scale` `(` $scale `)` `empty_rows` `(` $empty_rows `)`
    (`captures` `(` $captures^ `:` type($captures) `)`)? (`score` $score^)? attr-dict
    `:` `(` type($query) `,` type($key) `,` type($value) `)` `->` type($result) (`,` type($weights)^)?
  }];
}

#endif // WEFT_ATTENTION_OPS_TD
