# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# BERT as PyTorch exports it (opset 17), with random weights: batch and length are dynamic. Needs the packages onnx and
# numpy.
import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

HEAD = 64  # the width of a head, in every BERT


class Writer:
    """Adds nodes and parameters one after another."""

    def __init__(self, seed):
        self.nodes, self.parameters, self.known = [], [], {}
        self.random = numpy.random.default_rng(seed)

    def node(self, kind, *inputs, **attributes):
        name = f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], name=name, **attributes))
        return name

    def constant(self, array):
        key = array.dtype.str, array.shape, array.tobytes()
        if key not in self.known:
            self.known[key] = self.store(array)
        return self.known[key]

    def number(self, value):
        return self.constant(numpy.array(value, numpy.float32))

    def store(self, array):
        name = f"parameter_{len(self.parameters)}"
        self.parameters.append(numpy_helper.from_array(array, name))
        return name

    def weight(self, *shape):
        return self.store(self.random.normal(0, 0.02, shape).astype(numpy.float32))

    def linear(self, x, width, out):
        return self.node("Add", self.weight(out), self.node("MatMul", x, self.weight(width, out)))

    def norm(self, x, width):
        scale = self.store(self.random.normal(1, 0.02, width).astype(numpy.float32))
        return self.node("LayerNormalization", x, scale, self.weight(width), axis=-1, epsilon=1e-12)


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
    x = model.norm(model.node("Add", attention(model, x, mask, width), x), width)
    y = model.linear(gelu(model, model.linear(x, width, hidden)), hidden, width)
    return model.norm(model.node("Add", y, x), width)


def embed(model, vocabulary, longest, width):
    words = model.node("Gather", model.weight(vocabulary, width), "ids")
    segments = model.node("Gather", model.weight(2, width), "segments")
    length = model.node("Slice", model.node("Shape", "ids"), *(model.constant(numpy.array([i])) for i in (1, 2)))
    places = model.node("Slice", model.constant(numpy.arange(longest)[None]), model.constant(numpy.array([0])), length,
                        model.constant(numpy.array([1])))  # fmt: skip
    places = model.node("Gather", model.weight(longest, width), places)
    return model.norm(model.node("Add", model.node("Add", words, segments), places), width)


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
    outputs = [helper.make_tensor_value_info(x, TensorProto.FLOAT, [*axes, width]),
               helper.make_tensor_value_info(pooled, TensorProto.FLOAT, ["batch", width])]  # fmt: skip
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, axes) for name in ("ids", "segments", "mask")]
    graph = helper.make_graph(model.nodes, "bert", inputs, outputs, model.parameters)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
