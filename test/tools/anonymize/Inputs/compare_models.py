# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: compare_models.py GIVEN ANONYMOUS

Checks that two models have the same operators, attributes, types and shapes of tensors, and neither names nor weights in common."""

import sys

import numpy
import onnx
from onnx import numpy_helper


def names(graph):
    found = {node.name for node in graph.node} | {value.name for value in [*graph.input, *graph.output, *graph.initializer]}
    return (found | {name for node in graph.node for name in node.output}) - {""}


def main():
    given, anonymous = (onnx.load(path).graph for path in sys.argv[1:3])
    assert [node.op_type for node in given.node] == [node.op_type for node in anonymous.node]
    assert not names(given) & names(anonymous)
    for one, other in zip(given.node, anonymous.node):
        assert [a for a in one.attribute if not a.HasField("t")] == [a for a in other.attribute if not a.HasField("t")]
    for one, other in zip(given.initializer, anonymous.initializer):
        assert one.data_type == other.data_type and one.dims == other.dims
        a, b = numpy_helper.to_array(one), numpy_helper.to_array(other)
        if a.dtype.kind == "f" and numpy.unique(a).size > 4:
            assert abs(b).max() < 1 and abs(numpy.corrcoef(a.ravel(), b.ravel())[0, 1]) < 0.5
            assert numpy.unique(b).size > 4
        else:
            assert numpy.array_equal(a, b)


if __name__ == "__main__":
    main()
