# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# GPT-2 as PyTorch exports it (opset 17), with random weights: batch, length and what came before are dynamic. Keys and
# values of what came before are inputs, and outputs with those of this run behind them. Needs the packages onnx and
# numpy.
import numpy
from onnx import TensorProto

from model_writer import Writer, add_cache, make_cache

HEAD = 64  # the width of a head, in every GPT-2
EPSILON = 1e-5


class Places:
    """Where tokens are: [length, all] masks and [1, length] positions, from the sizes of inputs."""

    def __init__(self, model, longest):
        past = model.size("past_key_0", 2)
        end = model.node("Add", past, model.size("ids", 1))
        self.positions = model.slice(model.constant(numpy.arange(longest)[None]), past, end, 1)
        triangle = model.constant(numpy.tril(numpy.ones((1, 1, longest, longest), bool)))
        self.mask = model.slice(model.slice(triangle, past, end, 2), model.ints(0), end, 3)


def attention(model, x, number, places, width):
    """The result, and all keys and values."""
    parts = model.node("Split", model.linear(x, width, 3 * width), axis=2, outputs=3)
    q, k, v = (model.split(y, width // HEAD, HEAD) for y in parts)
    k = model.node("Concat", f"past_key_{number}", k, axis=2)
    v = model.node("Concat", f"past_value_{number}", v, axis=2)
    scores = model.node("MatMul", q, model.node("Transpose", k, perm=[0, 1, 3, 2]))
    scores = model.node("Div", scores, model.number(HEAD**0.5))
    scores = model.node("Where", places.mask, scores, model.number(numpy.finfo(numpy.float32).min))
    return model.linear(model.merge(model.attend(scores, v), width), width, width), k, v


def gelu(model, x):
    cube = model.node("Mul", model.node("Pow", x, model.number(3)), model.number(0.044715))
    inner = model.node("Mul", model.node("Add", x, cube), model.number((2 / numpy.pi) ** 0.5))
    y = model.node("Add", model.node("Tanh", inner), model.number(1))
    return model.node("Mul", model.node("Mul", x, model.number(0.5)), y)


def save(path, layers, width, vocabulary, longest, seed=1):
    model = Writer(seed)
    places = Places(model, longest)
    x = model.node("Gather", model.weight(vocabulary, width), "ids")
    x = model.node("Add", x, model.node("Gather", model.weight(longest, width), places.positions))
    inputs, outputs = [("ids", TensorProto.INT64, ["batch", "seq"])], []
    for number in range(layers):
        y, k, v = attention(model, model.norm(x, width, EPSILON), number, places, width)
        x = model.node("Add", y, x)
        y = gelu(model, model.linear(model.norm(x, width, EPSILON), width, 4 * width))
        x = model.node("Add", x, model.linear(y, 4 * width, width))
        add_cache(inputs, outputs, number, width // HEAD, HEAD, {"key": k, "value": v})
    logits = model.product(model.norm(x, width, EPSILON), width, vocabulary)
    model.save(path, "gpt2", inputs, [(logits, TensorProto.FLOAT, ["batch", "seq", vocabulary]), *outputs])


def make_inputs(sizes, past, length, batch=1):
    random = numpy.random.default_rng(0)
    inputs = {"ids": random.integers(0, sizes["vocabulary"], (batch, length))}
    return inputs | make_cache(random, sizes["layers"], (batch, sizes["width"] // HEAD, past, HEAD))
