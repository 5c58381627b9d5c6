#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the artifacts of a folder, which are compiled from attention-half.mlir, at several sizes, and compares them with the evaluator.

    attention.py MODEL.mlir FOLDER [more]
"""
import pathlib
import subprocess
import sys

import numpy

# Queries, keys, and of each batch a number of keys (attention-half.mlir).
SIZES = [
    (17, 33, [16, 40]),
    (130, 200, [70, 0]),
    (1, 700, [699]),
    (5, 0, [0, 0]),
]
MORE_SIZES = [
    (64, 64, [0]),
    (3, 5, [2, 0, 9]),
    (1, 1, [1]),
    (4, 1000, [700, 996]),
    (33, 128, [96, 1]),
    (300, 300, [0]),
]


def run(*words):
    done = subprocess.run(["weft", "run", *map(str, words)], capture_output=True, text=True, check=False)
    print((done.stdout + done.stderr).strip())


def main():
    model, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    for n, m, lengths in MORE_SIZES if "more" in sys.argv[3:] else SIZES:
        b = len(lengths)
        numpy.savez(folder / "lengths.npz", lengths=numpy.array(lengths, numpy.int64).reshape(b, 1, 1, 1))
        shapes = {"q": (b, 4, n, 48), "k": (b, 2, m, 48), "v": (b, 2, m, 64), "a": (b, 2, m, 70), "w": (b, 2, m, 160),
                  "wq": (b, 2, n, 160), "bias": (4, n, m), "sinks": (4, 1, 1), "rows": (b, 2, n, 1)}  # fmt: skip
        inputs = [f"--inputs={folder / 'lengths.npz'}"]
        for name, shape in shapes.items():
            element = "bf16" if name[0] == "w" else "f32" if name in ("sinks", "rows") else "f16"
            inputs.append(f"--input={name}={'x'.join(map(str, shape))}x{element}=random")
        run(model, *inputs, "--evaluate", f"--outputs={folder / 'expected.npz'}")
        for artifact in sorted(folder.glob("*.weft")):
            run(artifact, *inputs, f"--expect={folder / 'expected.npz'}", "--rtol=4e-3", "--atol=4e-3", "--guard-arena")


main()
