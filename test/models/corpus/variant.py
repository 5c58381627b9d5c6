# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# One attention, written in one of very many ways; and the same with one change of its meaning.
"""softmax(query key^T scale + mask) value. What is drawn is listed in ASPECTS, the usual first of each. Every spelling
keeps the meaning by construction; `Variant.expected` says it in NumPy. A twin (TWINS) has a step more, that does not."""

import numpy
from variant_masks import spread
from variant_scores import Scores
from variant_sources import Sources
from variant_twins import TWINS
from variant_writer import NUMPY, Value, Writer

ASPECTS = {
    "dims": ["symbols", "static", "static batch", "one query"],
    "element": ["f32", "f64", "f16 and softmax in f32", "f16"],
    "lead": ["bh", "b", "", "zbh", "bgr"],
    "source": ["heads", "rows", "time first", "projected", "packed", "past", "grouped", "shared"],
    "product": ["matmul", "merged", "key by 021", "swapped", "einsum", "heads first", "unsqueezed"],
    "scale": ["scores", "query", "key", "key transposed", "roots", "split", "run time", "run time roots", "late",
              "input", "none"],
    "mask": ["input", "causal", "padding", "window", "documents", "dense", "none"],
    "second mask": ["none", "causal", "padding", "dense", "window"],
    "bias": ["none", "slopes", "table", "dense"],
    "softmax": ["softmax", "other axis", "written out", "logarithm", "flat", "cast"],
    "guard": ["none", "zero"],
    "gain": ["none", "weights", "value", "result"],
    "context": ["matmul", "merged", "swapped", "einsum", "heads first"],
    "result": ["heads", "rows", "projected", "any order"],
    "outputs": ["result", "weights", "scores", "key and value"],
    "identity": ["none", "query", "key", "value", "scores", "mask", "masked", "weights", "context", "several"],
    "opset": [17, 11, 12, 13, 14, 15, 18, 20],
}  # fmt: skip
IDENTITIES = ["Identity", "Cast", "Mul", "Add", "Sub", "Div", "Dropout", "Concat", "Slice", "Expand",
              "transposes", "reshapes", "squeeze"]  # fmt: skip
SIZES = [1, 2, 7, 33, 70]


class Variant(Sources, Scores):
    def __init__(self, seed, twin=None, widen=False):
        self.random = numpy.random.default_rng([seed, 4])
        self.twin = twin
        self.draw()
        self.writer = w = Writer(self.random, self.choice["opset"], self.letters(), widen)
        self.effects = []  # what is done to the scores, in order
        self.build(w)

    # Drawing.
    def pick(self, *choices):
        return choices[int(self.random.integers(len(choices)))]

    def draw(self):
        self.choice = {aspect: options[0] for aspect, options in ASPECTS.items()}
        weights = numpy.array([len(options) for options in ASPECTS.values()])
        count = self.random.integers(2, 9)
        for i in self.random.choice(len(ASPECTS), count, replace=False, p=weights / weights.sum()):
            aspect = list(ASPECTS)[i]
            self.choice[aspect] = self.pick(*ASPECTS[aspect][1:])
        self.reconcile()
        self.moves = [f"{a}: {c}" for a, c in self.choice.items() if c != ASPECTS[a][0]]

    def reconcile(self):
        """Takes back what does not go together."""
        c = self.choice
        if self.twin:
            TWINS[self.twin].prepare(c)

        def only(aspect, *options):
            c[aspect] = c[aspect] if c[aspect] in options else ASPECTS[aspect][0]

        def never(aspect, *options):
            c[aspect] = ASPECTS[aspect][0] if c[aspect] in options else c[aspect]

        if c["lead"] != "bh":
            only("source", "heads", "past")
            only("result", "heads", "any order")
        if c["lead"] == "bgr":
            c["source"] = "shared"
        if "h" not in c["lead"]:
            never("bias", "table")
            never("product", "heads first")
            never("context", "heads first")
        if not c["lead"]:
            never("product", "merged", "key by 021")
            never("context", "merged")
        if c["source"] == "shared":
            never("product", "merged", "key by 021", "einsum", "unsqueezed")
            never("context", "merged", "einsum")
        if c["scale"] == "late" and c["mask"] == "input":
            never("bias", *ASPECTS["bias"])
        if "einsum" in (c["product"], c["context"]):
            c["opset"] = max(c["opset"], 12)
        self.reconcile_masks()

    def reconcile_masks(self):
        """Those of a diagonal need as many keys as queries, or a past."""
        c = self.choice
        wanted = c["mask"] in ("window", "documents") or self.random.random() < 0.3
        wanted = wanted or (self.twin and TWINS[self.twin].square)
        self.square = c["source"] == "packed" or bool(wanted and c["source"] != "past")
        if not self.square and c["source"] != "past" and c["second mask"] == "window":
            c["second mask"] = "causal"
        if not self.square and c["mask"] == "documents":
            c["mask"] = "padding"
        if c["mask"] in ("none", c["second mask"]) or (c["mask"], c["second mask"]) == ("documents", "padding"):
            c["second mask"] = "none"

    def letters(self):
        """The size of each letter: a number or a symbol."""
        c, pick = self.choice, self.pick
        self.numbers = {"h": pick(1, 2, 3, 4), "d": pick(1, 4, 8, 16, 19), "g": 1, "r": 1, "w": 12, "t": 3, "z": 2}
        if self.twin and TWINS[self.twin].heads:
            self.numbers["h"] = pick(2, 3, 4)
        self.numbers["e"] = self.numbers["d"] if c["source"] == "packed" else pick(self.numbers["d"], 5, 16)
        if c["source"] == "grouped":
            self.numbers |= {"g": pick(1, 2), "r": pick(2, 3)}
            if self.twin and TWINS[self.twin].heads:
                self.numbers["g"] = 2
            self.numbers["h"] = self.numbers["g"] * self.numbers["r"]
        if c["lead"] == "bgr":
            self.numbers |= {"g": pick(1, 2, 3), "r": pick(1, 2, 3)}
        letters = dict(self.numbers)
        letters |= {"b": "batch", "i": "queries", "j": "queries" if self.square else "keys"}
        if c["source"] == "past":
            letters |= {"p": "past", "j": "all keys"}
        if c["dims"] == "static batch":
            letters["b"] = pick(1, 2)
        if c["dims"] == "one query" and not self.square:
            letters["i"] = 1
        if c["dims"] == "static":
            self.fixed = self.draw_sizes(self.random)
            letters |= {"b": self.fixed["b"], "i": self.fixed["i"], "j": self.fixed["j"], "p": self.fixed["p"]}
        return letters

    def draw_sizes(self, dice):
        """A run's size of each letter."""
        sizes = dict(self.numbers)
        sizes["b"], sizes["i"], sizes["j"] = int(dice.integers(1, 4)), *(int(dice.choice(SIZES)) for _ in range(2))
        if self.choice["dims"] == "one query" and not self.square:
            sizes["i"] = 1
        sizes["p"] = int(dice.choice(SIZES))
        if self.square:
            sizes["j"] = sizes["i"]
        if self.choice["source"] == "past":
            sizes["j"] = sizes["p"] + sizes["i"]
        return sizes

    # Building.
    def build(self, w):
        c = self.choice
        self.element = c["element"].split()[0]
        self.lead = tuple(c["lead"])
        self.make_scale()
        query, key, value = self.sources(w)
        query, key, value = (self.at(place, x) for place, x in (("query", query), ("key", key), ("value", value)))
        if c["outputs"] == "key and value":
            w.output(key, "present_key")
            w.output(value, "present_value")
        scores = self.at("scores", self.scores(w, query, key))
        if c["outputs"] == "scores":
            w.output(scores, "scores")
        scores = self.at("masked", self.late_scale(self.mask(w, scores)))
        weights = self.at("weights", self.guard(w, self.softmax(w, scores)))
        if c["gain"] == "weights":
            weights = self.times(weights, self.gain)
        if c["outputs"] == "weights":
            w.output(weights, "weights")
        context = self.at("context", self.context(w, weights, value))
        if c["gain"] == "result":
            context = self.times(context, self.gain)
        self.result(w, context)

    def at(self, place, x):
        """A place where something may be added: what changes nothing, or the twin's step."""
        w, wanted = self.writer, self.choice["identity"]
        if wanted == place or (wanted == "several" and w.chance(0.6)):
            for _ in range(self.pick(1, 1, 2)):
                x = self.identity(w, x, place)
        if self.twin and TWINS[self.twin].place == place:
            x = TWINS[self.twin].step(w, x)
        return x

    def identity(self, w, x, place):
        kind = self.pick(*IDENTITIES)
        self.moves.append(f"{place}: {kind}")
        if kind in ("Mul", "Div", "Add", "Sub"):
            return w.op(kind, x, w.scalar(1 if kind in ("Mul", "Div") else 0, x.element))
        if kind == "Cast":
            return w.cast(x, x.element)
        if kind == "Slice":
            axis = int(self.random.integers(len(x.axes)))
            return w.slice(x, axis, 0, 2**63 - 1, step=self.pick(None, 1))
        if kind == "Concat":
            return w.op("Concat", x, axis=int(self.random.integers(len(x.axes))))
        if kind == "Dropout":
            return w.op("Dropout", x)
        if kind == "transposes":
            order = list(self.random.permutation(len(x.axes)))
            if len(set(x.axes)) < len(x.axes):
                return w.op("Identity", x)
            return w.transpose(w.transpose(x, [x.axes[i] for i in order]), x.axes)
        if kind == "reshapes" and len(x.axes) > 1:
            place = int(self.random.integers(len(x.axes) - 1))
            flat = [*x.axes[:place], x.axes[place] + x.axes[place + 1], *x.axes[place + 2 :]]
            return w.reshape(w.reshape(x, flat), x.axes)
        if kind == "squeeze":
            place = int(self.random.integers(len(x.axes) + 1))
            more = [*x.axes[:place], "", *x.axes[place:]]
            if "" in x.axes:
                return w.op("Identity", x)
            return w.squeeze(w.unsqueeze(x, more), x.axes)
        return w.expand(x, x.axes) if kind == "Expand" else w.op("Identity", x)

    # Softmax.
    def softmax(self, w, scores):
        way = self.choice["softmax"]
        rounded = self.choice["element"] == "f16 and softmax in f32" or way == "cast"
        x = w.cast(scores, "f32") if rounded and self.element != "f64" else scores
        original = x.axes
        axis = x.axis("j")
        if way == "other axis" and w.opset >= 13 and len(x.axes) > 1:
            order = list(x.axes)
            other = int(self.random.integers(len(order)))
            order[axis], order[other] = order[other], order[axis]
            x = w.transpose(x, order) if len(set(order)) == len(order) else x
        elif way == "flat" and axis == len(x.axes) - 1:
            x = w.reshape(x, ("".join(x.axes[:-1]), "j"))
        elif w.opset < 13 and axis != len(x.axes) - 1:
            x = w.transpose(x, [*(a for a in x.axes if a != "j"), "j"])
        axis = x.axis("i" if self.twin == "softmax over queries" and "i" in x.axes else "j")
        x = self.normalize(w, x, axis, way)
        if "".join(x.axes) == "".join(original) and len(x.axes) != len(original):
            x = w.reshape(x, original)
        x = w.transpose(x, original)
        return w.cast(x, self.element) if x.element != self.element else x

    def normalize(self, w, x, axis, way):
        if self.twin == "softmax over queries" and w.opset < 13:
            way = "written out"
        if way == "written out" or self.twin in ("sum with one", "sum of another axis", "sum at least"):
            e = w.op("Exp", w.op("Sub", x, w.reduce("ReduceMax", x, axis), axes=x.axes))
            total = w.reduce("ReduceSum", e, axis)
            if self.twin == "sum with one":
                total = w.op("Add", total, w.scalar(1, total.element))
            if self.twin == "sum of another axis":
                total = w.reduce("ReduceSum", e, axis - 1)
            if self.twin == "sum at least":
                total = w.op("Max", total, w.number(1.5, total.element))
            if w.chance(0.3):
                return w.op("Mul", e, w.op("Reciprocal", total))
            return w.op("Div", e, total)
        axis = axis - len(x.axes) if w.chance() and w.opset >= 11 else axis
        if way == "logarithm" and self.twin != "logarithm":
            return w.op("Exp", w.op("LogSoftmax", x, axis=axis))
        return w.op("LogSoftmax" if self.twin == "logarithm" else "Softmax", x, axis=axis)

    def guard(self, w, weights):
        if self.choice["guard"] == "none":
            return weights
        is_nan = w.op("IsNaN", weights, element="bool")
        return w.op("Where", is_nan, w.scalar(0, weights.element), weights, axes=weights.axes, element=weights.element)

    # The second product and what follows.
    def context(self, w, weights, value):
        c, lead = self.choice, self.lead
        if c["gain"] == "value":
            value = self.times(value, self.gain)
        if c["context"] == "einsum":
            weights, value = (w.arrange(x, tuple("".join(x.axes))) for x in (weights, value))
            return w.einsum(weights, value, self.pick((*lead, "i", "e"), (*lead[:1], "i", *lead[1:], "e")))
        if c["context"] == "merged":
            lead = ("".join(lead),)
        elif c["context"] == "heads first":
            lead = lead[::-1]
        if c["context"] == "swapped":
            y = w.matmul(w.arrange(value, (*lead, "e", "j")), w.arrange(weights, (*lead, "j", "i")))
            return Value(y.name, (*lead, "e", "i"), y.element)
        return w.matmul(w.arrange(weights, (*lead, "i", "j")), w.arrange(value, (*lead, "j", "e")))

    def result(self, w, x):
        way = self.choice["result"]
        self.out = None
        if way in ("rows", "projected"):
            x = w.arrange(x, ("b", "i", "he"))
        elif way == "any order":
            x = w.arrange(x, [str(axis) for axis in self.random.permutation([*self.lead, "i", "e"])])
        elif self.random.random() < 0.9:
            x = w.arrange(x, (*self.lead, "i", "e"))
        if way == "projected":
            self.out = self.weight(self.numbers["h"] * self.numbers["e"], 6)
            x = w.op("MatMul", x, w.number(self.out, x.element), axes=("b", "i", "o"))
        self.result_axes = x.axes
        w.output(x, "result")

    # What it means.
    def expected(self, feeds, sizes):
        """The result in NumPy; of a twin it is not the twin's."""
        feeds = {name: x.astype(numpy.float64) if x.dtype.kind == "f" else x for name, x in feeds.items()}
        query, key, value = self.closed(feeds, sizes)
        order = (*self.lead, "i", "j")
        late = self.choice["scale"] == "late"
        scores = numpy.matmul(query, key.swapaxes(-1, -2)) * (1 if late else self.factor)
        scores = numpy.broadcast_to(scores, [sizes[letter] for letter in order])
        for kind, formula, axes, *fill in self.effects:
            array = spread(formula(feeds, sizes), axes, order)
            if kind == "add":  # in f32, where a finite number may swallow the scores
                scores = (scores.astype(numpy.float32) + array.astype(numpy.float32)).astype(numpy.float64)
            else:
                scores = numpy.where(array, scores, fill[0])
        scores = scores * (self.factor if late else 1)
        with numpy.errstate(all="ignore"):
            e = numpy.exp(scores - scores.max(-1, keepdims=True))
            weights = e / e.sum(-1, keepdims=True)
        weights = numpy.nan_to_num(weights, nan=0) if self.choice["guard"] == "zero" else weights
        y = numpy.matmul(weights, value) * self.gain
        return self.order_result(y, sizes)

    def order_result(self, y, sizes):
        axes = self.result_axes if self.out is None else ("b", "i", "he")
        letters = "".join(axes)
        y = y.transpose([(*self.lead, "i", "e").index(letter) for letter in letters])
        y = y.reshape([int(numpy.prod([sizes[letter] for letter in axis])) for axis in axes])
        return y if self.out is None else y @ self.out.astype(numpy.float64)

    def feeds(self, run):
        """(inputs, sizes) of a run."""
        dice = numpy.random.default_rng([run, 7])
        sizes = self.fixed if self.choice["dims"] == "static" else self.draw_sizes(dice)
        if isinstance(self.writer.sizes["b"], int):
            sizes = sizes | {"b": self.writer.sizes["b"]}
        feeds = {}
        for name, axes, element, feed in self.writer.feeds:
            shape = [int(numpy.prod([sizes[letter] for letter in axis])) for axis in axes]
            array = numpy.asarray(feed(tuple(shape), sizes, dice))
            if array.dtype.kind == "f" and self.element == "f16":
                array = array.astype(numpy.float16)
            feeds[name] = array.astype(NUMPY[element]).reshape(shape)
        return feeds, sizes
