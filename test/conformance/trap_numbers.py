# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What implementers get wrong where something is computed; what is right comes from NumPy.
import itertools

import numpy
from numpy import array, float32, inf, int32, int64, nan
from one_node import f32, i64, normal, one_node
from onnx import helper

MIN64, MAX64 = numpy.iinfo(int64).min, numpy.iinfo(int64).max


def softmax_of(x, axes):
    with numpy.errstate(all="ignore"):
        e = numpy.exp(x - x.max(axis=axes, keepdims=True))
        return (e / e.sum(axis=axes, keepdims=True)).astype(x.dtype)


def rows():
    x = normal(2, 3, 4)
    yield one_node("Softmax flattens", [x], softmax_of(x, (1, 2)), opset=11)
    yield one_node("Softmax flattens all", [x], softmax_of(x, (0, 1, 2)), opset=11, axis=0)
    yield one_node("Softmax flattens negative", [x], softmax_of(x, (1, 2)), opset=11, axis=-2)
    yield one_node("Softmax middle", [x], softmax_of(x, 1), axis=1)
    yield one_node("Softmax first", [x], softmax_of(x, 0), axis=0)
    yield one_node("LogSoftmax flattens", [x], numpy.log(softmax_of(x, (1, 2))), opset=11)
    yield one_node("LogSoftmax first", [x], numpy.log(softmax_of(x, 0)), axis=0)
    large = f32([1e4, 1e4 + 1, -1e4], [-1e30, 1e30, 0])
    yield one_node("Softmax large", [large], softmax_of(large.astype(numpy.float64), 1).astype(float32))
    masked = f32([-inf, 0, -inf], [-inf, -inf, -inf], [nan, 0, 1])
    yield one_node("Softmax masked", [masked], softmax_of(masked, 1))
    yield one_node("Softmax of no rows", [x[:0]], x[:0])
    yield one_node("Softmax flattens nothing", [normal(2, 3, 0)], normal(2, 3, 0), opset=11)
    yield one_node("Softmax flattens no rows", [normal(0, 3, 2)], normal(0, 3, 2), opset=11)
    flat = numpy.zeros((2, 3, 4), float32)
    flat[0].flat[x[0].argmax()] = 1
    flat[1].flat[x[1].argmax()] = 1
    yield one_node("Hardmax flattens", [x], flat, opset=11)
    ties = f32([1, 2, 2], [3, 3, 3])
    yield one_node("Hardmax ties", [ties], f32([0, 1, 0], [1, 0, 0]))


def arithmetic():
    x, y = f32(1, 2, -3, 0), i64(3, -1, 2, 0)
    yield one_node("Pow float int", [x, y], (x.astype(float) ** y).astype(float32))
    ints = array([2, -3, 5, 7], int32)
    yield one_node("Pow int float", [ints, f32(3, 2, 0.5, -1)], array([8, 9, 2, 0], int32))
    yield one_node("Pow int int", [i64(2, -2, 3, 0), i64(10, 3, 0, 0)], i64(1024, -8, 1, 1))
    yield one_node("Pow special", [f32(-8, 0, inf, -1, nan), f32(1 / 3, 0, -1, inf, 0)], f32(nan, 1, 0, 1, 1))
    a, b = i64(7, -7, 7, -7, 0), i64(3, 3, -3, -3, 5)
    yield one_node("Mod signs", [a, b], numpy.mod(a, b))
    yield one_node("Mod signs fmod", [a, b], numpy.fmod(a, b), fmod=1)
    fa, fb = f32(7.5, -7.5, 7.5, -7.5, 0.3), f32(2, 2, -2, -2, 0.1)
    yield one_node("Mod floats", [fa, fb], numpy.fmod(fa, fb), fmod=1)
    fa, fb = f32(1e30, -5, 3, inf, nan, -0.0, 1e-40, 2), f32(3, inf, 0, 2, 1, 4, 3e-44, nan)
    for dtype in (float32, numpy.float64, numpy.float16):
        with numpy.errstate(all="ignore"):
            pair = [fa.astype(dtype), fb.astype(dtype)]
            rest = numpy.fmod(*pair)
        yield one_node(f"Mod far apart {numpy.dtype(dtype)}", pair, rest, fmod=1)
    yield one_node("Mod not fmod", [fa, fb], None)
    small = array([-128, 127, 100], numpy.int8)
    yield one_node("Mod int8", [small, array([3, -5, 7], numpy.int8)], numpy.mod(small, array([3, -5, 7], "i1")))
    yield one_node("Div truncates", [a, b], i64(2, -2, -2, 2, 0))
    yield one_node("Div uint8", [array([200, 255], numpy.uint8), array([3, 2], numpy.uint8)], array([66, 127], "u1"))
    yield one_node("Div floats", [f32(1, -1, 0, inf), f32(0, 0, 0, inf)], f32(inf, -inf, nan, nan))
    wide = array([2**64 - 1, 2**63], numpy.uint64)
    yield one_node("Div uint64", [wide, array([2, 3], numpy.uint64)], wide // array([2, 3], numpy.uint64))
    yield one_node("Less uint64", [wide, wide[::-1]], array([False, True]))
    yield one_node("Add wraps", [small, small], array([0, -2, -56], numpy.int8))
    yield one_node("Max nan", [f32(1, nan, 3), f32(nan, 2, 2), f32(0, 0, 9)], f32(nan, nan, 9))
    yield one_node("Min nan", [f32(1, nan, 3), f32(nan, 2, 2)], f32(nan, nan, 2))
    yield one_node("Max broadcasts", [normal(3, 1) * 0, normal(1, 4) * 0, f32(1)], numpy.ones((3, 4), float32))
    yield one_node("Sign special", [f32(-2, -0.0, 0, nan, inf)], f32(-1, 0, 0, nan, 1))
    halves = f32(0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 2.4, nan, inf, 1e20, 8388609)
    low = f32(-30, -12, -7.5, -1, 0, 3, 80)
    yield one_node("Softplus low", [low], numpy.log1p(numpy.exp(low.astype(float))).astype(float32))
    half = low[1:].astype(numpy.float16)
    yield one_node("Softplus low half", [half], numpy.log1p(numpy.exp(half.astype(float))).astype(numpy.float16))
    yield one_node("Round halves", [halves], numpy.round(halves))
    yield one_node("Floor large", [halves], numpy.floor(halves))
    yield one_node("Ceil large", [halves], numpy.ceil(halves))
    yield one_node("Clip crossed", [f32(-1, 2, 9), array(5, float32), array(1, float32)], f32(1, 1, 1))
    yield one_node("Clip no min", [f32(-1, 2, 9), None, array(1, float32)], f32(-1, 1, 1))
    yield one_node("Clip no max", [f32(-1, 2, 9), array(1, float32)], f32(1, 2, 9))
    yield one_node("Clip nothing", [f32(-1, 2, nan)], f32(-1, 2, nan))
    yield one_node("Clip nan", [f32(nan, 3), array(0, float32), array(1, float32)], f32(nan, 1))
    yield one_node("Clip int", [i64(-5, 5), array(-1, int64), array(2, int64)], i64(-1, 2))
    yield one_node("Clip attributes", [f32(-5, 5)], f32(-1, 2), opset=6, min=-1.0, max=2.0)
    yield one_node("IsInf either", [f32(inf, -inf, nan, 1)], array([True, True, False, False]))
    yield one_node("IsInf negative", [f32(inf, -inf, nan)], array([False, True, False]), detect_positive=0)
    yield one_node("Equal nan", [f32(nan, 0, 1), f32(nan, -0.0, 2)], array([False, True, False]))
    rows = array([[True], [False]])
    y = numpy.where(rows, numpy.zeros((3, 1, 1), float32), f32(1, 2))
    yield one_node("Where three ways", [rows, numpy.zeros((3, 1, 1), float32), f32(1, 2)], y)
    yield one_node("Where nan", [array([True, False]), f32(1, nan), f32(nan, 2)], f32(1, 2))
    yield one_node("Where scalar", [array(False), array(1, int64), array(2, int64)], array(2, int64))
    yield one_node(
        "BitShift by size", [array([255, 1], "u1"), array([7, 0], "u1")], array([1, 1], "u1"), direction="RIGHT"
    )
    yield one_node(
        "BitShift left", [array([255, 3], "u1"), array([4, 7], "u1")], array([240, 128], "u1"), direction="LEFT"
    )
    yield one_node("Not empty", [array([], bool)], array([], bool))
    yield one_node("Add scalars", [array(1, float32), array(2, float32)], array(3, float32))
    yield one_node("Add empty", [normal(0, 3), normal(1, 3)], normal(0, 3))
    yield one_node("PRelu channels", [f32([-1, -2, 3]), f32(0.5, 2, 9)], f32([-0.5, -4, 3]))


def casts():
    def cast(name, x, dtype, y):
        return one_node(f"Cast {name}", [x], y, to=helper.np_dtype_to_tensor_dtype(numpy.dtype(dtype)))

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


def scans():
    x = f32([1, 2, 3], [4, 5, 6])
    for exclusive, reverse, axis in itertools.product((0, 1), (0, 1), (0, -1)):
        ordered = numpy.flip(x, axis) if reverse else x
        sums = numpy.cumsum(ordered, axis) - (ordered if exclusive else 0)
        result = (numpy.flip(sums, axis) if reverse else sums).astype(float32)
        name = f"CumSum {exclusive} {reverse} {axis}"
        yield one_node(name, [x, array(axis, int32)], result, exclusive=exclusive, reverse=reverse)
        products = numpy.cumprod(ordered, axis)
        if exclusive:
            products = numpy.insert(products, 0, 1, axis).take(range(ordered.shape[axis]), axis)
        result = (numpy.flip(products, axis) if reverse else products).astype(float32)
        yield one_node(f"CumProd {exclusive} {reverse} {axis}", [x, array(axis, int32)], result, opset=26, exclusive=exclusive, reverse=reverse)
    yield one_node("CumSum wraps", [array([2**31 - 1, 1], int32), array(0, int64)], array([2**31 - 1, -(2**31)], int32))
    yield one_node("CumProd wraps", [array([2**31 - 1, 2, 3], int32), array(0, int64)], array([2**31 - 1, -2, -6], int32), opset=26)
    yield one_node("CumProd of nothing", [numpy.zeros((2, 0), float32), array(1, int64)], numpy.zeros((2, 0), float32), opset=26)
    yield one_node("CumSum axis list", [x, i64(1)], numpy.cumsum(x, 1))


def reductions():
    x = normal(2, 3, 4)
    none = numpy.zeros((2, 0, 4), float32)
    nothing = array([], int64)
    yield one_node("ReduceSum no axes", [x, nothing], x.sum(keepdims=True))
    yield one_node("ReduceSum noop", [x, nothing], x, noop_with_empty_axes=1)
    yield one_node("ReduceSum noop left out", [x], x, noop_with_empty_axes=1)
    yield one_node("ReduceSumSquare noop", [x], x * x, noop_with_empty_axes=1)
    yield one_node("ReduceL1 noop", [x], abs(x), noop_with_empty_axes=1)
    yield one_node("ReduceL2 noop", [x], abs(x), noop_with_empty_axes=1)
    yield one_node("ReduceLogSum noop", [abs(x)], numpy.log(abs(x)), noop_with_empty_axes=1)
    values = {"Sum": 0, "Prod": 1, "Max": -inf, "Min": inf, "L1": 0, "L2": 0}
    values |= {"SumSquare": 0, "LogSum": -inf, "LogSumExp": -inf}
    for operator, value in values.items():
        result = numpy.full((2, 1, 4), value, float32)
        yield one_node(f"Reduce{operator} of nothing", [none, i64(1)], result)
    yield one_node("ReduceMax nan", [f32([1, nan], [2, 3]), i64(1)], f32([nan], [3]))
    yield one_node("ReduceMin nan", [f32([nan, 1], [2, 3]), i64(-1)], f32(nan, 2), keepdims=0)
    yield one_node("ReduceMax bool", [array([[True, False], [False, False]]), i64(1)], array([[True], [False]]))
    yield one_node("ReduceMin bool", [array([[True, False], [True, True]]), i64(1)], array([[False], [True]]))
    yield one_node("ReduceMax bool of nothing", [numpy.zeros((2, 0), bool), i64(1)], array([[False], [False]]))
    yield one_node("ReduceMax negative", [-abs(x), i64(0, 2)], (-abs(x)).max((0, 2), keepdims=True))
    yield one_node("ReduceMean int", [i64([1, 2], [-1, -2]), i64(1)], i64([1], [-1]))
    yield one_node("ReduceSum all", [x], x.sum(), keepdims=0)
    yield one_node("ReduceSum attribute", [x], x.sum((0, 2)), opset=11, axes=[-1, 0], keepdims=0)
    yield one_node("ReduceMax uint8", [array([[200, 3]], "u1"), i64(1)], array([[200]], "u1"))
    yield one_node("ReduceLogSumExp large", [f32([1000, 1000], [-1000, -1001]), i64(1)], f32([1000.6931], [-999.6867]))
    yield one_node("ReduceProd wraps", [array([[2**16, 2**16, 3]], int32), i64(1)], array([[0]], int32))
    ties = f32([1, 3, 3, 2], [nan, 5, nan, 0], [7, 7, 7, 7])
    yield one_node("ArgMax ties", [ties], i64(1, 0, 0), axis=1, keepdims=0)
    yield one_node("ArgMax last", [ties[::2]], i64(2, 3), axis=-1, keepdims=0, select_last_index=1)
    yield one_node("ArgMin ties", [ties], i64([0], [0], [0]), axis=1)
    yield one_node("ArgMin axis 0", [i64([3, 1], [1, 1])], i64([1, 0]))
    k = i64(2)
    yield one_node("TopK ties", [ties[::2], k], [f32([3, 3], [7, 7]), i64([1, 2], [0, 1])])
    yield one_node("TopK smallest", [ties[::2], k], [f32([1, 2], [7, 7]), i64([0, 3], [0, 1])], largest=0)
    yield one_node("TopK axis", [i64([1, 9], [5, 2], [5, 7]), k], [i64([5, 9], [5, 7]), i64([1, 0], [2, 2])], axis=0)
    yield one_node("TopK none", [ties, i64(0)], [ties[:, :0], numpy.zeros((3, 0), int64)])
    large = array([1, 2**64 - 1, 2**63], numpy.uint64)
    yield one_node("TopK uint64", [large, k], [large[1:], i64(1, 2)])
    lists = array([[0, 5, 0], [7, 0, 9]], int32)
    yield one_node("NonZero some", [lists], array(numpy.nonzero(lists), int64))
    yield one_node("NonZero none", [lists * 0], numpy.zeros((2, 0), int64))


def einsum(name, equation, *shapes):
    operands = [normal(*shape) for shape in shapes]
    compact = equation.replace(" ", "")
    result = numpy.einsum(compact, *[operand.astype(float) for operand in operands])
    return one_node(f"Einsum {name}", operands, numpy.asarray(result).astype(float32), equation=equation)


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
    yield einsum("summed", "bi->i", (2, 3))
    yield einsum("cases", "aA,Ab->bA", (2, 3), (3, 4))
    yield einsum("spaces", " b q h d , b k h d -> b h q k ", (2, 3, 2, 4), (2, 5, 2, 4))
    yield einsum("scalar", "i,i->", (5,), (5,))
    yield einsum("outer", "i,j,k->kij", (2,), (3,), (4,))
    yield einsum("three", "ij,jk,kl->il", (2, 3), (3, 4), (4, 5))
    yield einsum("ones", "ij,ij->ij", (1, 3), (1, 3))
    yield einsum("one_operand", "ijk->ki", (2, 3, 4))
    yield einsum("of_nothing", "ij,jk->ik", (2, 0), (0, 3))
    a, b, c = normal(3, 2), normal(4, 3), normal(4)
    y = (0.5 * a.T @ b.T + 2 * c).astype(float32)
    yield one_node("Gemm transposed", [a, b, c], y, alpha=0.5, beta=2.0, transA=1, transB=1)
    yield one_node("Gemm column", [a, a.T, c[:3, None]], a @ a.T + c[:3, None])
    yield one_node("Gemm no c", [a, a.T], a @ a.T)
    products = [((3,), (3,)), ((3,), (3, 2)), ((4, 3), (3,)), ((2, 0), (0, 3))]
    batched = [((2, 1, 4, 3), (5, 3, 2)), ((3,), (2, 3, 4)), ((2, 4, 3), (3,))]
    for left, right in [*products, *batched]:
        x, y = normal(*left), normal(*right)
        yield one_node(f"MatMul {left} {right}", [x, y], numpy.matmul(x, y))


def batches_in_training(x, factors, mean, variance):
    """Normalised by what the batch has, which those that are kept approach."""
    for momentum, dtype in ((0.9, numpy.float16), (0.25, float32)):
        given = x.astype(dtype)
        wide, scale, bias = given.astype(float), *(factor.reshape(-1, 1) for factor in factors)
        now = wide.mean((0, 2)), wide.var((0, 2))
        y = (wide - now[0].reshape(-1, 1)) / numpy.sqrt(now[1].reshape(-1, 1) + 1e-5) * scale + bias
        kept = [(old * momentum + new * (1 - momentum)).astype(float32) for old, new in zip((mean, variance), now)]
        inputs = [given, *factors, mean, variance]
        yield one_node(f"BatchNormalization training {momentum}", inputs, [y.astype(dtype), *kept], training_mode=1, momentum=momentum)


def norms():
    x = normal(2, 3, 4)
    scale, bias = normal(3, 4), normal(4)
    wide = x.astype(float)

    def normalized(axes, eps=1e-5):
        return (wide - wide.mean(axes, keepdims=True)) / numpy.sqrt(wide.var(axes, keepdims=True) + eps)

    y = (normalized((1, 2)) * scale + bias).astype(float32)
    yield one_node("LayerNormalization axis", [x, scale, bias], y, axis=-2)
    yield one_node("LayerNormalization no bias", [x, scale[0]], (normalized(2) * scale[0]).astype(float32))
    mean = wide.mean(2, keepdims=True).astype(float32)
    deviation = (1 / numpy.sqrt(wide.var(2, keepdims=True) + 1e-5)).astype(float32)
    y = (normalized(2) * bias).astype(float32)
    yield one_node("LayerNormalization statistics", [x, bias], [y, mean, deviation])
    mean_square = (wide**2).mean(2, keepdims=True)
    y = (wide / numpy.sqrt(mean_square + 1e-5) * bias).astype(float32)
    yield one_node("RMSNormalization last", [x, bias], y, opset=23)
    offset = (x + 30).astype(float32)
    exact = offset.astype(float)
    y = (exact - exact.mean(2, keepdims=True)) / numpy.sqrt(exact.var(2, keepdims=True) + 1e-5)
    yield one_node("LayerNormalization far from zero", [offset, numpy.ones(4, float32)], y.astype(float32))
    # Statistics may have more digits than what they are of.
    half, (mean, variance) = x.astype(numpy.float16), (normal(3), numpy.abs(normal(3)) + 0.5)
    factors = [value.astype(numpy.float16) for value in (normal(3), normal(3))]
    column = [value.reshape(3, 1).astype(float) for value in (*factors, mean, variance)]
    y = (half - column[2]) / numpy.sqrt(column[3] + 1e-5) * column[0] + column[1]
    yield one_node("BatchNormalization half", [half, *factors, mean, variance], y.astype(numpy.float16))
    rest = [normal(3), normal(3), mean, variance]
    flat = (x[:, :, 0] - mean) / numpy.sqrt(variance + 1e-2) * rest[0] + rest[1]
    yield one_node("BatchNormalization of rows", [x[:, :, 0], *rest], flat.astype(float32), opset=9, epsilon=1e-2)
    yield from batches_in_training(x, factors, mean, variance)
    centred = wide - wide.mean((0, 2), keepdims=True)
    y = centred / (wide.std((0, 2), keepdims=True) + 1e-9)
    yield one_node("MeanVarianceNormalization axes", [x], y.astype(float32), axes=[0, -1])
    same = numpy.full((2, 3, 2, 2), 7, float32)
    yield one_node("MeanVarianceNormalization of equals", [same], 0 * same)


def small_operators():
    x = f32([-2, -0.5, -0.25, 0, 0.25, 0.5, 2, nan, inf, -inf])
    with numpy.errstate(all="ignore"):
        shrunk = numpy.where(x < -0.5, x + 0.125, numpy.where(x > 0.5, x - 0.125, 0)).astype(float32)
    yield one_node("Shrink edges", [x], shrunk, bias=0.125)
    angles = numpy.linspace(-9, 9, 37, dtype=float32)
    yield one_node("Tan", [angles], numpy.tan(angles.astype(float)).astype(float32))
    for kind in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"):
        limits = numpy.iinfo(kind)
        bits = array([limits.min, 0, 1, 5, limits.max], kind)
        yield one_node(f"BitwiseNot {kind}", [bits], ~bits)
    pooled = normal(2, 3, 4, 2, 2)
    pooled[0, 0, 1] = nan
    yield one_node("GlobalMaxPool nan", [pooled], pooled.max((2, 3, 4), keepdims=True))
    yield one_node("GlobalAveragePool nan", [pooled], pooled.mean((2, 3, 4), keepdims=True))
    yield one_node("GlobalAveragePool no places", [pooled[:, :, 0, 0, 0]], pooled[:, :, 0, 0, 0])
    for time, batch in ((0, 1), (1, 0)):
        y, lengths = normal(4, 4, 3), i64(4, 1, 3, 2)
        turned = y.copy()
        for row, length in enumerate(lengths):
            part = (slice(0, length), row) if time == 0 else (row, slice(0, length))
            turned[part] = y[part][::-1]
        yield one_node(f"ReverseSequence time {time}", [y, lengths], turned, time_axis=time, batch_axis=batch)


FAMILIES = [rows, arithmetic, casts, scans, reductions, contractions, norms, small_operators]
