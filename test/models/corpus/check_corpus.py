#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds the corpus against its table: how many attentions are fused in each graph, and every answer.

    check_corpus.py SCRATCH [GROUP or GRAPH...]   all without an argument

Each graph is taken as it is and in f16 (half.py), and in f32 with static shapes if it has a file for them; all cases are run
compiled, the first in the evaluator, too.

    --fusion      only how many are fused
    --dynamic     only the graphs as they are, f32 and dynamic dims, and only compiled, not in the evaluator
"""
import argparse
import concurrent.futures
import glob
import os
import re
import subprocess
import sys

import numpy
import onnx

import cases
from half import half

HERE = os.path.dirname(os.path.abspath(__file__))
FLOATS = {onnx.TensorProto.FLOAT: numpy.float32, onnx.TensorProto.FLOAT16: numpy.float16}
# Of the corpus, in docs/numerics.md.
TOLERANCE = {"f32": [], "f16": ["--atol=2e-2", "--rtol=2e-2"]}


def read_table():
    """Groups of graphs, each with how many attentions are in it; None where that is open."""
    table, group = {}, None
    with open(os.path.join(HERE, "corpus.txt"), encoding="utf-8") as file:
        for line in file:
            if line.startswith("["):
                group = table.setdefault(line.strip()[1:-1], {})
            elif line.strip() and not line.startswith("#"):
                name, count = line.split()[:2]
                group[name] = None if count == "-" else int(count)
    return table


def weft(*arguments):
    """How it ended and what it printed."""
    done = subprocess.run(["weft", *arguments], capture_output=True, text=True, timeout=300, check=False)
    return done.returncode, done.stderr.strip()


def cast(arrays, values):
    """Floats in the type that the graph has for them."""
    kinds = {value.name: FLOATS.get(value.type.tensor_type.elem_type) for value in values}
    return {name: array.astype(kinds[name]) if kinds[name] else array for name, array in arrays.items()}


def fits(inputs, model):
    """Whether the inputs have the sizes that the graph says."""
    for value in model.graph.input:
        dims = value.type.tensor_type.shape.dim
        if any(dim.HasField("dim_value") and dim.dim_value != size for dim, size in zip(dims, inputs[value.name].shape)):
            return False
    return True


class Check:
    """One graph in one element type."""

    def __init__(self, path, element, count, options):
        self.name = f"{os.path.basename(path)[:-len('.onnx')]} {element}"
        self.folder, self.count, self.options = os.path.dirname(path), count, options
        self.path, self.element, self.problems = path, element, []

    def run(self):
        self.model = onnx.load(self.path)
        is_half = self.element == "f16" or any(value.type.tensor_type.elem_type == onnx.TensorProto.FLOAT16
                                               for value in self.model.graph.input)
        if is_half and self.element == "f32":
            return []
        if is_half and not any(v.type.tensor_type.elem_type == onnx.TensorProto.FLOAT16 for v in self.model.graph.input):
            self.model = half(self.model)
        self.scratch = os.path.join(self.options.scratch, self.name.replace(" ", "_"))
        os.makedirs(self.scratch, exist_ok=True)
        self.path = os.path.join(self.scratch, "model.onnx")
        onnx.save(self.model, self.path)
        self.count_fused()
        if not self.options.fusion:
            self.compare()
        return [f"{self.name}: {problem}" for problem in self.problems]

    def expect(self, what, *arguments):
        code, printed = weft(*arguments)
        if code:
            self.problems.append(f"{what} ended with {code}: {printed}")
        return code == 0

    def count_fused(self):
        code, printed = weft("check", "--explain-fusion", self.path)
        found = re.search(r"fused attention: (\d+) of (\d+)", printed)
        if code or not found:
            self.problems.append(f"check --explain-fusion ended with {code}: {printed}")
        elif self.count is not None and int(found[1]) != self.count:
            self.problems.append(f"expected {self.count} fused attentions, got {found[1]}\n{printed}")

    def compare(self):
        artifact = os.path.join(self.scratch, "model.weft")
        if not self.expect("compile", "compile", "--quiet", self.path, "-o", artifact):
            return
        ran = 0
        for case, (inputs, expected) in cases.read(self.folder).items():
            if not fits(inputs, self.model):
                continue
            files = [os.path.join(self.scratch, f"{case}.{kind}.npz") for kind in ("in", "ref")]
            numpy.savez(files[0], **cast(inputs, self.model.graph.input))
            with numpy.errstate(over="ignore"):
                numpy.savez(files[1], **cast(expected, self.model.graph.output))
            flags = ["--inputs", files[0], "--expect", files[1], *TOLERANCE[self.element]]
            self.expect(f"{case}, compiled,", "run", artifact, *flags, "--guard-arena")
            if not self.options.dynamic and not ran:
                self.expect(f"{case}, evaluated,", "run", "--evaluate", self.path, *flags)
            ran += 1
        if not ran:
            self.problems.append("no case fits")


def find_checks(options):
    table = read_table()
    known = [*table, *(name for group in table.values() for name in group)]
    unlisted = set(os.listdir(os.path.join(HERE, "graphs"))) - set(known)
    if unlisted:
        sys.exit(f"check_corpus.py: corpus.txt lacks {', '.join(sorted(unlisted))}")
    for name in options.names:
        if name not in known:
            sys.exit(f"check_corpus.py: unknown group or graph {name}; groups: {', '.join(table)}")
    for group, graphs in table.items():
        for name, count in graphs.items():
            if options.names and group not in options.names and name not in options.names:
                continue
            paths = sorted(glob.glob(os.path.join(HERE, "graphs", name, "*.onnx")))
            if not paths:
                sys.exit(f"check_corpus.py: {name} has no graph")
            for path in paths:
                is_static = path.endswith("_static.onnx") and len(paths) > 1
                if not options.dynamic or not is_static:
                    for element in ("f32",) if options.dynamic or is_static else ("f32", "f16"):
                        yield Check(path, element, count, options)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fusion", action="store_true")
    parser.add_argument("--dynamic", action="store_true")
    parser.add_argument("scratch")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    checks = list(find_checks(options))
    with concurrent.futures.ThreadPoolExecutor(2) as workers:
        problems = [problem for found in workers.map(Check.run, checks) for problem in found]
    print("\n".join([*problems, f"{len(checks)} graphs, {len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
