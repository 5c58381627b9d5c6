#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: onnx_weights.py MODEL.onnx OUT.npz
The weights of a model that PyTorch exported, under the names of its state_dict. The exporter keeps all names but those
of transposed weights: a Linear's is found beside its bias."""
import sys

import numpy
import onnx
from onnx import numpy_helper


def main():
    graph = onnx.load(sys.argv[1]).graph
    arrays = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    found = {name: array for name, array in arrays.items() if "::" not in name}
    made_by = {output: node for node in graph.node for output in node.output}
    for node in graph.node:
        if node.op_type != "Add":
            continue
        bias = [name for name in node.input if name.endswith(".bias") and name in arrays]
        products = [made_by[name] for name in node.input if name in made_by and made_by[name].op_type == "MatMul"]
        if bias and products and products[0].input[1] in arrays:
            name = bias[0][: -len("bias")] + "weight"
            found[name] = numpy.ascontiguousarray(arrays[products[0].input[1]].T)
    numpy.savez(sys.argv[2], **found)


if __name__ == "__main__":
    main()
