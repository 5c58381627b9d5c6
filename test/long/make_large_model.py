# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a BERT-shaped encoder with random weights: usage make_large_model.py OUT.onnx [LAYERS].

12 layers of width 768 and an embedding of 30522 rows are 434 MB of f32. Batch and sequence are dynamic.
"""
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

WIDTH, HEADS, INNER, VOCABULARY = 768, 12, 3072, 30522


class Graph:
    """Nodes and weights while they are collected."""

    def __init__(self):
        self.nodes, self.weights = [], []
        self.random = np.random.default_rng(0)

    def weight(self, name, *shape, scale=0.02):
        data = self.random.standard_normal(shape, dtype=np.float32) * np.float32(scale)
        self.weights.append(numpy_helper.from_array(data, name))
        return name

    def constant(self, name, value):
        self.weights.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def add(self, op, inputs, name, **attributes):
        self.nodes.append(helper.make_node(op, inputs, [name], name=name, **attributes))
        return name

    def linear(self, x, name, inputs, outputs):
        product = self.add("MatMul", [x, self.weight(name + ".weight", inputs, outputs)], name + "/MatMul")
        return self.add("Add", [product, self.weight(name + ".bias", outputs)], name + "/Add")

    def heads(self, x, name, order):
        split = self.add("Reshape", [x, "split_heads"], name + "/Reshape")
        return self.add("Transpose", [split], name + "/Transpose", perm=order)

    def norm(self, x, name):
        scale = self.constant(name + ".scale", np.ones(WIDTH, np.float32))
        bias = self.constant(name + ".bias", np.zeros(WIDTH, np.float32))
        return self.add("LayerNormalization", [x, scale, bias], name + "/LayerNormalization", axis=-1)


def add_layer(g, x, name):
    q = g.heads(g.linear(x, name + "/query", WIDTH, WIDTH), name + "/query", [0, 2, 1, 3])
    k = g.heads(g.linear(x, name + "/key", WIDTH, WIDTH), name + "/key", [0, 2, 3, 1])
    v = g.heads(g.linear(x, name + "/value", WIDTH, WIDTH), name + "/value", [0, 2, 1, 3])
    scores = g.add("Div", [g.add("MatMul", [q, k], name + "/scores"), "root"], name + "/scaled")
    context = g.add("MatMul", [g.add("Softmax", [scores], name + "/Softmax", axis=-1), v], name + "/context")
    joined = g.add("Transpose", [context], name + "/joined", perm=[0, 2, 1, 3])
    joined = g.add("Reshape", [joined, "join_heads"], name + "/joined/Reshape")
    x = g.norm(g.add("Add", [x, g.linear(joined, name + "/output", WIDTH, WIDTH)], name + "/sum1"), name + "/norm1")
    inner = g.linear(x, name + "/inner", WIDTH, INNER)
    gate = g.add("Erf", [g.add("Div", [inner, "root2"], name + "/gelu/Div")], name + "/gelu/Erf")
    gate = g.add("Mul", [inner, g.add("Add", [gate, "one"], name + "/gelu/Add")], name + "/gelu/Mul")
    gelu = g.add("Mul", [gate, "half"], name + "/gelu/half")
    return g.norm(g.add("Add", [x, g.linear(gelu, name + "/outer", INNER, WIDTH)], name + "/sum2"), name + "/norm2")


def main():
    path, layers = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 12
    g = Graph()
    g.constant("split_heads", np.array([0, 0, HEADS, WIDTH // HEADS], np.int64))
    g.constant("join_heads", np.array([0, 0, WIDTH], np.int64))
    g.constant("root", np.float32(np.sqrt(WIDTH // HEADS)))
    g.constant("root2", np.float32(np.sqrt(2)))
    g.constant("one", np.float32(1))
    g.constant("half", np.float32(0.5))
    x = g.add("Gather", [g.weight("tokens.weight", VOCABULARY, WIDTH), "ids"], "tokens/Gather", axis=0)
    x = g.norm(x, "norm")
    for layer in range(layers):
        x = add_layer(g, x, f"layer.{layer}")
    graph = helper.make_graph(
        g.nodes, "encoder",
        [helper.make_tensor_value_info("ids", TensorProto.INT64, ["batch", "seq"])],
        [helper.make_tensor_value_info(x, TensorProto.FLOAT, ["batch", "seq", WIDTH])], g.weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save_model(model, path)


if __name__ == "__main__":
    main()
