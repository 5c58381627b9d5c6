# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What implementers get wrong where numbers are quantized; what is right comes from NumPy.
import numpy
from numpy import array, float16, float32, inf, int8, int16, int32, uint8, uint16
from one_node import RANDOM, f32, normal, one_node


def quantize(x, scale, zero):
    """Rounded, and saturated at the bounds of the zero point's type."""
    bounds = numpy.iinfo(zero.dtype)
    return numpy.clip(numpy.rint(x / scale) + zero, bounds.min, bounds.max).astype(zero.dtype)


def draw(kind, *shape):
    bounds = numpy.iinfo(kind)
    return RANDOM.integers(bounds.min, bounds.max + 1, shape).astype(kind)


def linear():
    x = f32(0.25, 0.75, -0.25, -0.75, 1.25, 63.9, 64.1, -64.1, -1e30, 1e30)
    for zero in (uint8(0), uint8(3), int8(0), int8(-3), uint16(7), int16(-7)):
        zero = numpy.asarray(zero)
        yield one_node(f"QuantizeLinear halves {zero.dtype} {zero}", [x, f32(0.5)[0], zero], quantize(x, float32(0.5), zero))
    yield one_node("QuantizeLinear without zero", [x, array(0.5, float32)], quantize(x, float32(0.5), array(0, uint8)))
    yield one_node("QuantizeLinear infinite", [f32(inf, -inf), array(1, float32), array(5, int8)], array([127, -128], int8))
    y = normal(3, 4, 5)
    scale, zero = numpy.abs(normal(4)) + float32(0.01), draw(int8, 4)
    expected = quantize(y, scale[:, None], zero[:, None])
    yield one_node("QuantizeLinear axis by default", [y, scale, zero], expected)
    yield one_node("QuantizeLinear axis from the end", [y, scale, zero], expected, axis=-2)
    yield one_node("QuantizeLinear last axis", [y.swapaxes(1, 2), scale, zero], expected.swapaxes(1, 2), axis=2)
    yield one_node("QuantizeLinear vector of one", [y[0, 0], scale[:1], zero[:1]], quantize(y[0, 0], scale[0], zero[:1]))
    yield one_node("QuantizeLinear by type", [y, array(0.1, float32)], quantize(y, float32(0.1), array(0, int16)), output_dtype=5)
    blocks, zeros = numpy.abs(normal(3, 2, 5)) + float32(0.01), draw(uint8, 3, 2, 5)
    spread = [numpy.repeat(value, 3, axis=1)[:, :4] for value in (blocks, zeros)]
    yield one_node("QuantizeLinear blocks with a rest", [y, blocks, zeros], quantize(y, *spread), axis=1, block_size=3)

    row, few = normal(64), numpy.abs(normal(4)) + float32(0.01)
    expected = quantize(row, numpy.repeat(few, 16), array(0, uint8))
    yield one_node("QuantizeLinear blocks of a vector", [row, few], expected, axis=0, block_size=16)

    for kind in (uint8, int8, uint16, int16):
        q, zero = draw(kind, 3, 4, 5), draw(kind, 4)
        wide = (q.astype(float32) - zero[:, None]) * scale[:, None]
        yield one_node(f"DequantizeLinear {kind.__name__}", [q, scale, zero], wide.astype(float32))
    q, zeros = draw(uint8, 3, 4, 5), draw(uint8, 3, 2, 5)
    wide = (q.astype(float32) - numpy.repeat(zeros, 3, axis=1)[:, :4]) * numpy.repeat(blocks, 3, axis=1)[:, :4]
    yield one_node("DequantizeLinear blocks with a rest", [q, blocks, zeros], wide.astype(float32), axis=-2, block_size=3)
    large = array([2**31 - 1, -(2**31), 16777217], int32)
    yield one_node("DequantizeLinear int32", [large, array(0.5, float32)], large.astype(float32) * float32(0.5))
    half = scale.astype(float16)
    wide = ((q.astype(float32) - zeros[0, 0, 0]) * half[0].astype(float32)).astype(float16)
    yield one_node("DequantizeLinear to half", [q, half[0], zeros[0, 0, 0]], wide)


def dynamic():
    for title, x in [("both signs", normal(3, 5) * 3), ("positive", numpy.abs(normal(7)) + 2), ("negative", -numpy.abs(normal(2, 2)) - 2),
                     ("zeros", numpy.zeros((2, 3), float32)), ("one", f32(-4)[0])]:  # fmt: skip
        x = numpy.asarray(x, float32)
        high, low = max(float32(0), x.max()), min(float32(0), x.min())
        scale = float32(high - low if high != low else 1) / float32(255)
        zero = numpy.clip(numpy.rint(-low / scale), 0, 255).astype(uint8)
        yield one_node(f"DynamicQuantizeLinear {title}", [x], [quantize(x, scale, zero), scale, zero])


def products():
    for left, right in [((3, 5), (5, 4)), ((2, 3, 5), (5, 4)), ((2, 1, 3, 5), (2, 5, 4))]:
        for kinds in [(uint8, int8), (uint8, uint8), (int8, int8)]:
            a, b = draw(kinds[0], *left), draw(kinds[1], *right)
            title = f"MatMulInteger {left} {right} {kinds[0].__name__} {kinds[1].__name__}"
            yield one_node(title, [a, b], numpy.matmul(a.astype(int32), b.astype(int32)))
            zero, zeros = draw(kinds[0]), draw(kinds[1], 4)
            wide = numpy.matmul(a.astype(int32) - zero, b.astype(int32) - zeros)
            yield one_node(f"{title} zeros", [a, b, zero, zeros], wide.astype(int32))
    a, b, zeros = draw(uint8, 3, 5), draw(int8, 5, 4), draw(uint8, 3)
    wide = numpy.matmul(a.astype(int32) - zeros[:, None], b.astype(int32))
    yield one_node("MatMulInteger vector", [a[0], b, zeros[:1]], numpy.matmul(a[0].astype(int32) - zeros[0], b.astype(int32)).astype(int32))
    yield one_node("MatMulInteger zeros of rows", [a, b, zeros], wide.astype(int32))
    scales, zero = numpy.abs(normal(4)) / 50 + float32(0.01), draw(int8, 4)
    factor = float32(0.02) * scales.astype(float) / float32(0.3)
    wide = numpy.matmul(a.astype(int32) - 7, b.astype(int32) - zero) * factor + 100
    inputs = [a, array(0.02, float32), array(7, uint8), b, scales, zero, array(0.3, float32), array(100, uint8)]
    one = [array([0.02], float32), array([7], uint8), b, array([0.05], float32), array([0], int8), array([0.3], float32), array([100], uint8)]
    product = numpy.matmul(a[0].astype(int32) - 7, b.astype(int32)) * (float32(0.02) * float32(0.05) / float32(0.3)) + 100
    yield one_node("QLinearMatMul vector", [a[0], *one], numpy.clip(numpy.rint(product), 0, 255).astype(uint8))
    yield one_node("QLinearMatMul columns", inputs, numpy.clip(numpy.rint(wide), 0, 255).astype(uint8))


def wrong():
    """What ONNX gives no meaning."""
    x, q = normal(3, 4), draw(uint8, 3, 4)
    one = array(1, float32)
    yield one_node("QuantizeLinear too many scales", [x, numpy.ones(5, float32), numpy.zeros(5, uint8)], None)
    yield one_node("QuantizeLinear matrix of scales", [x, numpy.ones((3, 4), float32), numpy.zeros((3, 4), uint8)], None)
    yield one_node("QuantizeLinear axis far", [x, numpy.ones(4, float32), numpy.zeros(4, uint8)], None, axis=2)
    yield one_node("QuantizeLinear scales of one dim", [x[:, :1], numpy.ones(3, float32), numpy.zeros(3, uint8)], None)
    yield one_node("QuantizeLinear too many blocks", [x, numpy.ones((3, 3), float32), numpy.zeros((3, 3), uint8)], None, block_size=2)
    yield one_node("QuantizeLinear blocks of other rows", [x, numpy.ones((1, 2), float32), numpy.zeros((1, 2), uint8)], None, block_size=2)
    yield one_node("DequantizeLinear other zero", [q, one, array(1, int8)], None)
    yield one_node("DequantizeLinear floats", [x, one], None)
    yield one_node("MatMulInteger floats", [x, normal(4, 2)], None)


FAMILIES = [linear, dynamic, products, wrong]
