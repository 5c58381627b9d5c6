# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What becomes the scores: the product of query and key, its scale, masks and biases.
import numpy
from variant_masks import FINITE, Masks
from variant_writer import Value


class Scores:
    """A part of Variant. `effects` grows by what is done to the scores, for the same in NumPy."""

    def make_scale(self):
        """What query key^T is multiplied with before the mask, and after."""
        c = self.choice
        self.factor = self.pick(self.numbers["d"] ** -0.5, self.numbers["d"] ** -0.5, 0.125, 0.3)
        if c["scale"].startswith("run time"):
            self.factor = self.numbers["d"] ** -0.5
        if c["scale"] == "none":
            self.factor = 1.0
        self.gain = self.pick(0.5, 2.0, -3.0) if c["gain"] != "none" else 1.0

    def times(self, x, factor, divide=False):
        """By a number, or by a value of the graph."""
        w = self.writer
        if isinstance(factor, Value):
            return w.op("Div" if divide else "Mul", x, factor)
        if w.chance(0.4):
            return w.op("Div", x, w.scalar(1 / factor, x.element))
        operands = self.pick((x, w.scalar(factor, x.element)), (w.scalar(factor, x.element), x))
        return w.op("Mul", *operands)

    def root_of_size(self, x):
        """sqrt(d), read from the shape of x at run time."""
        w = self.writer
        axis = len(x.axes) - 1 if x.axes[-1] == "d" else x.axes.index("d")
        shape = w.node("Shape", [x])
        index = w.number(self.pick(axis, axis - len(x.axes)), "i64")
        size = w.cast(Value(w.node("Gather", [shape, index]), (), "i64"), x.element)
        if w.chance():
            return w.op("Sqrt", size)
        return w.op("Pow", size, w.scalar(0.5, x.element), axes=())

    def run_time_factor(self, x, root):
        """(value, whether it divides)"""
        w = self.writer
        value = self.root_of_size(x)
        if not root and w.chance():
            return value, True
        if w.chance():
            value = w.op("Div", w.value(w.number(1, x.element), (), x.element), value)
        else:
            value = w.op("Reciprocal", value)
        return (w.op("Sqrt", value) if root else value), False

    def late_scale(self, scores):
        return self.times(scores, self.factor) if self.choice["scale"] == "late" else scores

    # The products.
    def scores(self, w, query, key):
        c, lead = self.choice, self.lead
        query, key = self.scale_operands(query, key)
        if c["product"] == "einsum":
            query, key = (w.arrange(x, tuple("".join(x.axes))) for x in (query, key))
            plain = (*lead, "i", "j")
            order = self.pick(plain, plain, (*lead[::-1], "i", "j"), ("i", "j", *lead), (*lead, "j", "i"))
            return self.scale_scores(w.einsum(query, key, order))
        if c["product"] == "merged":
            lead = ("".join(lead),)
        elif c["product"] == "heads first":
            lead = lead[::-1]
        elif c["product"] == "unsqueezed":
            place = int(self.random.integers(len(lead) + 1))
            lead = (*lead[:place], "", *lead[place:])
        if c["product"] == "unsqueezed":
            query = w.unsqueeze(w.arrange(query, (*self.lead, "i", "d")), (*lead, "i", "d"))
            key = w.unsqueeze(w.arrange(key, (*self.lead, "d", "j")), (*lead, "d", "j"))
            scores = w.matmul(query, self.scale_transposed(key))
            return self.scale_scores(w.squeeze(scores, (*self.lead, "i", "j")) if w.chance() else scores)
        if c["product"] == "swapped":
            key, query = w.arrange(key, (*lead, "j", "d")), w.arrange(query, (*lead, "d", "i"))
            scores = w.matmul(key, query)
            scores = Value(scores.name, (*lead, "j", "i"), scores.element)
            return self.scale_scores(w.transpose(scores, (*lead, "i", "j")) if w.chance() else scores)
        query = w.arrange(query, (*lead, "i", "d"))
        if c["product"] == "key by 021":
            merged = "".join(lead)
            key = w.transpose(w.arrange(key, (merged, "j", "d")), (merged, "d", "j"))
            key = w.reshape(key, (*lead, "d", "j"))
        else:
            key = w.arrange(key, (*lead, "j", "d")) if w.chance() else key
            key = w.arrange(key, (*lead, "d", "j"))
        scores = w.matmul(query, self.scale_transposed(key))
        scores = self.scale_scores(scores)
        if c["product"] in ("merged", "heads first") and w.chance(0.7):
            scores = w.arrange(scores, (*self.lead, "i", "j"))
        return scores

    def scale_operands(self, query, key):
        way, f = self.choice["scale"], self.factor
        if way == "query":
            query = self.times(query, f)
        elif way == "key":
            key = self.times(key, f)
        elif way == "roots":
            query, key = self.times(query, f**0.5), self.times(key, f**0.5)
        elif way == "split":
            query = self.times(query, 0.5)
        elif way == "run time roots":
            factors = [self.run_time_factor(query, root=True)] * 2 if self.writer.chance() else [
                self.run_time_factor(x, root=True) for x in (query, key)]  # fmt: skip
            query, key = (self.times(x, *factor) for x, factor in zip((query, key), factors))
        elif way == "run time":
            self.late_factor = self.run_time_factor(query, root=False)
            if self.writer.chance():
                query, self.late_factor = self.times(query, *self.late_factor), None
        elif way == "input":
            value = self.writer.input("scale", (), self.element, lambda shape, sizes, dice: numpy.full(shape, f))
            self.late_factor = value, False
        return query, key

    def scale_transposed(self, key):
        return self.times(key, self.factor) if self.choice["scale"] == "key transposed" else key

    def scale_scores(self, scores):
        way, f = self.choice["scale"], self.factor
        if way == "scores" or (way == "key transposed" and self.choice["product"] in ("einsum", "swapped")):
            return self.times(scores, f)
        if way == "split":
            return self.times(scores, 2 * f)
        if way in ("run time", "input") and self.late_factor:
            return self.times(scores, *self.late_factor)
        return scores

    # Masks.
    def mask(self, w, scores):
        c = self.choice
        masks = Masks(w, self.lead, c["source"] == "past", self.square)
        scores = self.add_bias(w, masks, scores) if w.chance() else scores
        kinds = [kind for kind in (c["mask"], c["second mask"]) if kind != "none"]
        empty = self.element != "f16" and self.random.random() < 0.15
        # May a row keep nothing? Every row keeps the first key under one sort of mask, its own place under another.
        safe = not all(kind in ("causal", "window", "documents") for kind in kinds)
        safe = safe and (empty or not all(kind in ("causal", "input", "padding", "dense") for kind in kinds))
        keeps = []
        for kind in kinds:
            if kind == "input":
                scores = self.mask_input(w, masks, scores, safe)
            else:
                make = getattr(masks, kind)
                keeps.append(make(empty) if kind in ("padding", "dense") else make())
        if self.has_bias():
            scores = self.add_bias(w, masks, scores)
        return self.apply_masks(w, masks, scores, keeps, safe)

    def has_bias(self):
        return self.choice["bias"] != "none" and not getattr(self, "biased", False)

    def add_bias(self, w, masks, scores):
        kind = self.choice["bias"]
        if kind == "none":
            return scores
        self.biased = True
        make = {"slopes": masks.slopes, "table": masks.table, "dense": masks.dense_bias}[kind]
        value, formula, axes = make(self.element)
        self.effects.append(("add", formula, axes))
        return self.plus(w, scores, masks.fit(value, scores.axes))

    def plus(self, w, scores, bias):
        bias = self.at("mask", bias)
        return w.op("Add", *self.pick((scores, bias), (bias, scores)), axes=scores.axes)

    def mask_input(self, w, masks, scores, safe):
        """Added to scores: 0, or a number that leaves nothing of them."""
        fill = self.pick(-numpy.inf, *([] if safe else FINITE[self.element]))

        def feed(shape, sizes, dice):
            dropped = dice.random(shape) < 0.3
            dropped[..., 0] = False
            return numpy.where(dropped, fill, 0)

        axes = masks.dense_axes()
        value = w.input("mask", axes, self.element, feed)
        self.effects.append(("add", lambda feeds, sizes: feeds["mask"], axes))
        return self.plus(w, scores, masks.fit(value, scores.axes))

    def apply_masks(self, w, masks, scores, keeps, safe):
        """`safe`: some row may keep nothing, so no finite number may be added to its scores."""
        # Zero times minus infinity is not a number: nothing is blended after a mask that may hold it.
        ways = ["where", "where not", "add", *([] if safe or self.choice["mask"] == "input" else ["blend"])]
        way = self.pick(*ways)
        fill = self.pick(-numpy.inf, *([] if safe and way == "add" else FINITE[self.element]))
        if self.choice["scale"] == "late" and self.element == "f16" and fill > -1e5:
            fill = -numpy.inf
        together = len(keeps) == 2 and w.chance()
        if together:
            a, b = (masks.fit(keep.value, scores.axes) for keep in keeps)
            if way == "add" and w.chance():
                a, b = (masks.additive(x, fill, self.element) for x in (a, b))
                order = scores.axes
                a, b = (w.expand(x, order) if x.axes != order else x for x in (a, b))
                for keep in keeps:
                    self.effects.append(("where", keep.formula, keep.axes, fill))
                return self.plus(w, scores, w.op("Add", a, b))
            value = masks.both(a, b, scores.axes)
            scores = self.apply(w, masks, scores, value, way, fill)
        else:
            for keep in keeps:
                flags = keep.flags and way in ("add", "blend") and fill != -numpy.inf and w.chance()
                value = masks.fit(keep.flags if flags else keep.value, scores.axes)
                scores = self.apply(w, masks, scores, value, way, fill)
        self.effects += [("where", keep.formula, keep.axes, fill if way != "blend" else -1e4) for keep in keeps]
        return scores

    def apply(self, w, masks, scores, keep, way, fill):
        if way == "where":
            return w.op("Where", keep, scores, w.scalar(fill, self.element), axes=scores.axes, element=self.element)
        if way == "where not":
            operands = w.op("Not", keep), w.scalar(fill, self.element), scores
            return w.op("Where", *operands, axes=scores.axes, element=self.element)
        if way == "add":
            return self.plus(w, scores, masks.additive(keep, fill, self.element))
        flag = w.cast(keep, self.element)
        kept = w.op("Mul", scores, flag)
        other = w.op("Sub", w.value(w.scalar(1, self.element), (), self.element), flag, axes=flag.axes)
        return w.op("Sub", kept, w.op("Mul", other, w.scalar(1e4, self.element)))
