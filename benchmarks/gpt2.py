#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GPT-2 small, with random weights, compiled by weft for all sizes, against ONNX Runtime: the first tokens of a text, and
one token after others. Needs the packages onnx, onnxruntime and numpy."""
import argparse
import pathlib
import tempfile

import numpy

import gpt2_model
from comparison import add_flags, compare_builds


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    add_flags(parser, (("batch", 1), ("layers", 12), ("width", 768), ("vocabulary", 50257), ("longest", 1024)))
    parser.add_argument("--sizes", nargs="*", default=["0:512", "64:1", "512:1"],
                        help="tokens before and tokens of a run; default: 0:512 64:1 512:1")  # fmt: skip
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
    sizes = [tuple(map(int, size.split(":"))) for size in options.sizes]
    with tempfile.TemporaryDirectory() as folder:
        onnx = pathlib.Path(folder) / "gpt2.onnx"
        gpt2_model.save(onnx, options.layers, options.width, options.vocabulary, options.longest)
        cases = [(f"{length} after {past}", make_inputs(options, past, length)) for past, length in sizes]
        compare_builds(options, onnx, cases, [f"--require-fusion={options.layers}"])


if __name__ == "__main__":
    main()
