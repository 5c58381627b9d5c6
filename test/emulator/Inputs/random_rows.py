#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations on rows and elements, of random types and sizes, by the kernels for GPUs, compared with the evaluator.

    random_rows.py FOLDER SEED COUNT
"""
from random_cases import checkAll, weft

FLOATS, INTEGERS = ["f32", "f64", "f16", "bf16"], ["i64", "i32", "i8"]
ROWS = [1, 3, 8, 21]
WIDTHS = [1, 2, 3, 4, 6, 8, 12, 24, 31, 32, 33, 40, 64, 72, 96, 100, 128, 132, 160, 192, 256, 264, 320, 384, 512, 520, 768, 1000, 1024, 1100, 4096, 4104]
# Relative, and of a sum of a row absolute for each number.
TOLERANCES = {"f32": (2e-5, 2e-7), "f64": (1e-12, 1e-14), "f16": (4e-3, 4e-4), "bf16": (2e-2, 2e-3)}


class Rows:
    """A matrix, a row that is applied to each of its rows, and an operation."""

    def __init__(self, draw):
        self.isFloat = draw.random() < 0.75
        self.element = draw.choice(FLOATS if self.isFloat else INTEGERS)
        self.rows, self.width = draw.choice(ROWS), draw.choice(WIDTHS)
        self.dims = (draw.random() < 0.7, draw.random() < 0.25)  # whether each is dynamic
        norms = ["softmax", "log_softmax", "layer_norm", "rms_norm"] if self.isFloat else []
        self.operation = draw.choice([*norms, "reduce sum", "reduce max", "cast", "add", "gather", "concat"])
        if self.operation in ("layer_norm", "rms_norm"):
            self.dims = (self.dims[0], False)

    def type(self, dims, element=None):
        sizes = ["?" if '"' in dim else dim for dim in dims]
        return f"tensor<{'x'.join([*sizes, element or self.element])}, #weft.dims<{', '.join(dims)}>>"

    def module(self):
        rows = '"m"' if self.dims[0] else str(self.rows)
        twice = '2 * "m"' if self.dims[0] else str(2 * self.rows)
        width = '"n"' if self.dims[1] else str(self.width)
        x, r, ids = self.type([rows, width]), self.type([width]), self.type(["5"], "i64")
        name, _, kind = self.operation.partition(" ")
        other = "bf16" if self.element == "f32" else "f32"
        y = {"reduce": self.type([rows]), "cast": self.type([rows, width], other),
             "gather": self.type(["5", width]), "concat": self.type([twice, width])}.get(name, x)
        body = {
            "softmax": f"weft.softmax %x {{axis = 1 : i64}} : ({x})",
            "log_softmax": f"weft.log_softmax %x {{axis = 1 : i64}} : ({x})",
            "layer_norm": f"weft.layer_norm %x, %r, %r {{axis = 1 : i64, epsilon = 1.0e-3 : f32}} : ({x}, {r}, {r})",
            "rms_norm": f"weft.rms_norm %x, %r {{axis = 1 : i64, epsilon = 1.0e-3 : f32}} : ({x}, {r})",
            "reduce": f"weft.reduce {kind} %x {{axes = array<i64: 1>}} : ({x})",
            "cast": f"weft.cast %x to {other} : ({x})",
            "gather": f"weft.gather %x, %ids {{axis = 0 : i64}} : ({x}, {ids})",
            "add": f"weft.add %x, %r : ({x}, {r})",
            "concat": f"weft.concat %x, %x {{axis = 0 : i64}} : ({x}, {x})",
        }[name]
        operands = f'%x: {x} {{weft.name = "x"}}, %r: {r} {{weft.name = "r"}}, %ids: {ids} {{weft.name = "ids"}}'
        return f'func.func @main({operands}) -> ({y} {{weft.name = "y"}}) {{\n  %0 = {body} -> {y}\n  return %0 : {y}\n}}\n'

    def inputs(self):
        return [f"--input=x={self.rows}x{self.width}x{self.element}=random:1", f"--input=r={self.width}x{self.element}=random:2", f"--input=ids=5xi64={self.rows - 1}"]

    def tolerance(self):
        if not self.isFloat:
            return ["--rtol=0", "--atol=0"]
        relative, absolute = TOLERANCES["bf16" if self.operation == "cast" else self.element]
        return [f"--rtol={relative}", f"--atol={absolute * max(self.width, 20)}"]

    def check(self, folder):
        """What is wrong with it, or nothing."""
        (folder / "rows.mlir").write_text(self.module())
        problem = weft("run", folder / "rows.mlir", *self.inputs(), "--evaluate", f"--outputs={folder / 'expected.npz'}")
        problem = problem or weft("compile", "--quiet", "--target=emulator", folder / "rows.mlir", "-o", folder / "rows.weft")
        return problem or weft("run", folder / "rows.weft", *self.inputs(), f"--expect={folder / 'expected.npz'}", *self.tolerance(), "--guard-arena")


checkAll(Rows, "operations")
