#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds a model that keeps state (--kv-capacity) against the same model without, on prompts that it gets in pieces.

    state_cases.py MODEL SCRATCH --piece-sizes 1,5,33 7,1 ...    the last piece's outputs are the last rows of one run over the whole
                                                                 prompt with an empty past
    state_cases.py --stepwise MODEL SCRATCH --piece-sizes ...    they are those of a run that is given what earlier ones returned: for
                                                                 models that are not causal

Each prompt is run with 1 and 2 threads, which must give the same bits, and between guard pages; compiled for this CPU, and without
--once for x86-64-v3. A piece is as long as the dim `seq` of an input; what a state is called "past" in, the output that holds it is called
"present" in.
"""
import argparse
import os
import re
import subprocess
import sys

import numpy

TIMEOUT = 60
ELEMENTS = {"f16": numpy.float16, "f32": numpy.float32, "f64": numpy.float64, "i64": numpy.int64, "bool": numpy.bool_}
LEAST_VOCABULARY = 31


class Failed(Exception):
    pass


def weft(*arguments):
    done = subprocess.run(["weft", *arguments], capture_output=True, text=True, timeout=TIMEOUT)
    if done.returncode:
        raise Failed(f"weft {' '.join(arguments)}\nended with {done.returncode}: {done.stderr.strip()}")
    return done.stdout


class Model:
    """An artifact, and what it says of its inputs, outputs and states: dims and element type by name."""

    def __init__(self, path, scratch):
        self.path, self.scratch = path, scratch
        self.tensors = {"input": {}, "output": {}, "state": {}}
        for kind, name, text in re.findall(r"^(input|output|state) +(\w+): ([^,\n]*)", weft("inspect", path), re.MULTILINE):
            *dims, element = text.split(" x ")
            self.tensors[kind][name] = dims, element

    def run(self, runs, *flags):
        """The outputs of the last of the runs, each of which is given its inputs by name."""
        files = [os.path.join(self.scratch, f"piece{i}.npz") for i in range(len(runs))]
        for file, inputs in zip(files, runs):
            numpy.savez(file, **inputs)
        results = os.path.join(self.scratch, "out.npz")
        weft("run", self.path, *(f"--inputs={file}" for file in files), f"--outputs={results}", *flags)
        with numpy.load(results) as arrays:
            return dict(arrays)


def make_input(random, tensor, sizes):
    dims, element = tensor
    shape = [int(dim) if dim.isdigit() else sizes[dim] for dim in dims]
    if element == "i64":
        return random.integers(0, LEAST_VOCABULARY, shape)
    if element == "bool":
        return random.random(shape) < 0.5
    return random.standard_normal(shape).astype(ELEMENTS[element])


def make_pieces(random, inputs, batch, lengths):
    """The inputs of each piece, and of all as one; what has no such dim is one input to all."""
    whole = {name: make_input(random, tensor, {"batch": batch, "seq": sum(lengths)}) for name, tensor in inputs.items()}
    pieces = []
    for first, length in zip(numpy.cumsum([0, *lengths]), lengths):
        pieces.append({name: numpy.take(array, range(first, first + length), inputs[name][0].index("seq")) if "seq" in inputs[name][0] else array
                       for name, array in whole.items()})
    return whole, pieces


def expected_outputs(stateful, stateless, batch, whole, pieces, stepwise):
    sizes = {"batch": batch}  # a length is 0 at first
    past = {name: numpy.zeros([int(dim) if dim.isdigit() else sizes.get(dim, 0) for dim in dims], ELEMENTS[element])
            for name, (dims, element) in stateful.tensors["state"].items()}
    if not stepwise:
        return stateless.run([{**whole, **past}])
    for piece in pieces:
        outputs = stateless.run([{**piece, **past}])
        past = {name: outputs[name.replace("past", "present")] for name in past}
    return outputs


def compare(stateful, outputs, expected, tolerance):
    for name, (dims, _) in stateful.tensors["output"].items():
        got, wanted = outputs[name], expected[name]
        if "seq" in dims:
            axis = dims.index("seq")
            wanted = numpy.take(wanted, range(wanted.shape[axis] - got.shape[axis], wanted.shape[axis]), axis)
        if got.shape != wanted.shape:
            yield f"{name}: {got.shape}, expected {wanted.shape}"
        elif not numpy.allclose(got.astype(float), wanted.astype(float), rtol=tolerance, atol=tolerance, equal_nan=True):
            yield f"{name}: differs by up to {numpy.abs(got.astype(float) - wanted.astype(float)).max()}"


def check(options, stateful, stateless):
    for batch in options.batches:
        for lengths in options.piece_sizes:
            random = numpy.random.default_rng(sum(lengths) + batch)
            whole, pieces = make_pieces(random, stateful.tensors["input"], batch, lengths)
            expected = expected_outputs(stateful, stateless, batch, whole, pieces, options.stepwise)
            bits = None
            for flags in (["--threads=1"], ["--threads=2"], ["--threads=2", "--guard-arena"]):
                what = f"{stateful.path}, batch {batch}, pieces of {lengths}, {' '.join(flags)}: "
                outputs = stateful.run(pieces, *flags)
                for problem in compare(stateful, outputs, expected, options.tolerance):
                    yield what + problem
                these = [array.tobytes() for array in outputs.values()]
                bits = bits or these
                if these != bits:
                    yield what + "other bits than with 1 thread"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--once", action="store_true")
    parser.add_argument("--stepwise", action="store_true")
    parser.add_argument("--capacity", default="160")
    parser.add_argument("--tolerance", type=float, default=1e-4)
    parser.add_argument("--batches", type=int, nargs="+", default=[1, 3])
    parser.add_argument("--piece-sizes", nargs="+", required=True, type=lambda text: [int(size) for size in text.split(",")])
    parser.add_argument("model")
    parser.add_argument("scratch")
    options = parser.parse_args()
    os.makedirs(options.scratch, exist_ok=True)
    problems, states = [], 0
    for machine in ["native"] if options.once else ["native", "x86-64-v3"]:
        try:
            paths = [os.path.join(options.scratch, f"{machine}-{kind}.weft") for kind in ("stateful", "stateless")]
            weft("compile", "--quiet", f"--mcpu={machine}", f"--kv-capacity={options.capacity}", options.model, "-o", paths[0])
            weft("compile", "--quiet", f"--mcpu={machine}", options.model, "-o", paths[1])
            stateful, stateless = (Model(path, options.scratch) for path in paths)
            states = len(stateful.tensors["state"])
            problems += check(options, stateful, stateless)
        except Failed as failed:
            problems.append(str(failed))
    print("\n".join(problems + [f"{states} states, {len(options.piece_sizes)} prompts, {len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
