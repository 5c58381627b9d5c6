# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ONNX files of models with random weights, as exporters write them. Needs the packages onnx and numpy.
import numpy
import onnx
from onnx import helper, numpy_helper


class Writer:
    """Adds nodes and parameters one after another."""

    def __init__(self, seed):
        self.nodes, self.parameters, self.known = [], [], {}
        self.random = numpy.random.default_rng(seed)

    def node(self, kind, *inputs, outputs=1, **attributes):
        """The name of its output, or the list of them."""
        name = f"{kind}_{len(self.nodes)}"
        results = [name] if outputs == 1 else [f"{name}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, inputs, results, name=name, **attributes))
        return name if outputs == 1 else results

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

    def norm(self, x, width, epsilon):
        scale = self.store(self.random.normal(1, 0.02, width).astype(numpy.float32))
        return self.node("LayerNormalization", x, scale, self.weight(width), axis=-1, epsilon=epsilon)

    def save(self, path, name, inputs, outputs, opset=17):
        """`inputs` and `outputs`: names with their element type and dims."""
        describe = helper.make_tensor_value_info
        graph = helper.make_graph(self.nodes, name, [describe(*value) for value in inputs],
                                  [describe(*value) for value in outputs], self.parameters)  # fmt: skip
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8), path)
