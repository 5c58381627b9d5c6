# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What ONNX's Attention means beyond its node tests: rows with nothing to attend to, positions, windows, short masks. What is right comes
# from NumPy, in f64.
import numpy
import onnx.parser
from numpy import array, float32, inf, int64
from one_node import RANDOM, normal, one_node


def by_head(x, heads):
    return x.reshape(*x.shape[:2], heads, -1).swapaxes(1, 2)


def attend(q, k, v, mask=None, past=None, lengths=None, causal=False, left=None, right=None, softcap=0.0, scale=None):
    """The result, and scores as they are, capped, masked, and as probabilities; q, k and v by head."""
    if past is not None:
        k, v = numpy.concatenate([past[0], k], axis=2), numpy.concatenate([past[1], v], axis=2)
    (rows, keys), shared = (q.shape[2], k.shape[2]), q.shape[1] // k.shape[1]
    k, v = numpy.repeat(k.astype(float), shared, axis=1), numpy.repeat(v.astype(float), shared, axis=1)
    scores = [q.astype(float) @ k.swapaxes(2, 3) * (1 / numpy.sqrt(q.shape[3]) if scale is None else scale)]
    scores.append(softcap * numpy.tanh(scores[0] / softcap) if softcap else scores[0])
    masked, keep = scores[1], numpy.ones((q.shape[0], 1, rows, keys), bool)
    if mask is not None:
        missing = [(0, 0)] * (mask.ndim - 1) + [(0, keys - mask.shape[-1])]
        mask = numpy.pad(mask, missing, constant_values=False if mask.dtype == bool else -inf)
        masked, keep = (masked, keep & mask) if mask.dtype == bool else (masked + mask, keep)
    first = 0 if past is None else past[0].shape[2]
    if lengths is not None:
        keep = keep & (numpy.arange(keys) < lengths[:, None, None, None])
        first = lengths[:, None, None, None] - rows
    position, column = first + numpy.arange(rows)[:, None], numpy.arange(keys)
    for distance in [right, 0 if causal else None]:
        keep = keep & (column <= position + distance) if distance is not None else keep
    keep = keep & (column >= position - left) if left is not None else keep
    scores.append(numpy.where(keep, masked, -inf))
    with numpy.errstate(invalid="ignore"):
        e = numpy.exp(scores[2] - scores[2].max(axis=-1, keepdims=True))
        scores.append(numpy.nan_to_num(e / e.sum(axis=-1, keepdims=True)))
    return [(scores[3] @ v).astype(float32), *(value.astype(float32) for value in scores)]


def masks():
    q, k, v = normal(2, 4, 5, 8), normal(2, 2, 7, 8), normal(2, 2, 7, 6)
    keep = RANDOM.random((2, 1, 5, 7)) < 0.6
    keep[0, 0, 2] = False
    yield one_node("Attention nothing kept", [q, k, v, keep], attend(q, k, v, keep)[0], opset=23)
    added = numpy.where(keep, normal(2, 1, 5, 7), -inf).astype(float32)
    yield one_node("Attention nothing left", [q, k, v, added], attend(q, k, v, added)[0], opset=23)
    row = normal(5, 7)
    yield one_node("Attention capped and masked", [q, k, v, row], attend(q, k, v, row, softcap=0.5)[0], opset=23, softcap=0.5)
    heads = normal(4, 1, 7)
    yield one_node("Attention mask of heads", [q, k, v, heads], attend(q, k, v, heads, causal=True)[0], opset=23, is_causal=1)
    for short in (normal(5, 4), keep[..., :4]):
        yield one_node(f"Attention short mask {short.dtype}", [q, k, v, short], attend(q, k, v, short)[0], opset=24)
    yield one_node("Attention scale", [q, k, v], attend(q, k, v, scale=0.3)[0], opset=23, scale=0.3)
    for mode in range(4):
        expected = attend(q, k, v, row, causal=True, softcap=2.0)
        attributes = {"is_causal": 1, "softcap": 2.0, "qk_matmul_output_mode": mode}
        outputs = [expected[0], k, v, expected[1 + mode]]
        yield one_node(f"Attention scores {mode}", [q, k, v, row], outputs, opset=23, **attributes)


def positions():
    q, k, v = normal(2, 4, 3, 8), normal(2, 2, 3, 8), normal(2, 2, 3, 6)
    past = [normal(2, 2, 5, 8), normal(2, 2, 5, 6)]
    present = [numpy.concatenate([old, new], axis=2) for old, new in zip(past, (k, v))]
    inputs = [q, k, v, None, *past]
    yield one_node("Attention past", inputs, [attend(q, k, v, past=past, causal=True)[0], *present], opset=23, is_causal=1)
    long = [normal(2, 2, 9, 8), normal(2, 2, 9, 6)]
    for lengths in (array([9, 4], int64), array([3, 1], int64)):
        inputs = [q, *long, None, None, None, lengths]
        yield one_node(f"Attention lengths {lengths}", inputs, attend(q, *long, lengths=lengths)[0], opset=24)
        expected = attend(q, *long, lengths=lengths, causal=True)[0]
        yield one_node(f"Attention lengths {lengths} causal", inputs, expected, opset=24, is_causal=1)
    for name, sides in {"left": (2, None), "both": (1, 2), "right": (None, 1), "own": (0, 0)}.items():
        attributes = {f"{side}_window_size": size for side, size in zip(("left", "right"), sides) if size is not None}
        expected = [attend(q, k, v, past=past, left=sides[0], right=sides[1])[0], *present]
        yield one_node(f"Attention window {name}", [q, k, v, None, *past], expected, opset=25, **attributes)
    expected = attend(q, k, v, causal=True, left=1)[0]
    yield one_node("Attention window causal", [q, k, v], expected, opset=25, is_causal=1, left_window_size=1)


def ranks():
    q, k, v = normal(2, 3, 32), normal(2, 5, 16), normal(2, 5, 12)
    result = attend(by_head(q, 4), by_head(k, 2), by_head(v, 2))[0]
    rows = result.swapaxes(1, 2).reshape(2, 3, 24)
    yield one_node("Attention of rows", [q, k, v], rows, opset=23, q_num_heads=4, kv_num_heads=2)
    one = normal(1, 1, 1, 4)
    yield one_node("Attention of one", [one, one, one], one, opset=23)


def wrong():
    """What ONNX gives no meaning."""
    x, row = normal(2, 4, 3, 8), normal(2, 3, 32)
    yield one_node("Attention without heads", [row, row, row], None, opset=23)
    yield one_node("Attention heads that do not divide", [row, row, row], None, opset=23, q_num_heads=5, kv_num_heads=5)
    yield one_node("Attention half a past", [x, x, x, None, x], None, opset=23)
    yield one_node("Attention long mask", [x, x, x, normal(3, 5)], None, opset=24)
    yield one_node("Attention mask unlike", [x, x, x, normal(3, 5)], None, opset=23)
    yield one_node("Attention other widths", [x, normal(2, 4, 3, 7), x], None, opset=23)
    yield one_node("Attention mode 4", [x, x, x], None, opset=23, qk_matmul_output_mode=4)


def changed(text):
    """The subgraph of FlexAttention that a text makes of "scores"."""
    model = onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["" : 22]> g (float[b,h,l,s] scores) => (float[b,h,l,s] out) {{ {text} }}')
    return model.graph


def flex():
    """Subgraphs that change scores and probabilities."""
    causal = changed("""
        shape = Shape (scores) rows = Shape <start: int = 2, end: int = 3> (scores) columns = Shape <start: int = 3, end: int = 4> (scores)
        ones = ConstantOfShape <value: tensor = int64[1] {1}> (shape) zero = Constant <value_int: int = 0> () one = Constant <value_int: int = 1> ()
        first = Squeeze (rows) last = Squeeze (columns) row = Range (zero, first, one) column = Range (zero, last, one)
        axis = Constant <value_ints: ints = [1]> () line = Unsqueeze (row, axis) seen = GreaterOrEqual (line, column)
        hidden = Constant <value_float: float = -1e9> () out = Where (seen, scores, hidden)""")
    for title, heads, shared in [("same heads", 2, 2), ("shared heads", 6, 2), ("one head", 4, 1)]:
        q, k, v = normal(2, heads, 5, 8), normal(2, shared, 7, 8), normal(2, shared, 7, 6)
        yield one_node(f"ai.onnx.preview.FlexAttention {title}", [q, k, v], attend(q, k, v)[0])
        mask = numpy.arange(5)[:, None] >= numpy.arange(7)
        yield one_node(f"ai.onnx.preview.FlexAttention {title} causal", [q, k, v], attend(q, k, v, mask=mask)[0], score_mod=causal)
    half = changed("half = Constant <value_float: float = 0.5> () out = Mul (scores, half)")
    yield one_node("ai.onnx.preview.FlexAttention probabilities", [q, k, v], attend(q, k, v)[0] / 2, prob_mod=half)
    yield one_node("ai.onnx.preview.FlexAttention scale", [q, k, v], attend(q, k, v, scale=0.25)[0], scale=0.25)
    yield one_node("ai.onnx.preview.FlexAttention scores", [q, k, v], attend(q, k, v, scale=0.1)[0], scale=0.2, score_mod=half)
    to_double = changed("out = Cast <to: int = 11> (scores)")
    yield one_node("ai.onnx.preview.FlexAttention type", [q, k, v], None, score_mod=to_double)
    yield one_node("ai.onnx.preview.FlexAttention rank", [q[0], k[0], v[0]], None)
    yield one_node("ai.onnx.preview.FlexAttention heads", [normal(1, 3, 5, 8), normal(1, 2, 5, 8), normal(1, 2, 5, 8)], None)


FAMILIES = [masks, positions, ranks, wrong, flex]
