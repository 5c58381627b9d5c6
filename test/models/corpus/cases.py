# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The file of a graph's cases: cases.npz holds each input and each expected output under "<case>/in/<name>", "<case>/ref/<name>".
# And the command line of what makes graphs.
import os
import sys

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


def make_graphs(forms):
    """`forms` maps names of graphs to what makes them. Makes those that the command line names, or all."""
    program, names = os.path.basename(sys.argv[0]), sys.argv[1:]
    unknown = [name for name in names if name not in forms]
    if unknown:
        sys.exit(f"{program}: unknown graph {unknown[0]}; known: {', '.join(forms)}")
    for name in names or forms:
        forms[name](name)
        print(name)
