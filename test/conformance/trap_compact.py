# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Elements of eight bits and less: every code of every type, and numbers on either side of all that are rounded to.
import re

import cases
import ml_dtypes
import numpy
from numpy import float16, float32, float64, inf, int8, int32, int64, nan, uint8
from one_node import RANDOM, f32, i64, normal, one_node
from onnx import helper, numpy_helper

FLOATS = [ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e4m3fnuz, ml_dtypes.float8_e5m2, ml_dtypes.float8_e5m2fnuz,
          ml_dtypes.float4_e2m1fn]  # fmt: skip
POWERS = ml_dtypes.float8_e8m0fnu
INTEGERS = [ml_dtypes.int4, ml_dtypes.uint4, ml_dtypes.int2, ml_dtypes.uint2]


def bits_of(kind):
    return (ml_dtypes.iinfo if kind in INTEGERS else ml_dtypes.finfo)(kind).bits


def codes(kind):
    """Every element of a type."""
    return numpy.arange(1 << bits_of(kind), dtype=uint8).view(kind)


def number_of(kind):
    return helper.np_dtype_to_tensor_dtype(numpy.dtype(kind))


def cast(title, x, expected, **attributes):
    return one_node(f"Cast {title}", [x], expected, opset=25, to=number_of(expected.dtype), **attributes)


def between(kind):
    """What lies on, half-way between and beside half-way between the numbers of a type, and far beyond them."""
    finite = codes(kind).astype(float64)
    finite = numpy.unique(finite[numpy.isfinite(finite)])
    halves = (finite[1:] + finite[:-1]) / 2
    beside = [numpy.nextafter(halves.astype(float32), float32(to)).astype(float64) for to in (-inf, inf)]
    step = finite[-1] - finite[-2]
    beyond = [finite[-1] + part * step for part in (0.25, 0.5, 0.75, 1, 10)]
    smallest = finite[finite > 0][0]
    return numpy.concatenate([finite, halves, *beside, beyond, -numpy.array(beyond), [smallest / 2, smallest / 4, 1e30, inf, -inf, nan, 0.0, -0.0]])


def saturated(x, kind):
    most = x.dtype.type(ml_dtypes.finfo(kind).max)
    return numpy.clip(x, -most, most).astype(kind)


def floats():
    for kind in FLOATS:
        name = kind.__name__
        for wide in (float32, float16, float64):
            yield cast(f"{name} to {wide.__name__}", codes(kind), codes(kind).astype(wide))
            with numpy.errstate(over="ignore"):
                x = between(kind).astype(wide)
            yield cast(f"{wide.__name__} to {name}", x, saturated(x, kind))
            if kind != ml_dtypes.float4_e2m1fn:
                yield cast(f"{wide.__name__} beyond {name}", x, x.astype(kind), saturate=0)
        # Beside half-way by less than an f32 tells: rounding twice would go wrong.
        tight = numpy.array([1.0625, 1.125, 1.25, 1.1875]) * (1 + 2.0**-40)
        yield cast(f"double to {name} once", tight, numpy.nextafter(tight.astype(float32), float32(inf)).astype(kind))
        bfloat = RANDOM.normal(0, 4, 50).astype(ml_dtypes.bfloat16)
        yield cast(f"bfloat16 to {name}", bfloat, saturated(bfloat.astype(float32), kind))
        yield cast(f"int64 to {name}", i64(0, 1, -3, 17, 1000, -100000), saturated(f32(0, 1, -3, 17, 1000, -100000), kind))
        numbers = codes(kind)[numpy.isfinite(codes(kind).astype(float32))]
        yield cast(f"{name} to int32", numbers, numbers.astype(float32).astype(int32))
        yield cast(f"{name} to bool", codes(kind), codes(kind).astype(float32) != 0)
        yield cast(f"{name} to e4m3", numbers, saturated(numbers.astype(float32), ml_dtypes.float8_e4m3fn))


def powers():
    yield cast("e8m0 to float", codes(POWERS), codes(POWERS).astype(float32))
    x = f32(0, 1e-45, 2.0**-127, 1.5 * 2.0**-127, 2.0**-126, 1, 1.25, 1.5, 1.75, 3, 3.3e38, 2.0**127, inf, nan)
    for mode in ("up", "down", "nearest"):
        for saturate in (0, 1):
            expected = numpy_helper.to_float8e8m0(x, bool(saturate), mode)
            yield cast(f"to e8m0 {mode} {saturate}", x, numpy.asarray(expected).view(POWERS), round_mode=mode, saturate=saturate)


def wrapped(x, kind):
    """The lowest bits of integers."""
    bits = bits_of(kind)
    low = x.astype(int64) & ((1 << bits) - 1)
    if numpy.dtype(kind).name.startswith("int"):
        low = numpy.where(low >= 1 << (bits - 1), low - (1 << bits), low)
    return low.astype(int8).astype(kind)


def integers():
    for kind in INTEGERS:
        name = kind.__name__
        for wide in (float32, float16, int8, uint8, int64):
            values = codes(kind).astype(int8)
            yield cast(f"{name} to {wide.__name__}", codes(kind), values.astype(wide))
        x = numpy.arange(-40, 40)
        for wide in (int8, int32, int64, float32):
            yield cast(f"{wide.__name__} to {name}", x.astype(wide), wrapped(x, kind))
        yield cast(f"fractions to {name}", f32(0.9, 1.9, -0.9), wrapped(numpy.array([0, 1, 0]), kind))
        yield cast(f"{name} to int2", codes(kind), wrapped(codes(kind).astype(int8), ml_dtypes.int2))
        yield cast(f"{name} to e5m2", codes(kind), codes(kind).astype(float32).astype(ml_dtypes.float8_e5m2))


def moves():
    """Operators that compute nothing; an odd number of elements does not fill the bytes of a file."""
    for kind in (*INTEGERS, *FLOATS, POWERS):
        name = kind.__name__
        x = numpy.resize(codes(kind), 105).reshape(3, 5, 7)
        yield one_node(f"Identity {name}", [x], x, opset=25)
        yield one_node(f"Transpose {name}", [x], x.transpose(2, 0, 1), perm=[2, 0, 1], opset=25)
        yield one_node(f"Reshape {name}", [x, i64(7, -1)], x.reshape(7, 15), opset=25)
        fill = numpy.array(1, float32).astype(kind)
        padded = numpy.pad(x.view(uint8), [(1, 0), (0, 2), (0, 0)], constant_values=fill.view(uint8)).view(kind)
        yield one_node(f"Pad {name}", [x, i64(1, 0, 0, 0, 2, 0), fill], padded, opset=25)
        yield one_node(f"BitCast {name}", [x], x.view(uint8) if bits_of(kind) == 8 else x, to=number_of(uint8 if bits_of(kind) == 8 else kind), opset=26)
    nibbles = codes(ml_dtypes.int4)
    yield one_node("BitCast int4 to float4", [nibbles], (nibbles.view(uint8) & 15).view(ml_dtypes.float4_e2m1fn), to=23, opset=26)
    yield one_node("BitCast float4 to int4", [codes(ml_dtypes.float4_e2m1fn)], nibbles, to=22, opset=26)
    yield one_node("BitCast unlike", [nibbles], None, to=2, opset=26)
    yield one_node("Abs float8", [codes(FLOATS[0])], None)
    yield one_node("Add int4", [nibbles, nibbles], None)
    yield one_node("Add float8", [codes(FLOATS[0]), codes(FLOATS[0])], None)
    yield one_node("Equal float8", [codes(FLOATS[0]), codes(FLOATS[0])], None)


def quantized():
    x, scale = normal(6, 10) * 3, numpy.abs(normal(6)) + float32(0.1)
    for kind in INTEGERS:
        least, most = int(ml_dtypes.iinfo(kind).min), int(ml_dtypes.iinfo(kind).max)
        zero = RANDOM.integers(least, most + 1, 6).astype(int8).astype(kind)
        offset = zero.astype(float32)[:, None]
        q = numpy.clip(numpy.rint(x / scale[:, None]) + offset, least, most).astype(int8).astype(kind)
        yield one_node(f"QuantizeLinear {kind.__name__}", [x, scale, zero], q, axis=0, opset=25)
        wide = (q.astype(float32) - offset) * scale[:, None]
        yield one_node(f"DequantizeLinear {kind.__name__}", [q, scale, zero], wide, axis=0, opset=25)
        blocks = numpy.abs(normal(6, 3)) + float32(0.1)
        wide = q.astype(float32) * numpy.repeat(blocks, 4, axis=1)[:, :10]
        yield one_node(f"DequantizeLinear {kind.__name__} blocks", [q, blocks], wide, axis=1, block_size=4, opset=25)
    for kind in FLOATS:
        q = saturated(x / scale[:, None], kind)
        yield one_node(f"QuantizeLinear {kind.__name__}", [x, scale], q, axis=0, output_dtype=number_of(kind), opset=25)
        wide = q.astype(float32) * scale[:, None]
        yield one_node(f"DequantizeLinear {kind.__name__}", [q, scale], wide, axis=0, opset=25)


def product(title, weights, scales, zeros, expected, x, transposed=False, **attributes):
    """x times constant weights that DequantizeLinear reads, the way quantizers of weights write it."""
    held = [weights, scales, zeros]
    names = ["w", "s", "z"][: 2 if zeros is None else 3]
    nodes = [helper.make_node("DequantizeLinear", names, ["m"], **attributes)]
    if transposed:
        nodes.append(helper.make_node("Transpose", ["m"], ["t"], perm=[1, 0]))
    nodes.append(helper.make_node("MatMul", ["x0", "t" if transposed else "m"], ["y0"]))
    constants = [numpy_helper.from_array(value, name) for value, name in zip(held, names)]
    inputs = [helper.make_tensor_value_info("x0", number_of(x.dtype), x.shape)]
    outputs = [helper.make_tensor_value_info("y0", number_of(x.dtype), expected.shape)]
    name = "trap_product_" + re.sub(r"\W+", "_", title)
    graph = helper.make_graph(nodes, name, inputs, outputs, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 25)], ir_version=11)
    return cases.Case(name, model, {"x0": numpy_helper.from_array(x, "x0")}, [expected])


def products():
    for kind in (*INTEGERS, int8, uint8):
        info = ml_dtypes.iinfo(kind)
        for depth, block, columns in ((96, 32, 40), (70, 16, 7), (128, 128, 33)):
            groups = -(-depth // block)
            w = RANDOM.integers(int(info.min), int(info.max) + 1, (depth, columns)).astype(numpy.int16).astype(kind)
            scales = numpy.abs(normal(groups, columns)) + float32(0.1)
            zeros = RANDOM.integers(int(info.min), int(info.max) + 1, (groups, columns)).astype(numpy.int16).astype(kind)
            x = RANDOM.uniform(0.1, 1, (3, depth)).astype(float32)
            for title, zero in (("", None), ("with zeros ", zeros)):
                offset = 0 if zero is None else numpy.repeat(zero.astype(float32), block, axis=0)[:depth]
                matrix = (w.astype(float32) - offset) * numpy.repeat(scales, block, axis=0)[:depth]
                expected = (x.astype(float64) @ matrix.astype(float64)).astype(float32)
                name = f"{title}{numpy.dtype(kind).name} {depth}"
                yield product(name, w, scales, zero, expected, x, axis=0, block_size=block)
                turned = [value if value is None else numpy.ascontiguousarray(value.T) for value in (w, scales, zero)]
                yield product(f"{name} turned", *turned, expected, x, transposed=True, axis=1, block_size=block)
        w = RANDOM.integers(int(info.min), int(info.max) + 1, (150, 20)).astype(numpy.int16).astype(kind)
        line, zero = numpy.abs(normal(20)) + float32(0.1), w[0]
        x = RANDOM.uniform(0.1, 1, (2, 150)).astype(float32)
        matrix = (w.astype(float64) - zero.astype(float64)) * line
        yield product(f"columns {numpy.dtype(kind).name}", w, line, zero, (x @ matrix).astype(float32), x, axis=1)


def wrong():
    """Types that ONNX does not have there."""
    x, q = normal(3), RANDOM.integers(-8, 8, 3).astype(ml_dtypes.int4)
    yield one_node("DequantizeLinear to int8", [q, numpy.array(0.5, float32)], None, output_dtype=number_of(int8), opset=25)
    yield one_node("DequantizeLinear by float8", [q, numpy.array(0.5, FLOATS[0])], None, opset=25)
    power = numpy.array(0.5, POWERS)
    yield one_node("QuantizeLinear by a power", [x, power], saturated(x * 2, FLOATS[0]), output_dtype=number_of(FLOATS[0]), opset=25)
    yield one_node("ConvInteger of a scalar", [uint8([[[1, 2]]]), numpy.array(1, uint8), numpy.array(0, uint8), uint8([1, 2, 3])], None)


FAMILIES = [floats, powers, integers, moves, quantized, products, wrong]
