#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Looks for what is left of shape arithmetic in models at the graph level.

    shape_arithmetic.py FOLDER          each model below FOLDER: nothing computes with sizes only
    shape_arithmetic.py --dims FOLDER   no dim is a broadcast of two that the model needs to be equal
    --but NAME                          leaves out models in folders of that name

Integers that follow from an input's data or from positions (weft.range, a table of as many as a run needs) are true uses,
and so are a constant or a size that fills a tensor (weft.expand) or that meets such integers (a length added to positions).
"""
import argparse
import glob
import os
import re
import subprocess
import sys

OPERATION = re.compile(r"^\s*(?P<result>%\w+)(:\d+)? = (?P<name>weft\.\w+)(?P<rest>.*)$")
VALUE = re.compile(r"%[\w#]+")
# Narrower integers are masks.
INTEGER = re.compile(r"[x<]i(32|64)[,>]")
FIXED = ("weft.constant", "weft.dims")
TIMEOUT = 60


def graph(model):
    """The model at the graph level, and the message if there is none."""
    command = ["weft", "compile", model, "--to=graph"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return "", f"{os.path.basename(model)}: no graph after {TIMEOUT} seconds"
    return done.stdout, done.stderr.strip().split("\n")[0] if done.returncode else ""


def find_arithmetic(text):
    """Shapes as data, ranges with operands, and integers computed from constants and sizes alone."""
    problems, fixed = [], set()
    for line in text.split("\n"):
        match = OPERATION.match(line.split(" loc(")[0])
        if not match:
            continue
        operands, types = match["rest"].split(" : ")[0], match["rest"].rsplit("->", 1)[-1]
        used = VALUE.findall(operands)
        # A piece of a table, such as positions 0 to 511, or a table for each entry of a batch.
        is_table = match["name"] in ("weft.slice", "weft.expand") and "?" in types
        computed = used and set(used) <= fixed and not is_table
        if computed or match["name"] in FIXED:
            fixed.add(match["result"])
        computed = computed and match["name"] != "weft.expand" and INTEGER.search(types)
        if match["name"] == "weft.shape" or match["name"] == "weft.range" and used or computed:
            problems.append(match[0].strip())
    return problems


def find_broadcasts(text):
    return [line.strip().split(" : ")[0] for line in text.split("\n") if "broadcast(" in line]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dims", action="store_true")
    parser.add_argument("--but", action="append", default=[])
    parser.add_argument("folder")
    options = parser.parse_args()
    models = sorted(glob.glob(os.path.join(options.folder, "**", "*.onnx"), recursive=True))
    left_out = [os.path.join(options.folder, name, "") for name in options.but]
    models = [model for model in models if not model.startswith(tuple(left_out))]
    count = 0
    for model in models:
        text, message = graph(model)
        found = (find_broadcasts if options.dims else find_arithmetic)(text)
        found = [f"{os.path.basename(model)}: {problem}" for problem in found]
        found += [message] if message else []
        count += len(found)
        for line in found[:3] + ([f"and {len(found) - 3} more"] if len(found) > 3 else []):
            print(line)
    print(f"{len(models)} models, {count} problems")
    return 1 if count or not models else 0


if __name__ == "__main__":
    sys.exit(main())
