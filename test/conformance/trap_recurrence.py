# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# LinearAttention and CausalConvWithState: states that come and go, shared heads, decay by head and by element.
import numpy
from one_node import f32, normal, one_node


def linear_attention(q, k, v, q_heads, heads, state=None, decay=None, beta=None, scale=None):
    """The recurrence of the operator's description, one position after the other."""
    batch, length, _ = q.shape
    q, k, v = (x.reshape(batch, length, count, -1) for x, count in ((q, q_heads), (k, heads), (v, heads)))
    state = numpy.zeros((batch, heads, k.shape[3], v.shape[3])) if state is None else state.astype(numpy.float64)
    rows = []
    for t in range(length):
        if decay is not None:
            state = state * numpy.exp(decay[:, t].reshape(batch, heads, -1, 1))
        update = v[:, t]
        if beta is not None:
            held = numpy.einsum("bhkv,bhk->bhv", state, k[:, t])
            update = (update - held) * beta[:, t].reshape(batch, -1, 1)
        state = state + numpy.einsum("bhk,bhv->bhkv", k[:, t], update)
        shared = numpy.repeat(state, q_heads // heads, 1)
        rows.append(numpy.einsum("bhkv,bhk->bhv", shared, q[:, t]).reshape(batch, -1))
    result = numpy.stack(rows, 1) * (q.shape[3] ** -0.5 if scale is None else scale)
    return [result.astype(numpy.float32), state.astype(numpy.float32)]


def linear_attentions():
    batch, length, q_heads, heads, width, value_width = 2, 5, 4, 2, 3, 6
    q, k, v = normal(batch, length, q_heads * width), normal(batch, length, heads * width), normal(batch, length, heads * value_width)
    state = normal(batch, heads, width, value_width)
    by_head, by_element = -abs(normal(batch, length, heads)), -abs(normal(batch, length, heads * width))
    beta = abs(normal(batch, length, heads))
    for title, rule, inputs in (
        ("linear", "linear", (None, None, None)),
        ("with a state", "linear", (state, None, None)),
        ("gated by head", "gated", (state, by_head, None)),
        ("gated by element", "gated", (None, by_element, None)),
        ("delta", "delta", (state, None, beta)),
        ("one beta", "delta", (None, None, beta[:, :, :1])),
        ("gated delta", "gated_delta", (state, by_head, beta)),
        ("gated delta by element", "gated_delta", (state, by_element, beta)),
    ):
        attributes = {"q_num_heads": q_heads, "kv_num_heads": heads, "update_rule": rule}
        expected = linear_attention(q, k, v, q_heads, heads, *inputs)
        given = [q, k, v, *inputs]
        while given[-1] is None:
            given.pop()
        yield one_node(f"LinearAttention {title}", given, expected, opset=27, **attributes)
    # A position that is not needed by a rule is not looked at; a scale; one token.
    attributes = {"q_num_heads": q_heads, "kv_num_heads": heads, "update_rule": "linear", "scale": 0.25}
    expected = linear_attention(q, k, v, q_heads, heads, state, scale=0.25)
    yield one_node("LinearAttention scale and unused gates", [q, k, v, state, by_head, beta], expected, opset=27, **attributes)
    token = [x[:, :1] for x in (q, k, v)]
    expected = linear_attention(*token, q_heads, heads, state, scale=0.25)
    yield one_node("LinearAttention token", [*token, state], expected, opset=27, **attributes)
    for title, changed in (("heads", {"q_num_heads": 3}), ("rule", {"update_rule": "square"}), ("decay", {"update_rule": "gated"})):
        yield one_node(f"LinearAttention not {title}", [q, k, v], None, opset=27, **{**attributes, **changed})
    for title, changed in (("state", state[:, :, :2]), ("turned state", state.swapaxes(2, 3))):
        yield one_node(f"LinearAttention not {title}", [q, k, v, changed], None, opset=27, **attributes)
    inputs = [q, k, v, state, by_head.astype(int), beta]
    yield one_node("LinearAttention not floats", inputs, None, opset=27, **{**attributes, "update_rule": "gated_delta"})


def causal_convs():
    x, bias = normal(2, 3, 4), normal(3)
    for taps in (1, 3, 6):
        weight, past = normal(3, 1, taps), normal(2, 3, taps - 1)
        for title, given, activation in (("", None, "none"), (" with past", past, "none"), (" swish", past, "swish")):
            whole = numpy.concatenate([numpy.zeros_like(past) if given is None else given, x], 2)
            y = sum(whole[:, :, i : i + 4] * weight[:, 0, i : i + 1] for i in range(taps)) + bias[:, None]
            y = y / (1 + numpy.exp(-y)) if activation == "swish" else y
            inputs = [x, weight, bias] + ([] if given is None else [given])
            yield one_node(f"CausalConvWithState {taps}{title}", inputs, [f32(*y), whole[:, :, 4:]], opset=27, activation=activation)
    yield one_node("CausalConvWithState not activation", [x, normal(3, 1, 2)], None, opset=27, activation="gelu")
    yield one_node("CausalConvWithState not past", [x, normal(3, 1, 2), bias, normal(2, 3, 2)], None, opset=27)
    yield one_node("CausalConvWithState not weight", [x, normal(4, 1, 2)], None, opset=27)


FAMILIES = [linear_attentions, causal_convs]
