# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Graphs that differ from attention in one place. Where that place is a dim, the dims have one size or one symbol, so that
# shapes alone do not tell; each answer differs from attention's by much more than the tolerance.
import numpy
from onnx import TensorProto

from built.graph import HEAD_WIDTH, HEADS, save
from built.others import columns
from built.torch2 import CROSS, SELF

SWAP = [0, 1, 3, 2]


def twin(weigh, apply=None, tgt="seq", src="seq", out=None):
    """weights = weigh(g, scores, query), result = apply(g, weights, value), a product if not given."""
    def build(g):
        query, key, value = g.heads_qkv(tgt, src)
        scores = g.Mul(g.MatMul(query, g.Transpose(key, perm=SWAP)), g.number(HEAD_WIDTH**-0.5))
        weights = weigh(g, scores)
        result = apply(g, weights, value) if apply else g.MatMul(weights, value)
        g.output("y", result, out or ["batch", HEADS, tgt, HEAD_WIDTH])
    return build


def softmax(g, scores, axis=-1):
    return g.Softmax(scores, axis=axis)


def spelt_out(maximum=-1, total=-1, more=0.0, other=None):
    """exp(scores - max) / sum along given axes; `more` is added to the sum, which may be that of `other` scores."""
    def weigh(g, scores):
        powers = g.Exp(g.Sub(scores, g.reduce("ReduceMax", scores, maximum)))
        summed = other(g, powers) if other else powers
        sums = g.reduce("ReduceSum", summed, total)
        return g.Div(powers, g.Add(sums, g.number(more)) if more else sums)
    return weigh


def sum_transposed(g, scores):
    """The sums lie along the keys instead of the queries: what leaving out keepdims does."""
    powers = g.Exp(g.Sub(scores, g.reduce("ReduceMax", scores, -1)))
    return g.Div(powers, g.Transpose(g.reduce("ReduceSum", powers, -1), perm=SWAP))


def renormalized(g, scores):
    """The mask comes after the softmax, and what it leaves is divided by its own sum and a little."""
    weights = g.Mul(softmax(g, scores), g.Cast(g.input("mask", ["batch", 1, "seq", "seq"], TensorProto.BOOL), to=g.element))
    return g.Div(weights, g.Add(g.reduce("ReduceSum", weights, -1), g.number(0.125)))


def masked_after(g, scores):
    """The mask comes after the softmax, and nothing makes up for it."""
    return g.Mul(softmax(g, scores), g.input("mask", ["batch", 1, "seq", "seq"]))


def masked_twice(g, scores):
    """The weights are masked by another mask than the scores."""
    mask, other = (g.input(name, ["batch", 1, "seq", "seq"], TensorProto.BOOL) for name in ("mask", "other"))
    return g.Where(other, softmax(g, g.Where(mask, scores, g.number(-1e4))), g.number(0.0))


def by_the_rows_sum(g, scores):
    """A choice that depends on the whole row of scores."""
    positive = g.Greater(g.reduce("ReduceSum", scores, -1), g.number(0.0))
    return softmax(g, g.Where(positive, scores, g.Neg(scores)))


def top_scores(g, scores):
    """Only scores above the row's mean are kept."""
    mean = g.ReduceMean(scores, axes=[-1], keepdims=1)
    return softmax(g, g.Where(g.GreaterOrEqual(scores, mean), scores, g.number(-1e4)))


def normalized_scores(g, scores):
    centred = g.Sub(scores, g.ReduceMean(scores, axes=[-1], keepdims=1))
    deviation = g.Sqrt(g.Add(g.ReduceMean(g.Mul(centred, centred), axes=[-1], keepdims=1), g.number(0.01)))
    return softmax(g, g.Div(centred, deviation))


def mixed_heads(g, scores):
    """Talking heads: every head's scores are a mixture of all heads'."""
    return g.Einsum(scores, g.weight(HEADS, HEADS), equation="bhij,hk->bkij")


def sink_kept(g, scores):
    """A sink joined to the scores, and the last key left out behind the softmax in its place."""
    weights = softmax(g, g.Concat(columns(g, scores), scores, axis=-1))
    return g.Slice(weights, g.ints(0), g.ints(-1), g.ints(-1))


def two_sinks(g, scores):
    weights = softmax(g, g.Concat(scores, columns(g, scores, 2), axis=-1))
    return g.Slice(weights, g.ints(0), g.ints(-2), g.ints(-1))


def rows_reshaped(g, scores):
    """Scores of [tgt, src] are read as [src, tgt] and back: other numbers stand in a row."""
    shape = g.Shape(scores)
    piece = lambda start: g.Slice(shape, g.ints(start), g.ints(start + 1))
    other = g.Concat(piece(0), piece(1), piece(3), piece(2), axis=0)
    return g.Reshape(softmax(g, g.Reshape(scores, other)), shape)


def shifted(g, scores):
    """Scores move on by one key, in place of the last comes the first."""
    first = g.Slice(scores, g.ints(0), g.ints(1), g.ints(-1))
    rest = g.Slice(scores, g.ints(1), g.ints(2**63 - 1), g.ints(-1))
    return softmax(g, g.CumSum(g.Concat(rest, first, axis=-1), g.ints(-1)))


def one_key(g):
    """One key for all values: a bias makes rows of it."""
    query, key = g.input("query", ["batch", HEADS, "tgt", HEAD_WIDTH]), g.input("key", ["batch", HEADS, 1, HEAD_WIDTH])
    value, bias = g.input("value", ["batch", HEADS, "src", HEAD_WIDTH]), g.input("bias", ["batch", 1, "tgt", "src"])
    weights = softmax(g, g.Add(g.MatMul(query, g.Transpose(key, perm=SWAP)), bias))
    g.output("y", g.MatMul(weights, value), ["batch", HEADS, "tgt", HEAD_WIDTH])


def einsum(equation, out):
    """The second product sums over something else."""
    return twin(softmax, lambda g, weights, value: g.Einsum(weights, value, equation=equation), out=out)


def queries_summed(g, weights, value):
    return g.MatMul(g.Transpose(weights, perm=SWAP), value)


def guard(replacement, test="IsNaN", of_scores=False):
    """A guard that is none: it tests something else, or puts in another number."""
    def weigh(g, scores):
        scores = g.Where(g.input("mask", ["batch", 1, "seq", "seq"], TensorProto.BOOL), scores, g.number(-numpy.inf))
        weights = softmax(g, scores)
        return g.Where(getattr(g, test)(scores if of_scores else weights), g.number(replacement), weights)
    return weigh


def hide_a_row(case, inputs):
    if case.startswith("b2"):
        inputs["mask"][1, 0, 2, :] = False


def weights_of_all(g):
    """There is one query and key, whose weights all values share."""
    query, key = (g.input(name, [1, HEADS, length, HEAD_WIDTH]) for name, length in (("query", "tgt"), ("key", "src")))
    value = g.input("value", ["batch", HEADS, "src", HEAD_WIDTH])
    weights = softmax(g, g.MatMul(query, g.Transpose(key, perm=SWAP)))
    g.output("y", g.MatMul(weights, value), ["batch", HEADS, "tgt", HEAD_WIDTH])


def no_product(g):
    """Weights of a sum of query and key (additive attention, without its tanh)."""
    query, key, value = g.heads_qkv("tgt", "src")
    scores = g.Add(g.reduce("ReduceSum", query, -1), g.Transpose(g.reduce("ReduceSum", g.Tanh(key), -1), perm=SWAP))
    weights = softmax(g, g.Tanh(scores))
    g.output("y", g.MatMul(weights, value), ["batch", HEADS, "tgt", HEAD_WIDTH])


def efficient(g):
    """Linear attention: softmaxes of query and key themselves."""
    query, key, value = g.heads_qkv("tgt", "src")
    context = g.MatMul(g.Transpose(softmax(g, key, -2), perm=SWAP), value)
    g.output("y", g.MatMul(softmax(g, query), context), ["batch", HEADS, "tgt", HEAD_WIDTH])


ROWS = ["batch", HEADS, "seq", HEAD_WIDTH]

TWINS = {
    "softmax_over_queries": (twin(lambda g, s: softmax(g, s, -2)), SELF, 17),
    "softmax_over_heads": (twin(lambda g, s: softmax(g, s, 1)), SELF, 17),
    "softmax_flattened": (twin(lambda g, s: g.Softmax(s, axis=2)), SELF, 11),
    "log_softmax": (twin(lambda g, s: g.LogSoftmax(s, axis=-1)), SELF, 17),
    "hard_max": (twin(lambda g, s: g.Hardmax(s, axis=-1)), SELF, 17),
    "no_softmax": (twin(lambda g, s: s), SELF, 17),
    "softmax_twice": (twin(lambda g, s: softmax(g, softmax(g, s))), SELF, 17),
    "squared_weights": (twin(lambda g, s: g.Pow(softmax(g, s), g.number(2.0))), SELF, 17),
    "thresholded_weights": (twin(lambda g, s: g.Relu(g.Sub(softmax(g, s), g.number(0.1)))), SELF, 17),
    "capped_weights": (twin(lambda g, s: g.Min(softmax(g, s), g.number(0.25))), SELF, 17),
    "queries_summed": (twin(softmax, queries_summed), SELF, 17),
    "queries_summed_einsum": (einsum("bhij,bhid->bhjd", ROWS), SELF, 17),
    "heads_summed": (einsum("bhij,bhjd->bijd", ["batch", "seq", "seq", HEAD_WIDTH]), SELF, 17),
    "keys_summed_apart": (einsum("bhij,bhkd->bhid", ROWS), SELF, 17),
    "weights_spread": (einsum("bhij,bhjd->bhjd", ROWS), SELF, 17),
    "renormalized": (twin(renormalized), SELF, 17),
    "masked_after": (twin(masked_after), SELF, 17),
    "masked_twice": (twin(masked_twice), SELF, 17),
    "sum_over_queries": (twin(spelt_out(total=-2)), SELF, 17),
    "sum_of_another": (twin(spelt_out(other=lambda g, p: g.Mul(p, p))), SELF, 17),
    "sum_transposed": (twin(sum_transposed), SELF, 17),
    "sum_and_one": (twin(spelt_out(more=1.0)), SELF, 17),
    "max_over_queries": (twin(spelt_out(maximum=-2)), SELF, 17),
    "row_dependent": (twin(by_the_rows_sum), SELF, 17),
    "above_the_mean": (twin(top_scores), SELF, 17),
    "normalized_scores": (twin(normalized_scores), SELF, 17),
    "heads_mixed_before": (twin(lambda g, s: softmax(g, mixed_heads(g, s))), SELF, 17),
    "heads_mixed_after": (twin(lambda g, s: mixed_heads(g, softmax(g, s))), SELF, 17),
    "sink_kept": (twin(sink_kept, tgt="tgt", src="src"), CROSS, 17),
    "two_sinks": (twin(two_sinks, tgt="tgt", src="src"), CROSS, 17),
    "rows_reshaped": (twin(rows_reshaped, tgt="tgt", src="src"), CROSS, 17),
    "cumulated_scores": (twin(shifted), SELF, 17),
    "one_key": (one_key, CROSS, 17),
    "no_product": (no_product, CROSS, 17),
    "efficient": (efficient, CROSS, 17),
    "weights_by_weights": (twin(softmax, lambda g, w, v: g.MatMul(w, w), out=["batch", HEADS, "seq", "seq"]), SELF, 17),
    "symmetrized": (twin(lambda g, s: softmax(g, g.Add(s, g.Transpose(s, perm=SWAP)))), SELF, 17),
    "transposed_before": (twin(lambda g, s: softmax(g, g.Transpose(s, perm=SWAP)), queries_summed), SELF, 17),
    "guard_by_one": (twin(guard(1.0)), SELF, 17, False, hide_a_row),
    "guard_of_scores": (twin(guard(0.0, of_scores=True)), SELF, 17, False, hide_a_row),
    "guard_of_infinity": (twin(guard(0.0, "IsInf")), SELF, 17, False, hide_a_row),
}

FORMS = {"twin_" + name: lambda path, parts=parts: save(path, *parts) for name, parts in TWINS.items()}
