# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# One step more that changes what an attention computes, or makes it none. Some are an attention still, of other scores.
import dataclasses
from collections.abc import Callable

import numpy
from variant_writer import Value


@dataclasses.dataclass
class Twin:
    place: str = None  # where the step is; without one the variant looks for the twin's name
    step: Callable = None  # of (writer, value)
    square: bool = False  # as many keys as queries
    heads: bool = False  # more than one head, with keys and values of their own
    choices: dict = dataclasses.field(default_factory=dict)  # what it needs of the variant

    def prepare(self, choice):
        choice |= self.choices
        if self.square and choice["source"] == "past":
            choice["source"] = "heads"
        if self.square and choice["dims"] == "one query":
            choice["dims"] = "symbols"
        if self.heads:
            choice["lead"] = "bh"
            choice["source"] = "heads" if choice["source"] == "shared" else choice["source"]


def along(w, x, letter, element=None):
    """0, 1, ... along an axis of x, in f32 or so."""
    line = w.cast(w.range(letter), element or x.element)
    return w.unsqueeze(line, [axis if axis == letter else "" for axis in x.axes])


def scaled_along(letter):
    def step(w, x):
        factor = w.op("Mul", along(w, x, letter), w.number(0.05, x.element))
        return w.op("Mul", x, w.op("Add", factor, w.number(0.1, x.element)))

    return step


def kept(w, x, kind, offset=0):
    """i kind j + offset, along the axes of x."""
    rows, columns = (along(w, x, letter, "i64") for letter in "ij")
    columns = w.op("Add", columns, w.number(offset, "i64")) if offset else columns
    return w.op(kind, rows, columns, element="bool", axes=[axis if axis in ("i", "j") else "" for axis in x.axes])


def where_kept(kind, offset, fill):
    def step(w, x):
        keep = kept(w, x, kind, offset)
        return w.op("Where", keep, x, w.number(fill, x.element), axes=x.axes, element=x.element)

    return step


def reduced_by(combine, reduction, letter):
    """x combined with a reduction of itself."""
    return lambda w, x: w.op(combine, x, w.reduce(reduction, x, x.axis(letter)))


def near_maximum(w, x):
    low = w.op("Sub", w.reduce("ReduceMax", x, x.axis("j")), w.number(1, x.element))
    keep = w.op("Greater", x, low, element="bool")
    return w.op("Where", keep, x, w.number(-numpy.inf, x.element), element=x.element)


def swapped(w, x):
    """As if rows were columns."""
    order = list(range(len(x.axes)))
    i, j = x.axis("i"), x.axis("j")
    order[i], order[j] = j, i
    return w.op("Transpose", x, perm=order)


def shifted(w, x):
    axis = x.axis("j")
    rest, first = w.slice(x, axis, 1, 2**63 - 1), w.slice(x, axis, 0, 1)
    return w.op("Concat", rest, first, axis=axis)


def reversed_along(letter):
    def step(w, x):
        axis = next(i for i, a in enumerate(x.axes) if letter in a)
        return w.slice(x, axis, -1, -(2**63) + 1, step=-1)

    return step


def mixed_heads(w, x):
    heads = w.sizes["h"]
    letters = [letter for letter in "".join(x.axes) if letter != "h"]
    mixer = numpy.random.default_rng(heads).normal(0, 1, (heads, heads)).astype(numpy.float16)
    y = w.arrange(x, (*letters, "h"))
    return w.arrange(w.op("MatMul", y, w.number(mixer, x.element)), x.axes)


def bare_reshape(w, x):
    """Two axes change places without their elements."""
    place = int(w.random.integers(len(x.axes) - 2))
    axes = [*x.axes[:place], x.axes[place + 1], x.axes[place], *x.axes[place + 2 :]]
    return w.op("Reshape", x, w.shape(axes), axes=axes)


def unary(kind, low=None):
    return lambda w, x: w.op(kind, x if low is None else w.op("Sub", x, w.number(low, x.element)))


def clipped(w, x):
    return w.op("Clip", x, w.number(-0.5, x.element), w.number(0.5, x.element))


def thresholded(w, x):
    keep = w.op("Greater", x, w.number(0.05, x.element), element="bool")
    return w.op("Where", keep, x, w.number(0, x.element), element=x.element)


def twice(w, x):
    return w.op("Softmax", x, axis=x.axis("j"))


def gate_of_heads(w, x):
    gates = w.value(w.number(numpy.arange(1, w.sizes["h"] + 1) / 4, x.element), ("h",), x.element)
    letters = tuple("".join(x.axes))
    y = w.arrange(x, letters)
    y = w.op("Mul", y, w.unsqueeze(gates, [letter if letter == "h" else "" for letter in letters]))
    return w.arrange(y, x.axes)


def running_sum(w, x):
    return w.op("CumSum", x, w.number(x.axis("j"), "i64"))


def capped(w, x):
    return w.op("Mul", w.op("Tanh", w.op("Div", x, w.number(2, x.element))), w.number(2, x.element))


TWINS = {
    "softmax over queries": Twin(),
    "sum with one": Twin(),
    "sum of another axis": Twin(),
    "sum at least": Twin(),
    "logarithm": Twin(choices={"mask": "none"}),
    "grouped by tiling": Twin(heads=True, choices={"source": "grouped"}),
    "scores scaled by query": Twin("scores", scaled_along("i")),
    "scores scaled by key": Twin("scores", scaled_along("j")),
    "scores and their transpose": Twin("scores", lambda w, x: w.op("Add", x, swapped(w, x)), square=True),
    "scores squared": Twin("scores", lambda w, x: w.op("Mul", x, x)),
    "scores of mixed heads": Twin("scores", mixed_heads, heads=True),
    "scores capped": Twin("scores", capped),
    "scores divided by their maximum": Twin("scores", reduced_by("Div", "ReduceMax", "j")),
    "scores centred over queries": Twin("scores", reduced_by("Sub", "ReduceMax", "i")),
    "scores summed up": Twin("scores", running_sum),
    "scores near the maximum": Twin("masked", near_maximum),
    "masked strictly": Twin("masked", where_kept("Greater", 0, -numpy.inf)),
    "masked late by one": Twin("masked", where_kept("Less", 2, -numpy.inf)),
    "masked above": Twin("masked", where_kept("Less", 1, -1e4)),
    "masked by zero": Twin("masked", where_kept("Greater", 0, 0)),
    "masked and clipped": Twin("masked", clipped),
    "masked, then transposed": Twin("masked", swapped, square=True),
    "weights masked": Twin("weights", where_kept("Greater", -1, 0)),
    "weights over their sums over queries": Twin("weights", reduced_by("Div", "ReduceSum", "i")),
    "weights over their maximum": Twin("weights", reduced_by("Div", "ReduceMax", "j")),
    "weights transposed": Twin("weights", swapped, square=True),
    "weights and their transpose": Twin("weights", lambda w, x: w.op("Add", x, swapped(w, x)), square=True),
    "weights through relu": Twin("weights", unary("Relu", 0.1)),
    "weights through tanh": Twin("weights", unary("Tanh")),
    "weights less a constant": Twin("weights", lambda w, x: w.op("Sub", x, w.number(0.1, x.element))),
    "weights squared": Twin("weights", lambda w, x: w.op("Mul", x, x)),
    "weights thresholded": Twin("weights", thresholded),
    "weights scaled by query": Twin("weights", scaled_along("i")),
    "weights scaled by key": Twin("weights", scaled_along("j")),
    "weights gated by head": Twin("weights", gate_of_heads, heads=True),
    "weights reversed": Twin("weights", reversed_along("j")),
    "softmax twice": Twin("weights", twice, choices={"opset": 14}),
    "query reversed": Twin("query", reversed_along("i")),
    "query bare": Twin("query", bare_reshape, heads=True),
    "key shifted": Twin("key", shifted),
    "key bare": Twin("key", bare_reshape, heads=True),
    "value scaled by key": Twin("value", scaled_along("j")),
    "value's heads reversed": Twin("value", reversed_along("h"), heads=True),
    "value shifted": Twin("value", shifted),
    "value bare": Twin("value", bare_reshape, heads=True),
    "context bare": Twin("context", bare_reshape, heads=True),
    "context's heads reversed": Twin("context", reversed_along("h"), heads=True),
}  # fmt: skip
