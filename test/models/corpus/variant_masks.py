# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Masks and biases of the variants: each as nodes, and as what it does to scores in NumPy.
import numpy

TABLE = 160  # rows of a stored triangle
MIRRORED = {"Greater": "Less", "GreaterOrEqual": "LessOrEqual"}
MIRRORED |= {b: a for a, b in MIRRORED.items()}
NEGATED = {"Greater": "LessOrEqual", "Less": "GreaterOrEqual"}
NEGATED |= {b: a for a, b in NEGATED.items()}
FINITE = {"f32": [-1e9, -1e4, float(numpy.finfo(numpy.float32).min)], "f16": [-1e4, -65504.0], "f64": [-1e9, -1e30]}


def spread(array, axes, order):
    """The array with an axis for each letter of `order`."""
    have = [axis for axis in axes if axis]
    array = array.reshape([size for size, axis in zip(array.shape, axes) if axis])
    array = array.transpose([have.index(letter) for letter in order if letter in have])
    sizes = iter(array.shape)
    return array.reshape([next(sizes) if letter in have else 1 for letter in order])


class Keep:
    """A condition on places: a bool value of the graph, and the same of a run's inputs and sizes."""

    def __init__(self, value, formula, axes, flags=None):
        self.value, self.formula, self.axes = value, formula, axes
        self.flags = flags  # the same as numbers, 1 and 0, if it was an input of those


class Masks:
    """Makes masks for a variant, with its writer's dice."""

    def __init__(self, writer, lead, past, square):
        self.w, self.lead, self.past, self.square = writer, lead, past, square

    def positions(self, element="i64"):
        """The places of query and key, in axes (i, 1) and (j) or (1, j)."""
        w = self.w
        i, j = w.range("i", element), w.range("j", element)
        if self.past:
            past = w.size_scalar("p")
            i = w.op("Add", i, past if element == "i64" else w.cast(past, element))
        j = w.unsqueeze(j, ("", "j")) if w.chance() else j
        return w.unsqueeze(i, ("i", "")), j

    def compare(self, kind, a, b, axes):
        """a kind b, for one of the four orders, in one of several ways."""
        w = self.w

        def plain(kind, a, b):
            if w.chance():
                kind, a, b = MIRRORED[kind], b, a
            return w.op(kind, a, b, axes=axes, element="bool")

        has_equal = kind.endswith("OrEqual")
        way = w.pick("plain", "negated", "either") if w.opset >= 12 else "negated" if has_equal else "plain"
        if way == "negated":
            return w.op("Not", plain(NEGATED[kind], a, b))
        if way == "either" and has_equal:
            equal = w.op("Equal", a, b, axes=axes, element="bool")
            return w.op("Or", plain(kind.removesuffix("OrEqual"), a, b), equal)
        return plain(kind, a, b)

    def is_set(self, x):
        """A mask of numbers as bool."""
        w = self.w
        if x.element == "bool":
            return x
        way = w.pick("cast", "not zero", "not equal", "greater")
        if way == "cast":
            return w.cast(x, "bool")
        if x.element == "u8":  # older opsets do not compare it
            x = w.cast(x, "i32")
        zero = w.scalar(0, x.element, len(x.axes))
        if way == "greater":
            return w.op("Greater", x, zero, element="bool")
        return w.op("Not", w.op("Equal", x, zero, element="bool"))

    # Conditions.
    def causal(self):
        w = self.w

        def formula(feeds, sizes):
            i, j = numpy.arange(sizes["i"]) + (sizes["p"] if self.past else 0), numpy.arange(sizes["j"])
            return i[:, None] >= j[None, :]

        way = w.pick("range", "range", "table", *(["trilu", "triu"] if w.opset >= 14 else []))
        if way == "range":
            i, j = self.positions(w.pick("i64", "i64", "i32", "f32"))
            value = self.compare("GreaterOrEqual", i, j, ("i", "j"))
        elif way == "table":
            value = self.triangle_of_table()
        else:
            element = w.pick("f32", "i64", "bool", "i32")
            shape = w.shape(("i", "j"))
            ones = w.node("Expand", [w.scalar(1, element), shape]) if w.chance() or element == "bool" else None
            if ones is None:
                one = numpy.ones(1, {"f32": numpy.float32, "i64": numpy.int64, "i32": numpy.int32}[element])
                ones = w.node("ConstantOfShape", [shape], value=w.tensor(one))
            diagonal = [w.squeeze(w.size("p"), ())] if self.past else []
            if way == "triu":
                diagonal = [w.op("Add", diagonal[0], w.number(1, "i64"))] if diagonal else [w.number(1, "i64")]
            name = w.node("Trilu", [ones, *diagonal], upper=int(way == "triu"))
            value = self.is_set(w.value(name, ("i", "j"), element))
            value = w.op("Not", value) if way == "triu" else value
        return Keep(value, formula, ("i", "j"))

    def triangle_of_table(self):
        """A stored triangle, cut to size."""
        w = self.w
        element, rank4 = w.pick("bool", "u8", "f32"), w.chance()
        table = numpy.tril(numpy.ones((TABLE, TABLE)))
        axes = ("", "", "T", "T") if rank4 else ("T", "T")
        x = w.value(w.number(table.reshape([1] * (len(axes) - 2) + [TABLE, TABLE]), element), axes, element)
        start, end = 0, w.size("i")
        if self.past:
            start = w.size("p")
            end = w.op("Add", start, end) if w.chance() else w.size("j")
        x = w.slice(x, len(axes) - 2, start, end, (*axes[:-2], "i", "T"))
        return self.is_set(w.slice(x, len(axes) - 1, 0, w.size("j"), (*axes[:-2], "i", "j")))

    def window(self):
        w, reach = self.w, self.w.pick(1, 3, 10)

        def formula(feeds, sizes):
            i, j = numpy.arange(sizes["i"]) + (sizes["p"] if self.past else 0), numpy.arange(sizes["j"])
            return abs(i[:, None] - j[None, :]) <= reach

        i, j = self.positions()
        if w.chance():
            distance = w.op("Abs", w.op("Sub", *w.pick((i, j), (j, i)), axes=("i", "j")))
            value = self.compare("LessOrEqual", distance, w.number(reach, "i64"), ("i", "j"))
        else:
            low = self.compare("GreaterOrEqual", j, w.op("Sub", i, w.number(reach, "i64")), ("i", "j"))
            high = self.compare("LessOrEqual", j, w.op("Add", i, w.number(reach, "i64")), ("i", "j"))
            value = w.op("And", low, high)
        return Keep(value, formula, ("i", "j"))

    def padding(self, empty):
        """Which keys count. `empty`: perhaps none, in the first batch."""
        w = self.w
        axes = ("b", "j") if "b" in self.lead else ("j",)
        way = w.pick("flags", "flags", "tokens", *(["lengths"] if "b" in self.lead else []))
        element = w.pick("bool", "i64", "i32", "u8", "f32") if way == "flags" else "i64"

        def feed(shape, sizes, dice):
            if way == "lengths":
                lengths = dice.integers(1, sizes["j"] + 1, shape)
                lengths[:1] = 0 if empty else lengths[:1]
                return lengths
            flags = dice.random(shape) < 0.7
            flags[..., 0] = True
            if empty:
                flags[:1] = False
            return flags * dice.integers(1, 9, shape) if way == "tokens" else flags

        if way == "lengths":
            lengths = w.input("lengths", ("b",), "i64", feed)
            j = w.range("j")
            value = self.compare("Less", w.unsqueeze(j, ("", "j")), w.unsqueeze(lengths, ("b", "")), axes)

            def formula(feeds, sizes):
                return numpy.arange(sizes["j"])[None] < feeds["lengths"][:, None]

            return Keep(value, formula, axes)
        flags = w.input("padding", axes, element, feed)
        numbers = flags if way == "flags" and element != "bool" else None
        return Keep(self.is_set(flags), lambda feeds, sizes: feeds["padding"] != 0, axes, numbers)

    def documents(self):
        """Queries see keys of their own document."""
        w = self.w
        axes = ("b", "i") if "b" in self.lead else ("i",)

        def feed(shape, sizes, dice):
            return numpy.sort(dice.integers(0, 3, shape))

        ids = w.input("documents", axes, w.pick("i64", "i32"), feed)
        head = axes[:-1]
        keys = w.value(ids.name, (*head, "j"), ids.element)
        rows, columns = w.unsqueeze(ids, (*head, "i", "")), w.unsqueeze(keys, (*head, "", "j"))
        value = w.op("Equal", *w.pick((rows, columns), (columns, rows)), axes=(*head, "i", "j"), element="bool")
        return Keep(value, lambda feeds, sizes: feeds["documents"][..., :, None] == feeds["documents"][..., None, :],
                    (*head, "i", "j"))  # fmt: skip

    def dense_axes(self):
        return (*(letter if self.w.chance() else "" for letter in self.lead), "i", "j")

    def dense(self, empty):
        def feed(shape, sizes, dice):
            flags = dice.random(shape) < 0.6
            flags[..., 0] = True
            if empty:
                flags.reshape(-1, shape[-1])[::5] = False
            return flags

        axes = self.dense_axes()
        value = self.is_set(self.w.input("dense", axes, self.w.pick("bool", "u8", "i64"), feed))
        return Keep(value, lambda feeds, sizes: feeds["dense"] != 0, axes)

    # Biases: (value, formula, axes).
    def slopes(self, element):
        """ALiBi: a slope of the head by the distance."""
        w = self.w
        heads = w.sizes["h"] if "h" in self.lead else 1
        slopes = 0.5 ** numpy.arange(1, heads + 1)
        i, j = self.positions(w.pick("i64", "f32"))
        distance = w.op("Sub", j, i, axes=("i", "j"))
        distance = distance if distance.element == element else w.cast(distance, element)
        axes = ("h", "i", "j") if "h" in self.lead else ("i", "j")
        slope = w.value(w.number(slopes.reshape([-1] + [1] * (len(axes) - 1)), element), ("h", "", ""), element)
        slope = slope if "h" in self.lead else w.scalar(0.5, element)
        value = w.op("Mul", slope, distance, axes=axes)

        def formula(feeds, sizes):
            i, j = numpy.arange(sizes["i"]) + (sizes["p"] if self.past else 0), numpy.arange(sizes["j"])
            distance = j[None, :] - i[:, None]
            return slopes[:, None, None] * distance if "h" in self.lead else 0.5 * distance

        return value, formula, axes

    def table(self, element):
        """T5: a value of the head by the clipped distance."""
        w, reach = self.w, 6
        numbers = w.random.normal(0, 1, (2 * reach + 1, w.sizes["h"])).astype(numpy.float16)
        i, j = self.positions("f32" if w.opset < 12 else "i64")
        distance = w.op("Sub", j, i, axes=("i", "j"))
        low, high = w.number(-reach, distance.element), w.number(reach, distance.element)
        distance = w.op("Min", w.op("Max", distance, low), high)
        row = w.op("Add", distance, w.number(reach, distance.element))
        row = row if row.element == "i64" else w.cast(row, "i64")
        value = w.value(w.node("Gather", [w.number(numbers, element), row]), ("i", "j", "h"), element)
        value = w.transpose(value, ("h", "i", "j"))

        def formula(feeds, sizes):
            i, j = numpy.arange(sizes["i"]) + (sizes["p"] if self.past else 0), numpy.arange(sizes["j"])
            row = numpy.clip(j[None, :] - i[:, None], -reach, reach) + reach
            return numbers.astype(numpy.float64)[row].transpose(2, 0, 1)

        return value, formula, ("h", "i", "j")

    def dense_bias(self, element):
        axes = self.dense_axes()
        value = self.w.input("bias", axes, element, lambda shape, sizes, dice: dice.normal(0, 1, shape))
        return value, lambda feeds, sizes: feeds["bias"].astype(numpy.float64), axes

    # Forms.
    def fit(self, x, axes):
        """The mask as it broadcasts against scores of these axes."""
        w = self.w
        letters = "".join(x.axes)
        for axis in axes:
            missing = [letter for letter in axis if letter not in letters]
            if 0 < len(missing) < len(axis):  # merged with an axis that the mask lacks
                full = tuple("".join(axes))
                wanted = [letter if letter in axis or letter in letters else "" for letter in full]
                x = w.expand(w.arrange(x, full), wanted)
                letters = "".join(x.axes)
        plain = x.axes and len(x.axes) <= len(axes) and all(
            a in ("", b) for a, b in zip(reversed(x.axes), reversed(axes))
        )
        if not plain:
            x = w.arrange(x, axes)
        elif w.chance(0.7) and len(x.axes) < len(axes):
            x = w.unsqueeze(x, [""] * (len(axes) - len(x.axes)) + list(x.axes))
        if w.chance(0.2) and len(x.axes) == len(axes) and x.axes != tuple(axes):
            x = w.expand(x, axes)
        return x

    def both(self, a, b, axes):
        """a and b, each as it fits the scores."""
        w, axes_of_result = self.w, tuple(axes)
        a, b = (w.expand(x, axes) if len(x.axes) < len(axes) else x for x in (a, b))
        result = tuple(p or q for p, q in zip(a.axes, b.axes)) if len(a.axes) == len(b.axes) else axes_of_result
        if w.chance():
            return w.op("And", a, b, axes=result)
        return w.op("Not", w.op("Or", w.op("Not", a), w.op("Not", b), axes=result))

    def additive(self, keep, fill, element):
        w = self.w
        numeric = keep.element != "bool"
        if numeric or fill != -numpy.inf and w.chance(0.4):  # (1 - m) * fill
            if numeric or w.chance():
                flag = w.cast(keep, element)
                flag = w.op("Sub", w.value(w.scalar(1, element), (), element), flag, axes=keep.axes)
            else:
                flag = w.cast(w.op("Not", keep), element)
            return w.op("Mul", flag, w.scalar(fill, element))
        if w.chance():
            return w.op("Where", keep, w.scalar(0, element), w.scalar(fill, element), element=element)
        return w.op("Where", w.op("Not", keep), w.scalar(fill, element), w.scalar(0, element), element=element)
