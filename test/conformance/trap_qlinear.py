# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Operators of com.microsoft that quantizers and optimizers of ONNX Runtime write: on bytes, on weights of 4 bits, and what they
# fuse. What is right comes from NumPy, and was compared with what ONNX Runtime 1.30 computes.
import cases
import numpy
from numpy import array, float16, float32, int8, int32, uint8, uint16
from one_node import RANDOM, f32, normal, one_node
from trap_attention import by_head
from trap_contrib import CONTRIB, attend
from trap_quantize import draw, quantize


def wide(x, scale, zero=0):
    return (x.astype(float32) - numpy.asarray(zero).astype(float32)) * scale


def scalars(*values):
    return [array(value, float32) for value in values]


def softmax(x, axes):
    powers = numpy.exp(x - x.max(axis=axes, keepdims=True))
    return powers / powers.sum(axis=axes, keepdims=True)


def pairs():
    left, right, out = scalars(0.02, 0.03, 0.05)
    for kind in (uint8, int8):
        a, b, (za, zb, zc) = draw(kind, 2, 3, 5), draw(kind, 3, 5), draw(kind, 3)
        inputs = [a, left, array(za), b, right, array(zb), out, array(zc)]
        x, y = wide(a, left, za), wide(b, right, zb)
        yield one_node(f"{CONTRIB}QLinearAdd {kind.__name__}", inputs, quantize(x + y, out, zc))
        yield one_node(f"{CONTRIB}QLinearMul {kind.__name__}", inputs, quantize(x * y, out, zc))
    name, expected = f"{CONTRIB}QLinearAdd", quantize(wide(a, left) + wide(b, right), out, array(0, kind))
    yield one_node(f"{name} no zeros", [a, left, None, b, right, None, out], expected)
    lists = [a, left[None], None, b, right[None], None, out[None], array([7], kind)]
    yield one_node(f"{name} lists of one", lists, quantize(wide(a, left) + wide(b, right), out, array(7, kind)))
    yield one_node(f"{name} a scale for each", [a, f32(1, 2, 3, 4, 5), None, b, right, None, out], None)
    yield one_node(f"{name} no scale", [a, left, None, b, None, None, out], None)
    yield one_node(f"{name} another zero", [a, left, array(1, uint16), b, right, None, out], None)
    yield one_node(f"{name} floats", [normal(3, 5), left, None, b, right, None, out], None)
    chosen = RANDOM.integers(0, 2, (2, 1, 5)).astype(bool)
    expected = quantize(numpy.where(chosen, x, y), out, zc)
    yield one_node(f"{CONTRIB}QLinearWhere", [chosen, *inputs], expected)
    name, parts = f"{CONTRIB}QLinearConcat", [out, array(zc), a[0], left, array(za), b[:2], right, array(zb)]
    yield one_node(name, parts, quantize(numpy.concatenate([x[0], y[:2]]), out, zc), axis=0)
    parts[5] = b
    yield one_node(f"{name} last axis", parts, quantize(numpy.concatenate([x[0], y], axis=1), out, zc), axis=-1)
    yield one_node(f"{name} two inputs of a part", parts[:4], None, axis=0)


def unary():
    a, (scale, out), za = draw(uint8, 2, 3, 4, 6), scalars(0.04, 0.0107), array(120, uint8)
    x, zero = wide(a, scale, za), array(7, uint8)
    inputs = [a, scale, za, out, zero]
    yield one_node(f"{CONTRIB}QLinearSigmoid", inputs, quantize(1 / (1 + numpy.exp(-x)), out, zero))
    yield one_node(f"{CONTRIB}QLinearLeakyRelu", inputs, quantize(numpy.where(x < 0, float32(0.25) * x, x), out, zero), alpha=0.25)
    yield one_node(f"{CONTRIB}QLinearLeakyRelu by default", inputs, quantize(numpy.where(x < 0, float32(0.01) * x, x), out, zero))
    name = f"{CONTRIB}QLinearSoftmax"
    yield one_node(name, inputs, quantize(softmax(x, 3), out, zero), opset_attribute=13)
    yield one_node(f"{name} axis", inputs, quantize(softmax(x, 1), out, zero), axis=1, opset_attribute=17)
    small = inputs[:3] + scalars(1 / 256) + [array(0, uint8)]
    yield one_node(f"{name} flattened", small, quantize(softmax(x, (2, 3)), small[3], small[4]), axis=2, opset_attribute=12)
    yield one_node(f"{name} without opset", inputs, None)
    name, average = f"{CONTRIB}QLinearGlobalAveragePool", x.mean(axis=(2, 3), keepdims=True, dtype=float)
    yield one_node(name, inputs, quantize(average, out, zero))
    yield one_node(f"{name} channels last", inputs, None, channels_last=1)
    name = f"{CONTRIB}QLinearAveragePool"
    windows = numpy.lib.stride_tricks.sliding_window_view(x, (2, 3), axis=(2, 3)).mean(axis=(4, 5), dtype=float)
    yield one_node(name, inputs, quantize(windows, out, zero), kernel_shape=[2, 3])
    padded = numpy.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = numpy.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3)).mean(axis=(4, 5), dtype=float)[:, :, ::2]
    yield one_node(f"{name} pads count", inputs, quantize(windows, out, zero), kernel_shape=[3, 3], pads=[1] * 4, strides=[2, 1], count_include_pad=1)


def products():
    a, b, zb = draw(uint8, 3, 7), draw(int8, 7, 5), draw(int8, 5)
    (left, one, out), each, za = scalars(0.02, 0.01, 0.3), numpy.abs(normal(5)) / 50, array(130, uint8)
    sums = (a.astype(int32) - 130) @ (b.astype(int32) - zb)
    c, zero = RANDOM.integers(-9999, 9999, 5).astype(int32), array(100, uint8)
    name = f"{CONTRIB}QGemm"
    inputs = [a, left, za, b, each, zb, c, out, zero]
    yield one_node(name, inputs, quantize((sums + c).astype(float32) * (left * each), out, zero))
    expected = ((sums + c).astype(float32) * (float32(0.5) * left * each)).astype(float32)
    yield one_node(f"{name} transposed to floats", [a.T, left, za, b.T, each, zb, c], expected, alpha=0.5, transA=1, transB=1)
    plain = (a.astype(int32) @ b.astype(int32)).astype(float32) * (left * one)
    yield one_node(f"{name} no zeros", [a, left, None, b, one, None, None, out, zero], quantize(plain, out, zero))
    yield one_node(f"{name} larger C", [a[:1], *inputs[1:6], numpy.stack([c, c]), out, zero], None)
    yield one_node(f"{name} rank 3", [a[None], *inputs[1:]], None)

    name, bias = f"{CONTRIB}MatMulIntegerToFloat", normal(5)
    yield one_node(name, [a, b, left, each, za, zb, bias], (sums * (left * each).astype(float) + bias).astype(float32))
    yield one_node(f"{name} no zeros", [a, b, left, one], plain)
    both = numpy.stack([a, a[::-1]])
    expected = numpy.stack([sums, sums[::-1]]).astype(float32) * (left * one)
    yield one_node(f"{name} batch", [both, b, left, one, za, zb], expected)

    name, x = f"{CONTRIB}DynamicQuantizeMatMul", normal(2, 3, 7) * 3
    scale = float32(max(x.max(), 0) - min(x.min(), 0)) / float32(255)
    zero = numpy.clip(numpy.rint(-x.min() / scale), 0, 255).astype(uint8)
    sums = (quantize(x, scale, zero).astype(int32) - zero) @ (b.astype(int32) - zb)
    yield one_node(name, [x, b, each, zb, bias], (sums * (scale * each).astype(float) + bias).astype(float32))
    sums = (quantize(x, scale, zero).astype(int32) - zero) @ b.astype(int32)
    yield one_node(f"{name} no zero", [x, b, one], (sums * float(scale * one)).astype(float32))


def projected_attention():
    x, weights, bias, heads = draw(uint8, 2, 5, 12), draw(int8, 12, 24), normal(24), {"num_heads": 2}
    (scale, one), each, zero, zeros = scalars(0.01, 0.004), (numpy.abs(normal(24)) + 0.5).astype(float32) / 200, array(120, uint8), draw(int8, 24)
    mask = array([[1, 1, 1, 1, 0], [1, 1, 0, 0, 0]], int32)

    def attended(projected, keep=True, past=None):
        q, k, v = (by_head(part, 2) for part in numpy.split(projected, 3, axis=-1))
        if past is not None:
            k, v = numpy.concatenate([past[0], k], axis=2), numpy.concatenate([past[1], v], axis=2)
        return attend(q, k, v, keep=keep), numpy.stack([k, v]).astype(float32)

    name, projected = f"{CONTRIB}QAttention", wide(x, scale, zero).astype(float) @ wide(weights, each, zeros) + bias
    yield one_node(name, [x, weights, bias, scale, each, None, zero, zeros], attended(projected)[0], **heads)
    expected = attended(projected, keep=mask[:, None, None].astype(bool))[0]
    yield one_node(f"{name} mask", [x, weights, bias, scale, each, mask, zero, zeros], expected, **heads)
    projected = wide(x, scale).astype(float) @ wide(weights, one) + bias
    past = normal(2, 2, 2, 3, 4)
    expected, present = attended(projected, past=past)
    yield one_node(f"{name} past", [x, weights, bias, scale, one, None, None, None, past], [expected, present], **heads)
    yield one_node(f"{name} shared buffer", [x, weights, bias, scale, one], None, past_present_share_buffer=1, **heads)


def embeddings():
    ids, segments = RANDOM.integers(0, 9, (2, 5)).astype(int32), RANDOM.integers(0, 2, (2, 5)).astype(int32)
    tables = [draw(uint8, 9, 8), draw(uint8, 7, 8), draw(uint8, 2, 8), draw(uint8, 8), draw(uint8, 8)]
    scales, zeros = scalars(0.01, 0.02, 0.03, 0.04, 0.05), [array(value, uint8) for value in (128, 120, 3, 0, 255)]
    words, places, kinds, scale, shift = (wide(*each).astype(float) for each in zip(tables, scales, zeros))
    mask = array([[1, 1, 0, 0, 0], [1, 1, 1, 1, 1]], int32)

    def layer(x):
        centred = x - x.mean(axis=-1, keepdims=True)
        return (centred / numpy.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-5) * scale + shift).astype(float32)

    name = f"{CONTRIB}QEmbedLayerNormalization"
    expected = [layer(words[ids] + places[:5] + kinds[segments]), mask.sum(axis=1).astype(int32)]
    yield one_node(name, [ids, segments, *tables, mask, *scales, *zeros], expected, epsilon=1e-5)
    tables[2] = scales[2] = zeros[2] = None
    expected = [layer(words[ids] + places[:5]), array([0, 0], int32)]
    yield one_node(f"{name} no segments", [ids, None, *tables, None, *scales, *zeros], expected, epsilon=1e-5)
    yield one_node(f"{name} no scale", [ids, None, *tables, None, *scales[:4], None, *zeros], None)


NORMAL_FLOATS = f32(-1, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635, -0.18477343022823334,
                    -0.09105003625154495, 0, 0.07958029955625534, 0.16093020141124725, 0.24611230194568634, 0.33791524171829224,
                    0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1)  # fmt: skip
HALF_OF_FLOATS = f32(0, 5.208333333e-03, 0.66666667, 1, 0.33333333, 0.5, 0.16666667, 0.25)


def multiply(title, x, packed, scales, expected, **attributes):
    """Weights and scales are constants."""
    return cases.make_constant(one_node(f"{CONTRIB}MatMulBnb4 {title}", [x, packed, scales], expected, **attributes), ["x1", "x2"])


def four_bits():
    tables = [numpy.concatenate([HALF_OF_FLOATS, -HALF_OF_FLOATS]), NORMAL_FLOATS]
    for title, n, k, block, kind in [("FP4", 6, 64, 32, 0), ("NF4", 6, 64, 32, 1), ("many columns", 100, 128, 64, 1), ("one block", 3, 32, 64, 1),
                                     ("blocks over rows", 5, 40, 16, 1), ("odd", 3, 7, 16, 0)]:  # fmt: skip
        packed, count = draw(uint8, (n * k + 1) // 2), n * k
        places = numpy.stack([packed >> 4, packed & 15], axis=1).reshape(-1)[:count]
        scales = (numpy.abs(normal(-(-count // block))) + 0.5).astype(float32)
        weights = (tables[kind][places] * numpy.repeat(scales, block)[:count]).reshape(n, k)
        x = normal(2, 3, k)
        attributes = {"K": k, "N": n, "block_size": block, "quant_type": kind}
        yield multiply(title, x, packed, scales, (x.astype(float) @ weights.T).astype(float32), **attributes)
    halves = x.astype(float16), scales.astype(float16)
    weights = (tables[kind][places] * numpy.repeat(halves[1].astype(float32), block)[:count]).astype(float16).reshape(n, k)
    yield multiply("halves", halves[0], packed, halves[1], (halves[0].astype(float) @ weights.T.astype(float)).astype(float16), **attributes)
    yield multiply("too few scales", x, packed, scales[:1], None, **attributes)
    yield multiply("another type", x, packed, scales, None, **(attributes | {"quant_type": 2}))
    yield one_node(f"{CONTRIB}MatMulBnb4 weights of the run", [x, packed, scales], None, **attributes)


def fused():
    a, b, c = normal(3, 7), normal(5, 7), normal(5)
    product, name = a.astype(float) @ b.T + c, f"{CONTRIB}FusedGemm"
    x, weights, bias, added = normal(2, 3, 6, 6), normal(4, 3, 1, 1), normal(4), normal(2, 4, 6, 6)
    sums = numpy.einsum("ncij,oc->noij", x.astype(float), weights[:, :, 0, 0]) + bias[:, None, None]
    for activation, parameters, function in [
        ("Relu", [], lambda v: numpy.maximum(v, 0)),
        ("Tanh", [], numpy.tanh),
        ("Sigmoid", [], lambda v: 1 / (1 + numpy.exp(-v))),
        ("LeakyRelu", [0.25], lambda v: numpy.where(v < 0, 0.25 * v, v)),
        ("HardSigmoid", [0.25, 0.5], lambda v: numpy.clip(0.25 * v + 0.5, 0, 1)),
        ("Clip", [-0.5, 1.5], lambda v: numpy.clip(v, -0.5, 1.5)),
    ]:
        named = {f"activation_{which}": value for which, value in zip(("alpha", "beta"), parameters)}
        if activation != "Clip":
            yield one_node(f"{name} {activation}", [a, b, c], function(product).astype(float32), transB=1, activation=activation, **named)
        listed = {"activation_params": parameters} if parameters else {}
        yield one_node(f"{CONTRIB}FusedConv {activation}", [x, weights, bias], function(sums).astype(float32), activation=activation, **listed)
    for activation, function in [
        ("Softplus", lambda v: numpy.log1p(numpy.exp(v))),
        ("Softsign", lambda v: v / (1 + numpy.abs(v))),
        ("Elu", lambda v: numpy.where(v < 0, 0.5 * numpy.expm1(v), v)),
        ("ThresholdedRelu", lambda v: numpy.where(v > 0.5, v, 0)),
    ]:
        yield one_node(f"{name} {activation}", [a, b, c], function(product).astype(float32), transB=1, activation=activation, activation_alpha=0.5)
    yield one_node(f"{name} another", [a, b, c], None, transB=1, activation="Sin")
    expected = numpy.maximum(sums + added, 0).astype(float32)
    yield one_node(f"{CONTRIB}FusedConv added", [x, weights, bias, added], expected, activation="Relu")
    yield one_node(f"{CONTRIB}FusedConv parameters are missing", [x, weights], None, activation="Clip")
    yield one_node(f"{CONTRIB}TransposeMatMul", [a, b], (a.astype(float) @ b.T * 0.5).astype(float32), transB=1, alpha=0.5)


def linear():
    x, scale, zero = normal(3, 4), f32(0.01, 0.02, 0.03, 0.04), draw(uint16, 4)
    q = quantize(x, scale, zero)
    yield one_node(f"{CONTRIB}QuantizeLinear 16 bits", [x, scale, zero], q)
    yield one_node(f"{CONTRIB}DequantizeLinear 16 bits", [q, scale, zero], wide(q, scale, zero))
    yield one_node(f"{CONTRIB}DequantizeLinear rows", [q.T.copy(), scale, zero], wide(q, scale, zero).T.copy(), axis=0)


FAMILIES = [pairs, unary, products, projected_attention, embeddings, four_bits, fused, linear]
