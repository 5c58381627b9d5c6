# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# T5's encoder and decoder in one graph as PyTorch exports them (opset 17), with random weights: batch and lengths are
# dynamic. Norms are by the root of the mean square, nothing has a bias, scores are not scaled; instead of positions a
# learned number for each head and bucket of distances is added to scores. Needs the packages onnx and numpy.
import math

import numpy
from onnx import TensorProto

from model_writer import Writer

HEAD = 64  # the width of a head, in small, base and large
EPSILON = 1e-6
BUCKETS, FARTHEST = 32, 128
LEAST = numpy.finfo(numpy.float32).min


def bucket(model, distance, both_ways):
    """`distance` is key minus query. Near ones have buckets of their own, farther ones share, by logarithm."""
    whole = model.constant
    count, base = BUCKETS, None
    if both_ways:
        count //= 2
        after = model.node("Cast", model.node("Greater", distance, whole(numpy.array(0))), to=TensorProto.INT64)
        base = model.node("Mul", after, whole(numpy.array(count)))
        distance = model.node("Abs", distance)
    else:
        distance = model.node("Neg", model.node("Min", distance, whole(numpy.array(0))))
    exact = count // 2
    far = model.node("Div", model.node("Cast", distance, to=TensorProto.FLOAT), model.number(exact))
    far = model.node("Div", model.node("Log", far), model.number(math.log(FARTHEST / exact)))
    far = model.node("Cast", model.node("Mul", far, model.number(count - exact)), to=TensorProto.INT64)
    far = model.node("Min", model.node("Add", far, whole(numpy.array(exact))), whole(numpy.array(count - 1)))
    near = model.node("Less", distance, whole(numpy.array(exact)))
    number = model.node("Where", near, distance, far)
    return model.node("Add", base, number) if base else number


def position_bias(model, tokens, heads, both_ways):
    """[1, heads, length, length], and the distances."""
    place = model.range(model.ints(0), model.size(tokens, 1))
    distance = model.node("Sub", model.unsqueeze(place, 0), model.unsqueeze(place, 1))
    bias = model.node("Gather", model.weight(BUCKETS, heads), bucket(model, distance, both_ways))
    return model.unsqueeze(model.node("Transpose", bias, perm=[2, 0, 1]), 0), distance


def attention(model, x, memory, bias, width):
    heads = width // HEAD
    q, k, v = (model.product(y, width, width) for y in (x, memory, memory))
    q, k, v = model.split(q, heads, HEAD), model.split(k, heads, HEAD, (0, 2, 3, 1)), model.split(v, heads, HEAD)
    y = model.attend(model.node("Add", model.node("MatMul", q, k), bias), v)
    return model.product(model.merge(y, width), width, width)


def feed_forward(model, x, width, hidden):
    y = model.node("Relu", model.product(model.rms_norm(x, width, EPSILON), width, hidden))
    return model.node("Add", x, model.product(y, hidden, width))


def encode(model, table, padding, layers, width, hidden):
    bias, _ = position_bias(model, "src", width // HEAD, both_ways=True)
    bias = model.node("Add", bias, padding)
    x = model.node("Gather", table, "src")
    for _ in range(layers):
        y = model.rms_norm(x, width, EPSILON)
        x = model.node("Add", x, attention(model, y, y, bias, width))
        x = feed_forward(model, x, width, hidden)
    return model.rms_norm(x, width, EPSILON)


def decode(model, table, memory, padding, layers, width, hidden):
    bias, distance = position_bias(model, "tgt", width // HEAD, both_ways=False)
    later = model.node("Cast", model.node("Greater", distance, model.constant(numpy.array(0))), to=TensorProto.FLOAT)
    bias = model.node("Add", bias, model.node("Mul", later, model.number(LEAST)))
    x = model.node("Gather", table, "tgt")
    for _ in range(layers):
        y = model.rms_norm(x, width, EPSILON)
        x = model.node("Add", x, attention(model, y, y, bias, width))
        x = model.node("Add", x, attention(model, model.rms_norm(x, width, EPSILON), memory, padding, width))
        x = feed_forward(model, x, width, hidden)
    return model.rms_norm(x, width, EPSILON)


def save(path, layers, width, hidden, vocabulary, seed=1):
    model = Writer(seed)
    table = model.weight(vocabulary, width)
    seen = model.node("Cast", model.unsqueeze("src_mask", 1, 2), to=TensorProto.FLOAT)
    padding = model.node("Mul", model.node("Sub", model.number(1), seen), model.number(LEAST))
    memory = encode(model, table, padding, layers, width, hidden)
    x = decode(model, table, memory, padding, layers, width, hidden)
    logits = model.product(model.node("Mul", x, model.number(width**-0.5)), width, vocabulary)
    inputs = [(name, TensorProto.INT64, ["batch", name[:3]]) for name in ("src", "src_mask", "tgt")]
    model.save(path, "t5", inputs, [(logits, TensorProto.FLOAT, ["batch", "tgt", vocabulary])])


def make_inputs(sizes, batch, length):
    """Up to a fifth of a source is padding."""
    random = numpy.random.default_rng(0)
    seen = numpy.arange(length) < length - random.integers(0, length // 5 + 1, batch)[:, None]
    src, tgt = (random.integers(0, sizes["vocabulary"], (batch, length)) for _ in range(2))
    return {"src": src, "src_mask": seen.astype(numpy.int64), "tgt": tgt}
