# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Small ONNX files that the tests need and no exporter writes; protobuf by hand, so that nothing but Python is needed.
#   make_model.py KIND OUT
import sys

FLOAT, VARINT, BYTES = 1, 0, 2


def varint(number):
    out = b""
    while number > 127:
        out, number = out + bytes([number & 127 | 128]), number >> 7
    return out + bytes([number])


def field(number, value):
    """A field of a message: an integer, or text, bytes or a message."""
    if isinstance(value, int):
        return varint(number << 3 | VARINT) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | BYTES) + varint(len(value)) + value


def node(operator, inputs, outputs, name):
    return field(1, b"".join([*(field(1, text) for text in inputs), *(field(2, text) for text in outputs),
                              field(3, name), field(4, operator)]))


def value(number, name, dims):
    """A graph's input (11) or output (12) of floats."""
    shape = b"".join(field(1, field(2, dim) if isinstance(dim, str) else field(1, dim)) for dim in dims)
    return field(number, field(1, name) + field(2, field(1, field(1, FLOAT) + field(2, shape))))


def model(graph):
    return field(1, 8) + field(8, field(2, 17)) + field(7, field(2, "graph") + graph)


def external(location):
    """x + w, with w in another file."""
    weight = (field(1, 64) + field(2, FLOAT) + field(8, "w") + field(14, 1) +
              field(13, field(1, "location") + field(2, location)) + field(13, field(1, "length") + field(2, "256")))
    return model(node("Add", ["x", "w"], ["y"], "add") + field(5, weight) + value(11, "x", ["n", 64]) + value(12, "y", ["n", 64]))


MODELS = {
    "unsupported": model(node("Det", ["x"], ["a"], "first") +
                         node("NonMaxSuppression", ["x", "x"], ["b"], "second") +
                         node("DoesNotExist", ["x"], ["y"], "third") +
                         value(11, "x", ["n", 64]) + value(12, "y", ["n", 64])),
    "external": external("weights.bin"),
    "outside": external("../weights.bin"),
    "scalar": model(node("Exp", ["x"], ["y"], "exp") + value(11, "x", []) + value(12, "y", [])),
}

with open(sys.argv[2], "wb") as file:
    file.write(MODELS[sys.argv[1]])
