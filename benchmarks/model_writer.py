# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ONNX files of models with random weights, as exporters write them. Needs the packages onnx and numpy.
import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

SMALL = 1024  # bytes of a parameter that stays in the graph though others lie beside it


class Writer:
    """Adds nodes and parameters one after another. `data` is a file beside the model that takes the large parameters,
    each as soon as it is made: protobuf ends at 2 GiB, and memory should not hold them twice."""

    def __init__(self, seed, data=None):
        self.nodes, self.parameters, self.known = [], [], {}
        self.random = numpy.random.default_rng(seed)
        self.data = data
        if data:
            data.write_bytes(b"")

    def node(self, kind, *inputs, outputs=1, name=None, **attributes):
        """The name of its output, or the list of them."""
        name = name or f"{kind}_{len(self.nodes)}"
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

    def ints(self, *values):
        return self.constant(numpy.array(values))

    def store(self, array):
        name = f"parameter_{len(self.parameters)}"
        inside = not self.data or array.nbytes <= SMALL
        self.parameters.append(numpy_helper.from_array(array, name) if inside else self.store_beside(array, name))
        return name

    def store_beside(self, array, name):
        kind = helper.np_dtype_to_tensor_dtype(array.dtype)
        tensor = TensorProto(name=name, data_type=kind, dims=array.shape, data_location=TensorProto.EXTERNAL)
        place = {"location": self.data.name, "offset": self.data.stat().st_size, "length": array.nbytes}
        for key, value in place.items():
            tensor.external_data.add(key=key, value=str(value))
        with self.data.open("ab") as file:
            array.tofile(file)
        return tensor

    def weight(self, *shape):
        return self.store(self.random.standard_normal(shape, numpy.float32) * numpy.float32(0.02))

    def scale(self, width):
        return self.store(1 + self.random.standard_normal(width, numpy.float32) * numpy.float32(0.02))

    def product(self, x, width, out):
        return self.node("MatMul", x, self.weight(width, out))

    def linear(self, x, width, out):
        y = self.product(x, width, out)
        return self.node("Add", self.weight(out), y)

    def norm(self, x, width, epsilon):
        return self.node("LayerNormalization", x, self.scale(width), self.weight(width), axis=-1, epsilon=epsilon)

    def rms_norm(self, x, width, epsilon):
        mean = self.node("ReduceMean", self.node("Pow", x, self.number(2)), axes=[-1], keepdims=1)
        root = self.node("Sqrt", self.node("Add", mean, self.number(epsilon)))
        x = self.node("Mul", x, self.node("Div", self.number(1), root))
        return self.node("Mul", self.scale(width), x)

    def gelu(self, x):
        erf = self.node("Erf", self.node("Div", x, self.number(2**0.5)))
        return self.node("Mul", self.node("Mul", x, self.node("Add", erf, self.number(1))), self.number(0.5))

    def size(self, x, axis):
        """A dim of x, as a tensor of one element."""
        size = self.node("Gather", self.node("Shape", x), self.constant(numpy.array(axis)), axis=0)
        return self.node("Unsqueeze", size, self.ints(0))

    def range(self, start, end):
        """Integers from one tensor of one element to another."""
        ends = (self.node("Squeeze", value, self.ints(0)) for value in (start, end))
        return self.node("Range", *ends, self.constant(numpy.array(1)))

    def unsqueeze(self, x, *axes):
        return self.node("Unsqueeze", x, self.ints(*axes))

    def slice(self, x, start, end, axis):
        return self.node("Slice", x, start, end, self.ints(axis))

    def split(self, x, heads, width, perm=(0, 2, 1, 3)):
        """[batch, length, heads * width] to [batch, heads, length, width], or as `perm` says."""
        return self.node("Transpose", self.node("Reshape", x, self.ints(0, 0, heads, width)), perm=perm)

    def merge(self, x, width):
        """[batch, heads, length, ...] to [batch, length, width]."""
        return self.node("Reshape", self.node("Transpose", x, perm=[0, 2, 1, 3]), self.ints(0, 0, width))

    def attend(self, scores, values):
        return self.node("MatMul", self.node("Softmax", scores, axis=-1), values)

    def save(self, path, name, inputs, outputs, opset=17):
        """`inputs` and `outputs`: names with their element type and dims."""
        describe = helper.make_tensor_value_info
        graph = helper.make_graph(self.nodes, name, [describe(*value) for value in inputs],
                                  [describe(*value) for value in outputs], self.parameters)  # fmt: skip
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8), path)


def add_cache(inputs, outputs, number, heads, width, presents):
    """Declares a layer's keys and values of what came before, and of all, which `presents` names."""
    for name, present in presents.items():
        inputs.append((f"past_{name}_{number}", TensorProto.FLOAT, ["batch", heads, "past", width]))
        outputs.append((present, TensorProto.FLOAT, ["batch", heads, "past + seq", width]))


def make_cache(random, layers, shape):
    """Inputs that add_cache declares, [batch, heads, past, width]."""
    names = [f"past_{name}_{number}" for number in range(layers) for name in ("key", "value")]
    return {name: random.standard_normal(shape, numpy.float32) for name in names}


class GivenWriter(Writer):
    """Takes weights, in the order in which they are asked for, as PyTorch keeps them: of products transposed."""

    def __init__(self, weights):
        super().__init__(seed=None)
        self.weights = iter(weights)

    def weight(self, *shape):
        array = next(self.weights)
        if array.shape != shape:
            raise ValueError(f"expected a weight of {shape}, got {array.shape}")
        return self.store(array)

    def scale(self, width):
        return self.weight(width)

    def product(self, x, width, out):
        return self.node("MatMul", x, self.store(numpy.ascontiguousarray(next(self.weights).T)))
