#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""BERT-base, with random weights, compiled by weft for all sizes, against ONNX Runtime. Needs the packages onnx,
onnxruntime and numpy."""
import argparse
import pathlib
import subprocess
import tempfile

import numpy

import bert_model
from comparison import compare, load

ROOT = pathlib.Path(__file__).resolve().parent.parent


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("batch", 1), ("layers", 12), ("width", 768), ("hidden", 3072), ("vocabulary", 30522),
                          ("longest", 512), ("runs", 9)):
        parser.add_argument(f"--{name}", type=int, default=default, help=f"default: {default}")
    parser.add_argument("--lengths", type=int, nargs="*", default=[128, 512, 17], help="default: 128 512 17")
    parser.add_argument("--threads", type=int, nargs="*", default=[1, 2], help="default: 1 2")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="the build folder")
    parser.add_argument("--baseline", type=pathlib.Path, help="another build folder, to compare with")
    return parser.parse_args()


def make_inputs(options, length):
    """Up to a fifth of each text is padding."""
    random = numpy.random.default_rng(0)
    seen = numpy.arange(length) < length - random.integers(0, length // 5 + 1, options.batch)[:, None]
    return {"ids": random.integers(0, options.vocabulary, (options.batch, length)),
            "segments": random.integers(0, 2, (options.batch, length)), "mask": seen.astype(numpy.int64)}  # fmt: skip


def main():
    options = parse()
    builds = {"weft": options.build} | ({"baseline": options.baseline} if options.baseline else {})
    with tempfile.TemporaryDirectory() as folder:
        onnx = pathlib.Path(folder) / "bert.onnx"
        bert_model.save(onnx, options.layers, options.width, options.hidden, options.vocabulary, options.longest)
        artifacts = {name: pathlib.Path(folder) / f"{name}.weft" for name in builds}
        for name, build in builds.items():
            subprocess.run([build / "bin" / "weft", "compile", "--quiet", onnx, "-o", artifacts[name]], check=True)
        for threads in options.threads:
            reference, sessions = load(options.build, onnx, artifacts, threads)
            for length in options.lengths:
                print(f"batch {options.batch}, length {length}, {threads} threads")
                compare(reference, sessions, make_inputs(options, length), options.runs)


if __name__ == "__main__":
    main()
