# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The file of a graph's cases: cases.npz holds each input and each expected output under "<case>/in/<name>", "<case>/ref/<name>".
import os

import numpy


def write(folder, cases):
    """`cases` maps names to inputs and outputs, each a dictionary of arrays."""
    arrays = {f"{case}/{kind}/{name}": array for case, pair in cases.items()
              for kind, group in zip(("in", "ref"), pair) for name, array in group.items()}
    numpy.savez_compressed(os.path.join(folder, "cases.npz"), **arrays)


def read(folder):
    cases = {}
    with numpy.load(os.path.join(folder, "cases.npz")) as arrays:
        for key in arrays.files:
            case, kind, name = key.split("/")
            cases.setdefault(case, ({}, {}))[kind == "ref"][name] = arrays[key]
    return cases
