# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Where query, key and value come from: inputs of several shapes, projections, caches, fewer heads than the query has.
import numpy
from variant_writer import Value


class Sources:
    """A part of Variant. Each source sets `closed`, the same three in NumPy, with the axes of the lead first."""

    def sources(self, w):
        return getattr(self, "from_" + self.choice["source"].replace(" ", "_"))(w)

    def random_input(self, name, axes):
        return self.writer.input(name, axes, self.element, lambda shape, sizes, dice: dice.normal(0, 1, shape))

    def from_heads(self, w):
        self.closed = lambda feeds, sizes: [feeds[name] for name in ("query", "key", "value")]
        parts = (("query", "id"), ("key", "jd"), ("value", "je"))
        return [self.random_input(name, (*self.lead, *axes)) for name, axes in parts]

    def split_heads(self, x, letters):
        """From (b, i, hd) to heads, transposed now or later."""
        w, (i, d) = self.writer, letters
        split = w.reshape(x, [part for axis in x.axes for part in (axis if axis == "h" + d else [axis])])
        if w.chance(0.3):
            return split
        return w.transpose(split, ("b", "h", i, d))

    def from_rows(self, w):
        def closed(feeds, sizes):
            return [
                feeds[name].reshape(sizes["b"], sizes[i], sizes["h"], sizes[d]).transpose(0, 2, 1, 3)
                for name, i, d in (("query", "i", "d"), ("key", "j", "d"), ("value", "j", "e"))
            ]

        self.closed = closed
        return [self.split_heads(self.random_input(name, ("b", i, "h" + d)), i + d)
                for name, i, d in (("query", "i", "d"), ("key", "j", "d"), ("value", "j", "e"))]  # fmt: skip

    def from_time_first(self, w):
        """(i, b, hd), and batch and heads as one, as nn.MultiheadAttention has it."""

        def closed(feeds, sizes):
            return [
                feeds[name].reshape(sizes[i], sizes["b"], sizes["h"], sizes[d]).transpose(1, 2, 0, 3)
                for name, i, d in (("query", "i", "d"), ("key", "j", "d"), ("value", "j", "e"))
            ]

        self.closed = closed
        values = []
        for name, i, d in (("query", "i", "d"), ("key", "j", "d"), ("value", "j", "e")):
            x = w.reshape(self.random_input(name, (i, "b", "h" + d)), (i, "bh", d))
            values.append(w.transpose(x, ("bh", i, d)) if w.chance(0.7) else x)
        return values

    def weight(self, rows, columns):
        return self.random.normal(0, self.numbers["w"] ** -0.5, (rows, columns)).astype(numpy.float16)

    def project(self, x, matrix, bias, axes):
        w = self.writer
        y = w.op("MatMul", x, w.number(matrix, x.element), axes=axes)
        return w.op("Add", *self.pick((y, w.number(bias, x.element)), (w.number(bias, x.element), y)), axes=axes)

    def from_projected(self, w):
        s, parts = self.numbers, (("x", "i", "d"), ("memory", "j", "d"), ("memory", "j", "e"))
        matrices = [self.weight(s["w"], s["h"] * s[d]) for _, _, d in parts]
        biases = [self.weight(1, s["h"] * s[d])[0] for _, _, d in parts]

        def closed(feeds, sizes):
            result = []
            for (name, i, d), matrix, bias in zip(parts, matrices, biases):
                y = feeds[name] @ matrix.astype(numpy.float64) + bias
                result.append(y.reshape(sizes["b"], sizes[i], sizes["h"], sizes[d]).transpose(0, 2, 1, 3))
            return result

        self.closed = closed
        inputs = {name: self.random_input(name, ("b", i, "w")) for name, i in (("x", "i"), ("memory", "j"))}
        return [self.split_heads(self.project(inputs[name], matrix, bias, ("b", i, "h" + d)), i + d)
                for (name, i, d), matrix, bias in zip(parts, matrices, biases)]  # fmt: skip

    def from_packed(self, w):
        """One product for the three, and their parts of it."""
        s = self.numbers
        matrix, bias = self.weight(s["w"], 3 * s["h"] * s["d"]), self.weight(1, 3 * s["h"] * s["d"])[0]
        inside = w.chance(0.3)  # a head has its query, key and value side by side
        order = "htd" if inside else "thd"

        def closed(feeds, sizes):
            y = feeds["x"] @ matrix.astype(numpy.float64) + bias
            y = y.reshape(sizes["b"], sizes["i"], *(sizes[letter] for letter in order))
            return [part.transpose(0, 2, 1, 3) for part in numpy.moveaxis(y, 2 + order.index("t"), 0)]

        self.closed = closed
        y = self.project(self.random_input("x", ("b", "i", "w")), matrix, bias, ("b", "i", order))
        names = {"query": ("i", "d"), "key": ("j", "d"), "value": ("j", "e")}
        if not inside and w.chance():  # parts of rows
            rows = self.parts(w, y, 2, s["h"] * s["d"], ("b", "i", "hd"))
            return [self.split_heads(Value(part.name, ("b", i, "h" + d), part.element), i + d)
                    for part, (i, d) in zip(rows, names.values())]  # fmt: skip
        y = w.reshape(y, ("b", "i", *order))
        axes = self.pick(("t", "b", "h", "i", "d"), ("b", "h", "t", "i", "d"), y.axes)
        y = w.transpose(y, axes)
        rest = [axis for axis in axes if axis != "t"]
        parts = self.parts(w, y, y.axis("t"), 1, rest)
        return [Value(part.name, [{"i": i, "d": d}.get(axis, axis) for axis in rest], part.element)
                for part, (i, d) in zip(parts, names.values())]  # fmt: skip

    def parts(self, w, x, axis, size, axes):
        """Three parts along an axis; of size 1, the axis goes."""
        way = self.pick("Split", "Slice", *(["Gather"] if size == 1 and "t" in x.axes else []))
        if way == "Gather":
            return [Value(w.node("Gather", [x, w.number(i, "i64")], axis=axis), axes, x.element) for i in range(3)]
        if way == "Split":
            if w.opset < 13:
                names = w.node("Split", [x], outputs=3, axis=axis, split=[size] * 3)
            else:
                names = w.node("Split", [x, w.number([size] * 3, "i64")], outputs=3, axis=axis)
        else:
            names = [w.slice(x, axis, i * size, (i + 1) * size).name for i in range(3)]
        if "t" not in x.axes:
            return [Value(name, axes, x.element) for name in names]
        ones = ["" if a == "t" else a for a in x.axes]
        return [w.squeeze(Value(name, ones, x.element), axes) for name in names]

    def from_past(self, w):
        def closed(feeds, sizes):
            joined = [numpy.concatenate([feeds["past_" + name], feeds[name]], -2) for name in ("key", "value")]
            return [feeds["query"], *joined]

        self.closed = closed
        query = self.random_input("query", (*self.lead, "i", "d"))
        values = []
        for name, d in (("key", "d"), ("value", "e")):
            past = self.random_input("past_" + name, (*self.lead, "p", d))
            new = self.random_input(name, (*self.lead, "i", d))
            axis = len(self.lead)
            x = w.op("Concat", past, new, axes=(*self.lead, "j", d), axis=self.pick(axis, -2))
            w.sources.setdefault("all keys", []).append((x, axis))
            values.append(x)
        return [query, *values]

    def from_grouped(self, w):
        """Fewer heads of key and value: each serves `r` queries in a row."""

        def closed(feeds, sizes):
            return [feeds["query"], *(numpy.repeat(feeds[name], sizes["r"], 1) for name in ("key", "value"))]

        self.closed = closed
        query, result = self.random_input("query", ("b", "h", "i", "d")), []
        for name, d in (("key", "d"), ("value", "e")):
            x = w.unsqueeze(self.random_input(name, ("b", "g", "j", d)), ("b", "g", "", "j", d))
            tiled = self.twin == "grouped by tiling" and name == "value"
            if tiled:
                x = w.transpose(x, ("b", "", "g", "j", d))
            heads = ("r", "g") if tiled else ("g", "r")
            x = w.expand(x, ("b", *heads, "j", d))
            x = w.reshape(x, ("b", "".join(heads), "j", d))
            result.append(Value(x.name, ("b", "h", "j", d), x.element))
        return [query, *result]

    def from_shared(self, w):
        """One head of key and value for all, or for all of a group, by broadcasting."""
        self.closed = lambda feeds, sizes: [feeds[name] for name in ("query", "key", "value")]
        return [
            self.random_input("query", (*self.lead, "i", "d")),
            self.random_input("key", (*self.lead[:-1], "", "j", "d")),
            self.random_input("value", (*self.lead[:-1], "", "j", "e")),
        ]
