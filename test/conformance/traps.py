# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# One-node models about what implementers of ONNX get wrong and its own node tests leave out. What is right comes from
# NumPy, in the words of the operator's specification.
import itertools

import cases
import numpy
from numpy import arange, array, float32, int32, int64, nan, inf
from onnx import TensorProto, helper, numpy_helper

MIN64, MAX64 = numpy.iinfo(int64).min, numpy.iinfo(int64).max
IR_VERSION = 10
RANDOM = numpy.random.default_rng(1)


def normal(*shape):
    return RANDOM.normal(0, 1, shape).astype(float32)


def f32(*values):
    return array(values, float32)


def i64(*values):
    return array(values, int64)


def one_node(name, operator, inputs, outputs, opset=21, **attributes):
    """The case of a model of one node. An input that is None is left out."""
    names = [f"x{i}" if value is not None else "" for i, value in enumerate(inputs)]
    outputs = [numpy.asarray(value) for value in (outputs if isinstance(outputs, list) else [outputs])]
    values = {name: numpy.asarray(value) for name, value in zip(names, inputs) if value is not None}

    def declare(name, value):
        return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)

    results = [f"y{i}" for i in range(len(outputs))]
    node = helper.make_node(operator, names, results, **attributes)
    graph = helper.make_graph(
        [node], name, list(map(declare, values, values.values())), list(map(declare, results, outputs))
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=IR_VERSION)
    tensors = {name: numpy_helper.from_array(value, name) for name, value in values.items()}
    return cases.Case(f"trap_{name}", model, tensors, outputs)


def slices():
    """Bounds are clamped after the dim is added; indices may be int32; axes come in any order."""
    x = arange(60, dtype=float32).reshape(3, 4, 5)
    yield one_node("slice_extremes", "Slice", [x, i64(MIN64, 0), i64(MAX64, MAX64), i64(0, 2)], x)
    yield one_node("slice_reversed", "Slice", [x, i64(MAX64), i64(MIN64), i64(1), i64(-1)], x[:, ::-1])
    yield one_node("slice_reversed_min_64", "Slice", [x, i64(-1), i64(MIN64), i64(-1), i64(-2)], x[:, :, ::-2])
    yield one_node("slice_negative_step", "Slice", [x, i64(3), i64(0), i64(2), i64(-2)], x[:, :, 3:0:-2])
    yield one_node("slice_step_min_64", "Slice", [x, i64(1), i64(MIN64), i64(1), i64(MIN64)], x[:, 1:2])
    yield one_node("slice_step_max_64", "Slice", [x, i64(1), i64(MAX64), i64(1), i64(MAX64)], x[:, 1:2])
    narrow = [array([value], int32) for value in (-3, 100, -1, 2)]
    yield one_node("slice_int32", "Slice", [x, *narrow], x[:, :, -3::2])
    yield one_node("slice_unordered_axes", "Slice", [x, i64(1, 0, 2), i64(4, 2, 3), i64(-1, 0, 1)], x[0:2, 2:3, 1:4])
    yield one_node("slice_default_axes", "Slice", [x, i64(1, -2), i64(3, -1)], x[1:3, -2:-1])
    yield one_node("slice_empty", "Slice", [x, i64(3), i64(1), i64(1)], x[:, 3:1])
    yield one_node("slice_start_beyond", "Slice", [x, i64(9), i64(99), i64(1)], x[:, 9:])
    yield one_node("slice_no_axes", "Slice", [x, i64(0), i64(2), None, i64(2)], x[0:2:2])
    yield one_node("slice_of_nothing", "Slice", [x[:0], i64(0), i64(5), i64(0)], x[:0])
    yield one_node("slice_attributes", "Slice", [x], x[1:, :-1], opset=9, starts=[1, 0], ends=[MAX64, -1], axes=[0, 1])


def shapes():
    x = normal(2, 3, 4)
    yield one_node("reshape_keeps", "Reshape", [x, i64(0, -1)], x.reshape(2, 12))
    yield one_node("reshape_scalar", "Reshape", [x[:1, :1, :1], array([], int64)], x[0, 0, 0])
    yield one_node("reshape_minus_one_alone", "Reshape", [x, i64(-1)], x.ravel())
    empty = numpy.zeros((0, 3, 4), float32)
    yield one_node("reshape_empty", "Reshape", [empty, i64(0, 12)], empty.reshape(0, 12))
    yield one_node("reshape_empty_inferred", "Reshape", [empty, i64(-1, 6)], empty.reshape(0, 6))
    yield one_node("reshape_allow_zero", "Reshape", [empty, i64(5, 0, 7)], empty.reshape(5, 0, 7), allowzero=1)
    yield one_node("reshape_empty_to_list", "Reshape", [empty, i64(0)], empty.reshape(0), allowzero=1)
    for shape, target in itertools.product([(3, 1), (1,), ()], [(2, 3, 4), (1,), (3, 1), ()]):
        value = normal(*shape)
        result = value * numpy.ones(target, float32)
        name = "_".join(["expand", *map(str, shape), "to", *map(str, target)])
        yield one_node(name, "Expand", [value, array(target, int64)], result)
    yield one_node("expand_to_nothing", "Expand", [normal(1, 3), i64(0, 1)], numpy.zeros((0, 3), float32))
    yield one_node("tile_zero", "Tile", [x, i64(1, 0, 2)], numpy.tile(x, (1, 0, 2)))
    yield one_node("tile_all", "Tile", [x, i64(2, 3, 2)], numpy.tile(x, (2, 3, 2)))
    yield one_node("flatten_0", "Flatten", [x], x.reshape(1, 24), axis=0)
    yield one_node("flatten_end", "Flatten", [x], x.reshape(24, 1), axis=3)
    yield one_node("flatten_scalar", "Flatten", [x[0, 0, 0]], x[:1, :1, 0], axis=0)
    yield one_node("squeeze_all", "Squeeze", [x.reshape(1, 2, 1, 12)], x.reshape(2, 12))
    yield one_node("unsqueeze_unordered", "Unsqueeze", [x, i64(3, -5)], x[None, :, :, None, :].reshape(1, 2, 3, 1, 4))
    yield one_node("shape_clamps", "Shape", [x], i64(2, 3, 4), start=-9, end=9)
    yield one_node("shape_inside", "Shape", [x], i64(3), start=-2, end=-1)
    yield one_node("shape_empty", "Shape", [x], array([], int64), start=2, end=1)
    yield one_node("size_scalar", "Size", [x[0, 0, 0]], array(1, int64))
    yield one_node("transpose_default", "Transpose", [x], x.transpose(2, 1, 0))
    yield one_node("concat_empty", "Concat", [x, empty[:, :, :], x], numpy.concatenate([x, empty, x]), axis=-3)
    yield one_node("concat_one", "Concat", [x], x, axis=1)
    for k in (-9, -2, -1, 0, 1, 3, 9):
        for upper in (0, 1):
            result = (numpy.triu if upper else numpy.tril)(x, k)
            yield one_node(f"trilu_{k}_{upper}", "Trilu", [x, array(k, int64)], result, upper=upper)
    yield one_node("trilu_no_k", "Trilu", [x], numpy.triu(x))
    yield one_node("trilu_empty", "Trilu", [normal(2, 0, 3)], normal(2, 0, 3))


def ranges():
    def of(*values, dtype=int64):
        return [array(value, dtype) for value in values]

    yield one_node("range_empty", "Range", of(5, 2, 1), array([], int64))
    yield one_node("range_down", "Range", of(5, -2, -3), i64(5, 2, -1))
    yield one_node("range_uneven", "Range", of(0, 7, 3), i64(0, 3, 6))
    yield one_node("range_int32", "Range", of(-4, 4, 2, dtype=int32), arange(-4, 4, 2, dtype=int32))
    yield one_node("range_float", "Range", of(1, 2, 0.3, dtype=float32), f32(1, 1.3, 1.6, 1.9))
    yield one_node("range_float_down", "Range", of(1, -1, -0.75, dtype=float32), f32(1, 0.25, -0.5))
    yield one_node("range_double", "Range", of(0, 1, 0.25, dtype=numpy.float64), arange(0, 1, 0.25))
    yield one_node("fill_scalar", "ConstantOfShape", [array([], int64)], array(0, float32))
    yield one_node("fill_empty", "ConstantOfShape", [i64(0, 3)], numpy.zeros((0, 3), float32))
    value = helper.make_tensor("value", TensorProto.BOOL, [1], [True])
    yield one_node("fill_bool", "ConstantOfShape", [i64(2, 3)], numpy.ones((2, 3), bool), value=value)


def splits():
    x = normal(7, 5)
    parts = [x[:3], x[3:6], x[6:]]
    yield one_node("split_uneven", "Split", [x], parts, num_outputs=3)
    yield one_node("split_uneven_axis", "Split", [x], [x[:, :3], x[:, 3:]], num_outputs=2, axis=-1)
    yield one_node("split_sizes", "Split", [x, i64(2, 0, 5)], [x[:2], x[2:2], x[2:]])
    yield one_node("split_sizes_attribute", "Split", [x], [x[:, :1], x[:, 1:]], opset=11, axis=1, split=[1, 4])
    yield one_node("split_equal_attribute", "Split", [x[:6]], [x[:2], x[2:4], x[4:6]], opset=11)


def softmax_of(x, axes):
    with numpy.errstate(all="ignore"):
        e = numpy.exp(x - x.max(axis=axes, keepdims=True))
        return (e / e.sum(axis=axes, keepdims=True)).astype(x.dtype)


def rows():
    x = normal(2, 3, 4)
    yield one_node("softmax_flattens", "Softmax", [x], softmax_of(x, (1, 2)), opset=11)
    yield one_node("softmax_flattens_all", "Softmax", [x], softmax_of(x, (0, 1, 2)), opset=11, axis=0)
    yield one_node("softmax_flattens_negative", "Softmax", [x], softmax_of(x, (1, 2)), opset=11, axis=-2)
    yield one_node("softmax_middle", "Softmax", [x], softmax_of(x, 1), axis=1)
    yield one_node("softmax_first", "Softmax", [x], softmax_of(x, 0), axis=0)
    yield one_node("log_softmax_flattens", "LogSoftmax", [x], numpy.log(softmax_of(x, (1, 2))), opset=11)
    yield one_node("log_softmax_first", "LogSoftmax", [x], numpy.log(softmax_of(x, 0)), axis=0)
    large = f32([1e4, 1e4 + 1, -1e4], [-1e30, 1e30, 0])
    yield one_node("softmax_large", "Softmax", [large], softmax_of(large.astype(numpy.float64), 1).astype(float32))
    masked = f32([-inf, 0, -inf], [-inf, -inf, -inf], [nan, 0, 1])
    yield one_node("softmax_masked", "Softmax", [masked], softmax_of(masked, 1))
    yield one_node("softmax_of_no_rows", "Softmax", [x[:0]], x[:0])
    flat = numpy.zeros((2, 3, 4), float32)
    flat[0].flat[x[0].argmax()] = 1
    flat[1].flat[x[1].argmax()] = 1
    yield one_node("hardmax_flattens", "Hardmax", [x], flat, opset=11)
    ties = f32([1, 2, 2], [3, 3, 3])
    yield one_node("hardmax_ties", "Hardmax", [ties], f32([0, 1, 0], [1, 0, 0]))


def arithmetic():
    x, y = f32(1, 2, -3, 0), i64(3, -1, 2, 0)
    yield one_node("pow_float_int", "Pow", [x, y], (x.astype(float) ** y).astype(float32))
    ints = array([2, -3, 5, 7], int32)
    yield one_node("pow_int_float", "Pow", [ints, f32(3, 2, 0.5, -1)], array([8, 9, 2, 0], int32))
    yield one_node("pow_int_int", "Pow", [i64(2, -2, 3, 0), i64(10, 3, 0, 0)], i64(1024, -8, 1, 1))
    yield one_node("pow_special", "Pow", [f32(-8, 0, inf, -1, nan), f32(1 / 3, 0, -1, inf, 0)], f32(nan, 1, 0, 1, 1))
    a, b = i64(7, -7, 7, -7, 0), i64(3, 3, -3, -3, 5)
    yield one_node("mod_signs", "Mod", [a, b], numpy.mod(a, b))
    yield one_node("mod_signs_fmod", "Mod", [a, b], numpy.fmod(a, b), fmod=1)
    fa, fb = f32(7.5, -7.5, 7.5, -7.5, 0.3), f32(2, 2, -2, -2, 0.1)
    yield one_node("mod_floats", "Mod", [fa, fb], numpy.fmod(fa, fb), fmod=1)
    small = array([-128, 127, 100], numpy.int8)
    yield one_node("mod_int8", "Mod", [small, array([3, -5, 7], numpy.int8)], numpy.mod(small, array([3, -5, 7], "i1")))
    yield one_node("div_truncates", "Div", [a, b], i64(2, -2, -2, 2, 0))
    yield one_node("div_uint8", "Div", [array([200, 255], numpy.uint8), array([3, 2], numpy.uint8)], array([66, 127], "u1"))
    yield one_node("div_floats", "Div", [f32(1, -1, 0, inf), f32(0, 0, 0, inf)], f32(inf, -inf, nan, nan))
    wide = array([2**64 - 1, 2**63], numpy.uint64)
    yield one_node("div_uint64", "Div", [wide, array([2, 3], numpy.uint64)], wide // array([2, 3], numpy.uint64))
    yield one_node("less_uint64", "Less", [wide, wide[::-1]], array([False, True]))
    yield one_node("add_wraps", "Add", [small, small], array([0, -2, -56], numpy.int8))
    yield one_node("max_nan", "Max", [f32(1, nan, 3), f32(nan, 2, 2), f32(0, 0, 9)], f32(nan, nan, 9))
    yield one_node("min_nan", "Min", [f32(1, nan, 3), f32(nan, 2, 2)], f32(nan, nan, 2))
    yield one_node("max_broadcasts", "Max", [normal(3, 1) * 0, normal(1, 4) * 0, f32(1)], numpy.ones((3, 4), float32))
    yield one_node("sign_special", "Sign", [f32(-2, -0.0, 0, nan, inf)], f32(-1, 0, 0, nan, 1))
    halves = f32(0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 2.4, nan, inf, 1e20, 8388609)
    yield one_node("round_halves", "Round", [halves], numpy.round(halves))
    yield one_node("floor_large", "Floor", [halves], numpy.floor(halves))
    yield one_node("ceil_large", "Ceil", [halves], numpy.ceil(halves))
    yield one_node("clip_crossed", "Clip", [f32(-1, 2, 9), array(5, float32), array(1, float32)], f32(1, 1, 1))
    yield one_node("clip_no_min", "Clip", [f32(-1, 2, 9), None, array(1, float32)], f32(-1, 1, 1))
    yield one_node("clip_no_max", "Clip", [f32(-1, 2, 9), array(1, float32)], f32(1, 2, 9))
    yield one_node("clip_nothing", "Clip", [f32(-1, 2, nan)], f32(-1, 2, nan))
    yield one_node("clip_nan", "Clip", [f32(nan, 3), array(0, float32), array(1, float32)], f32(nan, 1))
    yield one_node("clip_int", "Clip", [i64(-5, 5), array(-1, int64), array(2, int64)], i64(-1, 2))
    yield one_node("clip_attributes", "Clip", [f32(-5, 5)], f32(-1, 2), opset=6, min=-1.0, max=2.0)
    yield one_node("is_inf", "IsInf", [f32(inf, -inf, nan, 1)], array([True, True, False, False]))
    yield one_node("is_inf_negative", "IsInf", [f32(inf, -inf, nan)], array([False, True, False]), detect_positive=0)
    yield one_node("equal_nan", "Equal", [f32(nan, 0, 1), f32(nan, -0.0, 2)], array([False, True, False]))
    yield one_node("where_three_ways", "Where", [array([[True], [False]]), normal(3, 1, 1) * 0, f32(1, 2)],
                   numpy.where(array([[True], [False]]), numpy.zeros((3, 1, 1), float32), f32(1, 2)))  # fmt: skip
    yield one_node("where_nan", "Where", [array([True, False]), f32(1, nan), f32(nan, 2)], f32(1, 2))
    yield one_node("where_scalar", "Where", [array(False), array(1, int64), array(2, int64)], array(2, int64))
    yield one_node("shift_by_size", "BitShift", [array([255, 1], "u1"), array([7, 0], "u1")], array([1, 1], "u1"), direction="RIGHT")
    yield one_node("shift_left_overflow", "BitShift", [array([255, 3], "u1"), array([4, 7], "u1")], array([240, 128], "u1"), direction="LEFT")
    yield one_node("not_empty", "Not", [array([], bool)], array([], bool))
    yield one_node("add_scalars", "Add", [array(1, float32), array(2, float32)], array(3, float32))
    yield one_node("add_empty", "Add", [normal(0, 3), normal(1, 3)], normal(0, 3))
    yield one_node("prelu_channels", "PRelu", [f32([-1, -2, 3]), f32(0.5, 2, 9)], f32([-0.5, -4, 3]))


def casts():
    def cast(name, x, dtype, y):
        return one_node(f"cast_{name}", "Cast", [x], y, to=helper.np_dtype_to_tensor_dtype(numpy.dtype(dtype)))

    yield cast("truncates", f32(1.9, -1.9, 0.5, -0.5), int32, array([1, -1, 0, 0], int32))
    yield cast("bool", f32(0, -0.0, 1e-40, nan, inf), bool, array([False, False, True, True, True]))
    yield cast("bool_int64", i64(0, 1 << 32, -1), bool, array([False, True, True]))
    yield cast("from_bool", array([True, False]), float32, f32(1, 0))
    yield cast("narrows", i64(300, -1, 1 << 32, MIN64), "u1", array([44, 255, 0, 0], "u1"))
    yield cast("signs", array([255, 128], "u1"), "i1", array([-1, -128], "i1"))
    yield cast("half_overflow", f32(65504, 65519, 65520, -1e9, 1e-8), "f2", array([65504, 65504, inf, -inf, 0], "f2"))
    yield cast("half_even", f32(2049, 2051, 1.00048828125), "f2", array([2048, 2052, 1], "f2"))
    yield cast("half_subnormal", f32(6e-8, 3e-8, 2.9e-8), "f2", f32(6e-8, 3e-8, 2.9e-8).astype("f2"))
    yield cast("double", array([1e300, -1e300, 1 + 1e-12]), float32, f32(inf, -inf, 1))
    yield cast("large_integers", i64(MAX64, (1 << 24) + 1), float32, f32(2.0**63, 2**24))
    yield cast("uint64", array([2**64 - 1], numpy.uint64), float32, f32(2.0**64))
    yield cast("to_uint64", f32(2.0**63, 3.7), numpy.uint64, array([2**63, 3], numpy.uint64))


def indices():
    x = normal(4, 3)
    yield one_node("gather_negative", "Gather", [x, i64(-1, 0, -4)], x[[-1, 0, -4]])
    yield one_node("gather_scalar", "Gather", [x, array(-2, int32)], x[:, -2], axis=1)
    yield one_node("gather_none", "Gather", [x, array([], int64)], x[:0])
    yield one_node("gather_matrix", "Gather", [x, i64([0, 2], [1, -1])], numpy.take(x, i64([0, 2], [1, -1]), axis=1), axis=-1)
    rows = i64([0, -1], [3, 1])
    yield one_node("gather_elements_narrow", "GatherElements", [x, rows], numpy.take_along_axis(x[:, :2], rows, 0))
    columns = array([[0, -1, 2, 2], [1, 1, -3, 0], [0, 0, 0, 0]], int32)
    yield one_node("gather_elements_wide", "GatherElements", [x[:3], columns], numpy.take_along_axis(x[:3], columns, 1), axis=-1)
    yield one_node("gather_nd_negative", "GatherND", [x, i64([-1, 0], [0, -1])], x[[-1, 0], [0, -1]])
    cube = normal(2, 3, 4)
    pairs = i64([[-1], [0]], [[2], [1]])
    yield one_node("gather_nd_batch", "GatherND", [cube, pairs], numpy.stack([cube[0][[-1, 0]], cube[1][[2, 1]]]), batch_dims=1)
    zero = numpy.zeros((3, 2), float32)
    twice, updates = i64([0, 0], [0, 2]), f32([1, 2], [3, 4])
    for reduction, result in {"add": [[4, 2], [0, 0], [0, 4]], "max": [[3, 2], [0, 0], [0, 4]]}.items():
        yield one_node(f"scatter_elements_{reduction}", "ScatterElements", [zero, twice, updates], array(result, float32), reduction=reduction)
    yield one_node("scatter_elements_mul", "ScatterElements", [zero + 2, twice, updates], f32([6, 4], [2, 2], [2, 8]), reduction="mul")
    yield one_node("scatter_elements_negative", "ScatterElements", [zero, i64([-1, -2]), f32([5, 6])], f32([0, 0], [0, 6], [5, 0]))
    yield one_node("scatter_elements_axis", "ScatterElements", [zero, i64([1], [0]), f32([5], [6])], f32([0, 5], [6, 0], [0, 0]), axis=1)
    yield one_node("scatter_nd_rows", "ScatterND", [zero, i64([-1], [0]), f32([1, 2], [3, 4])], f32([3, 4], [0, 0], [1, 2]))
    yield one_node("scatter_nd_add", "ScatterND", [zero, i64([1], [1]), f32([1, 2], [3, 4])], f32([0, 0], [4, 6], [0, 0]), reduction="add")
    yield one_node("scatter_nd_points", "ScatterND", [zero, i64([0, 1], [-1, -2]), f32(7, 8)], f32([0, 7], [0, 0], [8, 0]))
    yield one_node("scatter_nd_nothing", "ScatterND", [zero, numpy.zeros((0, 1), int64), numpy.zeros((0, 2), float32)], zero)
    on_off = f32(5, 9)
    hot = f32([5, 5, 9], [9, 5, 5], [5, 5, 5], [5, 5, 5])
    yield one_node("one_hot_negative", "OneHot", [i64(-1, 0, 3, -4), array(3, int64), on_off], hot)
    yield one_node("one_hot_axis", "OneHot", [i64(-1, 0, 3, -4), i64(3), on_off], hot.T, axis=0)
    yield one_node("one_hot_types", "OneHot", [f32(1, 0), array(2, float32), i64(0, 1)], i64([0, 1], [1, 0]))


def scans():
    x = f32([1, 2, 3], [4, 5, 6])
    for exclusive, reverse, axis in itertools.product((0, 1), (0, 1), (0, -1)):
        ordered = numpy.flip(x, axis) if reverse else x
        sums = numpy.cumsum(ordered, axis) - (ordered if exclusive else 0)
        result = numpy.flip(sums, axis) if reverse else sums
        yield one_node(f"cumsum_{exclusive}{reverse}_{axis % 2}", "CumSum", [x, array(axis, int32)],
                       result.astype(float32), exclusive=exclusive, reverse=reverse)  # fmt: skip
    yield one_node("cumsum_wraps", "CumSum", [array([2**31 - 1, 1], int32), array(0, int64)], array([2**31 - 1, -(2**31)], int32))
    yield one_node("cumsum_axis_list", "CumSum", [x, i64(1)], numpy.cumsum(x, 1))


def reductions():
    x = normal(2, 3, 4)
    none = numpy.zeros((2, 0, 4), float32)
    nothing = array([], int64)
    yield one_node("reduce_sum_no_axes", "ReduceSum", [x, nothing], x.sum(keepdims=True))
    yield one_node("reduce_sum_noop", "ReduceSum", [x, nothing], x, noop_with_empty_axes=1)
    yield one_node("reduce_sum_noop_left_out", "ReduceSum", [x], x, noop_with_empty_axes=1)
    yield one_node("reduce_sum_square_noop", "ReduceSumSquare", [x], x * x, noop_with_empty_axes=1)
    yield one_node("reduce_l1_noop", "ReduceL1", [x], abs(x), noop_with_empty_axes=1)
    yield one_node("reduce_l2_noop", "ReduceL2", [x], abs(x), noop_with_empty_axes=1)
    yield one_node("reduce_log_sum_noop", "ReduceLogSum", [abs(x)], numpy.log(abs(x)), noop_with_empty_axes=1)
    values = {"Sum": 0, "Prod": 1, "Max": -inf, "Min": inf, "L1": 0, "L2": 0, "SumSquare": 0, "LogSum": -inf, "LogSumExp": -inf}
    for operator, value in values.items():
        result = numpy.full((2, 1, 4), value, float32)
        yield one_node(f"reduce_{operator.lower()}_of_nothing", f"Reduce{operator}", [none, i64(1)], result)
    yield one_node("reduce_max_nan", "ReduceMax", [f32([1, nan], [2, 3]), i64(1)], f32([nan], [3]))
    yield one_node("reduce_min_nan", "ReduceMin", [f32([nan, 1], [2, 3]), i64(-1)], f32(nan, 2), keepdims=0)
    yield one_node("reduce_max_bool", "ReduceMax", [array([[True, False], [False, False]]), i64(1)], array([[True], [False]]))
    yield one_node("reduce_min_bool", "ReduceMin", [array([[True, False], [True, True]]), i64(1)], array([[False], [True]]))
    yield one_node("reduce_max_bool_of_nothing", "ReduceMax", [numpy.zeros((2, 0), bool), i64(1)], array([[False], [False]]))
    yield one_node("reduce_max_negative", "ReduceMax", [-abs(x), i64(0, 2)], (-abs(x)).max((0, 2), keepdims=True))
    yield one_node("reduce_mean_int", "ReduceMean", [i64([1, 2], [-1, -2]), i64(1)], i64([1], [-1]))
    yield one_node("reduce_sum_all", "ReduceSum", [x], x.sum(), keepdims=0)
    yield one_node("reduce_sum_attribute", "ReduceSum", [x], x.sum((0, 2)), opset=11, axes=[-1, 0], keepdims=0)
    yield one_node("reduce_max_uint8", "ReduceMax", [array([[200, 3]], "u1"), i64(1)], array([[200]], "u1"))
    yield one_node("reduce_log_sum_exp_large", "ReduceLogSumExp", [f32([1000, 1000], [-1000, -1001]), i64(1)],
                   f32([1000.6931], [-999.6867]))  # fmt: skip
    yield one_node("reduce_prod_wraps", "ReduceProd", [array([[2**16, 2**16, 3]], int32), i64(1)], array([[0]], int32))
    ties = f32([1, 3, 3, 2], [nan, 5, nan, 0], [7, 7, 7, 7])
    yield one_node("arg_max_ties", "ArgMax", [ties], i64(1, 0, 0), axis=1, keepdims=0)
    yield one_node("arg_max_last", "ArgMax", [ties[::2]], i64(2, 3), axis=-1, keepdims=0, select_last_index=1)
    yield one_node("arg_min_ties", "ArgMin", [ties], i64([0], [0], [0]), axis=1)
    yield one_node("arg_min_axis_0", "ArgMin", [i64([3, 1], [1, 1])], i64([1, 0]))
    k = i64(2)
    yield one_node("top_k_ties", "TopK", [ties[::2], k], [f32([3, 3], [7, 7]), i64([1, 2], [0, 1])])
    yield one_node("top_k_smallest", "TopK", [ties[::2], k], [f32([1, 2], [7, 7]), i64([0, 3], [0, 1])], largest=0)
    yield one_node("top_k_axis", "TopK", [i64([1, 9], [5, 2], [5, 7]), k], [i64([5, 9], [5, 7]), i64([1, 0], [2, 2])], axis=0)
    yield one_node("top_k_none", "TopK", [ties, i64(0)], [ties[:, :0], numpy.zeros((3, 0), int64)])
    yield one_node("top_k_uint64", "TopK", [array([1, 2**64 - 1, 2**63], numpy.uint64), k], [array([2**64 - 1, 2**63], numpy.uint64), i64(1, 2)])
    lists = array([[0, 5, 0], [7, 0, 9]], int32)
    yield one_node("non_zero", "NonZero", [lists], array(numpy.nonzero(lists), int64))
    yield one_node("non_zero_none", "NonZero", [lists * 0], numpy.zeros((2, 0), int64))


def einsum(name, equation, *shapes):
    operands = [normal(*shape) for shape in shapes]
    compact = equation.replace(" ", "")
    result = numpy.einsum(compact, *[operand.astype(float) for operand in operands])
    return one_node(f"einsum_{name}", "Einsum", operands, numpy.asarray(result).astype(float32), equation=equation)


def contractions():
    yield einsum("implicit", "ij,jk", (2, 3), (3, 4))
    yield einsum("implicit_order", "ba", (2, 3))
    yield einsum("implicit_sum", "ii", (3, 3))
    yield einsum("diagonal", "bii->bi", (2, 3, 3))
    yield einsum("diagonal_twice", "iij,jj->ij", (3, 3, 4), (4, 4))
    yield einsum("ellipsis", "...ij,...jk->...ik", (2, 1, 2, 3), (5, 3, 4))
    yield einsum("ellipsis_implicit", "...ij,jk", (2, 2, 3), (3, 4))
    yield einsum("ellipsis_of_nothing", "...i,...i->...", (3,), (3,))
    yield einsum("ellipsis_last", "i...->...i", (2, 3, 4))
    yield einsum("ellipsis_summed", "...i->i", (2, 3)) if False else einsum("summed", "bi->i", (2, 3))
    yield einsum("cases", "aA,Ab->bA", (2, 3), (3, 4))
    yield einsum("spaces", " b q h d , b k h d -> b h q k ", (2, 3, 2, 4), (2, 5, 2, 4))
    yield einsum("scalar", "i,i->", (5,), (5,))
    yield einsum("outer", "i,j,k->kij", (2,), (3,), (4,))
    yield einsum("three", "ij,jk,kl->il", (2, 3), (3, 4), (4, 5))
    yield einsum("ones", "ij,ij->ij", (1, 3), (1, 3))
    yield einsum("one_operand", "ijk->ki", (2, 3, 4))
    yield einsum("of_nothing", "ij,jk->ik", (2, 0), (0, 3))
    a, b, c = normal(3, 2), normal(4, 3), normal(4, 1)
    yield one_node("gemm_transposed", "Gemm", [a, b, c], (0.5 * a.T @ b.T + 2 * c.T).astype(float32)
                   if False else (0.5 * (b @ a) + 2 * c).astype(float32).T,
                   alpha=0.5, beta=2.0, transA=1, transB=1) if False else one_node(
        "gemm_transposed", "Gemm", [a, b, c.reshape(4)], (0.5 * a.T @ b.T + 2 * c.reshape(4)).astype(float32),
        alpha=0.5, beta=2.0, transA=1, transB=1)  # fmt: skip
    for left, right in [((3,), (3,)), ((3,), (3, 2)), ((4, 3), (3,)), ((2, 1, 4, 3), (5, 3, 2)), ((3,), (2, 3, 4)), ((2, 4, 3), (3,)), ((2, 0), (0, 3))]:
        x, y = normal(*left), normal(*right)
        yield one_node(f"matmul_{'x'.join(map(str, left))}_{'x'.join(map(str, right))}", "MatMul", [x, y], numpy.matmul(x, y))


def pads():
    x = normal(3, 4)
    value = array(7, float32)
    yield one_node("pad_crops", "Pad", [x, i64(1, -1, -1, 2), value],
                   numpy.pad(x[:-1, 1:], [(1, 0), (0, 2)], constant_values=7))  # fmt: skip
    yield one_node("pad_no_value", "Pad", [x, i64(0, 1, 2, 0)], numpy.pad(x, [(0, 2), (1, 0)]))
    yield one_node("pad_axes", "Pad", [x, i64(1, 2), value, i64(-1)], numpy.pad(x, [(0, 0), (1, 2)], constant_values=7))
    yield one_node("pad_axes_no_value", "Pad", [x, i64(1, 2), None, array([-1], int32)], numpy.pad(x, [(0, 0), (1, 2)]))
    for mode in ("reflect", "edge", "wrap"):
        yield one_node(f"pad_{mode}", "Pad", [x, i64(2, 3, 1, 2)], numpy.pad(x, [(2, 1), (3, 2)], mode=mode), mode=mode)
    yield one_node("pad_wrap_far", "Pad", [x, i64(0, 9, 0, 6)], numpy.pad(x, [(0, 0), (9, 6)], mode="wrap"), mode="wrap")
    yield one_node("pad_edge_crops", "Pad", [x, i64(-1, 2, 0, 0)], numpy.pad(x[1:], [(0, 0), (2, 0)], mode="edge"), mode="edge")
    yield one_node("pad_bool", "Pad", [x > 0, i64(0, 1, 0, 0), array(True)], numpy.pad(x > 0, [(0, 0), (1, 0)], constant_values=True))
    yield one_node("pad_attributes", "Pad", [x], numpy.pad(x, [(0, 1), (1, 0)], constant_values=2), opset=10, pads=[0, 1, 1, 0], value=2.0)
    yield one_node("pad_of_nothing", "Pad", [x[:0], i64(1, 0, 1, 0), value], numpy.full((2, 4), 7, float32))


def norms():
    x = normal(2, 3, 4)
    scale, bias = normal(3, 4), normal(4)
    wide = x.astype(float)

    def normalized(axes, eps=1e-5):
        return (wide - wide.mean(axes, keepdims=True)) / numpy.sqrt(wide.var(axes, keepdims=True) + eps)

    y = (normalized((1, 2)) * scale + bias).astype(float32)
    yield one_node("layer_norm_axis", "LayerNormalization", [x, scale, bias], y, axis=-2)
    yield one_node("layer_norm_no_bias", "LayerNormalization", [x, scale[0]], (normalized(2) * scale[0]).astype(float32))
    mean = wide.mean(2, keepdims=True).astype(float32)
    deviation = (1 / numpy.sqrt(wide.var(2, keepdims=True) + 1e-5)).astype(float32)
    y = (normalized(2) * bias).astype(float32)
    yield one_node("layer_norm_statistics", "LayerNormalization", [x, bias], [y, mean, deviation])
    mean_square = (wide**2).mean(2, keepdims=True)
    y = (wide / numpy.sqrt(mean_square + 1e-5) * bias).astype(float32)
    yield one_node("rms_norm", "RMSNormalization", [x, bias], y, opset=23)
    offset = (x + 1000).astype(float32)
    exact = offset.astype(float)
    y = (exact - exact.mean(2, keepdims=True)) / numpy.sqrt(exact.var(2, keepdims=True) + 1e-5)
    yield one_node("layer_norm_far_from_zero", "LayerNormalization", [offset, numpy.ones(4, float32)], y.astype(float32))


def make_cases():
    families = [slices, shapes, ranges, splits, rows, arithmetic, casts, indices, scans, reductions, contractions, pads, norms]
    return [case for family in families for case in family()]
