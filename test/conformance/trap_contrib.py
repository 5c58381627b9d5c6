# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The operators of com.microsoft that exporters and optimizers write. What is right comes from NumPy, in f64, and was compared with what
# ONNX Runtime 1.30 computes.
import numpy
from numpy import arange, array, concatenate, float16, float32, inf, int32
from one_node import RANDOM, normal, one_node
from trap_attention import by_head

CONTRIB = "com.microsoft."


def rows_of(x):
    """[batch, heads, length, width] as [batch, length, heads * width]."""
    return x.swapaxes(1, 2).reshape(x.shape[0], x.shape[2], -1)


def attend(q, k, v, added=0.0, keep=True, softcap=0.0, sink=-inf):
    """The result as rows; q, k and v by head. `sink` is a score that no key has."""
    shared = q.shape[1] // k.shape[1]
    k, v = numpy.repeat(k.astype(float), shared, axis=1), numpy.repeat(v.astype(float), shared, axis=1)
    scores = q.astype(float) @ k.swapaxes(2, 3) / numpy.sqrt(q.shape[3])
    if softcap:
        scores = softcap * numpy.tanh(scores / softcap)
    scores = numpy.where(keep, scores + added, -inf)
    greatest = numpy.maximum(scores.max(axis=-1, keepdims=True), sink)
    e = numpy.exp(scores - greatest)
    return rows_of(e / (e.sum(axis=-1, keepdims=True) + numpy.exp(sink - greatest)) @ v).astype(float32)


def causal(rows, keys, window=None):
    position, column = keys - rows + arange(rows)[:, None], arange(keys)
    return (column <= position) & (True if window is None else column > position - window)


def rotated(x, cosine, sine, interleaved=False):
    """x [..., width] whose first channels are rotated; cosine and sine [..., pairs] broadcast to it."""
    pairs, result = cosine.shape[-1], x.astype(float)
    places = (slice(0, 2 * pairs, 2), slice(1, 2 * pairs, 2)) if interleaved else (slice(0, pairs), slice(pairs, 2 * pairs))
    left, right = (x[..., place].astype(float) for place in places)
    result[..., places[0]], result[..., places[1]] = left * cosine - right * sine, right * cosine + left * sine
    return result.astype(float32)


def caches(longest, pairs):
    angles = RANDOM.uniform(-3, 3, (longest, pairs))
    return numpy.cos(angles).astype(float32), numpy.sin(angles).astype(float32)


def rotary():
    (cosine, sine), x, rows = caches(9, 4), normal(2, 3, 5, 8), normal(2, 5, 24)
    ids = RANDOM.integers(0, 9, (2, 5))
    for interleaved in (0, 1):
        by_ids = [cache[ids][:, None] for cache in (cosine, sine)]
        title, flag = f"interleaved {interleaved}", {"interleaved": interleaved}
        name = CONTRIB + "RotaryEmbedding"
        yield one_node(f"{name} heads {title}", [x, ids, cosine, sine], rotated(x, *by_ids, interleaved), **flag)
        from_third = [cache[2:7] for cache in (cosine, sine)]
        yield one_node(f"{name} first {title}", [x, array([2]), cosine, sine], rotated(x, *from_third, interleaved), **flag)
        expected = rows_of(rotated(by_head(rows, 3), *by_ids, interleaved))
        yield one_node(f"{name} rows {title}", [rows, ids, cosine, sine], expected, **flag)
        part = rows_of(rotated(by_head(rows, 2), *by_ids, interleaved))
        attributes = {"num_heads": 2, "rotary_embedding_dim": 8, **flag}
        yield one_node(f"{name} part of rows {title}", [rows, ids, cosine, sine], part, **attributes)
        yield one_node(f"RotaryEmbedding part of rows {title}", [rows, cosine, sine, ids], part, opset=23, **attributes)
        given = [cache[ids] for cache in (cosine, sine)]
        yield one_node(f"RotaryEmbedding without ids {title}", [x, *given], rotated(x, *by_ids, interleaved), opset=23, **flag)
    yield one_node("RotaryEmbedding without heads", [rows, cosine, sine, ids], None, opset=23)
    yield one_node("RotaryEmbedding caches too wide", [x[..., :6], cosine, sine, ids], None, opset=23)
    yield one_node("RotaryEmbedding beyond its cache", [x, cosine, sine, ids + 9], None, opset=23)
    scalar = array(2)
    expected = rotated(x, cosine[2:7], sine[2:7])
    yield one_node(f"{CONTRIB}RotaryEmbedding from a scalar", [x, scalar, cosine, sine], expected)
    yield one_node(f"{CONTRIB}RotaryEmbedding int32", [x, array([2], int32), cosine, sine], expected)
    yield one_node(f"{CONTRIB}RotaryEmbedding unlike caches", [x, ids, cosine, sine[:, :1]], None)
    yield one_node(f"{CONTRIB}RotaryEmbedding ids of one", [x, ids[:1, :1], cosine, sine], None)
    yield one_node("RotaryEmbedding unlike caches", [x, cosine, sine[:, :1], ids], None, opset=23)
    yield one_node(f"{CONTRIB}RotaryEmbedding scaled", [x, ids, cosine, sine], None, scale=2.0)


def norms():
    name, (x, skip, bias, scale, shift) = CONTRIB + "SkipLayerNormalization", (normal(2, 3, 8), normal(2, 3, 8), normal(8), normal(8), normal(8))

    def layer(x, epsilon=1e-12):
        centred = x.astype(float) - x.mean(axis=-1, keepdims=True, dtype=float)
        return centred / numpy.sqrt((centred**2).mean(axis=-1, keepdims=True) + epsilon)

    def rms(x, epsilon=1e-12):
        return x / numpy.sqrt((x.astype(float) ** 2).mean(axis=-1, keepdims=True) + epsilon)

    total = x + skip
    yield one_node(name, [x, skip, scale], (layer(total) * scale).astype(float32))
    expected = (layer(total + bias, 0.25) * scale + shift).astype(float32)
    yield one_node(f"{name} all", [x, skip, scale, shift, bias], [expected, None, None, total + bias], epsilon=0.25)
    yield one_node(f"{name} bias", [x, skip, scale, None, bias], (layer(total + bias) * scale).astype(float32))
    one = x + skip[:1]
    yield one_node(f"{name} one skip", [x, skip[:1], scale, shift], (layer(one) * scale + shift).astype(float32))
    large = [(20000 * value).astype(float16) for value in (x, skip)]
    exact = large[0].astype(float) + large[1]
    expected = (layer(exact) * scale.astype(float16)).astype(float16)
    yield one_node(f"{name} large halves", [*large, scale.astype(float16)], expected)
    yield one_node(f"{name} larger skip", [x[:1], skip, scale], None)
    yield one_node(f"{name} scale of one", [x, skip, scale[:1]], None)
    name = CONTRIB + "SkipSimplifiedLayerNormalization"
    yield one_node(name, [x, skip, scale], [(rms(total) * scale).astype(float32), None, None, total])
    expected = (rms(total[0] + bias, 0.25) * scale).astype(float32)
    yield one_node(f"{name} rows", [x[0], skip[0], scale, bias], expected, epsilon=0.25)
    yield one_node("SimplifiedLayerNormalization", [x, scale], (rms(x, 1e-5) * scale).astype(float32))
    yield one_node(f"{CONTRIB}SkipLayerNormalization wide scale", [x, skip, normal(9)], None)
    name, ids, segments = CONTRIB + "EmbedLayerNormalization", RANDOM.integers(0, 9, (2, 5)).astype(int32), RANDOM.integers(0, 2, (2, 5)).astype(int32)
    words, places, kinds, mask = normal(9, 8), normal(7, 8), normal(2, 8), array([[1, 1, 0, 0, 0], [1, 1, 1, 1, 1]], int32)
    summed = words[ids] + places[:5] + kinds[segments]
    expected = (layer(summed) * scale + shift).astype(float32)
    inputs = [ids, segments, words, places, kinds, scale, shift]
    yield one_node(name, inputs, [expected, array([0, 0], int32), summed])
    yield one_node(f"{name} mask", [*inputs, mask], [expected, mask.sum(axis=1).astype(int32)])
    summed = words[ids] + places[segments]
    expected = (layer(summed, 0.5) * scale + shift).astype(float32)
    yield one_node(f"{name} positions", [ids, None, words, places, None, scale, shift, None, segments], expected, epsilon=0.5)
    odd = array([[2, 1, 1, -1, 1], [0, 0, 0, 0, 1]], int32)
    yield one_node(f"{name} odd mask", [*inputs, odd], [(layer(words[ids] + places[:5] + kinds[segments]) * scale + shift).astype(float32), array([3, 1], int32)])
    yield one_node(f"{name} half a segment", [ids, segments, words, places, None, scale, shift], None)


def activations():
    x, bias = normal(3, 4, 8), normal(8)
    erf = numpy.vectorize(__import__("math").erf)
    exact = lambda x: (x * 0.5 * (1 + erf(x.astype(float) / numpy.sqrt(2)))).astype(float32)  # noqa: E731
    fast = lambda x: (x * 0.5 * (1 + numpy.tanh(0.7978845608028654 * (x + 0.044715 * x.astype(float) ** 3)))).astype(float32)  # noqa: E731
    yield one_node(CONTRIB + "Gelu", [x], exact(x))
    yield one_node(CONTRIB + "BiasGelu", [x, bias], exact(x + bias))
    yield one_node(CONTRIB + "BiasGelu matrix", [x[0], normal(4, 8)], None)
    yield one_node(CONTRIB + "FastGelu", [x], fast(x))
    yield one_node(CONTRIB + "FastGelu bias", [x, bias], fast(x + bias))
    for alpha in (1.702, -0.5):
        expected = (x / (1 + numpy.exp(-alpha * x.astype(float)))).astype(float32)
        yield one_node(f"{CONTRIB}QuickGelu {alpha}", [x], expected, **({} if alpha == 1.702 else {"alpha": alpha}))
    a, b = normal(2, 3, 5), normal(2, 4, 5)
    yield one_node(CONTRIB + "FusedMatMul", [a, b], (0.5 * (a @ b.swapaxes(1, 2))).astype(float32), transB=1, alpha=0.5)
    yield one_node(CONTRIB + "FusedMatMul both", [a.swapaxes(1, 2).copy(), b], a @ b.swapaxes(1, 2), transA=1, transB=1)
    yield one_node(CONTRIB + "FusedMatMul batches", [a, b], None, transBatchA=1)


def grouped():
    """GroupQueryAttention: 4 heads read 2 of keys."""
    name, heads = CONTRIB + "GroupQueryAttention", {"num_heads": 4, "kv_num_heads": 2}
    (cosine, sine), rows, old = caches(9, 8), 4, 3
    q, k, v, past = normal(1, rows, 64), normal(1, rows, 32), normal(1, rows, 32), [normal(1, 2, old, 16), normal(1, 2, old, 16)]
    by = [by_head(q, 4), by_head(k, 2), by_head(v, 2)]
    lengths, total = array([old + rows - 1], int32), array(old + rows, int32)
    present = [concatenate([before, now], axis=2) for before, now in zip(past, by[1:])]
    inputs = [q, k, v, *past, lengths, total]
    yield one_node(f"{name} past", inputs, [attend(by[0], *present, keep=causal(rows, 7)), *present], **heads)
    packed = [concatenate([q, k, v], axis=2), None, None, *past, lengths, total]
    yield one_node(f"{name} packed", packed, [attend(by[0], *present, keep=causal(rows, 7)), *present], **heads)
    for window in (1, 3):
        expected = attend(by[0], *present, keep=causal(rows, 7, window))
        yield one_node(f"{name} window {window}", inputs, expected, local_window_size=window, **heads)
    bias = normal(1, 1, rows, 7)
    expected = attend(by[0], *present, added=bias, keep=causal(rows, 7), softcap=0.7)
    yield one_node(f"{name} softcap and bias", [*inputs, None, None, None, bias], expected, softcap=0.7, **heads)
    for interleaved in (0, 1):
        turned = [rotated(x, cosine[old : old + rows], sine[old : old + rows], interleaved) for x in by[:2]]
        keys = concatenate([past[0], turned[1]], axis=2)
        expected = [attend(turned[0], keys, present[1], keep=causal(rows, 7)), keys, present[1]]
        attributes = {"do_rotary": 1, "rotary_interleaved": interleaved, **heads}
        yield one_node(f"{name} rotary {interleaved}", [*inputs, cosine, sine], expected, **attributes)
    ids = array([[5, 0, 8, 2]])
    turned = [rotated(x, cosine[ids[0]], sine[ids[0]]) for x in by[:2]]
    expected = attend(turned[0], concatenate([past[0], turned[1]], axis=2), present[1], keep=causal(rows, 7))
    yield one_node(f"{name} positions", [*inputs, cosine, sine, ids], expected, do_rotary=1, **heads)
    # The first run of two sequences, of which the second is short: its last rows mean nothing, and are left out here by being equal.
    q, k, v = (numpy.repeat(x, 2, axis=0) for x in (q, k, v))
    first = attend(by_head(q, 4), by_head(k, 2), by_head(v, 2), keep=causal(rows, rows))
    shorter = array([rows - 1, 1], int32)
    yield one_node(f"{name} prompt", [q, k, v, None, None, shorter, array(rows, int32)], [first, by_head(k, 2), by_head(v, 2)], **heads)
    none = normal(2, 2, 0, 16)
    yield one_node(f"{name} empty past", [q, k, v, none, none, shorter, array(rows, int32)], [first, by_head(k, 2), by_head(v, 2)], **heads)
    # A past that is longer than what counts of it.
    pasts = [numpy.repeat(x, 2, axis=0) for x in past]
    for title, wrong in {"unlike pasts": [6, 5], "too long": [7, 6]}.items():
        yield one_node(f"{name} {title}", [q, k, v, *pasts, array(wrong, int32), total], None, **heads)
    yield one_node(f"{name} prompt too long", [q, k, v, None, None, array([4, 3], int32), array(rows, int32)], None, **heads)
    one = {"scale": 0.0, **heads}
    yield one_node(f"{name} scale 0", [q, k, v, None, None, shorter, array(rows, int32)], first, **one)
    yield one_node(f"{name} one length of two", [q, k, v, None, None, shorter[:1], array(rows, int32)], None, **heads)
    yield one_node(f"{name} fewer keys", [q, k[:, :2], v[:, :2], None, None, shorter, array(rows, int32)], None, **heads)
    yield one_node(f"{name} narrow values", [q, k, v[..., :16], None, None, shorter, array(rows, int32)], None, **heads)
    wide = [normal(9, 12), normal(9, 12)]
    yield one_node(f"{name} wide caches", [q, k, v, None, None, shorter, array(rows, int32), *wide], None, do_rotary=1, **heads)
    both, presents = [by_head(x, n) for x, n in zip((q, k, v), (4, 2, 2))], [numpy.repeat(x, 2, axis=0) for x in present]
    inputs = [q, k, v, *pasts, array([6, 6], int32), total]
    expected = attend(both[0], *presents, keep=causal(rows, 7), sink=0.0)
    yield one_node(f"{name} smooth", inputs, expected, smooth_softmax=1, **heads)
    sinks = normal(4)
    expected = attend(both[0], *presents, keep=causal(rows, 7, 2), sink=sinks[:, None, None])
    yield one_node(f"{name} sinks", [*inputs, None, None, None, None, sinks], expected, local_window_size=2, **heads)
    halves = [x.astype(float16) if x.dtype == float32 else x for x in (q, k, v, *pasts, sinks)]
    wide = [x.astype(float32) for x in halves]
    presents = [concatenate([before, by_head(x, 2)], axis=2) for before, x in zip(wide[3:5], wide[1:3])]
    expected = attend(by_head(wide[0], 4), *presents, keep=causal(rows, 7), sink=wide[5][:, None, None]).astype(float16)
    yield one_node(f"{name} sinks of halves", [*halves[:5], *inputs[5:], None, None, None, None, halves[5]], expected, **heads)
    yield one_node(f"{name} too few sinks", [*inputs, None, None, None, None, sinks[:3]], None, **heads)
    yield one_node(f"{name} half a past", [q, k, v, past[0], None, lengths, total], None, **heads)


def experts():
    """MoE: 2 of 4 experts for each row."""
    name, width, hidden, count = CONTRIB + "MoE", 8, 6, 4

    def tanh_gelu(x):
        return x * 0.5 * (1 + numpy.tanh(0.7978845608028654 * (x + 0.044715 * x**3)))

    def gated(interleaved, alpha=1.0, beta=0.0, limit=inf):
        def activate(x):
            gate, linear = (x[0::2], x[1::2]) if interleaved else numpy.split(x, 2)
            gate, linear = numpy.minimum(gate, limit), numpy.clip(linear, -limit, limit)
            return gate / (1 + numpy.exp(-alpha * gate)) * (linear + beta)

        return activate

    def mix(rows, scores, first, first_bias, second, second_bias, chosen, activate, normalized=False):
        result = numpy.zeros(rows.shape)
        for row, score, out in zip(rows.astype(float), scores.astype(float), result):
            shares = numpy.exp(score) / numpy.exp(score).sum()
            best = numpy.argsort(-score)[:chosen]
            for expert in best:
                inner = activate(first[expert].astype(float) @ row + first_bias[expert])
                share = shares[expert] / (shares[best].sum() if normalized else 1)
                out += share * (second[expert].astype(float) @ inner + second_bias[expert])
        return result.astype(rows.dtype)

    x, scores = normal(5, width), normal(5, count)
    first, first_bias, second, second_bias = normal(count, hidden, width), normal(count, hidden), normal(count, width, hidden), normal(count, width)
    inputs, two = [x, scores, first, first_bias, second, second_bias], {"k": 2}
    functions = {"relu": lambda x: numpy.maximum(x, 0), "silu": lambda x: x / (1 + numpy.exp(-x)), "gelu": tanh_gelu, "identity": lambda x: x}
    for title, activate in functions.items():
        yield one_node(f"{name} {title}", inputs, mix(*inputs, 2, activate), activation_type=title, **two)
    relu = functions["relu"]
    yield one_node(f"{name} best", inputs, mix(*inputs, 1, relu))
    yield one_node(f"{name} all", inputs, mix(*inputs, 4, relu), k=4)
    yield one_node(f"{name} normalized", inputs, mix(*inputs, 2, relu, normalized=True), normalize_routing_weights=1, **two)
    zeros = [numpy.zeros_like(first_bias), numpy.zeros_like(second_bias)]
    yield one_node(f"{name} without biases", [x, scores, first, None, second], mix(x, scores, first, zeros[0], second, zeros[1], 2, relu), **two)
    yield one_node(f"{name} batch", [x.reshape(1, 5, width), *inputs[1:]], mix(*inputs, 2, relu).reshape(1, 5, width), **two)
    wide = [x, scores, normal(count, 2 * hidden, width), normal(count, 2 * hidden), second, second_bias]
    for fusion in (1, 2):
        attributes = {"activation_type": "swiglu", "swiglu_fusion": fusion, **two}
        yield one_node(f"{name} swiglu {fusion}", wide, mix(*wide, 2, gated(fusion == 1)), **attributes)
        limits = {"activation_alpha": 1.702, "activation_beta": 1.0, "swiglu_limit": 0.75}
        yield one_node(f"{name} swiglu {fusion} limited", wide, mix(*wide, 2, gated(fusion == 1, 1.702, 1.0, 0.75)), **limits, **attributes)
    # Of integers, so that nothing is rounded but the shares and the results.
    halves = [value if value is scores else RANDOM.integers(-2, 3, value.shape) for value in inputs]
    halves = [value.astype(float16) for value in halves]
    yield one_node(f"{name} halves", halves, mix(*halves, 2, functions["identity"]), activation_type="identity", **two)
    yield one_node(f"{name} swiglu apart", wide, None, activation_type="swiglu", **two)
    yield one_node(f"{name} one layer", [x, scores, first], None, **two)
    yield one_node(f"{name} tanh", inputs, None, activation_type="tanh", **two)
    yield one_node(f"{name} too many", inputs, None, k=5)
    yield one_node(f"{name} third layer", [*inputs, first], None, **two)
    yield one_node(f"{name} fewer scores", [x, scores[:, :3], *inputs[2:]], None, **two)
    yield one_node(f"{name} short rows", [x[:, :4], *inputs[1:]], None, **two)
    yield one_node(f"{name} wide bias", [x, scores, first, normal(count, 7), second, second_bias], None, **two)
    yield one_node(f"{name} other hidden rows", [x, scores, first, first_bias, second[..., :4], second_bias], None, **two)


def multi_head():
    name, heads = CONTRIB + "MultiHeadAttention", {"num_heads": 4}
    q, k, v = normal(2, 3, 32), normal(2, 5, 32), normal(2, 5, 24)
    by = [by_head(x, 4) for x in (q, k, v)]
    yield one_node(name, [q, k, v], attend(*by), **heads)
    bias = normal(88)
    moved = [by_head(x + part, 4) for x, part in zip((q, k, v), numpy.split(bias, [32, 64]))]
    yield one_node(f"{name} bias", [q, k, v, bias], attend(*moved), **heads)
    mask, lengths, added = array([[1, 0, 1, 1, 0], [0, 1, 1, 0, 1]], int32), array([2, 5], int32), normal(1, 4, 3, 5)
    for title, given, keep in [("keys", mask, mask[:, None, None] != 0), ("lengths", lengths, arange(5) < lengths[:, None, None, None]),
                               ("ends and starts", array([4, 5, 1, 0], int32), (arange(5) < array([4, 5])[:, None, None, None]) & (arange(5) >= array([1, 0])[:, None, None, None]))]:  # fmt: skip
        expected = attend(*by, added=numpy.where(keep, 0, -10000.0))
        yield one_node(f"{name} {title}", [q, k, v, None, given], expected, **heads)
    expected = attend(*by, added=array([-16.0, 0])[:, None, None, None])  # one that sees nothing sees all alike
    yield one_node(f"{name} nothing", [q, k, v, None, array([0, 5], int32)], expected, mask_filter_value=-16.0, **heads)
    full = (RANDOM.random((2, 3, 5)) < 0.6).astype(int32)
    expected = attend(*by, added=numpy.where(full[:, None] != 0, 0, -0.5) + added)
    yield one_node(f"{name} mask and bias", [q, k, v, None, full, added], expected, mask_filter_value=-0.5, **heads)
    past = [normal(2, 4, 3, 8), normal(2, 4, 3, 6)]
    present = [concatenate([before, now[:, :, :3]], axis=2) for before, now in zip(past, by[1:])]
    expected = [attend(by[0], *present, keep=causal(3, 6)), *present]
    yield one_node(f"{name} past", [q, k[:, :3], v[:, :3], None, None, None, *past], expected, unidirectional=1, **heads)
    yield one_node(f"{name} causal of other lengths", [q, k, v], None, unidirectional=1, **heads)
    yield one_node(f"{name} scale 0", [q, k, v], attend(*by), scale=0.0, **heads)
    signs = array([[1, -1, 1, 0, -5], [2, 1, 1, 0, 1]], int32)
    expected = attend(*by, added=numpy.where(signs[:, None, None] > 0, 0, -10000.0))
    yield one_node(f"{name} negative mask", [q, k, v, None, signs], expected, **heads)
    halves = [x.astype(float16) for x in (q, k, v)]
    mean = rows_of(numpy.broadcast_to(by_head(halves[2].astype(float), 4).mean(axis=2, keepdims=True), (2, 4, 3, 6))).astype(float16)
    least = {"mask_filter_value": -3.4028234663852886e38, **heads}
    yield one_node(f"{name} nothing of halves", [*halves, None, array([[0] * 5] * 2, int32)], mean, **least)
    for title, bias in {"short": normal(64), "long": normal(128), "of one": normal(1), "matrix": normal(1, 88)}.items():
        yield one_node(f"{name} bias {title}", [q, k, v, bias], None, **heads)
    yield one_node(f"{name} bias of integers", [q, k, v, None, None, numpy.ones((1, 1, 3, 5), int32)], None, **heads)
    yield one_node(f"{name} fewer heads of keys", [q, by[1][:, :2].copy(), by[2][:, :2].copy()], None, **heads)
    yield one_node(f"{name} packed in four", [normal(2, 5, 4, 4, 8)], None, **heads)
    packed = numpy.stack([x.reshape(2, 3, 4, 8) for x in (q, k[:, :3], q + 1)], axis=3)
    yield one_node(f"{name} packed", [packed], attend(by[0], by_head(k[:, :3], 4), by_head(q + 1, 4)), **heads)
    packed = numpy.stack([x.reshape(2, 5, 4, 8) for x in (k, k + 1)], axis=3)
    yield one_node(f"{name} packed memory", [q, packed], attend(by[0], by[1], by_head(k + 1, 4)), **heads)
    yield one_node(f"{name} memory by head", [q, by[1].copy(), by[2].copy()], attend(*by), **heads)
    yield one_node(f"{name} key alone", [q, k], None, **heads)
    yield one_node(f"{name} heads that do not divide", [q, k, v], None, num_heads=5)
    yield one_node(f"{name} three lengths", [q, k, v, None, array([1, 2, 3], int32)], None, **heads)

    name, x, weights, bias = CONTRIB + "Attention", normal(2, 5, 12), normal(12, 96) / 3, normal(96)
    by = [by_head(part, 4) for part in numpy.split(x.astype(float) @ weights + bias, 3, axis=2)]
    yield one_node(name, [x, weights, bias], attend(*by), **heads)
    expected = attend(*by, added=numpy.where(mask[:, None, None] != 0, 0, -10000.0), keep=causal(5, 5))
    yield one_node(f"{name} causal", [x, weights, bias, mask], expected, unidirectional=1, **heads)
    sizes = [by_head(part, 4) for part in numpy.split(x.astype(float) @ weights, [24, 48], axis=2)]
    yield one_node(f"{name} sizes", [x, weights], attend(*sizes), qkv_hidden_sizes=[24, 24, 48], **heads)
    past = normal(2, 2, 4, 3, 8)
    present = concatenate([past, numpy.stack(by[1:]).astype(float32)], axis=3)
    wide = concatenate([numpy.ones((2, 3), int32), mask], axis=1)
    expected = attend(by[0], *present, added=numpy.where(wide[:, None, None] != 0, 0, -10000.0), keep=causal(5, 8))
    yield one_node(f"{name} past", [x, weights, bias, wide, past], [expected, present], unidirectional=1, **heads)
    yield one_node(f"{name} dummy mask", [x, weights, bias, numpy.zeros((2, 1), int32)], attend(*by), mask_filter_value=-8.0, **heads)
    yield one_node(f"{name} scale 0", [x, weights, bias], attend(*by), scale=0.0, **heads)
    yield one_node(f"{name} past of three", [x, weights, bias, None, normal(3, 2, 4, 3, 8)], None, **heads)
    yield one_node(f"{name} bias of one", [x, weights, normal(1)], None, **heads)
    yield one_node(f"{name} wrong sizes", [x, weights], None, qkv_hidden_sizes=[24, 24, 24], **heads)


FAMILIES = [rotary, norms, activations, grouped, multi_head, experts]
