# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Writes graphs node by node, for forms that PyTorch 1.13 cannot export, and their cases, with onnxruntime's answers.
import os
import zlib

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from cases import write

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HEADS, HEAD_WIDTH = 3, 4
WIDTH = HEADS * HEAD_WIDTH
NUMPY = {TensorProto.FLOAT: numpy.float32, TensorProto.FLOAT16: numpy.float16}
LEAST = {TensorProto.FLOAT: numpy.finfo(numpy.float32).min, TensorProto.FLOAT16: numpy.finfo(numpy.float16).min}


class Graph:
    """`g.MatMul(a, b)` adds a node and is its result's name; `g.Split(x, outputs=3, axis=2)` a list of names."""

    def __init__(self, sizes, element, opset, seed):
        self.sizes = sizes  # of the symbols; empty where they stay symbols
        self.element, self.opset = element, opset
        self.least = float(LEAST[element])
        self.random = numpy.random.default_rng(seed)
        self.nodes, self.inputs, self.outputs, self.initializers = [], [], [], []

    def __getattr__(self, op):
        if not op[0].isupper():
            raise AttributeError(op)

        def add(*inputs, outputs=1, **attributes):
            names = [f"{op.lower()}_{len(self.nodes)}" + (f"_{i}" if i else "") for i in range(outputs)]
            self.nodes.append(helper.make_node(op, list(inputs), names, name=f"/{op}_{len(self.nodes)}", **attributes))
            return names[0] if outputs == 1 else names

        return add

    def value(self, name, dims, element):
        return helper.make_tensor_value_info(name, element or self.element, [self.sizes.get(dim, dim) for dim in dims])

    def input(self, name, dims, element=None):
        self.inputs.append(self.value(name, dims, element))
        return name

    def output(self, name, value, dims, element=None):
        self.nodes.append(helper.make_node("Identity", [value], [name], name=f"/{name}"))
        self.outputs.append(self.value(name, dims, element))

    def ints(self, *numbers):
        """A constant of rank 1."""
        return self.Constant(value=numpy_helper.from_array(numpy.array(numbers, numpy.int64)))

    def number(self, number):
        return self.Constant(value=numpy_helper.from_array(numpy.array(number, NUMPY[self.element])))

    def tensor(self, array):
        """An initializer."""
        name = f"w_{len(self.initializers)}"
        self.initializers.append(numpy_helper.from_array(numpy.asarray(array), name))
        return name

    def weight(self, *shape):
        """A random initializer of f16 numbers."""
        scale = 1.2 / shape[-1] ** 0.5 if len(shape) > 1 else 0.3
        array = (scale * self.random.standard_normal(shape)).astype(numpy.float16)
        return self.tensor(array.astype(NUMPY[self.element]))

    def reduce(self, op, x, axis):
        """ReduceSum or ReduceMax, keeping the dim: axes are an input from opset 13, or 18, on."""
        if self.opset >= (13 if op == "ReduceSum" else 18):
            return getattr(self, op)(x, self.ints(axis), keepdims=1)
        return getattr(self, op)(x, axes=[axis], keepdims=1)

    def heads_qkv(self, tgt="seq", src="seq", heads=HEADS):
        """Three inputs: query, key and value [batch, heads, length, width]."""
        return (self.input("query", ["batch", HEADS, tgt, HEAD_WIDTH]), self.input("key", ["batch", heads, src, HEAD_WIDTH]),
                self.input("value", ["batch", heads, src, HEAD_WIDTH]))

    def model(self, name):
        graph = helper.make_graph(self.nodes, name, self.inputs, self.outputs, self.initializers)
        opsets = [helper.make_opsetid("", self.opset)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=7 if self.opset < 15 else 8, producer_name="corpus")
        onnx.checker.check_model(model, full_check=True)
        return model


def session(model):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def draw(value, sizes, random):
    """An input of the graph: floats are f16 numbers, a bool is mostly true, an integer is 0 or 1, the first always 1."""
    kind = value.type.tensor_type
    shape = [sizes[dim.dim_param] if dim.dim_param else dim.dim_value for dim in kind.shape.dim]
    if kind.elem_type == TensorProto.FLOAT:
        return random.standard_normal(shape).astype(numpy.float16).astype(numpy.float32)
    kept = random.random(shape) < 0.75
    kept[..., 0] = True
    return kept if kind.elem_type == TensorProto.BOOL else kept.astype(numpy.int64)


def save(name, build, cases, opset=17, only_half=False, edit=None, only_static=False):
    """Writes <name>.onnx and <name>_static.onnx, or with `only_half` both in f16, and the cases: sizes of the symbols, of
    which the static graph has the first. `edit(case, inputs)` changes what was drawn."""
    folder, seed = os.path.join(HERE, "graphs", name), zlib.crc32(name.encode())
    os.makedirs(folder, exist_ok=True)

    def make(sizes, element):
        graph = Graph(sizes, element, opset, seed)
        build(graph)
        return graph.model(name)

    for suffix, sizes in (("", {}), ("_static", cases[0])):
        if not (only_static and not suffix):
            element = TensorProto.FLOAT16 if only_half else TensorProto.FLOAT
            onnx.save(make(sizes, element), os.path.join(folder, name + suffix + ".onnx"))
    model = make(cases[0] if only_static else {}, TensorProto.FLOAT)
    runner = session(model)
    outputs = [output.name for output in model.graph.output]
    random, results = numpy.random.default_rng(seed), {}
    for sizes in cases[:1] if only_static else cases:
        case = "_".join(f"{symbol[0]}{size}" for symbol, size in sizes.items())
        inputs = {value.name: draw(value, sizes, random) for value in model.graph.input}
        if edit:
            edit(case, inputs)
        results[case] = inputs, dict(zip(outputs, runner.run(outputs, inputs)))
    write(folder, results)
