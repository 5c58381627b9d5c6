# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Models and inputs that ONNX gives no meaning: an error says so, and nothing outside of a tensor is touched.
import numpy
from numpy import array, int64
from one_node import f32, i64, normal, one_node


def outside():
    """Indices out of range, on either side and far away."""
    x = normal(4, 3)
    for index in (4, -5, 1 << 40, numpy.iinfo(int64).min):
        yield one_node(f"Gather outside {index}", [x, i64(0, index)], None)
        yield one_node(f"GatherElements outside {index}", [x, i64([0, 0, index])], None)
        yield one_node(f"GatherND outside {index}", [x, i64([0, 0], [index, 1])], None)
        yield one_node(f"ScatterElements outside {index}", [x, i64([0, 1, index]), f32([1, 2, 3])], None)
        yield one_node(f"ScatterND outside {index}", [x, i64([index]), f32([1, 2, 3])], None)


def sizes():
    """Sizes that do not fit; where they are known only at run time, that is when it is said."""
    x = normal(4, 3)
    yield one_node("Add unlike", [x, normal(4, 2)], None)
    yield one_node("Where unlike", [x > 0, normal(2, 3), normal(1, 3)], None)
    yield one_node("MatMul unlike", [x, normal(4, 3)], None)
    yield one_node("Gemm unlike", [x, normal(3, 5), normal(4)], None)
    yield one_node("LayerNormalization unlike", [x, normal(5)], None)
    yield one_node("RMSNormalization unlike", [x, normal(2)], None, opset=23)
    yield one_node("Einsum unlike", [x, normal(4, 3)], None, equation="ij,jk->ik")
    yield one_node("Einsum diagonal unlike", [x], None, equation="ii->i")
    yield one_node("Concat unlike", [x, normal(4, 2)], None, axis=0)
    yield one_node("Expand unlike", [x, i64(2, 3)], None)
    yield one_node("Expand negative", [x, i64(-4, 3)], None)
    yield one_node("Reshape too small", [x, i64(5, -1)], None)
    yield one_node("Reshape too large", [x, i64(4, 4)], None)
    yield one_node("Reshape two unknown", [x, i64(-1, -1)], None)
    yield one_node("Reshape huge", [x, i64(1 << 62, 1 << 62)], None)
    yield one_node("Split too little", [x, i64(1, 2)], None)
    yield one_node("Squeeze long", [x, i64(0)], None)
    for lengths in ([5, 1, 1], [1, 1, 6]):
        yield one_node(f"ReverseSequence too long {max(lengths)}", [x, i64(*lengths)], None)
    yield one_node("ReverseSequence lengths unlike", [x, i64(1, 2)], None)
    yield one_node("ReverseSequence one axis", [x, i64(1, 2, 1)], None, time_axis=1, batch_axis=1)
    yield one_node("BitwiseNot of bool", [x > 0], None)
    yield one_node("GlobalMaxPool of a list", [normal(4)], None)
    yield one_node("BatchNormalization unlike", [x, normal(3), normal(3), normal(2), normal(3)], None)
    yield one_node("Pad crops all", [x, i64(-3, 0, -2, 0)], None)
    yield one_node("Pad reflect too far", [x, i64(0, 3, 0, 0)], None, mode="reflect")
    yield one_node("TopK too many", [x, i64(4)], None)
    yield one_node("Tile negative", [x, i64(-1, 1)], None)
    yield one_node("ConstantOfShape negative", [i64(2, -1)], None)
    yield one_node("ConstantOfShape huge", [i64(1 << 40, 1 << 40)], None)
    yield one_node("ConstantOfShape huge and nothing", [i64(2, 19, 6 << 56, 0)], None)
    yield one_node("Range no step", [array(value, int64) for value in (0, 5, 0)], None)
    yield one_node("Slice no step", [x, i64(0), i64(2), i64(0), i64(0)], None)
    yield one_node("Slice axis twice", [x, i64(0, 0), i64(2, 2), i64(0, -2)], None)
    yield one_node("Transpose twice", [x], None, perm=[0, 0])
    yield one_node("Gather no axis", [x, i64(0)], None, axis=2)
    yield one_node("ReduceSum no axis", [x, i64(-3)], None)
    for axis in (numpy.iinfo(int64).min, numpy.iinfo(int64).max):
        yield one_node(f"ReduceSum no axis {axis}", [x, i64(axis)], None)
    yield one_node("ReduceSum axis twice", [x, i64(1, -1)], None)
    yield one_node("Softmax no axis", [x], None, axis=2)


FAMILIES = [outside, sizes]
