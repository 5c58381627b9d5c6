# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Axes and sizes that are inputs, and so known only when the model runs.
import itertools

import cases
import numpy
from one_node import f32, i64, normal, one_node, text_model

X = normal(3, 1, 4)
REDUCTIONS = {
    "ReduceSum": numpy.sum,
    "ReduceMax": numpy.max,
    "ReduceL1": lambda x, axis, keepdims: numpy.sum(abs(x), axis=axis, keepdims=keepdims),
    "ReduceLogSumExp": lambda x, axis, keepdims: numpy.log(numpy.sum(numpy.exp(x), axis=axis, keepdims=keepdims)),
}


def name(axes):
    return " ".join(map(str, axes))


def reductions():
    """Along each choice of axes, which count from either end; and along some that there are not, or one twice."""
    for (op, reduce), keepdims in itertools.product(REDUCTIONS.items(), (0, 1)):
        for axes in ([0], [2], [-2], [2, 0], [0, -1], [1, 2, 0]):
            expected = reduce(X, axis=tuple(axes), keepdims=bool(keepdims))
            yield one_node(f"{op} along {name(axes)} {keepdims}", [X, i64(*axes)], expected, keepdims=keepdims)
        for axes in ([3], [-4], [0, 0], [-1, 2], [1 << 40, 0]):
            yield one_node(f"{op} not along {name(axes)} {keepdims}", [X, i64(*axes)], None, keepdims=keepdims)
    flags = normal(3, 4) > 0
    yield one_node("ReduceMax along bools", [flags, i64(0)], flags.max(0), keepdims=0)
    yield one_node("ReduceSum along nothing given", [X, i64()], X.sum(keepdims=True))
    yield one_node("ReduceSum along nothing given noop", [X, i64()], X, noop_with_empty_axes=1)


def of_nothing():
    """Axes are looked at even where there are no elements."""
    x = normal(2, 0)
    yield one_node("ReduceSum of nothing along 1", [x, i64(1)], f32([0], [0]))
    for axes in ([5], [1, 1]):
        yield one_node(f"ReduceSum of nothing not along {name(axes)}", [x, i64(*axes)], None)
    yield one_node("CumSum of nothing not along 2", [x, i64(2)], None)
    yield one_node("Slice of nothing not along 2", [x, i64(0), i64(1), i64(2)], None)


def one_axis():
    for axis in (0, 1, 2, -1, -3):
        yield one_node(f"CumSum along {axis}", [X, i64(axis)[0]], X.cumsum(axis))
        yield one_node(f"CumSum along list {axis}", [X, i64(axis)], numpy.flip(numpy.flip(X, axis).cumsum(axis), axis), reverse=1)
    for axis in (3, -4):
        yield one_node(f"CumSum not along {axis}", [X, i64(axis)[0]], None)


def moves():
    """Squeeze, Unsqueeze, Slice, Split and Pad."""
    for axes in ([1], [-2]):
        yield one_node(f"Squeeze along {name(axes)}", [X, i64(*axes)], X[:, 0])
    ones = normal(1, 5, 1)
    for axes in ([2, 0], [-1, -3]):
        yield one_node(f"Squeeze along {name(axes)}", [ones, i64(*axes)], ones[0, :, 0])
    for axes in ([0], [3], [1, 1], [1, -2]):
        yield one_node(f"Squeeze not along {name(axes)}", [X, i64(*axes)], None)
    for axes in ([0], [-1], [1, 3], [4, 0], [-1, 0]):
        yield one_node(f"Unsqueeze along {name(axes)}", [X, i64(*axes)], numpy.expand_dims(X, tuple(axes)))
    yield one_node("Unsqueeze along all of a scalar", [f32(7)[0], i64(1, 0)], f32([7]))
    for axes in ([4], [-5], [0, 0]):
        yield one_node(f"Unsqueeze not along {name(axes)}", [X, i64(*axes)], None)
    yield one_node("Slice along 2", [X, i64(1), i64(3), i64(2)], X[:, :, 1:3])
    yield one_node("Slice along last and first", [X, i64(-3, 1), i64(-1, 100), i64(-1, 0)], X[1:, :, -3:-1])
    yield one_node("Slice along axes as int32", [X, *(value.astype(numpy.int32) for value in i64([1], [9], [0]))], X[1:])
    yield one_node("Slice not along 3", [X, i64(0), i64(1), i64(3)], None)
    yield one_node("Slice not with one start", [X, i64(0), i64(1, 1), i64(0, 2)], None)
    yield one_node("Slice not with two starts", [X, i64(0, 1), i64(2), i64(2)], None)
    yield one_node("Slice not along 0 twice", [X, i64(0, 0), i64(1, 1), i64(0, -3)], None)
    for sizes in ([1, 2, 1], [0, 4, 0]):
        yield one_node(f"Split by {name(sizes)}", [X, i64(*sizes)], numpy.split(X, numpy.cumsum(sizes)[:-1], 2), axis=-1)
    for sizes in ([1, 2], [5, -1], [-1, 5], [-1, 4]):
        model = one_node(f"Split not by {name(sizes)}", [X, i64(*sizes)], None, axis=2)
        model.model.graph.node[0].output.append("y1")
        yield model
    padded = numpy.pad(X, [(0, 3), (0, 0), (1, 0)])
    yield one_node("Pad along 2 and 0", [X, i64(1, 0, 0, 3), None, i64(-1, 0)], padded)
    yield one_node("Pad along 0 edge", [X, i64(2, 1), None, i64(0)], numpy.pad(X, [(2, 1), (0, 0), (0, 0)], "edge"), mode="edge")
    yield one_node("Pad not along 3", [X, i64(1, 1), None, i64(3)], None)


def sizes():
    """Entries of a shape that only a run tells to be -1 or 0."""
    x = normal(2, 3, 4)
    for shape in ([4, -1], [0, 0, 4], [0, -1], [-1, 0, 2, 2], [24, 1]):
        yield one_node(f"Reshape to {name(shape)}", [x, i64(*shape)], x.reshape([x.shape[i] if n == 0 else n for i, n in enumerate(shape)]))
    for shape in ([5, -1], [-1, -1], [-2, -12], [1, 2, 12, 0], [0, 5]):
        yield one_node(f"Reshape not to {name(shape)}", [x, i64(*shape)], None)
    empty = normal(2, 0, 4)
    yield one_node("Reshape nothing to", [empty, i64(0, -1, 0)], empty)
    yield one_node("Reshape nothing to zeros", [empty, i64(4, 0)], empty.reshape(4, 0), allowzero=1)
    yield one_node("Tile to", [x, i64(2, 0, 3)], numpy.tile(x, (2, 0, 3)))
    yield one_node("Tile not to", [x, i64(2, -1, 3)], None)
    yield one_node("Expand to", [x[:, :1], i64(2, 3, 4)], numpy.tile(x[:, :1], (1, 3, 1)))
    yield one_node("Expand not to", [x, i64(2, 3, -4)], None)
    yield one_node("TopK to", [x, i64(3)], [numpy.flip(numpy.sort(x), 2)[:, :, :3], numpy.flip(numpy.argsort(x), 2)[:, :, :3]])
    for k in (5, -1):
        yield one_node(f"TopK not to {k}", [x, i64(k)], None)


def of_each_other():
    """Sizes that are known only after what comes later, and sizes of what nobody reads."""
    c, y, one = normal(100), normal(1), "x5 = Constant <value: tensor = int64[1] {100}> () two = Constant <value: tensor = int64[1] {2}> ()"
    late = f"{one} h = Div(x1, two) part = Slice(x0, x2, h) y0 = Slice(part, x3, x5) y1 = Expand(x4, x1)"
    for k, i, j in ((4, 0, 0), (90, 3, 5), (7, 3, -1)):
        expected = [c[i : k // 2][j:], numpy.tile(y, k)]
        yield text_model(f"Slice of a slice {k}", late, [c, i64(k), i64(i), i64(j), y], expected)
    shape = "wide = Expand(x0, x1) size = Shape(wide)"
    yield text_model("Expand to a shape of nothing else", f"{shape} y0 = Expand(x2, size)", [y, i64(6), y], [numpy.tile(y, 6)])
    yield text_model("Shape that is given back", f"{shape} y0 = Identity(size)", [y, i64(6)], [i64(6)])
    narrow = "low = Cast<to: int = 6> (x1) size = Cast<to: int = 7> (low)"
    yield text_model("Expand to what int32 holds", f"y0 = Expand(x0, x1) {narrow} y1 = Expand(x0, size)", [y, i64(3)], [numpy.tile(y, 3)] * 2)


def steps():
    """Steps of either sign that only a run tells, and what bounds are clamped to then."""
    for start, end, step in ((0, 4, 2), (3, 0, -1), (-1, -100, -2), (100, -100, -3), (-100, 100, 3), (2, 2, 1), (0, 3, -1), (1, 3, 9), (3, 1, -9)):
        part = X[:, slice(start, end if end > -4 else None, step) if step < 0 else slice(start, end, step)]
        yield one_node(f"Slice by {start} {end} {step}", [X, i64(start), i64(end), i64(1), i64(step)], part)
    yield one_node("Slice by two steps", [X, i64(5, 0), i64(-9, 4), i64(2, 1), i64(-2, 3)], X[:, 0:4:3, ::-2])
    yield one_node("Slice by steps along none", [X, i64(2, 0), i64(-9, 4), None, i64(-1, 2)], X[::-1, 0:4:2])
    yield one_node("Slice by steps as int32", [X, *(i64(n).astype(numpy.int32) for n in (3, 0, 1, -2))], X[:, 3:0:-2])
    for n in (0, 1):
        yield one_node(f"Slice by steps of {n}", [X[:n], i64(5), i64(-5), i64(0), i64(-1)], X[:n])
    for start, end, part in ((2**63 - 1, -(2**63), X[:, ::-1]), (2, 2**63 - 1, X[:, :0]), (-(2**63), 2**63 - 1, X[:, :0])):
        yield cases.make_constant(one_node(f"Slice by steps from {start} to {end}", [X, i64(start), i64(end), i64(1), i64(-1)], part), ["x1", "x2", "x3"])
    yield one_node("Slice by no step", [X, i64(0, 0), i64(2, 2), i64(0, 1), i64(1, 0)], None)
    yield one_node("Slice by steps of other length", [X, i64(0), i64(2), i64(1), i64(1, 1)], None)
    for start, limit, step in ((0, 7, 3), (7, 0, -3), (5, 5, 1), (0, 5, -1), (-3, 9, 4)):
        values = [numpy.array(n, numpy.int64) for n in (start, limit, step)]
        yield one_node(f"Range by {start} {limit} {step}", values, numpy.arange(start, limit, step))
    yield one_node("Range by nothing", [numpy.array(n, numpy.int64) for n in (0, 5, 0)], None)


def depths():
    """A number of classes that is a float."""
    indices, values = i64(0, 3, 1), f32(2, 5)
    for depth in (numpy.float32(4), numpy.float64(6)):
        hot = numpy.where(numpy.arange(int(depth)) == indices[:, None], f32(5), f32(2))
        yield one_node(f"OneHot of {depth.dtype}", [indices, numpy.array(depth), values], hot)
    yield one_node("OneHot of a fraction", [indices, numpy.array(4.5, numpy.float32), values], None)
    yield one_node("OneHot of less than none", [indices, numpy.array(-4, numpy.float32), values], None)


FAMILIES = [reductions, one_axis, moves, sizes, of_each_other, of_nothing, steps, depths]
