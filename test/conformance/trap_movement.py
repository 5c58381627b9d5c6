# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What implementers get wrong where elements are moved, repeated and picked; what is right comes from NumPy.
import itertools

import cases
import numpy
from numpy import arange, array, float32, int32, int64
from one_node import f32, i64, normal, one_node
from onnx import TensorProto, helper

MIN64, MAX64 = numpy.iinfo(int64).min, numpy.iinfo(int64).max


def slices():
    """Bounds are clamped after the dim is added; indices may be int32; axes come in any order."""
    x = arange(60, dtype=float32).reshape(3, 4, 5)
    # Those that a run gives have to be nearer.
    extremes = one_node("Slice extremes", [x, i64(MIN64, 0), i64(MAX64, MAX64), i64(0, 2)], x)
    yield cases.make_constant(extremes, ["x1", "x2", "x3"])
    for title, bounds, expected in [("reversed", (MAX64, MIN64, 1, -1), x[:, ::-1]), ("reversed min 64", (-1, MIN64, -1, -2), x[:, :, ::-2]),
                                    ("step min 64", (1, MIN64, 1, MIN64), x[:, 1:2]), ("step max 64", (1, MAX64, 1, MAX64), x[:, 1:2])]:
        yield cases.make_constant(one_node(f"Slice {title}", [x, *map(i64, bounds)], expected), ["x1", "x2", "x3", "x4"])
    yield one_node("Slice negative step", [x, i64(3), i64(0), i64(2), i64(-2)], x[:, :, 3:0:-2])
    narrow = [array([value], int32) for value in (-3, 100, -1, 2)]
    yield one_node("Slice int32", [x, *narrow], x[:, :, -3::2])
    yield one_node("Slice unordered axes", [x, i64(1, 0, 2), i64(4, 2, 3), i64(-1, 0, 1)], x[0:2, 2:3, 1:4])
    yield one_node("Slice default axes", [x, i64(1, -2), i64(3, -1)], x[1:3, -2:-1])
    yield one_node("Slice empty", [x, i64(3), i64(1), i64(1)], x[:, 3:1])
    yield one_node("Slice start beyond", [x, i64(9), i64(99), i64(1)], x[:, 9:])
    yield one_node("Slice no axes", [x, i64(0), i64(2), None, i64(2)], x[0:2:2])
    yield one_node("Slice of nothing reversed", [x[:0], i64(-9), i64(-9), i64(0), i64(-1)], x[:0])
    yield one_node("Slice of nothing", [x[:0], i64(0), i64(5), i64(0)], x[:0])
    yield one_node("Slice attributes", [x], x[1:, :-1], opset=9, starts=[1, 0], ends=[MAX64, -1], axes=[0, 1])


def shapes():
    x = normal(2, 3, 4)
    yield one_node("Reshape keeps", [x, i64(0, -1)], x.reshape(2, 12))
    yield one_node("Reshape scalar", [x[:1, :1, :1], array([], int64)], x[0, 0, 0])
    yield one_node("Reshape minus one alone", [x, i64(-1)], x.ravel())
    empty = numpy.zeros((0, 3, 4), float32)
    yield one_node("Reshape empty", [empty, i64(0, 12)], empty.reshape(0, 12))
    yield one_node("Reshape empty inferred", [empty, i64(-1, 6)], empty.reshape(0, 6))
    yield one_node("Reshape allow zero", [empty, i64(5, 0, 7)], empty.reshape(5, 0, 7), allowzero=1)
    yield one_node("Reshape empty to list", [empty, i64(0)], empty.reshape(0), allowzero=1)
    for shape, target in itertools.product([(3, 1), (1,), ()], [(2, 3, 4), (1,), (3, 1), ()]):
        value = normal(*shape)
        result = value * numpy.ones(target, float32)
        yield one_node(f"Expand {shape} to {target}", [value, array(target, int64)], result)
    yield one_node("Expand to nothing", [normal(1, 3), i64(0, 1)], numpy.zeros((0, 3), float32))
    yield one_node("Tile zero", [x, i64(1, 0, 2)], numpy.tile(x, (1, 0, 2)))
    yield one_node("Tile all", [x, i64(2, 3, 2)], numpy.tile(x, (2, 3, 2)))
    yield one_node("Flatten 0", [x], x.reshape(1, 24), axis=0)
    yield one_node("Flatten end", [x], x.reshape(24, 1), axis=3)
    yield one_node("Flatten scalar", [x[0, 0, 0]], x[:1, :1, 0], axis=0)
    yield one_node("Squeeze all", [x.reshape(1, 2, 1, 12)], x.reshape(2, 12))
    yield one_node("Unsqueeze unordered", [x, i64(3, -5)], x[None, :, :, None, :].reshape(1, 2, 3, 1, 4))
    yield one_node("Shape clamps", [x], i64(2, 3, 4), start=-9, end=9)
    yield one_node("Shape inside", [x], i64(3), start=-2, end=-1)
    yield one_node("Shape empty", [x], array([], int64), start=2, end=1)
    yield one_node("Size scalar", [x[0, 0, 0]], array(1, int64))
    yield one_node("Transpose default", [x], x.transpose(2, 1, 0))
    yield one_node("Concat empty", [x, empty[:, :, :], x], numpy.concatenate([x, empty, x]), axis=-3)
    yield one_node("Concat one", [x], x, axis=1)
    for k in (-9, -2, -1, 0, 1, 3, 9):
        for upper in (0, 1):
            result = (numpy.triu if upper else numpy.tril)(x, k)
            yield one_node(f"Trilu {k} {upper}", [x, array(k, int64)], result, upper=upper)
    yield one_node("Trilu far", [x, array(MAX64, int64)], numpy.zeros_like(x))
    yield one_node("Trilu far lower", [x, array(MAX64, int64)], x, upper=0)
    yield one_node("Trilu no k", [x], numpy.triu(x))
    yield one_node("Trilu empty", [normal(2, 0, 3)], normal(2, 0, 3))


def ranges():
    def of(*values, dtype=int64):
        return [array(value, dtype) for value in values]

    yield one_node("Range empty", of(5, 2, 1), array([], int64))
    yield one_node("Range down", of(5, -2, -3), i64(5, 2, -1))
    yield one_node("Range uneven", of(0, 7, 3), i64(0, 3, 6))
    yield one_node("Range int32", of(-4, 4, 2, dtype=int32), arange(-4, 4, 2, dtype=int32))
    yield one_node("Range float", of(1, 2, 0.3, dtype=float32), f32(1, 1.3, 1.6, 1.9))
    yield one_node("Range float down", of(1, -1, -0.75, dtype=float32), f32(1, 0.25, -0.5))
    yield one_node("Range double", of(0, 1, 0.25, dtype=numpy.float64), arange(0, 1, 0.25))
    yield one_node("ConstantOfShape scalar", [array([], int64)], array(0, float32))
    yield one_node("ConstantOfShape empty", [i64(0, 3)], numpy.zeros((0, 3), float32))
    value = helper.make_tensor("value", TensorProto.BOOL, [1], [True])
    yield one_node("ConstantOfShape bool", [i64(2, 3)], numpy.ones((2, 3), bool), value=value)


def splits():
    x = normal(7, 5)
    parts = [x[:3], x[3:6], x[6:]]
    yield one_node("Split uneven", [x], parts, num_outputs=3)
    yield one_node("Split uneven axis", [x], [x[:, :3], x[:, 3:]], num_outputs=2, axis=-1)
    yield one_node("Split sizes", [x, i64(2, 0, 5)], [x[:2], x[2:2], x[2:]])
    yield one_node("Split sizes attribute", [x], [x[:, :1], x[:, 1:]], opset=11, axis=1, split=[1, 4])
    yield one_node("Split equal attribute", [x[:6]], [x[:2], x[2:4], x[4:6]], opset=11)


def indices():
    x = normal(4, 3)
    yield one_node("Gather negative", [x, i64(-1, 0, -4)], x[[-1, 0, -4]])
    yield one_node("Gather scalar", [x, array(-2, int32)], x[:, -2], axis=1)
    yield one_node("Gather none", [x, array([], int64)], x[:0])
    yield one_node("Gather matrix", [x, i64([0, 2], [1, -1])], numpy.take(x, i64([0, 2], [1, -1]), axis=1), axis=-1)
    rows = i64([0, -1], [3, 1])
    yield one_node("GatherElements narrow", [x, rows], numpy.take_along_axis(x[:, :2], rows, 0))
    columns = array([[0, -1, 2, 2], [1, 1, -3, 0], [0, 0, 0, 0]], int32)
    yield one_node("GatherElements wide", [x[:3], columns], numpy.take_along_axis(x[:3], columns, 1), axis=-1)
    yield one_node("GatherND negative", [x, i64([-1, 0], [0, -1])], x[[-1, 0], [0, -1]])
    cube = normal(2, 3, 4)
    pairs = i64([[-1], [0]], [[2], [1]])
    yield one_node("GatherND batch", [cube, pairs], numpy.stack([cube[0][[-1, 0]], cube[1][[2, 1]]]), batch_dims=1)
    zero = numpy.zeros((3, 2), float32)
    twice, updates = i64([0, 0], [0, 2]), f32([1, 2], [3, 4])
    for reduction, result in {"add": [[4, 2], [0, 0], [0, 4]], "max": [[3, 2], [0, 0], [0, 4]]}.items():
        yield one_node(
            f"ScatterElements {reduction}", [zero, twice, updates], array(result, float32), reduction=reduction
        )
    yield one_node("ScatterElements mul", [zero + 2, twice, updates], f32([6, 4], [2, 2], [2, 8]), reduction="mul")
    yield one_node("ScatterElements negative", [zero, i64([-1, -2]), f32([5, 6])], f32([0, 0], [0, 6], [5, 0]))
    yield one_node("ScatterElements axis", [zero, i64([1], [0]), f32([5], [6])], f32([0, 5], [6, 0], [0, 0]), axis=1)
    yield one_node("ScatterND rows", [zero, i64([-1], [0]), f32([1, 2], [3, 4])], f32([3, 4], [0, 0], [1, 2]))
    yield one_node(
        "ScatterND add", [zero, i64([1], [1]), f32([1, 2], [3, 4])], f32([0, 0], [4, 6], [0, 0]), reduction="add"
    )
    yield one_node("ScatterND points", [zero, i64([0, 1], [-1, -2]), f32(7, 8)], f32([0, 7], [0, 0], [8, 0]))
    yield one_node("ScatterND nothing", [zero, numpy.zeros((0, 1), int64), numpy.zeros((0, 2), float32)], zero)
    on_off = f32(5, 9)
    hot = f32([5, 5, 9], [9, 5, 5], [5, 5, 5], [5, 5, 5])
    yield one_node("OneHot negative", [i64(-1, 0, 3, -4), array(3, int64), on_off], hot)
    yield one_node("OneHot axis", [i64(-1, 0, 3, -4), i64(3), on_off], hot.T, axis=0)
    yield one_node("OneHot types", [f32(1, 0), array(2, float32), i64(0, 1)], i64([0, 1], [1, 0]))


def pads():
    x = normal(3, 4)
    value = array(7, float32)
    yield one_node(
        "Pad crops", [x, i64(1, -1, -1, 2), value], numpy.pad(x[:-1, 1:], [(1, 0), (0, 2)], constant_values=7)
    )
    yield one_node("Pad no value", [x, i64(0, 1, 2, 0)], numpy.pad(x, [(0, 2), (1, 0)]))
    yield one_node("Pad axes", [x, i64(1, 2), value, i64(-1)], numpy.pad(x, [(0, 0), (1, 2)], constant_values=7))
    yield one_node("Pad axes no value", [x, i64(1, 2), None, array([-1], int32)], numpy.pad(x, [(0, 0), (1, 2)]))
    for mode in ("reflect", "edge", "wrap"):
        yield one_node(f"Pad {mode}", [x, i64(2, 3, 1, 2)], numpy.pad(x, [(2, 1), (3, 2)], mode=mode), mode=mode)
    yield one_node("Pad wrap far", [x, i64(0, 9, 0, 6)], numpy.pad(x, [(0, 0), (9, 6)], mode="wrap"), mode="wrap")
    yield one_node(
        "Pad edge crops", [x, i64(-1, 2, 0, 0)], numpy.pad(x[1:], [(0, 0), (2, 0)], mode="edge"), mode="edge"
    )
    yield one_node(
        "Pad bool", [x > 0, i64(0, 1, 0, 0), array(True)], numpy.pad(x > 0, [(0, 0), (1, 0)], constant_values=True)
    )
    yield one_node(
        "Pad attributes", [x], numpy.pad(x, [(0, 1), (1, 0)], constant_values=2), opset=10, pads=[0, 1, 1, 0], value=2.0
    )
    yield one_node("Pad of nothing", [x[:0], i64(1, 0, 1, 0), value], numpy.full((2, 4), 7, float32))


def caches():
    """New positions in a cache, whose batch entries are at different places."""
    for title, shape, axis in [("3-D", (2, 6, 3), 1), ("heads", (2, 3, 6, 4), -2), ("last", (3, 2, 5), 2), ("5-D", (2, 2, 2, 7, 2), 3)]:
        past, size = normal(*shape), shape[axis]
        update = normal(*(3 if dim == axis % len(shape) else length for dim, length in enumerate(shape)))
        for mode, starts in [("linear", [0, size - 3, 1]), ("circular", [size - 1, 0, size - 2])]:
            starts = numpy.array(starts[: shape[0]], numpy.int64)
            expected = numpy.moveaxis(past.copy(), axis, 1)
            for entry, start in enumerate(starts):
                for i, row in enumerate(numpy.moveaxis(update, axis, 1)[entry]):
                    expected[entry, (start + i) % size] = row
            yield one_node(f"TensorScatter {title} {mode}", [past, update, starts], numpy.moveaxis(expected, 1, axis), opset=24, axis=axis, mode=mode)
    past, update = normal(2, 3, 6, 4), normal(2, 3, 2, 4)
    expected = past.copy()
    expected[:, :, :2] = update
    yield one_node("TensorScatter from the start", [past, update], expected, opset=24)
    yield one_node("TensorScatter beyond", [past, update, i64(0, 5)], None, opset=24)
    yield one_node("TensorScatter into the batch", [past, update], None, opset=24, axis=0)
    yield one_node("TensorScatter unlike", [past, normal(2, 2, 2, 4)], None, opset=24)
    yield one_node("TensorScatter mode", [past, update], None, opset=24, mode="round")


FAMILIES = [slices, shapes, ranges, splits, indices, pads, caches]
