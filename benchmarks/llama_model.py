# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A decoder of Llama's shape as PyTorch exports it (opset 17), with random weights: batch, length and what came before
# are dynamic; keys and values of what came before are inputs, and outputs with those of this run behind them. Each key
# head serves a group of query heads. Weights lie in a file beside the model. Needs the packages onnx and numpy.
import numpy
from onnx import TensorProto

from model_writer import Writer, add_cache, make_cache

HEAD = 64  # the width of a head, in TinyLlama
EPSILON = 1e-5


class Places:
    """What all layers share: cosines and sines of the positions' angles, [batch, 1, length, HEAD], and an additive
    mask, [1, 1, length, all]."""

    def __init__(self, model):
        frequencies = 10000 ** -(numpy.arange(0, HEAD, 2, dtype=numpy.float32) / HEAD)
        angle = model.node("Cast", model.unsqueeze("positions", 2), to=TensorProto.FLOAT)
        angle = model.node("MatMul", angle, model.constant(frequencies[None, None]))
        angle = model.unsqueeze(model.node("Concat", angle, angle, axis=-1), 1)
        self.cosine, self.sine = model.node("Cos", angle), model.node("Sin", angle)
        past = model.size("past_key_0", 2)
        end = model.node("Add", past, model.size("ids", 1))
        keys, queries = model.unsqueeze(model.range(model.ints(0), end), 0), model.unsqueeze(model.range(past, end), 1)
        least = model.number(numpy.finfo(numpy.float32).min)
        mask = model.node("Where", model.node("Greater", keys, queries), least, model.number(0))
        self.mask = model.unsqueeze(mask, 0, 1)


def rotate(model, x, places):
    first = model.slice(x, model.ints(0), model.ints(HEAD // 2), 3)
    second = model.slice(x, model.ints(HEAD // 2), model.ints(numpy.iinfo(numpy.int64).max), 3)
    turned = model.node("Concat", model.node("Neg", second), first, axis=-1)
    return model.node("Add", model.node("Mul", x, places.cosine), model.node("Mul", turned, places.sine))


def repeat(model, x, heads, groups):
    """[batch, groups, length, HEAD] to [batch, heads, length, HEAD]."""
    batch, length = model.size(x, 0), model.size(x, 2)
    count, times, width = (model.ints(size) for size in (groups, heads // groups, HEAD))
    x = model.node("Expand", model.unsqueeze(x, 2), model.node("Concat", batch, count, times, length, width, axis=0))
    return model.node("Reshape", x, model.node("Concat", batch, model.ints(heads), length, width, axis=0))


def attention(model, x, number, places, width, groups):
    """The result, and all keys and values."""
    heads = width // HEAD
    q = rotate(model, model.split(model.product(x, width, width), heads, HEAD), places)
    k, v = (model.split(model.product(x, width, groups * HEAD), groups, HEAD) for _ in range(2))
    k = model.node("Concat", f"past_key_{number}", rotate(model, k, places), axis=2)
    v = model.node("Concat", f"past_value_{number}", v, axis=2)
    scores = model.node("MatMul", q, model.node("Transpose", repeat(model, k, heads, groups), perm=[0, 1, 3, 2]))
    scores = model.node("Add", model.node("Div", scores, model.number(HEAD**0.5)), places.mask)
    y = model.attend(scores, repeat(model, v, heads, groups))
    return model.product(model.merge(y, width), width, width), k, v


def feed_forward(model, x, width, hidden):
    gate = model.product(x, width, hidden)
    gate = model.node("Mul", gate, model.node("Sigmoid", gate))
    return model.product(model.node("Mul", gate, model.product(x, width, hidden)), hidden, width)


def save(path, layers, width, groups, hidden, vocabulary, seed=1):
    """`groups` is the number of key heads."""
    model = Writer(seed, path.with_suffix(".data"))
    places = Places(model)
    x = model.node("Gather", model.weight(vocabulary, width), "ids")
    inputs, outputs = [(name, TensorProto.INT64, ["batch", "seq"]) for name in ("ids", "positions")], []
    for number in range(layers):
        y, k, v = attention(model, model.rms_norm(x, width, EPSILON), number, places, width, groups)
        x = model.node("Add", x, y)
        x = model.node("Add", x, feed_forward(model, model.rms_norm(x, width, EPSILON), width, hidden))
        add_cache(inputs, outputs, number, groups, HEAD, {"key": k, "value": v})
    logits = model.product(model.rms_norm(x, width, EPSILON), width, vocabulary)
    model.save(path, "llama", inputs, [(logits, TensorProto.FLOAT, ["batch", "seq", vocabulary]), *outputs])


def make_inputs(sizes, past, length, batch=1):
    random = numpy.random.default_rng(0)
    inputs = {"ids": random.integers(0, sizes["vocabulary"], (batch, length)),
              "positions": numpy.tile(numpy.arange(past, past + length), (batch, 1))}  # fmt: skip
    return inputs | make_cache(random, sizes["layers"], (batch, sizes["groups"], past, HEAD))
