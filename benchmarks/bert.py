#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""BERT-base, with random weights, compiled by weft for all sizes, against ONNX Runtime. Needs the packages onnx,
onnxruntime and numpy."""
import argparse
import pathlib
import tempfile

import numpy

import bert_model
from comparison import add_flags, compare_builds


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    add_flags(parser, (("batch", 1), ("layers", 12), ("width", 768), ("hidden", 3072), ("vocabulary", 30522),
                       ("longest", 512)))  # fmt: skip
    parser.add_argument("--lengths", type=int, nargs="*", default=[128, 512, 17], help="default: 128 512 17")
    return parser.parse_args()


def make_inputs(options, length):
    """Up to a fifth of each text is padding."""
    random = numpy.random.default_rng(0)
    seen = numpy.arange(length) < length - random.integers(0, length // 5 + 1, options.batch)[:, None]
    return {"ids": random.integers(0, options.vocabulary, (options.batch, length)),
            "segments": random.integers(0, 2, (options.batch, length)), "mask": seen.astype(numpy.int64)}  # fmt: skip


def main():
    options = parse()
    with tempfile.TemporaryDirectory() as folder:
        onnx = pathlib.Path(folder) / "bert.onnx"
        bert_model.save(onnx, options.layers, options.width, options.hidden, options.vocabulary, options.longest)
        compare_builds(options, onnx, [(f"length {length}", make_inputs(options, length)) for length in options.lengths])


if __name__ == "__main__":
    main()
