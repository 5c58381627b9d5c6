# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Images made larger by filters, of windows, and sampled between their places: ConvTranspose with strides, padding and kernels that do
# not fit together; Col2Im with windows that overlap and leave gaps; GridSample at points far outside, on the edges and nowhere.
import itertools

import numpy
from one_node import f32, i64, normal, one_node


def conv_transpose(x, w, bias=None, strides=None, dilations=None, pads=None, group=1, output_padding=None):
    """Each place of x adds a copy of the filter to the result; padding is then taken away."""
    rank = x.ndim - 2
    strides, dilations, extra = strides or [1] * rank, dilations or [1] * rank, output_padding or [0] * rank
    pads = pads or [0] * 2 * rank
    whole = [s * (size - 1) + d * (k - 1) + 1 + e for s, size, d, k, e in zip(strides, x.shape[2:], dilations, w.shape[2:], extra)]
    inputs, outputs = x.shape[1] // group, w.shape[1]
    y = numpy.zeros((x.shape[0], outputs * group, *whole))
    for n, c, o in itertools.product(range(x.shape[0]), range(x.shape[1]), range(outputs)):
        for place in numpy.ndindex(*x.shape[2:]):
            for tap in numpy.ndindex(*w.shape[2:]):
                at = tuple(p * s + t * d for p, s, t, d in zip(place, strides, tap, dilations))
                y[(n, c // inputs * outputs + o, *at)] += float(x[(n, c, *place)]) * float(w[(c, o, *tap)])
    if bias is not None:
        y += bias.astype(numpy.float64).reshape(-1, *[1] * rank)
    crop = tuple(slice(begin, size - end) for begin, end, size in zip(pads[:rank], pads[rank:], whole))
    return y[(..., *crop)].astype(x.dtype)


def transposed():
    image, row, cell = normal(2, 4, 3, 5), normal(2, 4, 7), normal(1, 2, 2, 3, 2)
    for title, x, w, given in (
        ("plain", image, normal(4, 3, 3, 2), {}),
        ("blocks", image, normal(4, 3, 2, 2), {"strides": [2, 2]}),
        ("stride over kernel", image, normal(4, 3, 2, 3), {"strides": [3, 5]}),
        ("kernel over stride", image, normal(4, 3, 5, 4), {"strides": [2, 3]}),
        ("padding", image, normal(4, 3, 4, 4), {"strides": [2, 2], "pads": [1, 1, 1, 1]}),
        ("uneven padding", image, normal(4, 3, 5, 4), {"strides": [2, 3], "pads": [3, 0, 1, 2]}),
        ("much padding", image, normal(4, 3, 3, 3), {"strides": [2, 2], "pads": [2, 4, 2, 3]}),
        ("output padding", image, normal(4, 3, 4, 3), {"strides": [2, 3], "pads": [1, 0, 1, 0], "output_padding": [1, 2]}),
        ("dilations", image, normal(4, 3, 3, 2), {"strides": [2, 1], "dilations": [2, 3], "pads": [1, 1, 0, 1]}),
        ("dilation over stride", image, normal(4, 3, 2, 3), {"strides": [3, 2], "dilations": [4, 2]}),
        ("groups", image, normal(4, 3, 3, 4), {"strides": [2, 2], "group": 2}),
        ("depthwise", image, normal(4, 1, 4, 4), {"strides": [2, 2], "pads": [1, 1, 1, 1], "group": 4}),
        ("of a row", row, normal(4, 2, 8), {"strides": [4], "pads": [2, 2]}),
        ("of a row in groups", row, normal(4, 2, 5), {"strides": [2], "pads": [0, 3], "group": 2, "output_padding": [1]}),
        ("of cells", cell, normal(2, 3, 2, 3, 2), {"strides": [2, 1, 2], "pads": [0, 1, 0, 1, 0, 1]}),
    ):
        bias = normal(w.shape[1] * given.get("group", 1))
        kernel = {"kernel_shape": list(w.shape[2:])}
        yield one_node(f"ConvTranspose {title}", [x, w], conv_transpose(x, w, **given), opset=22, **kernel, **given)
        yield one_node(f"ConvTranspose {title} bias", [x, w, bias], conv_transpose(x, w, bias, **given), opset=22, **kernel, **given)
        if "pads" in given:
            continue
        # As large as it says; without padding at the begin, more than there is holds the bias alone.
        whole = conv_transpose(x, w, **given).shape[2:]
        for less, larger_half in itertools.product((0, 1, 3), ("NOTSET", "SAME_UPPER")):
            sizes = [max(size - less, 1) for size in whole]
            total = [a - b for a, b in zip(whole, sizes)]
            begins = [t // 2 if larger_half == "SAME_UPPER" else t - t // 2 for t in total]
            pads = begins + [t - b for t, b in zip(total, begins)]
            y = conv_transpose(x, w, bias, **given, pads=pads)
            yield one_node(f"ConvTranspose {title} {less} less {larger_half}", [x, w, bias], y, opset=22, auto_pad=larger_half, output_shape=sizes, **kernel, **given)
    for mode, kernel, strides in itertools.product(("SAME_UPPER", "SAME_LOWER"), (2, 3, 5), (2, 3)):
        w, size = normal(4, 2, kernel), row.shape[2] * strides
        # Where the filter is smaller than the stride, what is between its copies and behind the last is empty.
        empty, total = max(strides - kernel, 0), max(kernel - strides, 0)
        begin = total // 2 if mode == "SAME_UPPER" else total - total // 2
        y = conv_transpose(row, w, strides=[strides], pads=[begin, total - begin], output_padding=[empty])
        assert y.shape[2] == size
        yield one_node(f"ConvTranspose {mode} {kernel} by {strides}", [row, w], y, opset=22, auto_pad=mode, kernel_shape=[kernel], strides=[strides])
    half = image.astype(numpy.float16), (normal(4, 3, 2, 2) / 4).astype(numpy.float16)
    yield one_node("ConvTranspose halves", half, conv_transpose(*half, strides=[2, 2]), opset=22, kernel_shape=[2, 2], strides=[2, 2])
    double = image.astype(numpy.float64), normal(4, 3, 3, 3).astype(numpy.float64)
    yield one_node("ConvTranspose doubles", double, conv_transpose(*double, strides=[2, 2]), opset=22, kernel_shape=[3, 3], strides=[2, 2])
    w = normal(4, 3, 2, 2)
    for title, filter_of, given in (
        ("channels", normal(3, 3, 2, 2), {}),
        ("group", w, {"group": 3}),
        ("kernel", w, {"kernel_shape": [2, 3]}),
        ("kernel rank", w, {"kernel_shape": [2]}),
        ("pads", w, {"pads": [0, 0]}),
        ("more padding than there is", w, {"pads": [4, 0, 4, 0]}),
        ("strides", w, {"strides": [0, 1]}),
        ("output shape", w, {"output_shape": [5]}),
        ("auto pad", w, {"auto_pad": "SAME"}),
        ("rank", normal(4, 3), {}),
        ("bias", w, {}),
    ):
        inputs = [image, filter_of] + ([f32(1, 2)] if title == "bias" else [])
        yield one_node(f"ConvTranspose not {title}", inputs, None, opset=22, **given)


def windows_of(image, block, strides, dilations, pads):
    """How many windows there are along each dim."""
    rank = len(image)
    whole = [size + pads[i] + pads[rank + i] for i, size in enumerate(image)]
    return [(size - d * (k - 1) - 1) // s + 1 for size, k, s, d in zip(whole, block, strides, dilations)]


def fold(x, image, block, strides, dilations, pads):
    """Each column of x is added to the image where its window lies; padding is then taken away."""
    rank, taps = len(image), numpy.prod(block)
    counts = windows_of(image, block, strides, dilations, pads)
    y = numpy.zeros((x.shape[0], x.shape[1] // taps, *(size + pads[i] + pads[rank + i] for i, size in enumerate(image))), x.dtype)
    x = x.reshape(*y.shape[:2], *block, *counts)
    for tap in numpy.ndindex(*block):
        for window in numpy.ndindex(*counts):
            y[(..., *(w * s + t * d for w, t, s, d in zip(window, tap, strides, dilations)))] += x[(..., *tap, *window)]
    return y[(..., *(slice(pads[i], pads[i] + size) for i, size in enumerate(image)))]


def folded():
    forms = [("overlapping", (6, 7), (3, 2), (1, 1), (1, 1), (0, 0, 0, 0)), ("with gaps", (7, 9), (2, 2), (3, 4), (1, 1), (0, 0, 0, 0)),
             ("padded unevenly", (5, 4), (3, 3), (2, 1), (1, 2), (2, 0, 1, 3)), ("of a row", (11,), (4,), (3,), (2,), (1, 0)),
             ("of cells", (3, 4, 5), (2, 1, 3), (1, 2, 1), (1, 1, 1), (0, 1, 0, 0, 0, 1)), ("of one place", (4, 4), (1, 1), (2, 3), (1, 1), (0, 0, 0, 0))]  # fmt: skip
    for title, image, block, strides, dilations, pads in forms:
        how = {"strides": strides, "dilations": dilations, "pads": pads}
        count, taps = numpy.prod(windows_of(image, **how, block=block)), numpy.prod(block)
        for batch, channels in ((2, 3), (0, 1)):
            x = normal(batch, channels * taps, count)
            yield one_node(f"Col2Im {title} of {batch}", [x, i64(*image), i64(*block)], fold(x, image, block, **how), **how)
    x = numpy.arange(2 * 4 * 6, dtype=numpy.int32).reshape(2, 4, 6)
    plain = {"strides": (1, 1), "dilations": (1, 1), "pads": (0, 0, 0, 0)}
    yield one_node("Col2Im of integers", [x, i64(3, 4), i64(2, 2)], fold(x, (3, 4), (2, 2), **plain))
    for title, columns, image in (("channels", normal(1, 6, 6), (3, 4)), ("windows", normal(1, 4, 7), (3, 4)), ("place for a block", normal(1, 4, 0), (1, 0))):
        yield one_node(f"Col2Im not the {title}", [columns, i64(*image), i64(2, 2)], None)


def beyond(place, size, padding, aligned):
    """Where a place that is outside is taken from, or nothing; in the terms of ONNX's reference implementation."""
    if padding == "zeros":
        return place if 0 <= place < size else None
    if padding == "border":
        return min(max(place, 0), size - 1)
    low, high = (0.0, size - 1.0) if aligned else (-0.5, size - 0.5)
    while (place < low or place > high) and high > low:
        place = 2 * low - place if place < low else 2 * high - place
    return place if high > low else 0


def keys(distance):
    d, a = abs(distance), -0.75
    return ((a + 2) * d - (a + 3)) * d * d + 1 if d <= 1 else (((d - 5) * d + 8) * d - 4) * a


def sample(x, grid, mode, padding, aligned):
    spatial, y = x.shape[2:], numpy.zeros((*x.shape[:2], *grid.shape[1:-1]))
    for n, *point in numpy.ndindex(*grid.shape[:-1]):
        taps = []
        for size, entry in zip(spatial, grid[(n, *point)][::-1].astype(numpy.float64)):
            at = (entry + 1) / 2 * (size - 1) if aligned else ((entry + 1) * size - 1) / 2
            at = float(numpy.rint(at)) if mode == "nearest" else at
            low, high = (0, size - 1) if aligned else (-0.5, size - 0.5)
            if padding != "zeros" and not low <= at <= high:
                at = beyond(at, size, padding, aligned)
            base, reach = int(numpy.floor(at)), {"linear": 1, "cubic": 2}.get(mode, 0)
            weight = {"linear": lambda d: 1 - abs(d), "cubic": keys}.get(mode, lambda d: 1)
            places = range(base + 1 - reach, base + reach + 1) if reach else [int(at)]
            taps.append([(beyond(place, size, padding, aligned), weight(at - place)) for place in places])
        for combination in itertools.product(*taps):
            if all(place is not None for place, _ in combination):
                places = tuple(int(place) for place, _ in combination)
                y[(n, slice(None), *point)] += x[(n, slice(None), *places)] * numpy.prod([weight for _, weight in combination])
    return y.astype(x.dtype)


def sampled():
    for title, x, points in (("image", normal(2, 3, 5, 4), (3, 2)), ("row", normal(2, 2, 6), (7,)), ("cells", normal(1, 2, 3, 2, 4), (2, 1, 3)), ("thin", normal(2, 3, 1, 4), (3, 2))):
        far = (normal(x.shape[0], *points, x.ndim - 2) * 1.5).astype(numpy.float32)
        for mode, padding, aligned in itertools.product(("nearest", "linear", "cubic"), ("zeros", "border", "reflection"), (0, 1)):
            y = sample(x, far, mode, padding, aligned)
            yield one_node(f"GridSample {title} {mode} {padding} {aligned}", [x, far], y, opset=22, mode=mode, padding_mode=padding, align_corners=aligned)
    image, edges = normal(1, 2, 3, 3), f32([[[-1, -1], [1, 1], [0, 0], [-1 / 3, 2 / 3], [1 / 3, 1.5], [-9, 0.5]]])
    for padding, aligned in itertools.product(("zeros", "border", "reflection"), (0, 1)):
        given = {"padding_mode": padding, "align_corners": aligned}
        yield one_node(f"GridSample on edges {padding} {aligned}", [image, edges], sample(image, edges, "linear", **{"padding": padding, "aligned": aligned}), opset=16, mode="bilinear", **given)
    # What lies outside does not count, whatever is next to it; nor do points that are nowhere reach beyond the image.
    infinite = f32([[[numpy.inf, 1], [2, 3]]])
    corner = f32([[[-2, -2], [2, 2]]])
    yield one_node("GridSample beside infinity", [infinite, corner], f32([[[0, 0]]]), opset=22)
    yield one_node("GridSample nearest beside infinity", [infinite, corner], f32([[[0, 0]]]), opset=22, mode="nearest")
    nowhere = f32([[[numpy.nan, 0], [1e30, 0], [numpy.inf, -numpy.inf]]])
    yield one_node("GridSample nearest nowhere", [image, nowhere], numpy.zeros((1, 2, 1, 3), numpy.float32), opset=22, mode="nearest")
    yield one_node("GridSample far away", [image, f32([[[1e30, 0], [0, -1e9]]])], numpy.zeros((1, 2, 1, 2), numpy.float32), opset=22)
    halves, doubles = (image.astype(kind) for kind in (numpy.float16, numpy.float64))
    yield one_node("GridSample halves", [halves, edges], sample(halves, edges, "linear", "border", 0), opset=22, padding_mode="border")
    yield one_node("GridSample doubles", [doubles, edges], sample(doubles, edges, "cubic", "border", 0), opset=22, mode="cubic", padding_mode="border")
    bytes_of = (image * 50).astype(numpy.int8)
    yield one_node("GridSample bytes", [bytes_of, edges], sample(bytes_of, edges, "nearest", "zeros", 0), opset=22, mode="nearest")
    for title, x, grid, given in (
        ("bytes between places", bytes_of, edges, {}),
        ("mode", image, edges, {"mode": "sinc"}),
        ("padding", image, edges, {"padding_mode": "wrap"}),
        ("batch", image, f32([[[0, 0]]], [[[0, 0]]]), {}),
        ("coordinates", image, f32([[[0, 0, 0]]]), {}),
        ("rank", image, f32([[0, 0]]), {}),
        ("integers", image, edges.astype(numpy.int32), {}),
    ):
        yield one_node(f"GridSample not {title}", [x, grid], None, opset=22, **given)


FAMILIES = [transposed, folded, sampled]
