#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A layer of experts as the package transformers exports it ("batched_mm"), beside ONNX Runtime: each token is routed to 2 of 8
experts, whose weights the graph copies for it, and which multiply it twice, with a gate between."""
import pathlib
import tempfile

import numpy
from comparison import Table, compare, compile_model, make_parser
from machine import Machine
from model_writer import Writer
from onnx import TensorProto
from peers import OnnxRuntime

OURS, EXPERTS, CHOSEN = "Weft", 8, 2


def save(path, width, hidden):
    writer = Writer(seed=0)
    scores, experts = writer.node("TopK", writer.node("MatMul", "x", writer.weight(width, EXPERTS)), writer.ints(CHOSEN), outputs=2, axis=-1)
    weights = writer.node("Reshape", writer.node("Softmax", scores, axis=-1), writer.ints(-1, 1))
    experts = writer.node("Reshape", experts, writer.ints(-1))
    rows = writer.node("Expand", writer.node("Unsqueeze", "x", writer.ints(1)), writer.ints(1, CHOSEN, 1))
    rows = writer.node("Reshape", rows, writer.ints(-1, width))

    def multiply(rows, columns, depth):
        matrices = writer.node("Gather", writer.weight(EXPERTS, columns, depth), experts, axis=0)
        return writer.node("Squeeze", writer.node("MatMul", matrices, writer.node("Unsqueeze", rows, writer.ints(2))), writer.ints(2))

    gate, up = writer.node("Split", multiply(rows, 2 * hidden, width), outputs=2, axis=1)
    rows = writer.node("Mul", writer.node("Mul", gate, writer.node("Sigmoid", gate)), up)
    rows = writer.node("Mul", multiply(rows, width, hidden), weights)
    result = writer.node("ReduceSum", writer.node("Reshape", rows, writer.ints(-1, CHOSEN, width)), writer.ints(1), keepdims=0)
    shape = ["tokens", width]
    writer.save(path, "experts", [("x", TensorProto.FLOAT, shape)], [(result, TensorProto.FLOAT, shape)])


def main():
    parser = make_parser(__doc__, runs=20)
    parser.add_argument("--width", type=int, default=1024)
    parser.add_argument("--hidden", type=int, default=1408)
    parser.add_argument("--tokens", type=int, nargs="*", default=[1, 8, 64, 256])
    options = parser.parse_args()
    table = Table(OURS, [OnnxRuntime.title])
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        onnx, machine = work / "experts.onnx", Machine(work)
        save(onnx, options.width, options.hidden)
        make = compile_model(options.build, onnx, work / "experts.weft")
        for threads in options.threads:
            programs = {OURS: make(threads), OnnxRuntime.title: OnnxRuntime(onnx, threads)}
            for tokens in options.tokens:
                inputs = {"x": numpy.random.default_rng(1).standard_normal((tokens, options.width), numpy.float32)}
                result = compare(programs, programs[OnnxRuntime.title], inputs, options.runs, lambda threads=threads: machine.measure(threads))
                table.add("experts", f"{tokens} tokens", threads, result)


if __name__ == "__main__":
    main()
