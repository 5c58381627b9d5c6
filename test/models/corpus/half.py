# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The same graph in f16: what an exporter writes for the module in half precision.
#   python3 half.py IN.onnx OUT.onnx
import sys

import numpy
import onnx
from onnx import TensorProto, numpy_helper

TYPES = {("Cast", "to"), ("SequenceEmpty", "dtype")}
LARGEST = float(numpy.finfo(numpy.float16).max)


def half_tensor(tensor):
    """Numbers rounded. The least number of f32, which masks are made of, becomes that of f16."""
    array = numpy_helper.to_array(tensor)
    finite = numpy.isfinite(array)
    clipped = numpy.where(finite, numpy.clip(array, -LARGEST, LARGEST), array)
    tensor.CopyFrom(numpy_helper.from_array(clipped.astype(numpy.float16), tensor.name))


def reads(node):
    """What a node, or a graph in it, reads."""
    inner = [attribute.g for attribute in node.attribute if attribute.type == onnx.AttributeProto.GRAPH]
    return {*node.input, *(name for graph in inner for other in graph.node for name in reads(other))}


def makes_integers(graph):
    """The values of which only integers, bools and shapes are made, such as logarithms of distances: they stay f32."""
    users = {}
    for node in graph.node:
        for name in reads(node):
            users.setdefault(name, []).append(node)
    outputs = {value.name for value in graph.output}
    stay = set()
    for node in reversed(graph.node):
        for name in [*node.output, *node.input]:
            used = users.get(name, [])
            if name in stay or name in outputs or not used:
                continue
            if all(ends_in_integers(user) or all(output in stay for output in user.output) for user in used):
                stay.add(name)
    return stay


def ends_in_integers(node):
    if node.op_type == "Cast":
        return node.attribute[0].i in (TensorProto.INT64, TensorProto.INT32)
    return node.op_type == "Shape"


def half(model):
    half_graph(model.graph)
    return model


def half_graph(graph):
    stay = makes_integers(graph)
    for value in [*graph.input, *graph.output]:
        is_sequence = value.type.HasField("sequence_type")
        tensor = (value.type.sequence_type.elem_type if is_sequence else value.type).tensor_type
        if tensor.elem_type == TensorProto.FLOAT:
            tensor.elem_type = TensorProto.FLOAT16
    del graph.value_info[:]
    for tensor in graph.initializer:
        if tensor.data_type == TensorProto.FLOAT and tensor.name not in stay:
            half_tensor(tensor)
    for node in graph.node:
        if not all(output in stay for output in node.output):
            half_node(node)


def half_node(node):
    for attribute in node.attribute:
        if attribute.type == onnx.AttributeProto.TENSOR and attribute.t.data_type == TensorProto.FLOAT:
            half_tensor(attribute.t)
        elif attribute.type == onnx.AttributeProto.GRAPH:
            half_graph(attribute.g)
        elif (node.op_type, attribute.name) in TYPES and attribute.i == TensorProto.FLOAT:
            attribute.i = TensorProto.FLOAT16


def main():
    model = half(onnx.load(sys.argv[1]))
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, sys.argv[2])


if __name__ == "__main__":
    main()
