#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix products of random types, sizes, schedules and epilogues, by the kernels of every kind of GPU, compared with the evaluator.

    random_products.py FOLDER SEED COUNT
"""
from random_cases import checkAll, weft

ELEMENTS = ["f32", "f64", "i32", "i64", "f16", "bf16", "tf32"]
ROWS = [1, 2, 5, 8, 9, 16, 31, 64, 65, 100, 128, 129, 200]
DEPTHS = [1, 7, 16, 24, 31, 64, 72, 100, 128, 200, 256, 264, 511, 512, 520, 600, 1024, 1032, 1100]
COLUMNS = [1, 3, 8, 16, 31, 40, 64, 72, 100, 128, 130, 136, 200, 264]
MOST_PRODUCTS = 30_000_000
# Of one product's sum; sums of more of the depth are further off by its square root. Integers are exact.
TOLERANCES = {"f32": (1e-5, 1e-5), "f64": (1e-12, 1e-12), "f16": (4e-3, 2e-3), "bf16": (2e-2, 1e-2), "tf32": (1e-5, 1e-5)}
FEW_ROWS = 8  # of which nothing is rounded to tf32
UNROUNDED = (1e-3, 5e-3)


def dictionary(sizes):
    return "{" + ", ".join(f"{name} = {size} : i64" for name, size in sizes.items()) + "}"


class Product:
    def __init__(self, draw):
        self.element = draw.choice(ELEMENTS)
        self.stored = "f32" if self.element == "tf32" else self.element
        self.rows, self.depth, self.columns = draw.choice(ROWS), draw.choice(DEPTHS), draw.choice(COLUMNS)
        self.isDynamic = draw.random() < 0.6
        self.batch = draw.choice([[], [], [2], [3]])
        self.weightBatch = self.batch if draw.random() < 0.5 else []
        self.hasEpilogue = self.isFloat() and draw.random() < 0.5
        self.schedule = self.drawSchedule(draw)
        self.table = [] if self.schedule or draw.random() < 0.5 else self.drawTable(draw)

    def isFloat(self):
        return self.element not in ("i32", "i64")

    def drawSchedule(self, draw):
        """None, which leaves it to the compiler, half of the time; none for rows that are known to be few."""
        kind = draw.choice([None, None, None, "large", "small", "parts"])
        pieces = -(-self.depth // 64)
        if not kind or (self.rows <= FEW_ROWS and not self.isDynamic):
            return None
        if kind == "large":
            return {"rows": 128, "columns": 128}
        parts = {"parts": draw.randint(2, pieces)} if kind == "parts" and pieces > 1 and self.isFloat() else {}
        return {"rows": 64, "columns": 64} | parts

    def drawTable(self, draw):
        """What a table has for this number of rows, or for some, as weft-choose-schedules gives it."""
        table = []
        for rows in sorted(draw.sample(ROWS, 3)) if self.isDynamic else [self.rows]:
            few = {"columns": draw.choice([8, 16, 32])}
            side = [64] if self.element in ("f64", "i64") else [64, 128]
            many = {"rows": draw.choice(side), "columns": draw.choice(side), "hopper_columns": draw.choice([64, 128, 256])}
            many |= {"hopper_cluster": draw.choice([1, 2]) if many["hopper_columns"] > 64 else 1}
            parts = self.depth // 64 if self.isFloat() else 1
            many |= {"parts": draw.randint(1, parts)} if parts > 1 else {}
            kept = few if rows <= FEW_ROWS else {name: size for name, size in many.items() if draw.random() < 0.7}
            table.append({"of_rows": rows} | kept)
        return table

    def shapes(self):
        found = {"a": [*self.batch, self.rows, self.depth], "b": [*self.weightBatch, self.depth, self.columns]}
        return found | ({"r": [self.columns]} if self.hasEpilogue else {})

    def type(self, shape, hasRows):
        if not (hasRows and self.isDynamic):
            return f"tensor<{'x'.join(map(str, shape))}x{self.stored}>"
        dims = ["?" if i == len(shape) - 2 else str(size) for i, size in enumerate(shape)]
        names = ", ".join('"m"' if dim == "?" else dim for dim in dims)
        return f"tensor<{'x'.join(dims)}x{self.stored}, #weft.dims<{names}>>"

    def module(self):
        types = {name: self.type(shape, name == "a") for name, shape in self.shapes().items()}
        y = self.type([*self.batch, self.rows, self.columns], True)
        marks = ["tf32"] if self.element == "tf32" else []
        if self.schedule:
            marks.append(f"weft.schedule = {dictionary(self.schedule)}")
        if self.table:
            marks.append(f"weft.schedules = [{', '.join(map(dictionary, self.table))}]")
        body = f"  %0 = weft.matmul %a, %b {{{', '.join(marks)}}} : ({types['a']}, {types['b']}) -> {y}\n"
        if self.hasEpilogue:
            body += f"  %1 = weft.add %0, %r : ({y}, {types['r']}) -> {y}\n  %2 = weft.relu %1 : ({y}) -> {y}\n"
        operands = ", ".join(f'%{name}: {type} {{weft.name = "{name}"}}' for name, type in types.items())
        return f'func.func @main({operands}) -> ({y} {{weft.name = "y"}}) {{\n{body}  return %{2 if self.hasEpilogue else 0} : {y}\n}}\n'

    def inputs(self):
        return [f"--input={name}={'x'.join(map(str, shape))}x{self.stored}=random:{i}" for i, (name, shape) in enumerate(self.shapes().items())]

    def tolerance(self):
        relative, absolute = TOLERANCES.get(self.element, (0, 0))
        if self.element == "tf32" and self.rows <= FEW_ROWS:
            relative, absolute = UNROUNDED
        return [f"--rtol={relative}", f"--atol={absolute * self.depth**0.5}"]

    def check(self, folder):
        """What is wrong with it, or nothing."""
        (folder / "product.mlir").write_text(self.module())
        problem = weft("run", folder / "product.mlir", *self.inputs(), "--evaluate", f"--outputs={folder / 'expected.npz'}")
        for gpu in ("80", "90a"):
            problem = problem or weft("compile", "--quiet", "--target=emulator", f"--sm={gpu}", folder / "product.mlir", "-o", folder / "product.weft")
            problem = problem or weft("run", folder / "product.weft", *self.inputs(), f"--expect={folder / 'expected.npz'}", *self.tolerance(), "--guard-arena")
        return problem


def drawProduct(draw):
    """One that is not too large."""
    while True:
        product = Product(draw)
        if product.rows * product.depth * product.columns <= MOST_PRODUCTS:
            return product


checkAll(drawProduct, "products")
