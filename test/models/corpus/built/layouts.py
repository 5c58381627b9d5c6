# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Attention whose operands or weights are shared, permuted, repeated or scaled in places that a matcher may not look at.
from onnx import TensorProto

from built.graph import HEAD_WIDTH, HEADS, save
from built.torch2 import CROSS, SELF

SWAP = [0, 1, 3, 2]
ROWS = ["batch", HEADS, "tgt", HEAD_WIDTH]


def scored(g, query, key):
    return g.Mul(g.MatMul(query, g.Transpose(key, perm=SWAP)), g.number(0.5))


def heads_by_entries(g):
    """The weights' batch and heads, of one size, are swapped: entry and head of the values say whose query and key weigh them."""
    query, key, value = g.heads_qkv()
    weights = g.Softmax(scored(g, query, key), axis=-1)
    g.output("y", g.MatMul(g.Transpose(weights, perm=[1, 0, 2, 3]), value), ["batch", HEADS, "seq", HEAD_WIDTH])


def heads_permuted(g):
    """Six heads are read as two times three, swapped, and read as six again before they meet the values."""
    query, key, value = (g.input(name, ["batch", 6, length, HEAD_WIDTH])
                         for name, length in (("query", "tgt"), ("key", "src"), ("value", "src")))
    weights = g.Softmax(scored(g, query, key), axis=-1)
    shape = g.Shape(weights)
    size = lambda axis: g.Slice(shape, g.ints(axis), g.ints(axis + 1))
    pairs = g.Reshape(weights, g.Concat(size(0), g.ints(2, 3), size(2), size(3), axis=0))
    swapped = g.Reshape(g.Transpose(pairs, perm=[0, 2, 1, 3, 4]), shape)
    g.output("y", g.MatMul(swapped, value), ["batch", 6, "tgt", HEAD_WIDTH])


def scaled_weights(g):
    """The weights are halved, and shown before that."""
    query, key, value = g.heads_qkv("tgt", "src")
    weights = g.Softmax(scored(g, query, key), axis=-1)
    g.output("y", g.MatMul(g.Mul(weights, g.number(0.5)), value), ROWS)
    g.output("weights", weights, ["batch", HEADS, "tgt", "src"])


def shared_memory(g):
    """One key and value for the whole batch."""
    query = g.input("query", ROWS)
    key, value = (g.input(name, [1, HEADS, "src", HEAD_WIDTH]) for name in ("key", "value"))
    g.output("y", g.MatMul(g.Softmax(scored(g, query, key), axis=-1), value), ROWS)


def shared_key(g):
    """One key for the whole batch and all heads, but many values."""
    query, key = g.input("query", ROWS), g.input("key", ["src", HEAD_WIDTH])
    value = g.input("value", ["batch", HEADS, "src", 5])
    weights = g.Softmax(g.MatMul(query, g.Transpose(key, perm=[1, 0])), axis=-1)
    g.output("y", g.MatMul(weights, value), ["batch", HEADS, "tgt", 5])


def key_transposed(g):
    """The cache holds keys transposed."""
    query, value = g.input("query", ROWS), g.input("value", ["batch", HEADS, "src", HEAD_WIDTH])
    key = g.input("key", ["batch", HEADS, HEAD_WIDTH, "src"])
    g.output("y", g.MatMul(g.Softmax(g.MatMul(query, key), axis=-1), value), ROWS)


def temperature(g):
    """A scale that is an input."""
    query, key, value = g.heads_qkv("tgt", "src")
    scaled = g.Div(query, g.Add(g.Abs(g.input("temperature", [1])), g.number(0.5)))
    g.output("y", g.MatMul(g.Softmax(g.MatMul(scaled, g.Transpose(key, perm=SWAP)), axis=-1), value), ROWS)


def bias_transposed(g):
    """A bias [heads, keys, queries] is transposed and added."""
    query, key, value = g.heads_qkv()
    bias = g.Transpose(g.input("bias", [HEADS, "seq", "seq"]), perm=[0, 2, 1])
    weights = g.Softmax(g.Add(scored(g, query, key), bias), axis=-1)
    g.output("y", g.MatMul(weights, value), ["batch", HEADS, "seq", HEAD_WIDTH])


def positions_between(g):
    """Heads stay behind the positions, as the einsums would have it, by transposes of five dims and an inner dim of 1."""
    query, key, value = (g.input(name, ["batch", length, 1, HEADS, HEAD_WIDTH])
                         for name, length in (("query", "tgt"), ("key", "src"), ("value", "src")))
    order = [0, 2, 3, 1, 4]
    scores = g.MatMul(g.Transpose(query, perm=order), g.Transpose(key, perm=[0, 2, 3, 4, 1]))
    context = g.MatMul(g.Softmax(scores, axis=4), g.Transpose(value, perm=order))
    g.output("y", g.Transpose(context, perm=[0, 3, 1, 2, 4]), ["batch", "tgt", 1, HEADS, HEAD_WIDTH])


def two_values(g):
    """One softmax weighs two tensors."""
    query, key, value = g.heads_qkv("tgt", "src")
    weights = g.Softmax(scored(g, query, key), axis=-1)
    g.output("y", g.MatMul(weights, value), ROWS)
    g.output("z", g.MatMul(weights, g.input("other", ["batch", HEADS, "src", 5])), ["batch", HEADS, "tgt", 5])


def two_hops(g):
    """The weights are used once more, on what they gave."""
    query, key, value = g.heads_qkv()
    weights = g.Softmax(scored(g, query, key), axis=-1)
    g.output("y", g.MatMul(weights, g.MatMul(weights, value)), ["batch", HEADS, "seq", HEAD_WIDTH])


def differential(g):
    """The difference of two attentions' weights."""
    query, key, value = g.heads_qkv("tgt", "src")
    first = g.Softmax(scored(g, query, key), axis=-1)
    second = g.Softmax(scored(g, g.input("other", ROWS), key), axis=-1)
    g.output("y", g.MatMul(g.Sub(first, g.Mul(second, g.number(0.25))), value), ROWS)


def pooled(g):
    """One query, a weight: its scores are a product with a vector."""
    x, mask = g.input("x", ["batch", "seq", HEAD_WIDTH]), g.input("mask", ["batch", "seq"], TensorProto.BOOL)
    scores = g.Where(mask, g.MatMul(x, g.weight(HEAD_WIDTH)), g.number(g.least))
    weights = g.Unsqueeze(g.Softmax(scores, axis=-1), g.ints(1))
    g.output("y", g.Squeeze(g.MatMul(weights, x), g.ints(1)), ["batch", HEAD_WIDTH])


def memory_layer(g):
    """Keys and values are weights."""
    x = g.input("x", ["batch", "seq", HEAD_WIDTH])
    g.output("y", g.MatMul(g.Softmax(g.MatMul(x, g.weight(HEAD_WIDTH, 9)), axis=-1), g.weight(9, 5)), ["batch", "seq", 5])


LAYOUTS = {
    "heads_permuted": (heads_permuted, CROSS),
    "scaled_weights": (scaled_weights, CROSS),
    "shared_memory": (shared_memory, CROSS),
    "shared_key": (shared_key, CROSS),
    "key_transposed": (key_transposed, CROSS),
    "temperature": (temperature, CROSS),
    "bias_transposed": (bias_transposed, SELF),
    "positions_between": (positions_between, CROSS),
    "two_values": (two_values, CROSS),
    "two_hops": (two_hops, SELF),
    "differential": (differential, CROSS),
    "pooled": (pooled, SELF),
    "memory_layer": (memory_layer, SELF),
}

FORMS = {
    "heads_by_entries": lambda name: save(name, heads_by_entries, [{"batch": HEADS, "seq": 7}], only_static=True),
    **{name: lambda path, parts=parts: save(path, *parts) for name, parts in LAYOUTS.items()},
}
