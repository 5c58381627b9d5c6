#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The post-norm Transformer at its own size, on equal weights: built in C++ (build-model) and imported from ONNX, each
compiled by weft, beside ONNX Runtime."""
import pathlib
import subprocess
import tempfile

import numpy

import transformer_model
from comparison import Table, compare, compile_model, make_parser
from machine import Machine
from peers import OnnxRuntime
from weft_runtime import Session

BUILT, IMPORTED = "weft from C++", "weft from ONNX"


def parse():
    parser = make_parser(__doc__, runs=9)
    for name, default in (("batch", 4), ("length", 1024), ("layers", 3), ("width", 512), ("heads", 8), ("hidden", 512),
                          ("source", 128), ("target", 64)):
        parser.add_argument(f"--{name}", type=int, default=default, help=f"default: {default}")
    return parser.parse_args()


def build_model(options, sizes, folder):
    """The artifact and its weights, by name and in the order of use."""
    artifact, weights = folder / "built.weft", folder / "weights.npz"
    flags = {"vocabulary" if name == "source" else "target-vocabulary" if name == "target" else name: size
             for name, size in sizes.items()}  # fmt: skip
    subprocess.run([options.build / "bin" / "build-model", "transformer", "--seed=1", f"--save-weights={weights}",
                    *(f"--{name}={size}" for name, size in flags.items()), "-o", artifact], check=True)  # fmt: skip
    return artifact, numpy.load(weights)


def main():
    options = parse()
    sizes = {name: getattr(options, name) for name in ("layers", "width", "heads", "hidden", "source", "target")}
    sizes["longest"] = options.length
    with tempfile.TemporaryDirectory() as path:
        folder = pathlib.Path(path)
        machine, onnx = Machine(folder), folder / "transformer.onnx"
        built, weights = build_model(options, sizes, folder)
        transformer_model.save(onnx, **sizes, tutorial=True, weights=weights.values())
        load_imported = compile_model(options.build, onnx, folder / "imported.weft", "--require-fusion=all")
        inputs = transformer_model.make_inputs(sizes, options.batch, options.length)
        table = Table(BUILT, [IMPORTED, OnnxRuntime.title])
        for threads in options.threads:
            reference = OnnxRuntime(onnx, threads)
            programs = {BUILT: Session(options.build / "lib" / "libweft_runtime.so", built, threads),
                        IMPORTED: load_imported(threads), OnnxRuntime.title: reference}  # fmt: skip
            result = compare(programs, reference, inputs, options.runs, lambda: machine.measure(threads))
            table.add("transformer", f"batch {options.batch}, length {options.length}", threads, result)


if __name__ == "__main__":
    main()
