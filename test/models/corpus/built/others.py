# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Positives of other exporters and of other layouts; all are attention, by algebra.
import numpy
from onnx import TensorProto

from built.graph import HEAD_WIDTH, HEADS, WIDTH, save
from built.torch2 import CROSS, SELF

MATRICES = [{"tgt": 5, "src": 7}, {"tgt": 33, "src": 17}, {"tgt": 1, "src": 9}]


def tf2onnx(g):
    """Keras BERT: products of rank 2 between reshapes; a mask of casts and reshapes; Softmax has an axis from the front."""
    x, mask = g.input("x", ["batch", "seq", WIDTH]), g.input("mask", ["batch", "seq"], TensorProto.INT64)
    shape = g.Shape(x)
    size = lambda axis: g.Slice(shape, g.ints(axis), g.ints(axis + 1), g.ints(0))
    rows = g.Reshape(x, g.ints(-1, WIDTH))
    linear = lambda y: g.Add(g.MatMul(y, g.weight(WIDTH, WIDTH)), g.weight(WIDTH))
    split = lambda y: g.Transpose(g.Reshape(y, g.Concat(size(0), size(1), g.ints(HEADS, HEAD_WIDTH), axis=0)), perm=[0, 2, 1, 3])
    query, key, value = (split(linear(rows)) for _ in range(3))
    masked = g.Cast(g.Reshape(mask, g.Concat(size(0), g.ints(1), size(1), axis=0)), to=g.element)
    added = g.Unsqueeze(g.Mul(g.Sub(g.number(1.0), masked), g.number(-10000.0)), axes=[1])
    scores = g.MatMul(query, g.Transpose(key, perm=[0, 1, 3, 2]))
    weights = g.Softmax(g.Add(g.Mul(scores, g.number(HEAD_WIDTH**-0.5)), added), axis=3)
    context = g.Reshape(g.Transpose(g.MatMul(weights, value), perm=[0, 2, 1, 3]), g.ints(-1, WIDTH))
    g.output("y", g.Reshape(linear(context), shape), ["batch", "seq", WIDTH])


def keras_einsum(g):
    """keras.layers.MultiHeadAttention."""
    x = g.input("x", ["batch", "seq", WIDTH])
    project = lambda: g.Add(g.Einsum(x, g.weight(WIDTH, HEADS, HEAD_WIDTH), equation="abc,cde->abde"), g.weight(HEADS, HEAD_WIDTH))
    query, key, value = project(), project(), project()
    query = g.Mul(query, g.number(HEAD_WIDTH**-0.5))
    weights = g.Softmax(g.Einsum(key, query, equation="aecd,abcd->acbe"), axis=-1)
    context = g.Einsum(weights, value, equation="acbe,aecd->abcd")
    g.output("y", g.Einsum(context, g.weight(HEADS, HEAD_WIDTH, WIDTH), equation="abcd,cde->abe"), ["batch", "seq", WIDTH])


def softmax_in_single(g):
    """Only the softmax of an f16 graph is in f32."""
    query, key, value = g.heads_qkv()
    scores = g.Mul(g.MatMul(query, g.Transpose(key, perm=[0, 1, 3, 2])), g.number(0.5))
    scores = g.Cast(g.Add(scores, g.Trilu(g.Expand(g.number(-numpy.inf), square(g, query)), g.ints(1), upper=1)), to=TensorProto.FLOAT)
    weights = g.Cast(g.Softmax(scores, axis=-1), to=g.element)
    g.output("y", g.MatMul(weights, value), ["batch", HEADS, "seq", HEAD_WIDTH])


def square(g, query):
    length = g.Shape(query, start=2, end=3)
    return g.Concat(length, length, axis=0)


def scores_in_single(g):
    """From the scale to the softmax in f32, query and key and weights in f16."""
    query, key, value = g.heads_qkv("tgt", "src")
    scores = g.Cast(g.MatMul(query, g.Transpose(key, perm=[0, 1, 3, 2])), to=TensorProto.FLOAT)
    scale = g.Constant(value_float=HEAD_WIDTH**-0.5)
    g.output("y", g.MatMul(g.Cast(g.Softmax(g.Mul(scores, scale), axis=-1), to=g.element), value),
             ["batch", HEADS, "tgt", HEAD_WIDTH])


def conformer(g):
    """A hidden score is the least number, and a hidden weight is zero: of a row with nothing kept all are."""
    query, key, value = g.heads_qkv("tgt", "src")
    mask = g.Equal(g.Unsqueeze(g.input("mask", ["batch", "tgt", "src"], TensorProto.INT64), g.ints(1)), g.ints(0))
    scores = g.Div(g.MatMul(query, g.Transpose(key, perm=[0, 1, 3, 2])), g.number(HEAD_WIDTH**0.5))
    weights = g.Softmax(g.Where(mask, g.number(g.least), scores), axis=-1)
    g.output("y", g.MatMul(g.Where(mask, g.number(0.0), weights), value), ["batch", HEADS, "tgt", HEAD_WIDTH])


def channels_first(g):
    """Self-attention of images: positions are last, and the weights are transposed."""
    query, key = g.input("query", ["batch", HEAD_WIDTH, "tgt"]), g.input("key", ["batch", HEAD_WIDTH, "src"])
    value = g.input("value", ["batch", 5, "src"])
    weights = g.Softmax(g.MatMul(g.Transpose(query, perm=[0, 2, 1]), key), axis=-1)
    g.output("y", g.MatMul(value, g.Transpose(weights, perm=[0, 2, 1])), ["batch", 5, "tgt"])


def keys_by_queries(g):
    """The scores are transposed, and so the softmax is along the other axis."""
    query, key, value = g.heads_qkv("tgt", "src")
    weights = g.Softmax(g.MatMul(key, g.Transpose(query, perm=[0, 1, 3, 2])), axis=-2)
    g.output("y", g.MatMul(g.Transpose(weights, perm=[0, 1, 3, 2]), value), ["batch", HEADS, "tgt", HEAD_WIDTH])


def gemm(g):
    """Of rank 2, where the scale is Gemm's alpha and the bias its C."""
    query, key = g.input("query", ["tgt", HEAD_WIDTH]), g.input("key", ["src", HEAD_WIDTH])
    value, bias = g.input("value", ["src", 5]), g.input("bias", ["src"])
    weights = g.Softmax(g.Gemm(query, key, bias, alpha=0.5, beta=2.0, transB=1))
    g.output("y", g.Gemm(weights, value), ["tgt", 5])


def shared_heads(g):
    """Key and value have one head, which the products broadcast."""
    query, key, value = g.heads_qkv("tgt", "src", heads=1)
    weights = g.Softmax(g.Mul(g.MatMul(query, g.Transpose(key, perm=[0, 1, 3, 2])), g.number(0.5)), axis=-1)
    g.output("y", g.MatMul(weights, value), ["batch", HEADS, "tgt", HEAD_WIDTH])


def grouped_interleave(g):
    """torch.repeat_interleave: two key heads are split, each is expanded, and all are concatenated."""
    query = g.input("query", ["batch", 2 * HEADS, "tgt", HEAD_WIDTH])
    key, value = (g.input(name, ["batch", 2, "src", HEAD_WIDTH]) for name in ("key", "value"))

    def repeat(x):
        size = lambda axis: g.Shape(x, start=axis, end=axis + 1)
        wide = g.Concat(size(0), g.ints(HEADS), size(2), size(3), axis=0)
        return g.Concat(*(g.Expand(head, wide) for head in g.Split(x, g.ints(1, 1), outputs=2, axis=1)), axis=1)

    scores = g.Mul(g.MatMul(query, g.Transpose(repeat(key), perm=[0, 1, 3, 2])), g.number(0.5))
    g.output("y", g.MatMul(g.Softmax(scores, axis=-1), repeat(value)), ["batch", 2 * HEADS, "tgt", HEAD_WIDTH])


def grouped_rank5(g):
    """Two groups of three heads; the group is a dim of its own."""
    query = g.input("query", ["batch", 2, HEADS, "tgt", HEAD_WIDTH])
    key, value = (g.input(name, ["batch", 2, 1, "src", HEAD_WIDTH]) for name in ("key", "value"))
    weights = g.Softmax(g.Mul(g.MatMul(query, g.Transpose(key, perm=[0, 1, 2, 4, 3])), g.number(0.5)), axis=-1)
    g.output("y", g.MatMul(weights, value), ["batch", 2, HEADS, "tgt", HEAD_WIDTH])


def relative(g):
    """Transformer-XL: a second product, whose rows are shifted by reading it in another shape, is added to the first."""
    query, key, value = g.heads_qkv()
    position = g.input("position", [HEADS, "seq", HEAD_WIDTH])
    shifted = g.MatMul(query, g.Transpose(position, perm=[0, 2, 1]))
    shape = g.Shape(shifted)
    batch, length = g.Slice(shape, g.ints(0), g.ints(1)), g.Slice(shape, g.ints(2), g.ints(3))
    padded = g.Pad(shifted, g.ints(0, 0, 0, 1, 0, 0, 0, 0), g.number(0.0))
    longer = g.Add(length, g.ints(1))
    swapped = g.Reshape(padded, g.Concat(batch, g.ints(HEADS), longer, length, axis=0))
    shifted = g.Reshape(g.Slice(swapped, g.ints(1), g.ints(2**63 - 1), g.ints(2)), shape)
    scores = g.Mul(g.Add(g.MatMul(query, g.Transpose(key, perm=[0, 1, 3, 2])), shifted), g.number(0.5))
    weights = g.Softmax(scores, axis=-1)
    g.output("y", g.MatMul(weights, value), ["batch", HEADS, "seq", HEAD_WIDTH])


def two_queries(g):
    """Two attentions with one key and value, as XLNet's two streams."""
    query, key, value = g.heads_qkv("tgt", "src")
    other = g.input("other", ["batch", HEADS, "tgt", HEAD_WIDTH])
    keys = g.Transpose(key, perm=[0, 1, 3, 2])
    for name, x in (("y", query), ("z", other)):
        weights = g.Softmax(g.Mul(g.MatMul(x, keys), g.number(0.5)), axis=-1)
        g.output(name, g.MatMul(weights, value), ["batch", HEADS, "tgt", HEAD_WIDTH])


def inputs_of_scores(g):
    """Scores are multiplied by a number for each key and a mask, biased for each head, then scaled after the mask."""
    query, key, value = g.heads_qkv("tgt", "src")
    kept, bias = g.input("kept", ["batch", 1, 1, "src"]), g.input("bias", [HEADS, 1, 1])
    scores = g.Add(g.Mul(g.MatMul(query, g.Transpose(key, perm=[0, 1, 3, 2])), kept), bias)
    weights = g.Dropout(g.Softmax(g.Div(scores, g.number(2.0)), axis=-1))
    g.output("y", g.MatMul(weights, value), ["batch", HEADS, "tgt", HEAD_WIDTH])


def columns(g, scores, count=1):
    """Columns of numbers beside [batch, heads, tgt, src], one number for each head in each."""
    return g.Expand(g.weight(1, HEADS, 1, count), g.Concat(g.Shape(scores, end=3), g.ints(count), axis=0))


def sink(is_first):
    """A score of no key, before all others or behind them, whose weight is left out."""
    def build(g):
        query, key, value = g.heads_qkv("tgt", "src")
        scores = g.Mul(g.MatMul(query, g.Transpose(key, perm=[0, 1, 3, 2])), g.number(0.5))
        both = [columns(g, scores), scores] if is_first else [scores, columns(g, scores)]
        weights = g.Softmax(g.Concat(*both, axis=-1), axis=-1)
        begin, end = (1, 2**63 - 1) if is_first else (0, -1)
        kept = g.Slice(weights, g.ints(begin), g.ints(end), g.ints(-1))
        g.output("y", g.MatMul(kept, value), ["batch", HEADS, "tgt", HEAD_WIDTH])
    return build


FORMS = {
    "tf2onnx": lambda name: save(name, tf2onnx, SELF, 12),
    "keras_einsum": lambda name: save(name, keras_einsum, SELF, 13),
    "softmax_in_single": lambda name: save(name, softmax_in_single, SELF, only_half=True),
    "scores_in_single": lambda name: save(name, scores_in_single, CROSS, only_half=True),
    "conformer": lambda name: save(name, conformer, CROSS),
    "channels_first": lambda name: save(name, channels_first, CROSS),
    "keys_by_queries": lambda name: save(name, keys_by_queries, CROSS),
    "gemm": lambda name: save(name, gemm, MATRICES, 11),
    "shared_heads": lambda name: save(name, shared_heads, CROSS),
    "grouped_interleave": lambda name: save(name, grouped_interleave, CROSS),
    "grouped_rank5": lambda name: save(name, grouped_rank5, CROSS),
    "relative": lambda name: save(name, relative, SELF),
    "two_queries": lambda name: save(name, two_queries, CROSS),
    "sink": lambda name: save(name, sink(is_first=False), CROSS),
    "sink_first": lambda name: save(name, sink(is_first=True), CROSS),
    "inputs_of_scores": lambda name: save(name, inputs_of_scores, CROSS),
}
