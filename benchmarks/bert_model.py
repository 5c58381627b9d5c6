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
    split = model.constant(numpy.array([0, 0, heads, HEAD]))
    q, k, v = (model.node("Reshape", model.linear(x, width, width), split) for _ in range(3))
    q, v = (model.node("Transpose", y, perm=[0, 2, 1, 3]) for y in (q, v))
    scores = model.node("MatMul", q, model.node("Transpose", k, perm=[0, 2, 3, 1]))
    scores = model.node("Add", model.node("Div", scores, model.number(HEAD**0.5)), mask)
    y = model.node("MatMul", model.node("Softmax", scores, axis=-1), v)
    y = model.node("Reshape", model.node("Transpose", y, perm=[0, 2, 1, 3]), model.constant(numpy.array([0, 0, width])))
    return model.linear(y, width, width)


def gelu(model, x):
    erf = model.node("Erf", model.node("Div", x, model.number(2**0.5)))
    return model.node("Mul", model.node("Mul", x, model.node("Add", erf, model.number(1))), model.number(0.5))


def layer(model, x, mask, width, hidden):
    x = model.norm(model.node("Add", attention(model, x, mask, width), x), width, EPSILON)
    y = model.linear(gelu(model, model.linear(x, width, hidden)), hidden, width)
    return model.norm(model.node("Add", y, x), width, EPSILON)


def embed(model, vocabulary, longest, width):
    words = model.node("Gather", model.weight(vocabulary, width), "ids")
    segments = model.node("Gather", model.weight(2, width), "segments")
    length = model.node("Slice", model.node("Shape", "ids"), *(model.constant(numpy.array([i])) for i in (1, 2)))
    places = model.node("Slice", model.constant(numpy.arange(longest)[None]), model.constant(numpy.array([0])), length,
                        model.constant(numpy.array([1])))  # fmt: skip
    places = model.node("Gather", model.weight(longest, width), places)
    return model.norm(model.node("Add", model.node("Add", words, segments), places), width, EPSILON)


def save(path, layers, width, hidden, vocabulary, longest, seed=1):
    model = Writer(seed)
    x = embed(model, vocabulary, longest, width)
    mask = model.node("Cast", model.node("Unsqueeze", "mask", model.constant(numpy.array([1, 2]))), to=TensorProto.FLOAT)
    mask = model.node("Mul", model.node("Sub", model.number(1), mask), model.number(numpy.finfo(numpy.float32).min))
    for _ in range(layers):
        x = layer(model, x, mask, width, hidden)
    first = model.node("Gather", x, model.constant(numpy.array(0)), axis=1)
    pooled = model.node("Tanh", model.linear(first, width, width))
    axes = ["batch", "seq"]
    model.save(path, "bert", [(name, TensorProto.INT64, axes) for name in ("ids", "segments", "mask")],
               [(x, TensorProto.FLOAT, [*axes, width]), (pooled, TensorProto.FLOAT, ["batch", width])])  # fmt: skip
