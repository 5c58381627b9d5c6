#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The post-norm Transformer at its own size, on equal weights: built in C++ (build-model) and exported from PyTorch, each
compiled by weft, against ONNX Runtime. Runs are interleaved, so that what else the machine does hits all alike."""
import argparse
import pathlib
import subprocess
import tempfile

import numpy

from comparison import compare, load

ROOT = pathlib.Path(__file__).resolve().parent.parent


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("batch", 4), ("length", 1024), ("layers", 3), ("width", 512), ("heads", 8), ("hidden", 512),
                          ("source-vocabulary", 128), ("target-vocabulary", 64), ("threads", 2), ("runs", 5)):
        parser.add_argument(f"--{name}", type=int, default=default, help=f"default: {default}")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="the build folder")
    parser.add_argument("--torch-python", default="python3", help="a Python that has PyTorch, for the export")
    return parser.parse_args()


def make_models(options, work):
    """The .weft files by what they were made from, and the .onnx file."""
    bin = options.build / "bin"
    weights, onnx = work / "weights.npz", work / "model.onnx"
    built, imported = work / "built.weft", work / "imported.weft"
    sizes = [options.layers, options.width, options.heads, options.hidden, options.source_vocabulary,
             options.target_vocabulary, options.length]  # fmt: skip
    flags = zip(("layers", "width", "heads", "hidden", "vocabulary", "target-vocabulary", "longest"), sizes)
    subprocess.run([bin / "build-model", "transformer", *(f"--{name}={size}" for name, size in flags), "--seed=1",
                    f"--save-weights={weights}", "-o", built], check=True)  # fmt: skip
    subprocess.run([options.torch_python, ROOT / "benchmarks" / "export_transformer.py", weights, onnx,
                    *map(str, sizes)], check=True, stdout=subprocess.DEVNULL)  # fmt: skip
    subprocess.run([bin / "weft", "compile", "--quiet", onnx, "-o", imported], check=True)
    return {"weft, built in C++": built, "weft, from ONNX": imported}, onnx


def make_inputs(options):
    """A fifth of the source is padding; the target sees what is before it."""
    random = numpy.random.default_rng(0)
    batch, length = options.batch, options.length
    seen = numpy.arange(length) < length - random.integers(0, length // 5 + 1, batch)[:, None]
    mask = numpy.repeat(seen[:, None, :], length, axis=1).astype(numpy.float32)
    causal = numpy.tril(numpy.ones((length, length), numpy.float32))
    return {"src": random.integers(0, options.source_vocabulary, (batch, length)),
            "tgt": random.integers(0, options.target_vocabulary, (batch, length)), "src_mask": mask, "cross_mask": mask,
            "tgt_mask": numpy.repeat(causal[None], batch, axis=0)}  # fmt: skip


def main():
    options = parse()
    with tempfile.TemporaryDirectory() as folder:
        artifacts, onnx = make_models(options, pathlib.Path(folder))
        reference, sessions = load(options.build, onnx, artifacts, options.threads)
    print(f"batch {options.batch}, length {options.length}, {options.threads} threads")
    compare(reference, sessions, make_inputs(options), options.runs)


if __name__ == "__main__":
    main()
