# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# com.microsoft's operators of models that mix attention and recurrence, as Qwen 3.5 does, and of embeddings in few bits. What is right comes from NumPy, in f64, and was
# compared with what ONNX Runtime 1.30 computes.
import ml_dtypes
import numpy
from numpy import arange, concatenate, float16, float32
from one_node import RANDOM, normal, one_node
from trap_attention import by_head
from trap_contrib import CONTRIB, caches, rotated, rows_of
from trap_recurrence import linear_attention


def sigmoid(x):
    return 1 / (1 + numpy.exp(-x.astype(float)))


def shared_heads():
    """Query heads that share a head of the state, or the other way round, and keys of which there are fewer still."""
    batch, length, width, value_width = 2, 5, 4, 6
    for queries, keys, heads in ((4, 2, 2), (2, 4, 4), (2, 2, 4), (4, 2, 4)):
        q, k, v = normal(batch, length, queries * width), normal(batch, length, keys * width), normal(batch, length, heads * value_width)
        state, decay, beta = normal(batch, heads, width, value_width), -abs(normal(batch, length, heads)), abs(normal(batch, length, heads))
        most = max(queries, heads)

        def repeated(x, count, times):
            return numpy.repeat(x.reshape(batch, length, count, width), times, 2).reshape(batch, length, -1)

        expected = linear_attention(repeated(q, queries, most // queries), repeated(k, keys, heads // keys), v, most, heads, state, decay, beta)
        attributes = {"q_num_heads": queries, "kv_num_heads": heads}
        title = f"{CONTRIB}LinearAttention {queries} {keys} {heads}"
        yield one_node(title, [q, k, v, state, decay, beta], expected, **attributes)
    for title, changed in (("window", {"state_window": 2}), ("heads", {"q_num_heads": 3, "kv_num_heads": 2})):
        yield one_node(f"{CONTRIB}LinearAttention not {title}", [q, k, v, state, decay, beta], None, **{**attributes, **changed})
    inputs = [normal(batch, length, 4 * width), normal(batch, length, 3 * width), v, state, decay, beta]
    yield one_node(f"{CONTRIB}LinearAttention not keys", inputs, None, **attributes)


def gates():
    a, b, bias, scale = 4 * normal(2, 3, 5), normal(2, 3, 5), normal(5), -abs(normal(5))
    a[0, 0] = [-200, -30, 0, 30, 200]
    decay = scale * (numpy.logaddexp(0, a.astype(float) + bias))
    name = CONTRIB + "LinearAttentionGate"
    yield one_node(f"{name} both", [a, bias, scale, b], [decay.astype(float32), sigmoid(b).astype(float32)])
    yield one_node(f"{name} decay", [a, bias, scale], decay.astype(float32))
    half = [a.astype(float16), bias, scale, b.astype(float16)]
    decay = scale * numpy.logaddexp(0, half[0].astype(float) + bias)
    yield one_node(f"{name} half", half, [decay.astype(float16), sigmoid(half[3]).astype(float16)])
    yield one_node(f"{name} not bias", [a, bias[:4], scale, b], None)


def gated_norms():
    name = CONTRIB + "GatedRMSNorm"

    def expected(x, scale, gate, epsilon):
        rows = x.astype(float).reshape(*x.shape[:-1], -1, scale.size)
        normed = rows / numpy.sqrt((rows * rows).mean(-1, keepdims=True) + epsilon) * scale
        return (normed.reshape(x.shape) * gate * sigmoid(gate)).astype(x.dtype)

    for heads in (1, 3):
        x, scale, gate = normal(2, 5, heads * 4), normal(4), normal(2, 5, heads * 4)
        yield one_node(f"{name} {heads}", [x, scale, gate], expected(x, scale, gate, 1e-5))
        half = [value.astype(float16) for value in (x, scale, gate)]
        yield one_node(f"{name} {heads} half", half, expected(*half, 1e-3), epsilon=1e-3)
    yield one_node(f"{name} not gate", [x, scale, gate[:, :1]], None)
    yield one_node(f"{name} not scale", [x, normal(5), gate], None)


def causal_convs():
    name, length = CONTRIB + "CausalConvWithState", 5
    for dilation, taps in ((1, 3), (2, 3), (3, 1)):
        before = (taps - 1) * dilation
        for last, dims in ((0, (4,)), (1, (4,)), (1, (2, 3))):
            channels = int(numpy.prod(dims))
            weight, bias = normal(channels, 1, taps), normal(channels)
            x, past = normal(2, length, *dims), normal(2, before, *dims)
            whole = concatenate([past, x], 1)
            factors = weight[:, 0].T.reshape(taps, *dims).astype(float)
            y = sum(whole[:, tap * dilation : tap * dilation + length] * factors[tap] for tap in range(taps)) + bias.reshape(dims)
            values = [x, past, (y * sigmoid(y)).astype(float32), whole[:, length:]]
            if not last:
                values = [value.swapaxes(1, 2) for value in values]
            x, past, y, state = values
            attributes = {"activation": "silu", "dilation": dilation, "channels_last": last}
            title = f"{name} {taps} by {dilation} {'x'.join(map(str, dims))} last {last}"
            yield one_node(title, [x, weight, bias, past], [y, state], **attributes)
    for title, changed in (("ndim", {"ndim": 2}), ("dilation", {"dilation": 0}), ("window", {"state_window": 1})):
        yield one_node(f"{name} not {title}", [normal(2, 3, 4), normal(3, 1, 2)], None, **changed)
    yield one_node(f"{name} not past", [normal(2, 3, 4), normal(3, 1, 2), None, normal(2, 3, 1)], None, dilation=2)
    yield one_node(f"{name} not channels", [normal(2, 4, 3, 2), normal(5, 1, 2)], None, channels_last=1)


def rotary():
    """Three positions for each row: time, height, width."""
    (cosine, sine), heads, name = caches(9, 6), 3, CONTRIB + "MRotaryEmbedding"
    rows, ids = normal(2, 5, heads * 12), RANDOM.integers(0, 9, (3, 2, 5))
    for layout, sections in ((0, (2, 1, 3)), (0, (6, 0, 0)), (1, (2, 2, 2)), (1, (3, 2, 1))):
        position = numpy.repeat(arange(3), sections)
        if layout == 1:
            pairs = arange(6)
            position = sum(section * ((pairs % 3 == section) & (pairs < 3 * sections[section])) for section in (1, 2))
        turned = [cache[ids[position], :][arange(6), :, :, arange(6)].transpose(1, 2, 0)[:, None] for cache in (cosine, sine)]
        for interleaved in (0, 1):
            attributes = {"mrope_layout": layout, "mrope_section": sections, "interleaved": interleaved}
            title = f"{layout} {sections[0]} {interleaved}"
            expected = rotated(by_head(rows, heads), *turned, interleaved)
            yield one_node(f"{name} rows {title}", [rows, ids, cosine, sine], rows_of(expected), num_heads=heads, **attributes)
            yield one_node(f"{name} heads {title}", [by_head(rows, heads), ids, cosine, sine], expected, **attributes)
    part = {"num_heads": 2, "rotary_embedding_dim": 12}
    expected = rows_of(rotated(by_head(rows, 2), *turned, 1))
    yield one_node(f"{name} part", [rows, ids, cosine, sine], expected, **attributes, **part)
    attributes |= {"num_heads": heads}
    for title, changed in (("sections", {"mrope_section": (3, 3)}), ("pairs", {"mrope_section": (3, 3, 1)}), ("layout", {"mrope_layout": 2})):
        yield one_node(f"{name} not {title}", [rows, ids, cosine, sine], None, **{**attributes, **changed})
    yield one_node(f"{name} not heads", [rows, ids, cosine, sine], None, **{**attributes, "num_heads": 0})
    yield one_node(f"{name} not positions", [rows, ids[:2], cosine, sine], None, **attributes)


def gathered_blocks():
    """Rows of an embedding in few bits: packed in bytes or not, blocks that do not fill the last dim, with zero points and without."""
    name, rows, block = CONTRIB + "GatherBlockQuantized", 9, 16

    def pack(numbers, bits):
        per = 8 // bits
        padded = numpy.pad(numbers, ((0, 0), (0, -numbers.shape[1] % per))).reshape(rows, -1, per)
        return (padded << (arange(per) * bits)).sum(-1).astype(numpy.uint8)

    def expected(numbers, scales, zeros, ids):
        spread = [numpy.repeat(value.astype(float), block, 1)[:, : numbers.shape[1]] for value in (scales, zeros)]
        return ((numbers - spread[1]) * spread[0])[ids].astype(scales.dtype)

    for bits, width in ((4, 40), (8, 40), (2, 64), (4, 16)):
        blocks = -(-width // block)
        numbers, zeros = RANDOM.integers(0, 1 << bits, (rows, width)), RANDOM.integers(0, 1 << bits, (rows, blocks))
        attributes = {"bits": bits, "block_size": block}
        for title, dtype, ids in (("floats", float32, RANDOM.integers(-rows, rows, (2, 3))), ("half", float16, numpy.array(4))):
            scales = abs(normal(rows, blocks)).astype(dtype)
            inputs = [pack(numbers, bits), ids, scales]
            half = numpy.full((rows, blocks), 1 << (bits - 1))
            yield one_node(f"{name} {bits} {width} {title}", inputs, expected(numbers, scales, half, ids), **attributes)
            y = expected(numbers, scales, zeros, ids)
            yield one_node(f"{name} {bits} {width} {title} zeros", [*inputs, pack(zeros, bits)], y, **attributes)
    for kind, least in ((ml_dtypes.uint4, 0), (ml_dtypes.int4, -8)):
        numbers, zeros = RANDOM.integers(least, least + 16, (rows, 40)), RANDOM.integers(least, least + 16, (rows, 3))
        scales, ids = normal(rows, 3), RANDOM.integers(0, rows, 5)
        inputs = [numbers.astype(kind), ids, scales]
        y = expected(numbers, scales, 0 * zeros, ids)
        yield one_node(f"{name} {kind.__name__}", inputs, y, block_size=block)
        y = expected(numbers, scales, zeros, ids)
        yield one_node(f"{name} {kind.__name__} zeros", [*inputs, zeros.astype(kind)], y, block_size=block)
        turned = [value.T for value in (inputs[0], scales, zeros.astype(kind))]
        turned.insert(1, ids)
        yield one_node(f"{name} {kind.__name__} turned", turned, y.T, block_size=block, gather_axis=1, quantize_axis=0)
    bad = [pack(numbers - least, 4), ids, scales]
    for title, changed in (("axes", {"gather_axis": 1}), ("block", {"block_size": 24}), ("bits", {"bits": 3}), ("scales", {"block_size": 32})):
        yield one_node(f"{name} not {title}", bad, None, **{"block_size": block, **changed})
    yield one_node(f"{name} not zeros", [*bad, bad[0][:, :3]], None, block_size=block)
    yield one_node(f"{name} not indices", [bad[0], ids + rows, scales], None, block_size=block)
    yield one_node(f"{name} not integers that index", [bad[0], ids.astype(numpy.uint8), scales], None, block_size=block)


FAMILIES = [gathered_blocks, shared_heads, gates, gated_norms, causal_convs, rotary]
