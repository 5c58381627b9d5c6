# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# BERT as PyTorch exports it (opset 17), with random weights: batch and length are dynamic. Needs the packages onnx and
# numpy.
import numpy
from onnx import TensorProto

from model_writer import Writer

HEAD = 64  # the width of a head, in every BERT
EPSILON = 1e-12


def attention(model, x, mask, width):
    heads = width // HEAD
    q, k, v = (model.linear(x, width, width) for _ in range(3))
    q, k, v = model.split(q, heads, HEAD), model.split(k, heads, HEAD, (0, 2, 3, 1)), model.split(v, heads, HEAD)
    scores = model.node("Div", model.node("MatMul", q, k), model.number(HEAD**0.5))
    y = model.attend(model.node("Add", scores, mask), v)
    return model.linear(model.merge(y, width), width, width)


def layer(model, x, mask, width, hidden):
    x = model.norm(model.node("Add", attention(model, x, mask, width), x), width, EPSILON)
    y = model.linear(model.gelu(model.linear(x, width, hidden)), hidden, width)
    return model.norm(model.node("Add", y, x), width, EPSILON)


def embed(model, vocabulary, longest, width):
    words = model.node("Gather", model.weight(vocabulary, width), "ids")
    segments = model.node("Gather", model.weight(2, width), "segments")
    length = model.slice(model.node("Shape", "ids"), model.ints(1), model.ints(2), 0)
    places = model.slice(model.constant(numpy.arange(longest)[None]), model.ints(0), length, 1)
    places = model.node("Gather", model.weight(longest, width), places)
    return model.norm(model.node("Add", model.node("Add", words, segments), places), width, EPSILON)


def save(path, layers, width, hidden, vocabulary, longest, seed=1):
    model = Writer(seed)
    x = embed(model, vocabulary, longest, width)
    mask = model.node("Cast", model.unsqueeze("mask", 1, 2), to=TensorProto.FLOAT)
    mask = model.node("Mul", model.node("Sub", model.number(1), mask), model.number(numpy.finfo(numpy.float32).min))
    for _ in range(layers):
        x = layer(model, x, mask, width, hidden)
    first = model.node("Gather", x, model.constant(numpy.array(0)), axis=1)
    pooled = model.node("Tanh", model.linear(first, width, width))
    axes = ["batch", "seq"]
    model.save(path, "bert", [(name, TensorProto.INT64, axes) for name in ("ids", "segments", "mask")],
               [(x, TensorProto.FLOAT, [*axes, width]), (pooled, TensorProto.FLOAT, ["batch", width])])  # fmt: skip


def make_inputs(sizes, batch, length):
    """Up to a fifth of each text is padding."""
    random = numpy.random.default_rng(0)
    seen = numpy.arange(length) < length - random.integers(0, length // 5 + 1, batch)[:, None]
    return {"ids": random.integers(0, sizes["vocabulary"], (batch, length)),
            "segments": random.integers(0, 2, (batch, length)), "mask": seen.astype(numpy.int64)}  # fmt: skip
