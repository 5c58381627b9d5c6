# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: merged_decoder.py DECODER.onnx FOLDER

Writes merged.onnx, as exporters merge a decoder with and without a past into an If whose condition is an input, and for
each branch inputs, and the outputs that the decoder itself has to give: true.npz and false.npz hold the inputs."""
import pathlib
import sys

import numpy
import onnx
from onnx import helper

decoder, folder = onnx.load(sys.argv[1]), pathlib.Path(sys.argv[2])
graph = decoder.graph
pasts = [value for value in graph.input if "past" in value.name]


def branch(suffix, dropped):
    """The decoder's nodes as a graph without inputs. A dropped past has no positions."""
    made = {name for node in graph.node for name in node.output}
    made |= {value.name for value in dropped}
    nodes = []
    for value in dropped:
        shape = [1, 4, 0, 11]
        empty = helper.make_tensor(value.name + "_none", onnx.TensorProto.FLOAT, shape, [])
        nodes.append(helper.make_node("Constant", [], [value.name + suffix], name=f"none{suffix}_{value.name}", value=empty))
    for node in graph.node:
        copy = onnx.NodeProto()
        copy.CopyFrom(node)
        for names in (copy.input, copy.output):
            names[:] = [name + suffix if name in made else name for name in names]
        nodes.append(copy)
    outputs = [helper.make_empty_tensor_value_info(value.name + suffix) for value in graph.output]
    return helper.make_graph(nodes, "branch" + suffix, [], outputs)


choose = helper.make_node(
    "If", ["use_cache_branch"], [value.name for value in graph.output], name="optimum::if",
    then_branch=branch("_then", []), else_branch=branch("_else", pasts),
)  # fmt: skip
condition = helper.make_tensor_value_info("use_cache_branch", onnx.TensorProto.BOOL, [1])
merged = helper.make_graph([choose], "merged", [*graph.input, condition], graph.output, graph.initializer)
onnx.save(helper.make_model(merged, opset_imports=decoder.opset_import, ir_version=decoder.ir_version), folder / "merged.onnx")

random = numpy.random.default_rng(1)
for name, positions in (("true", 5), ("false", 0)):
    inputs = {"ids": random.integers(0, 20, (1, 3))}
    inputs |= {value.name: random.normal(size=(1, 4, positions, 11)).astype(numpy.float32) for value in pasts}
    numpy.savez(folder / f"{name}.npz", **inputs)
