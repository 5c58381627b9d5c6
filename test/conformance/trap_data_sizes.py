# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sizes that a model computes from data in its middle.
import numpy
from one_node import f32, i64, normal, one_node, text_model


def scalar(number, dtype=numpy.float32):
    return numpy.array(number, dtype)


def places():
    """NonZero of each kind of element and of each rank, of all and of nothing."""
    x = normal(4, 5)
    x[x < 0.3] = 0
    x[0, :2] = -0.0, numpy.nan
    yield one_node("NonZero of floats", [x], numpy.stack(numpy.nonzero(x)))
    for dtype in (bool, numpy.int8, numpy.uint8, numpy.int32, numpy.int64, numpy.float16, numpy.float64):
        few = (x > 0.8).astype(dtype)
        yield one_node(f"NonZero of {few.dtype}", [few], numpy.stack(numpy.nonzero(few)))
    deep = normal(2, 3, 2, 7) > 0.5
    yield one_node("NonZero of rank 4", [deep], numpy.stack(numpy.nonzero(deep)))
    long = normal(3000) > 1
    yield one_node("NonZero of many", [long], numpy.stack(numpy.nonzero(long)))
    yield one_node("NonZero of none", [numpy.zeros((3, 2), numpy.float32)], numpy.zeros((2, 0), numpy.int64))
    yield one_node("NonZero of all", [numpy.ones(4, numpy.float32)], i64([0, 1, 2, 3]))
    yield one_node("NonZero of nothing", [numpy.zeros((2, 0, 3), bool)], numpy.zeros((3, 0), numpy.int64))
    for value in (0, 2):
        yield one_node(f"NonZero of a scalar {value}", [scalar(value)], numpy.zeros((0, min(value, 1)), numpy.int64))
    count = "ones = ConstantOfShape <value: tensor = int64[1] {1}> (x0) y0 = NonZero (ones)"
    yield text_model("NonZero for a range", count, [i64(6)], [i64([0, 1, 2, 3, 4, 5])])
    yield text_model("NonZero for a grid", count, [i64(2, 3)], [numpy.stack(numpy.nonzero(numpy.ones((2, 3))))])


def choices():
    """Compress, along an axis and of all, by conditions that are shorter."""
    x = normal(3, 4)
    for flags, axis in (([1, 0, 1], 0), ([0, 1], 0), ([0, 1, 1, 0], -1), ([0, 0, 0, 0], 1)):
        condition = numpy.array(flags, bool)
        yield one_node(f"Compress {flags} {axis}", [x, condition], numpy.compress(condition, x, axis), axis=axis)
    condition = numpy.array([1, 0, 0, 1, 1, 0, 1], bool)
    yield one_node("Compress all", [x, condition], numpy.compress(condition, x))
    yield one_node("Compress beyond", [x, numpy.array([0, 0, 0, 1], bool)], None, axis=0)


def floats():
    """Ranges whose ends are no integers, or leave no number."""
    for start, limit, step in ((0.5, 3.1, 0.7), (2.5, -1.5, -0.5), (1, 1, 0.5), (3, 1, 0.5), (-2.25, 2.25, 1.5), (0, 4, 1)):
        for dtype in (numpy.float32, numpy.float64):
            numbers = numpy.array([start, limit, step], dtype)
            count = max(int(numpy.ceil((float(numbers[1]) - float(numbers[0])) / float(numbers[2]))), 0)
            expected = (float(numbers[0]) + numpy.arange(count) * float(numbers[2])).astype(dtype)
            yield one_node(f"Range of {numbers.dtype} {start} {limit} {step}", list(numbers), expected)
    for title, numbers in (("no step", (1, 2, 0)), ("nowhere", (1, 1, 0)), ("no end", (0, numpy.inf, 1)), ("no number", (0, 1, numpy.nan)), ("too many", (0, 1e30, 1))):
        yield one_node(f"Range {title}", [scalar(number) for number in numbers], None)


def lengths():
    """The longest of many lengths, a count of ones, a number that was picked: they size what follows."""
    x, many = normal(3, 8), numpy.arange(70) % 6
    mask = "most = ReduceMax <keepdims: int = 0> (x0) zero = Constant <value_int: int = 0> () one = Constant <value_int: int = 1> ()"
    mask += " position = Range (zero, most, one) ones = Constant <value_ints: ints = [1]> () length = Unsqueeze (x0, ones) y0 = Less (position, length)"
    yield text_model("mask of the longest", mask, [many], [numpy.arange(5) < many[:, None]])
    zeros = numpy.zeros(70, numpy.int64)
    yield text_model("mask of no length", mask, [zeros], [numpy.zeros((70, 0), bool)])
    ones = "flags = Greater (x1, x2) bits = Cast <to: int = 7> (flags) count = ReduceSum <keepdims: int = 1> (bits)"
    gate = normal(90)
    count = int((gate > 1).sum() % 8)
    some = f"{ones} eight = Constant <value_ints: ints = [8]> () k = Mod (count, eight)"
    yield text_model("TopK by a count", f"{some} y0, y1 = TopK (x0, k)", [x, gate, scalar(1)],
                     [-numpy.sort(-x)[:, :count], numpy.argsort(-x, kind="stable")[:, :count]])  # fmt: skip
    first = "zero = Constant <value_ints: ints = [0]> () one = Constant <value_ints: ints = [1]> ()"
    yield text_model("Slice by a count", f"{some} {first} y0 = Slice (x0, zero, k, one)", [x, gate, scalar(1)], [x[:, :count]])
    yield text_model("Tile by a count", f"{some} {first} r = Concat <axis: int = 0> (one, k) y0 = Tile (x0, r)", [x, gate, scalar(1)], [numpy.tile(x, (1, count))])
    negative = "low = ReduceMin <keepdims: int = 1> (x1) y0 = ConstantOfShape (low)"
    yield text_model("ConstantOfShape of less than nothing", negative, [x, numpy.arange(70) - 3], None)


def chains():
    """A size that depends on what has another such size; loops as often as data says; experts of a mixture."""
    x = normal(6, 8)
    half = scalar(0.5)
    twice = "i = NonZero (x0) t = Transpose (i) v = GatherND (x0, t) g = Greater (v, x1) y0 = NonZero (g)"
    rest = x[numpy.nonzero(x)]
    yield text_model("NonZero of what was found", twice, [x, half], [numpy.stack(numpy.nonzero(rest > half))])
    third = f"{twice.replace('y0', 'j')} row = Constant <value_ints: ints = [0]> () p = Squeeze (j, row) w = Gather (v, p) s = Less (w, x2) y0 = NonZero (s)"
    chosen = rest[rest > half]
    yield text_model("NonZero three times", third, [x, half, scalar(1)], [numpy.stack(numpy.nonzero(chosen < 1))])
    trips = "flags = Greater (x1, x2) bits = Cast <to: int = 7> (flags) n = ReduceSum <keepdims: int = 0> (bits)"
    body = "body = b (int64 i, bool c, float[N, M] h) => (bool d, float[N, M] g, float[N, M] s) { d = Identity(c) g = Mul(h, x3) s = Identity(h) }"
    gate = normal(70)
    count = int((gate > 1.2).sum())
    states = [x * numpy.float32(0.5) ** i for i in range(count + 1)]
    yield text_model("Loop as often as data says", f"{trips} y0, y1 = Loop (n, , x0) <{body}>", [x, gate, scalar(1.2), half],
                     [states[-1], numpy.stack(states[:-1]).astype(numpy.float32)])  # fmt: skip
    experts = [normal(8, 4), normal(8, 4)]
    choice = numpy.array([0, 1, 1, 0, 1, 1])
    mixture = "z = Constant <value_ints: ints = [0]> () zero = ConstantOfShape <value: tensor = float[1] {0}> (x4)"
    last = "zero"
    for e in range(2):
        mixture += f""" e{e} = Constant <value_int: int = {e}> () is{e} = Equal (x1, e{e}) found{e} = NonZero (is{e}) at{e} = Squeeze (found{e}, z)
                        in{e} = Gather (x0, at{e}) out{e} = MatMul (in{e}, x{2 + e}) to{e} = Transpose (found{e}) sum{e} = ScatterND (last{e}, to{e}, out{e})""".replace(f"last{e}", last)
        last = f"sum{e}"
    expected = numpy.stack([x[i] @ experts[c] for i, c in enumerate(choice)])
    yield text_model("mixture of experts", f"{mixture} y0 = Identity ({last})", [x, choice, *experts, i64(6, 4)], [expected])


FAMILIES = [places, choices, floats, lengths, chains]
