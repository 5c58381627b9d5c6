#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GPT-2 small, with random weights, compiled by weft for all sizes, against ONNX Runtime: the first tokens of a text, and
one token after others. Needs the packages onnx, onnxruntime and numpy."""
import argparse
import pathlib
import subprocess
import tempfile

import numpy

import gpt2_model
from comparison import compare, load

ROOT = pathlib.Path(__file__).resolve().parent.parent


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("batch", 1), ("layers", 12), ("width", 768), ("vocabulary", 50257), ("longest", 1024),
                          ("runs", 9)):  # fmt: skip
        parser.add_argument(f"--{name}", type=int, default=default, help=f"default: {default}")
    parser.add_argument("--sizes", nargs="*", default=["0:512", "64:1", "512:1"],
                        help="tokens before and tokens of a run; default: 0:512 64:1 512:1")  # fmt: skip
    parser.add_argument("--threads", type=int, nargs="*", default=[1, 2], help="default: 1 2")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="the build folder")
    parser.add_argument("--baseline", type=pathlib.Path, help="another build folder, to compare with")
    return parser.parse_args()


def make_inputs(options, past, length):
    random = numpy.random.default_rng(0)
    inputs = {"ids": random.integers(0, options.vocabulary, (options.batch, length))}
    heads = options.width // gpt2_model.HEAD
    for layer in range(options.layers):
        for name in ("key", "value"):
            array = random.normal(0, 1, (options.batch, heads, past, gpt2_model.HEAD))
            inputs[f"past_{name}_{layer}"] = array.astype(numpy.float32)
    return inputs


def main():
    options = parse()
    builds = {"weft": options.build} | ({"baseline": options.baseline} if options.baseline else {})
    with tempfile.TemporaryDirectory() as folder:
        onnx = pathlib.Path(folder) / "gpt2.onnx"
        gpt2_model.save(onnx, options.layers, options.width, options.vocabulary, options.longest)
        artifacts = {name: pathlib.Path(folder) / f"{name}.weft" for name in builds}
        for name, build in builds.items():
            subprocess.run([build / "bin" / "weft", "compile", "--quiet", f"--require-fusion={options.layers}", onnx, "-o",
                            artifacts[name]], check=True)  # fmt: skip
        for threads in options.threads:
            reference, sessions = load(options.build, onnx, artifacts, threads)
            for size in options.sizes:
                past, length = map(int, size.split(":"))
                print(f"batch {options.batch}, {length} after {past}, {threads} threads")
                compare(reference, sessions, make_inputs(options, past, length), options.runs)


if __name__ == "__main__":
    main()
