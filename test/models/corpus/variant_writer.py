# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Writes ONNX nodes for values whose axes have letters, in whatever spelling the dice say.
"""An axis is a string of letters, each a dim: "bh" is batch and heads merged, "" is an axis of size 1. So a reshape
keeps the letters' order and a transpose keeps the axes, and neither can be drawn wrong."""

import math
import string

import numpy
from onnx import TensorProto, helper, numpy_helper

TYPES = {
    "f16": TensorProto.FLOAT16, "f32": TensorProto.FLOAT, "f64": TensorProto.DOUBLE, "i64": TensorProto.INT64,
    "i32": TensorProto.INT32, "u8": TensorProto.UINT8, "bool": TensorProto.BOOL,
}  # fmt: skip
NUMPY = {name: helper.tensor_dtype_to_np_dtype(code) for name, code in TYPES.items()}
END = 2**63 - 1  # what exporters write for "up to the end"


class Value:
    def __init__(self, name, axes, element):
        self.name, self.axes, self.element = name, tuple(axes), element

    def axis(self, letters):
        return self.axes.index(letters)


class Writer:
    def __init__(self, random, opset, sizes, widen):
        self.random, self.opset, self.sizes = random, opset, sizes  # sizes: letter -> number, or a symbol's name
        self.widen = widen  # f16 is written as f32, for a reference that does not round
        self.nodes, self.initializers, self.inputs, self.outputs = [], [], [], []
        self.feeds = []  # (name, a function of the run's sizes and dice that makes the input)
        self.sources = {}  # symbol -> (value, axis) it can be read from

    def pick(self, *choices):
        return choices[int(self.random.integers(len(choices)))]

    def chance(self, probability=0.5):
        return self.random.random() < probability

    # Nodes.
    def type_of(self, element):
        return "f32" if self.widen and element == "f16" else element

    def node(self, kind, operands, outputs=1, **attributes):
        names = [f"{kind.lower()}_{len(self.nodes)}" + (f"_{i}" if i else "") for i in range(outputs)]
        operands = [getattr(operand, "name", operand) for operand in operands]
        self.nodes.append(helper.make_node(kind, operands, names, name="/" + names[0], **attributes))
        return names if outputs > 1 else names[0]

    def op(self, kind, *operands, axes=None, element=None, **attributes):
        """A node with one result, by default like its first operand."""
        first = next(operand for operand in operands if isinstance(operand, Value))
        name = self.node(kind, operands, **attributes)
        return Value(name, first.axes if axes is None else axes, element or first.element)

    value, tensor = staticmethod(Value), staticmethod(numpy_helper.from_array)

    def number(self, array, element):
        """A constant: an initializer, or a node."""
        array = numpy.asarray(array).astype(NUMPY[self.type_of(element)])
        name = f"constant_{len(self.nodes)}_{len(self.initializers)}"
        tensor = numpy_helper.from_array(array, name)
        if self.chance():
            self.initializers.append(tensor)
            return name
        return self.node("Constant", [], value=tensor)

    def scalar(self, value, element, rank=2):
        """A constant of one element, as a scalar or with axes of 1."""
        return self.number(numpy.full((1,) * min(rank, self.pick(0, 0, 1, 2)), value), element)

    def input(self, name, axes, element, feed):
        """An input of the graph; feed(shape, sizes, dice) gives its contents at a run."""
        dims = []
        for axis in axes:
            size = self.product(axis)
            dims.append(size if isinstance(size, int) else size if size in self.sizes.values() else None)
        tensor = helper.make_tensor_value_info(name, TYPES[self.type_of(element)], dims)
        self.inputs.append(tensor)
        value = Value(name, axes, element)
        for i, axis in enumerate(axes):
            if len(axis) == 1 and isinstance(self.sizes[axis], str):
                self.sources.setdefault(self.sizes[axis], []).append((value, i))
        self.feeds.append((name, axes, self.type_of(element), feed))
        return value

    def output(self, value, name):
        self.nodes.append(helper.make_node("Identity", [value.name], [name], name="/" + name))
        element, dims = TYPES[self.type_of(value.element)], [None] * len(value.axes)
        self.outputs.append(helper.make_tensor_value_info(name, element, dims))

    def model(self):
        graph = helper.make_graph(self.nodes, "variant", self.inputs, self.outputs, self.initializers)
        imports = [helper.make_opsetid("", self.opset)]
        return helper.make_model(graph, opset_imports=imports, ir_version=8, producer_name="weft-variants")

    # Sizes.
    def product(self, axis):
        """The size of an axis if it is a number or one symbol; None for a product with symbols."""
        sizes = [self.sizes[letter] for letter in axis]
        if all(isinstance(size, int) for size in sizes):
            return math.prod(sizes)
        sizes = [size for size in sizes if size != 1]
        return sizes[0] if len(sizes) == 1 else None

    def size(self, letter):
        """A dim as a tensor of one element."""
        size = self.sizes[letter]
        if isinstance(size, int):
            return Value(self.number([size], "i64"), ("",), "i64")
        value, axis = self.pick(*self.sources[size])
        if self.opset >= 15 and self.chance(0.3):
            return Value(self.node("Shape", [value], start=axis, end=axis + 1), ("",), "i64")
        shape = self.node("Shape", [value])
        if self.chance(0.4):
            return Value(self.node("Gather", [shape, self.number([axis], "i64")]), ("",), "i64")
        if self.chance(0.4):
            ends = [self.number([i], "i64") for i in (axis, axis + 1)]
            return Value(self.node("Slice", [shape, *ends, self.number([0], "i64")]), ("",), "i64")
        scalar = Value(self.node("Gather", [shape, self.number(axis, "i64")]), (), "i64")
        return self.unsqueeze(scalar, ("",))

    def size_scalar(self, letter):
        return self.squeeze(self.size(letter), ())

    def shape(self, axes):
        """The shape of these axes as a tensor."""
        if all(isinstance(self.product(axis), int) for axis in axes):
            return self.number([self.product(axis) for axis in axes], "i64")
        parts = []
        for axis in axes:
            if isinstance(self.product(axis), int):
                parts.append(self.number([self.product(axis)], "i64"))
                continue
            sizes = [self.size(letter) for letter in axis]
            while len(sizes) > 1:
                sizes = [self.op("Mul", sizes[0], sizes[1]), *sizes[2:]]
            parts.append(sizes[0].name)
        return self.node("Concat", parts, axis=0)

    # Views and moves.
    def reshape(self, x, axes):
        if x.axes == tuple(axes):
            return x
        assert "".join(x.axes) == "".join(axes), f"{x.axes} is not {axes}"
        same = [i < len(x.axes) and x.axes[i] == axis for i, axis in enumerate(axes)]
        known = [isinstance(self.product(axis), int) for axis in axes]
        open_axes = [i for i in range(len(axes)) if not known[i] and not same[i]]
        if len(open_axes) <= 1 and self.chance(0.7):
            numbers = [
                0 if same[i] and (not known[i] or self.chance(0.3)) else self.product(axis) if known[i] else -1
                for i, axis in enumerate(axes)
            ]
            return self.op("Reshape", x, self.number(numbers, "i64"), axes=axes)
        return self.op("Reshape", x, self.shape(axes), axes=axes)

    def transpose(self, x, axes):
        """By axes; those of size 1 are told apart by their order."""
        if x.axes == tuple(axes):
            return x
        left, permutation = list(x.axes), []
        for axis in axes:
            permutation.append(left.index(axis))
            left[permutation[-1]] = None
        return self.op("Transpose", x, axes=axes, perm=permutation)

    def unsqueeze(self, x, axes):
        """Adds axes of 1 until the axes are these."""
        places, i = [], 0
        for place, axis in enumerate(axes):
            if i < len(x.axes) and x.axes[i] == axis:
                i += 1
            else:
                assert axis == "", f"{x.axes} to {axes}"
                places.append(place)
        assert i == len(x.axes), f"{x.axes} to {axes}"
        return self.with_axes("Unsqueeze", x, places, axes) if places else x

    def squeeze(self, x, axes):
        places, i = [], 0
        for place, axis in enumerate(x.axes):
            if i < len(axes) and axes[i] == axis:
                i += 1
            else:
                assert axis == "", f"{x.axes} to {axes}"
                places.append(place)
        return self.with_axes("Squeeze", x, places, axes) if places else x

    def with_axes(self, kind, x, places, axes):
        if self.opset < 13:
            return Value(self.node(kind, [x], axes=places), axes, x.element)
        return self.op(kind, x, self.number(places, "i64"), axes=axes)

    def expand(self, x, axes):
        return self.op("Expand", x, self.shape(axes), axes=axes)

    def slice(self, x, axis, start, end, axes=None, step=None):
        """Bounds are numbers, or tensors of one element."""
        bounds = [self.number([i], "i64") if isinstance(i, int) else i for i in (start, end)]
        steps = [] if step is None else [self.number([step], "i64")]
        return self.op("Slice", x, *bounds, self.number([axis], "i64"), *steps, axes=axes)

    def cast(self, x, element):
        return self.op("Cast", x, element=element, to=TYPES[self.type_of(element)])

    def reduce(self, kind, x, axis):
        """Keeps the axis, as 1."""
        axes = [*x.axes[:axis], "", *x.axes[axis + 1 :]]
        if self.opset < (13 if kind == "ReduceSum" else 18):
            return Value(self.node(kind, [x], axes=[axis], keepdims=1), axes, x.element)
        return self.op(kind, x, self.number([axis], "i64"), axes=axes)

    def range(self, letter, element="i64"):
        """0, 1, ... of a dim, with that one axis."""
        limit = self.size_scalar(letter)
        if element != "i64":
            limit = self.cast(limit, element)
        name = self.node("Range", [self.number(0, element), limit, self.number(1, element)])
        return Value(name, (letter,), element)

    def arrange(self, x, axes):
        """Reshapes and transposes until the axes are these. Letters that x lacks stay away: their axes become 1."""
        axes = tuple("".join(letter for letter in axis if letter in "".join(x.axes)) for axis in axes)
        if x.axes == axes:
            return x
        if sorted(x.axes) == sorted(axes):
            return self.transpose(x, axes)
        x = self.squeeze(x, [axis for axis in x.axes if axis])
        wanted = [axis for axis in axes if axis]
        if sorted(x.axes) != sorted(wanted):  # to single letters, or to what both sides have whole
            whole = [axis for axis in x.axes if axis in wanted]
            x = self.reshape(x, [part for axis in x.axes for part in ([axis] if axis in whole else axis)])
            order = [part for axis in wanted for part in ([axis] if axis in whole else axis)]
            x = self.reshape(self.transpose(x, order), wanted)
        x = self.transpose(x, wanted)
        return self.unsqueeze(x, axes)

    def matmul(self, a, b):
        assert a.axes[-1] == b.axes[-2], f"{a.axes} times {b.axes}"
        lead = max(a.axes[:-2], b.axes[:-2], key=lambda axes: (len(axes), sum(map(bool, axes))))
        return self.op("MatMul", a, b, axes=[*lead, a.axes[-2], b.axes[-1]])

    def einsum(self, a, b, axes):
        """Each axis is one letter there, merged or not."""
        names = {}
        for axis in (*a.axes, *b.axes):
            free = next(c for c in axis + string.ascii_lowercase if c not in names.values())
            names.setdefault(axis, free)
        def spell(axes):
            return "".join(names[axis] for axis in axes)
        equation = f"{spell(a.axes)},{spell(b.axes)}->{spell(axes)}"
        return self.op("Einsum", a, b, axes=axes, equation=equation if self.chance() else equation.replace(",", ", "))
