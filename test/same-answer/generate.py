# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Makes small random graphs whose dims are all dynamic and compares the compiled artifact with the evaluator at several
# sizes. A dim is known here by its value at each size, so a graph is valid at all of them without any algebra.
"""usage: generate.py --seeds FROM:TO --work DIR [--weft PROGRAM]"""

import argparse
import math
import pathlib
import subprocess
import sys

import numpy

RUNS = 4  # sizes at which each graph runs
LIMIT = 30_000  # elements of a tensor
SIZES = [0, 1, 1, 2, 3, 4, 5, 7, 8, 9, 13, 15, 16, 17, 31, 33, 47, 48, 49, 63, 64, 65, 97, 129]
FLOATS = {"f32": numpy.float32, "f64": numpy.float64}
INTEGERS = {
    "i8": numpy.int8, "i16": numpy.int16, "i32": numpy.int32, "i64": numpy.int64,
    "ui8": numpy.uint8, "ui16": numpy.uint16, "ui32": numpy.uint32, "ui64": numpy.uint64,
}  # fmt: skip
TYPES = {**FLOATS, **INTEGERS, "i1": numpy.bool_}
ONE = (1,) * RUNS
# Of these, f64 has no form without a call of libm.
F32_ONLY = {"erf", "tanh", "gelu"}


class Value:
    """A value of the graph: its dims, each as a tuple of its sizes at each run."""

    def __init__(self, name, dims, element, exact, bound, text=None):
        self.name, self.dims, self.element = name, list(dims), element
        self.exact = exact  # computed without rounding: it may be compared, or cast to an integer
        self.bound = bound  # about the largest magnitude, so that results stay comparable
        shape = "".join("?x" for _ in dims)
        self.type = text or f"tensor<{shape}{element}>"

    @property
    def rank(self):
        return len(self.dims)


def fits(dims):
    return all(math.prod(dim[run] for dim in dims) <= LIMIT for run in range(RUNS))


class Graph:
    """Draws a graph, operation by operation; an operation that does not apply leaves no trace."""

    def __init__(self, seed):
        self.random = numpy.random.default_rng(seed)
        self.inputs, self.values, self.lines, self.count = [], [], [], 0
        self.symbols = {}
        for i in range(5):
            sizes = tuple(int(self.pick(SIZES)) for _ in range(RUNS))
            self.symbols[f"d{i}"] = sizes
            # The same size, or 1: what meets it is broadcast at run time.
            self.symbols[f"b{i}"] = tuple(1 if self.chance(0.5) else size for size in sizes)

    # Drawing.
    def pick(self, choices):
        choices = list(choices)
        return choices[int(self.random.integers(len(choices)))]

    def chance(self, probability):
        return self.random.random() < probability

    def find(self, accept):
        """A value that fits, later ones more often than earlier ones."""
        found = [value for value in self.values if accept(value)]
        if not found:
            return None
        return found[-1 - int(len(found) * self.random.random() ** 2)]

    # Writing.
    def input(self, element, dims=None):
        if dims is None:
            names = list(self.symbols)
            while True:
                dims = [
                    self.pick(names) if self.chance(0.9) else self.pick([1, 3, 16])
                    for _ in range(self.random.integers(0, 5))
                ]
                if fits([self.symbols.get(dim, (dim,) * RUNS) for dim in dims]):
                    break
        expressions = ", ".join(f'"{dim}"' if isinstance(dim, str) else str(dim) for dim in dims)
        shape = "".join(f"{'?' if isinstance(dim, str) else dim}x" for dim in dims)
        dynamic = any(isinstance(dim, str) for dim in dims)
        text = f"tensor<{shape}{element}" + (f", #weft.dims<{expressions}>>" if dynamic else ">")
        value = Value(
            f"%x{len(self.inputs)}", [self.symbols.get(dim, (dim,) * RUNS) for dim in dims], element, True, 2, text
        )
        self.inputs.append(value)
        self.values.append(value)
        return value

    def add(self, operation, operands, attributes, dims, element, exact=False, bound=2.0, between="", shape_math=None):
        """The result, or nothing if it would be too large. Shape arithmetic, of a type given here, is for no other to read."""
        if not fits(dims):
            return None
        result = Value(f"%{self.count}", dims, element, exact, bound, shape_math)
        self.count += 1
        names = operands if isinstance(operands, str) else ", ".join(operand.name for operand in operands)
        listed = self.operands if isinstance(operands, str) else operands
        types = ", ".join(operand.type for operand in listed)
        arrow = f"({types}) -> {result.type}"
        self.lines.append(f"{result.name} = weft.{operation} {names}{between}{attributes} : {arrow}")
        if not shape_math:
            self.values.append(result)
        return result

    def constant(self, array, element):
        shape = "".join(f"{size}x" for size in array.shape)
        text = f"tensor<{shape}{element}>"
        value = Value(f"%{self.count}", [(size,) * RUNS for size in array.shape], element, True, 2, text)
        self.count += 1
        numbers = str(array.tolist()).replace("True", "true").replace("False", "false")
        self.lines.append(f"{value.name} = weft.constant dense<{numbers}> : {text}")
        return value

    def broadcast(self, *values):
        """NumPy's rule at every run; nothing if the values do not fit."""
        rank, dims = max(value.rank for value in values), []
        for i in range(rank):
            meeting = [value.dims[i - rank + value.rank] for value in values if i >= rank - value.rank]
            dim = []
            for run in range(RUNS):
                sizes = {size[run] for size in meeting} - {1}
                if len(sizes) > 1:
                    return None
                dim.append(sizes.pop() if sizes else 1)
            dims.append(tuple(dim))
        return dims if fits(dims) else None

    # Operations. Each draws its operands and may give up by returning nothing.
    def unary(self):
        x = self.find(lambda v: v.element != "i1")
        if x is None:
            return None
        names = ["neg", "abs", "relu"]
        if x.element in FLOATS:
            names += ["tanh", "sigmoid", "erf", "gelu"] + (["exp", "log", "sqrt", "reciprocal"] if x.exact else [])
        name = self.pick(names)
        if x.element == "f64" and name in F32_ONLY:
            return None
        attributes = f" {{form = {self.pick([0, 1])} : i32}}" if name == "gelu" else ""
        exact = x.exact and name in ("neg", "abs", "relu")
        bound = (
            x.bound
            if exact or name == "gelu"
            else (
                10 if name in ("exp", "log", "reciprocal") else max(x.bound if name in ("neg", "abs", "relu") else 2, 1)
            )
        )
        return self.add(name, [x], attributes, x.dims, x.element, exact, bound)

    def binary(self):
        a = self.find(lambda v: True)
        splat = self.chance(0.2)
        if splat:
            if a.element == "i1":
                return None
            number = 0.75 if a.element in FLOATS else 3
            b = self.constant(numpy.full([1] * int(self.random.integers(0, 3)), number), a.element)
        else:
            b = self.find(lambda v: v.element == a.element and self.broadcast(a, v) is not None)
        dims = self.broadcast(a, b)
        if a.element == "i1":
            return self.add(self.pick(["and", "or"]), [a, b], "", dims, "i1", True)
        isFloat = a.element in FLOATS
        names = ["add", "sub", "mul", "min", "max"]
        if not isFloat or (a.exact and b.exact):
            names += ["div", "pow"]
        name = self.pick(names)
        bound = a.bound * b.bound if name == "mul" else a.bound + b.bound
        if bound > 100:
            return None
        operands = [b, a] if self.chance(0.5) else [a, b]
        return self.add(name, operands, "", dims, a.element, not isFloat, 8 if name in ("div", "pow") else bound)

    def compare(self):
        a = self.find(lambda v: v.exact)
        b = self.find(lambda v: v.exact and v.element == a.element and self.broadcast(a, v) is not None)
        predicate = self.pick(["eq", "lt", "le", "gt", "ge"])
        return self.add("compare " + predicate, [a, b], "", self.broadcast(a, b), "i1", True)

    def where(self):
        condition = self.find(lambda v: v.element == "i1")
        if condition is None:
            return None
        a = self.find(lambda v: self.broadcast(condition, v) is not None)
        if a is None:
            return None
        b = self.find(lambda v: v.element == a.element and self.broadcast(condition, a, v) is not None)
        if b is None:
            return None
        dims = self.broadcast(condition, a, b)
        return self.add("where", [condition, a, b], "", dims, a.element, a.exact and b.exact, max(a.bound, b.bound))

    def cast(self):
        x = self.find(lambda v: v.exact)
        to = self.pick(TYPES)
        return self.add(
            "cast",
            [x],
            "",
            x.dims,
            to,
            to not in FLOATS or x.element != "f64",
            200 if x.element in INTEGERS else 2,
            f" to {to}",
        )

    def matmul(self):
        def contracts(a, b):
            return (
                a.rank > 0 and b.rank > 0 and a.element == b.element and a.dims[-1] == b.dims[-2 if b.rank > 1 else -1]
            )

        a = self.find(lambda v: v.element in FLOATS and v.rank > 0 and v.bound <= 4)
        if a is None:
            return None
        depth = a.dims[-1]
        if len(set(depth)) == 1 and a.element == "f32" and self.chance(0.7):  # a packed weight
            columns = int(self.pick([1, 5, 48, 50]))
            b = self.constant(self.random.integers(-2, 3, (depth[0], columns)) / 2, "f32") if depth[0] else None
        else:
            b = self.find(lambda v: contracts(a, v) and v.bound <= 4)
        if b is None:
            return None
        batchA, batchB = Value("", a.dims[:-2], "", 0, 0), Value("", b.dims[:-2], "", 0, 0)
        batch = self.broadcast(batchA, batchB)
        if batch is None:
            return None
        dims = batch + (a.dims[-2:-1] if a.rank > 1 else []) + (b.dims[-1:] if b.rank > 1 else [])
        if not fits([*dims, depth]):
            return None
        result = self.add("matmul", [a, b], "", dims, a.element, bound=a.bound * b.bound * 20)
        if result and self.chance(0.7):  # an epilogue, perhaps
            bias = self.find(
                lambda v: v.element == result.element and v.bound <= 4 and self.broadcast(result, v) is not None
            )
            if bias:
                result = self.add(
                    "add", [result, bias], "", self.broadcast(result, bias), result.element, bound=result.bound + 4
                )
        return self.squash(result)

    def squash(self, x):
        if x is None or x.bound < 10:
            return x
        scale = self.constant(numpy.array(1 / 16), x.element)
        scaled = self.add("mul", [x, scale], "", x.dims, x.element, bound=x.bound / 16)
        return self.add("sigmoid", [scaled], "", x.dims, x.element, bound=1)

    def reduce(self):
        x = self.find(lambda v: v.element != "i1")
        if x is None:
            return None
        axes = [i for i in range(x.rank) if self.chance(0.5)]
        kind = self.pick(["sum", "mean", "max", "min"] + (["prod"] if x.element in INTEGERS else []))
        keep = self.chance(0.5)
        dims = [ONE if i in axes else dim for i, dim in enumerate(x.dims) if keep or i not in axes]
        attributes = (
            f" {{axes = array<i64{': ' if axes else ''}{', '.join(map(str, axes))}>{', keepdims' if keep else ''}}}"
        )
        exact = x.exact and (kind in ("max", "min") or x.element in INTEGERS)
        result = self.add(
            f"reduce {kind}", [x], attributes, dims, x.element, exact, x.bound * (20 if kind == "sum" else 1)
        )
        return self.squash(result) if result and x.element in FLOATS and kind == "sum" else result

    def softmax(self):
        x = self.find(lambda v: v.element in FLOATS and v.rank > 0)
        name = self.pick(["softmax", "log_softmax"])
        axis = int(self.random.integers(x.rank)) if x else 0
        return x and self.add(
            name, [x], f" {{axis = {axis} : i64}}", x.dims, x.element, bound=1 if name == "softmax" else x.bound + 8
        )

    def layer_norm(self):
        x = self.find(lambda v: v.element in FLOATS and v.rank > 0)
        if x is None:
            return None
        axis = int(self.random.integers(x.rank))
        row = Value("", x.dims[axis:], "", 0, 0)
        parameters = [
            self.find(
                lambda v: v.element == x.element
                and v.rank <= row.rank
                and v.bound <= 4
                and self.broadcast(row, v) == row.dims
            )
            for _ in range(2)
        ]
        if None in parameters:
            return None
        operands = [x] + parameters[: 1 + self.chance(0.5)]
        return self.add(
            "layer_norm", operands, f" {{axis = {axis} : i64, epsilon = 1.0e-2 : f32}}", x.dims, x.element, bound=16
        )

    def transpose(self):
        x = self.find(lambda v: True)
        order = [int(i) for i in self.random.permutation(x.rank)]
        numbers = f": {', '.join(map(str, order))}" if order else ""
        return self.add(
            "transpose",
            [x],
            f" {{permutation = array<i64{numbers}>}}",
            [x.dims[i] for i in order],
            x.element,
            x.exact,
            x.bound,
        )

    def unsqueeze(self):
        x = self.find(lambda v: v.rank < 5)
        axis = int(self.random.integers(x.rank + 1)) if x else 0
        return x and self.add(
            "unsqueeze",
            [x],
            f" {{axes = array<i64: {axis}>}}",
            x.dims[:axis] + [ONE] + x.dims[axis:],
            x.element,
            x.exact,
            x.bound,
        )

    def squeeze(self):
        x = self.find(lambda v: ONE in v.dims)
        axis = x.dims.index(ONE) if x else 0
        return x and self.add(
            "squeeze",
            [x],
            f" {{axes = array<i64: {axis}>}}",
            x.dims[:axis] + x.dims[axis + 1 :],
            x.element,
            x.exact,
            x.bound,
        )

    def flatten(self):
        """A run of dims becomes one, by -1; leading dims are copied by 0."""
        x = self.find(lambda v: v.rank > 0)
        if x is None:
            return None
        first = int(self.random.integers(x.rank))
        if any(0 in dim for dim in x.dims[:first]):
            return None  # beside 0 elements -1 has no solution
        joined = tuple(math.prod(dim[run] for dim in x.dims[first:]) for run in range(RUNS))
        shape = self.constant(numpy.array([0] * first + [-1]), "i64")
        return self.add("reshape", [x, shape], "", x.dims[:first] + [joined], x.element, x.exact, x.bound)

    def size_of(self, x, axis):
        """A dim as data, of rank 1."""
        return self.add(
            "shape", [x], f" {{start = {axis} : i64, end = {axis + 1} : i64}}", [ONE], "i64", shape_math="tensor<1xi64>"
        )

    def concat(self):
        x = self.find(lambda v: v.rank > 0)
        if x is None:
            return None
        axis = int(self.random.integers(x.rank))
        others = [
            v
            for v in self.values
            if v.rank == x.rank
            and v.element == x.element
            and v.dims[:axis] == x.dims[:axis]
            and v.dims[axis + 1 :] == x.dims[axis + 1 :]
        ]
        parts = [x] + [self.pick(others) for _ in range(self.random.integers(1, 3))]
        total = tuple(sum(part.dims[axis][run] for part in parts) for run in range(RUNS))
        return self.add(
            "concat",
            parts,
            f" {{axis = {axis} : i64}}",
            x.dims[:axis] + [total] + x.dims[axis + 1 :],
            x.element,
            all(p.exact for p in parts),
            max(p.bound for p in parts),
        )

    def slice(self):
        x = self.find(lambda v: v.rank > 0)
        if x is None:
            return None
        axes = [i for i in range(x.rank) if self.chance(0.5)] or [0]
        steps = [int(self.pick([1, 1, 2, 3, -1, -2])) for _ in axes]
        far = 2**62
        starts = [int(self.pick([0, 1, 2, -1, -3] if step > 0 else [-1, -2, far, 3])) for step in steps]
        ends = [int(self.pick([far, -1, 5, 48] if step > 0 else [-far, 0, 1, -40])) for step in steps]
        dims = list(x.dims)
        for axis, start, end, step in zip(axes, starts, ends, steps):
            dims[axis] = tuple(len(range(size)[start:end:step]) for size in x.dims[axis])
        begin = self.constant(numpy.array(starts), "i64")
        finish = self.constant(numpy.array(ends), "i64")
        if axes == [0] and steps[0] > 0 and self.chance(0.5):  # up to a symbol
            finish = self.size_of(x, x.rank - 1)
            dims[0] = tuple(len(range(size)[starts[0] : end : steps[0]]) for size, end in zip(x.dims[0], x.dims[-1]))
        step = self.constant(numpy.array(steps), "i64")
        self.operands = [x, begin, finish, step]
        text = f"{x.name} starts {begin.name} ends {finish.name} steps {step.name}"
        return self.add(
            "slice", text, f" {{axes = array<i64: {', '.join(map(str, axes))}>}}", dims, x.element, x.exact, x.bound
        )

    def expand(self):
        x = self.find(lambda v: v.rank < 5)
        model = self.find(lambda v: 0 < v.rank and x and self.broadcast(v, x) is not None)
        if model is None:
            return None
        whole = f" {{start = 0 : i64, end = {model.rank} : i64}}"
        shape = self.add("shape", [model], whole, [(model.rank,) * RUNS], "i64", shape_math=f"tensor<{model.rank}xi64>")
        return self.add("expand", [x, shape], "", self.broadcast(model, x), x.element, x.exact, x.bound)

    def tile(self):
        x = self.find(lambda v: 0 < v.rank)
        if x is None:
            return None
        repeats = [int(self.pick([1, 1, 2, 3])) for _ in x.dims]
        counts = self.constant(numpy.array(repeats), "i64")
        dims = [tuple(size * repeat for size in dim) for dim, repeat in zip(x.dims, repeats)]
        return self.add("tile", [x, counts], "", dims, x.element, x.exact, x.bound)

    def trilu(self):
        x = self.find(lambda v: v.rank >= 2)
        upper = "upper, " if self.chance(0.5) else ""
        return x and self.add(
            "trilu",
            [x],
            f" {{{upper}diagonal = {self.pick([-2, 0, 1, 7])} : i64}}",
            x.dims,
            x.element,
            x.exact,
            x.bound,
        )

    def range(self):
        x = self.find(lambda v: v.rank > 0)
        if x is None:
            return None
        axis = int(self.random.integers(x.rank))
        size = self.size_of(x, axis)
        limit = self.add("squeeze", [size], " {axes = array<i64: 0>}", [], "i64", shape_math="tensor<i64>")
        first, step = int(self.pick([0, 1, 2])), int(self.pick([1, 1, 2]))
        start, delta = self.constant(numpy.array(first), "i64"), self.constant(numpy.array(step), "i64")
        self.operands = [start, limit, delta]
        dims = [tuple(len(range(first, size, step)) for size in x.dims[axis])]
        return self.add("range", f"{start.name} to {limit.name} by {delta.name}", "", dims, "i64", True)

    def gather(self):
        # Indices from -3 to 2, so the axis has at least 3.
        x = self.find(lambda v: any(min(dim) >= 3 for dim in v.dims))
        indices = self.find(lambda v: v.element in ("i32", "i64") and v in self.inputs)
        if x is None or indices is None:
            return None
        axis = self.pick([i for i, dim in enumerate(x.dims) if min(dim) >= 3])
        low, high = self.constant(numpy.array(-3), indices.element), self.constant(numpy.array(2), indices.element)
        clamped = self.add("max", [indices, low], "", indices.dims, indices.element, True)
        clamped = self.add("min", [clamped, high], "", indices.dims, indices.element, True)
        dims = x.dims[:axis] + indices.dims + x.dims[axis + 1 :]
        return (
            self.add("gather", [x, clamped], f" {{axis = {axis} : i64}}", dims, x.element, x.exact, x.bound)
            if len(dims) <= 6
            else None
        )

    KINDS = [unary, binary, binary, compare, where, cast, matmul, matmul, reduce, softmax, layer_norm, transpose, unsqueeze, squeeze,
             flatten, concat, slice, expand, tile, trilu, range, gather]  # fmt: skip

    def draw(self):
        main = self.pick(["f32", "f32", "f32", "f64"])
        for _ in range(self.random.integers(2, 5)):
            self.input(main)
        names = list(self.symbols)
        self.input(main, [self.pick(names[:4]), self.pick([3, 16, 50])])
        for _ in range(2):
            self.input(self.pick(TYPES))
        self.input(self.pick(["i32", "i64"]), [self.pick(names)])
        for _ in range(self.random.integers(5, 25)):
            self.pick(self.KINDS)(self)

    def text(self, outputs):
        arguments = ", ".join(f'{x.name}: {x.type} {{weft.name = "{x.name[1:]}"}}' for x in self.inputs)
        results = ", ".join(f'{y.type} {{weft.name = "y{y.name[1:]}"}}' for y in outputs)
        names, types = ", ".join(y.name for y in outputs), ", ".join(y.type for y in outputs)
        body = "\n  ".join(self.lines)
        return f"func.func @main({arguments}) -> ({results}) {{\n  {body}\n  return {names} : {types}\n}}\n"

    def outputs(self):
        """What nothing else reads, and a few more."""
        read = {word.strip(",") for line in self.lines for word in line.split(" = ")[1].split(" : ")[0].split()}
        return [v for v in self.values if v not in self.inputs and (v.name not in read or self.chance(0.2))]

    def data(self, run):
        """The inputs at a run. Floats are quarters, so that comparing and casting them is exact."""
        arrays = {}
        for x in self.inputs:
            shape = [dim[run] for dim in x.dims]
            if x.element in FLOATS:
                array = self.random.integers(-8, 9, shape) / 4
            elif x.element == "i1":
                array = self.random.integers(0, 2, shape)
            else:
                info = numpy.iinfo(TYPES[x.element])
                small = self.random.integers(max(info.min, -9), 10, shape)
                array = numpy.where(
                    self.random.random(shape) < 0.1,
                    self.random.integers(info.min, info.max, shape, dtype=TYPES[x.element], endpoint=True),
                    small.astype(TYPES[x.element]),
                )
            arrays[x.name[1:]] = numpy.asarray(array).astype(TYPES[x.element])
        return arrays


def call(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, (done.stdout + done.stderr).strip()


def check(seed, weft, work):
    """Nothing, or what went wrong."""
    graph = Graph(seed)
    graph.draw()
    outputs = graph.outputs()
    if not outputs:
        return None
    model, artifact = work / f"{seed}.mlir", work / f"{seed}.weft"
    model.write_text(graph.text(outputs))
    machine = ["--mcpu=x86-64-v3"] if graph.chance(0.5) else []
    code, text = call([weft, "compile", "--quiet", *machine, str(model), "-o", str(artifact)])
    if code != 0:
        return f"weft compile {' '.join(machine)} {model}: exit {code}\n{text}"
    for run in range(RUNS):
        data, expected = work / f"{seed}.{run}.npz", work / f"{seed}.{run}.expected.npz"
        numpy.savez(data, **graph.data(run))
        steps = [
            ["run", str(model), "--evaluate", "--inputs", str(data), "--outputs", str(expected)],
            ["run", str(artifact), "--inputs", str(data), "--expect", str(expected), "--rtol=1e-3", "--atol=1e-3",
             f"--threads={graph.pick([1, 2, 3])}", *(["--guard-arena"] if graph.chance(0.5) else [])],
        ]  # fmt: skip
        for step in steps:
            code, text = call([weft, *step])
            if code != 0:
                return f"weft {' '.join(step)}: exit {code}\n{text}"
    for path in work.glob(f"{seed}.*"):
        path.unlink()
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", required=True, help="FROM:TO, the second not included")
    parser.add_argument("--work", required=True, type=pathlib.Path, help="a folder for files; those of failures stay")
    parser.add_argument("--weft", default="weft")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    first, end = map(int, options.seeds.split(":"))
    failures = 0
    for seed in range(first, end):
        problem = check(seed, options.weft, options.work)
        if problem:
            failures += 1
            print(f"seed {seed}: {problem}", file=sys.stderr)
    print(f"{end - first - failures} graphs agree, {failures} do not")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
