#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a case of a compiled model as it is, and each entry of its batch alone: the bits must be the same.

    check_batch.py MODEL.weft CASE.in.npz SCRATCH
"""
import os
import subprocess
import sys

import numpy


def run(artifact, inputs, scratch):
    """The outputs, by name."""
    given, results = os.path.join(scratch, "in.npz"), os.path.join(scratch, "out.npz")
    numpy.savez(given, **inputs)
    subprocess.run(["weft", "run", artifact, f"--inputs={given}", f"--outputs={results}"], check=True)
    with numpy.load(results) as arrays:
        return dict(arrays)


def main():
    artifact, case, scratch = sys.argv[1:]
    os.makedirs(scratch, exist_ok=True)
    with numpy.load(case) as arrays:
        inputs = dict(arrays)
    together = run(artifact, inputs, scratch)
    batch = len(next(iter(inputs.values())))
    differing = 0
    for i in range(batch):
        alone = run(artifact, {name: array[i:i + 1] for name, array in inputs.items()}, scratch)
        for name, array in together.items():
            if array[i:i + 1].tobytes() != alone[name].tobytes():
                differing += 1
                print(f"{case}: {name}: entry {i} is something else alone")
    print(f"{batch} entries, {differing} differing")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
