# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Pools: windows that reach into the padding, or beyond it.
import itertools

import numpy
from one_node import f32, normal, one_node


def pool(x, kernel, combine, strides=None, dilations=None, pads=None, ceil=False, is_pad_counted=False):
    """What `combine` makes of each window's elements, and of how many there are; those beyond the padding never count."""
    rank = len(kernel)
    strides, dilations, pads = strides or [1] * rank, dilations or [1] * rank, pads or [0] * 2 * rank
    counts, reach = [], [(size - 1) * dilation + 1 for size, dilation in zip(kernel, dilations)]
    for i, size in enumerate(x.shape[2:]):
        room = size + pads[i] + pads[i + rank] - reach[i]
        count = (-(-room // strides[i]) if ceil else room // strides[i]) + 1
        counts.append(count - (ceil and (count - 1) * strides[i] >= size + pads[i]))
    result = numpy.zeros((*x.shape[:2], *counts), x.dtype)
    for n, c in numpy.ndindex(x.shape[:2]):
        for out in numpy.ndindex(*counts):
            elements, padded = [], 0
            for at in numpy.ndindex(*kernel):
                place = [o * s + a * d - p for o, s, a, d, p in zip(out, strides, at, dilations, pads)]
                if all(0 <= i < size for i, size in zip(place, x.shape[2:])):
                    elements.append(x[(n, c, *place)])
                elif all(i < size + end for i, size, end in zip(place, x.shape[2:], pads[rank:])):
                    padded += 1
            result[(n, c, *out)] = combine(numpy.array(elements), len(elements) + (padded if is_pad_counted else 0))
    return result


def places_of_greatest(x, kernel, is_column_major, **given):
    """Of each window's greatest element, the first of equal ones: its place among all elements of x."""
    flat = numpy.arange(x.size).reshape(x.shape)
    order = numpy.argsort(-x.ravel().astype(float), kind="stable")
    ranks = numpy.empty(x.size, numpy.int64)
    ranks[order] = numpy.arange(x.size)
    first = order[pool(ranks.reshape(x.shape), kernel, lambda e, n: e.min(), **given)]
    if not is_column_major:
        return first
    axes = (0, 1, *reversed(range(2, x.ndim)))
    turned = flat.reshape(*x.shape[:2], *x.shape[:1:-1]).transpose(axes)
    return turned.ravel()[first]


def mean(elements, count):
    return elements.sum(dtype=numpy.float64) / count


def norm(elements, count):
    return (abs(elements.astype(numpy.float64)) ** 3).sum() ** (1 / 3)


def pools():
    x, long = normal(2, 3, 7, 6), normal(1, 2, 11)
    for title, data, kernel, given in (
        ("plain", x, [3, 2], {}),
        ("strides", x, [2, 2], {"strides": [2, 3]}),
        ("pads", x, [3, 3], {"pads": [1, 0, 2, 1], "strides": [2, 1]}),
        ("dilations", x, [2, 3], {"dilations": [3, 2], "pads": [1, 1, 1, 1]}),
        ("of a row", long, [4], {"strides": [3], "pads": [2, 1]}),
        ("of cells", normal(1, 1, 3, 4, 5), [2, 1, 3], {"strides": [1, 2, 2]}),
    ):
        for ceil in (0, 1):
            name = f"{title} ceil" if ceil else title
            attributes = {"kernel_shape": kernel, "ceil_mode": ceil, **given}
            yield one_node(f"MaxPool {name}", [data], pool(data, kernel, lambda e, n: e.max(), ceil=ceil, **given), opset=22, **attributes)
            for order in (0, 1):
                y = [pool(data, kernel, lambda e, n: e.max(), ceil=ceil, **given), places_of_greatest(data, kernel, order, ceil=ceil, **given)]
                yield one_node(f"MaxPool places {name} {order}", [data], y, opset=22, storage_order=order, **attributes)
            yield one_node(f"LpPool {name}", [data], pool(data, kernel, norm, ceil=ceil, **given), opset=22, p=3, **attributes)
            for counted in (0, 1):
                expected = pool(data, kernel, mean, ceil=ceil, is_pad_counted=counted, **given)
                title_of = f"AveragePool {name} padding counts" if counted else f"AveragePool {name}"
                yield one_node(title_of, [data], expected, opset=22, count_include_pad=counted, **attributes)
    # The second of two windows would begin in the padding after what is given.
    thin = normal(1, 1, 2)
    yield one_node("MaxPool begins in the padding", [thin], thin.max(2, keepdims=True), kernel_shape=[3], strides=[3], pads=[0, 1], ceil_mode=1)
    for mode, pads in (("SAME_UPPER", [1, 0, 1, 1]), ("SAME_LOWER", [1, 1, 1, 0])):
        given = {"strides": [3, 1]}
        for op, combine in (("MaxPool", lambda e, n: e.max()), ("AveragePool", mean)):
            yield one_node(f"{op} {mode}", [x], pool(x, [3, 2], combine, pads=pads, **given), auto_pad=mode, kernel_shape=[3, 2], **given)
    valid = {"auto_pad": "VALID", "kernel_shape": [2, 4], "strides": [2, 3]}
    yield one_node("MaxPool VALID is not rounded up", [x], pool(x, [2, 4], lambda e, n: e.max(), [2, 3]), ceil_mode=1, **valid)
    small = (x * 9).astype(numpy.int8)
    padded = {"pads": [1, 1, 1, 1]}
    yield one_node("MaxPool bytes", [small], pool(small, [2, 2], lambda e, n: e.max(), **padded), kernel_shape=[2, 2], **padded)
    # Padding is as small as what is there, and comes first.
    zeros = numpy.zeros((2, 2, 3, 4), numpy.uint8)
    y = [pool(zeros, [2, 2], lambda e, n: e.max(), **padded), places_of_greatest(zeros, [2, 2], 0, **padded)]
    yield one_node("MaxPool places of the least", [zeros], y, kernel_shape=[2, 2], **padded)
    yield one_node("AveragePool halves", [x.astype(numpy.float16)], pool(x.astype(numpy.float16), [7, 6], mean), kernel_shape=[7, 6])
    yield one_node("MaxPool NaN", [f32([[1, numpy.nan, 2, 3]])], f32([[numpy.nan, numpy.nan, 3]]), kernel_shape=[2])
    for title, attributes in (("kernel", {"kernel_shape": [2]}), ("stride", {"kernel_shape": [2, 2], "strides": [0, 1]}), ("none", {"kernel_shape": [0, 2]}), ("pads", {"kernel_shape": [2, 2], "pads": [1, 1]}), ("room", {"kernel_shape": [9, 2]})):
        for op in ("MaxPool", "AveragePool", "LpPool"):
            yield one_node(f"{op} not {title}", [x], None, **attributes)


def bits():
    """BitShift by as many bits as there are, or more; the other operators on signed and unsigned integers."""
    for kind in (numpy.uint8, numpy.uint16, numpy.uint32, numpy.uint64):
        width = numpy.dtype(kind).itemsize * 8
        value = numpy.array([1, 3, 2**width - 1, 2 ** (width - 1) + 5] * 2, kind)
        by = numpy.array([0, 1, 5, width - 1, width, width - 1, width + 3, 2], kind)
        for direction in ("LEFT", "RIGHT"):
            wide = [int(v) << int(n) if direction == "LEFT" else int(v) >> int(n) for v, n in zip(value, by)]
            yield one_node(f"BitShift {direction} {width}", [value, by], numpy.array([w % 2**width for w in wide], kind), direction=direction)
    for kind, (op, combine) in itertools.product((numpy.int8, numpy.uint16, numpy.int32, numpy.int64), {"And": numpy.bitwise_and, "Or": numpy.bitwise_or, "Xor": numpy.bitwise_xor}.items()):
        a, b = ((normal(3, 5) * 99).astype(numpy.int64).astype(kind) for _ in range(2))
        yield one_node(f"Bitwise{op} {numpy.dtype(kind)}", [a, b[:1]], combine(a, b[:1]))
    yield one_node("BitwiseAnd floats", [f32(1), f32(2)], None)
    yield one_node("BitShift up", [numpy.uint8([1]), numpy.uint8([1])], None, direction="UP")


FAMILIES = [pools, bits]
