# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Models of com.microsoft.MatMulNBits, and of ternary weights, against the formula of their operators in f64.
"""usage: few_bits.py WORK; expects weft in PATH"""

import pathlib
import subprocess
import sys

import numpy
import onnx
from onnx import helper, numpy_helper

# K, N, bits, block_size, zero points (bytes, floats or none), bias, element type: depths within a group, some of many groups, one that
# ends within a byte, and groups that are larger than what is packed together.
FORMS = [
    (37, 7, 4, 16, "bytes", False, "float32"),
    (100, 50, 4, 32, None, True, "float32"),
    (1100, 49, 4, 128, "bytes", False, "float32"),
    (300, 50, 4, 256, "floats", True, "float32"),
    (100, 50, 8, 32, "bytes", True, "float32"),
    (257, 130, 8, 64, None, False, "float32"),
    (257, 130, 2, 64, "bytes", False, "float32"),
    (130, 33, 2, 16, None, True, "float32"),
    (1100, 50, 4, 32, "bytes", True, "float16"),
    (600, 64, 8, 128, None, False, "float16"),
]  # fmt: skip
ROWS = [(1, 1), (2, 3), (1, 17), (3, 40), (1, 130)]  # batch and length
MACHINES = ["native", "x86-64-v3"]


def pack(numbers, bits):
    """Bytes that hold a row's numbers, the first in the lowest bits."""
    per_byte = 8 // bits
    missing = -numbers.shape[-1] % per_byte
    padded = numpy.concatenate([numbers, numpy.zeros((*numbers.shape[:-1], missing), numbers.dtype)], axis=-1)
    parts = padded.reshape(*numbers.shape[:-1], -1, per_byte).astype(numpy.uint32)
    return (parts << (numpy.arange(per_byte, dtype=numpy.uint32) * bits)).sum(axis=-1).astype(numpy.uint8)


def save_few_bits(path, random, form):
    """A model of one MatMulNBits; the weight [K, N] that it stands for, and the bias."""
    depth, columns, bits, block, zeros, has_bias, dtype = form
    groups = -(-depth // block)
    numbers = random.integers(0, 1 << bits, (columns, groups, block))
    scales = random.uniform(0.001, 0.02, (columns, groups)).astype(dtype)
    constants = {"b": pack(numbers, bits), "scales": scales}
    zero = numpy.full((columns, groups), 1 << (bits - 1))
    if zeros == "bytes":
        zero = random.integers(0, 1 << bits, (columns, groups))
        constants["zeros"] = pack(zero, bits)
    if zeros == "floats":
        zero = constants["zeros"] = random.uniform(0, (1 << bits) - 1, (columns, groups)).astype(dtype)
    bias = random.normal(0, 1, columns).astype(dtype) if has_bias else numpy.zeros(columns, dtype)
    if has_bias:
        constants["bias"] = bias
    inputs = ["x", "b", "scales", "zeros" if zeros else "", "", "bias" if has_bias else ""]
    node = helper.make_node("MatMulNBits", inputs, ["y"], name="few", domain="com.microsoft", K=depth, N=columns, bits=bits,
                            block_size=block, accuracy_level=4)  # fmt: skip
    save(path, [node], constants, numpy.dtype(dtype), depth)
    weight = (numbers - zero[..., None].astype(numpy.float64)) * scales[..., None].astype(numpy.float64)
    return weight.reshape(columns, -1)[:, :depth].T, bias.astype(numpy.float64)


def save_ternary(path, random, depth, columns):
    """A product with a ternary weight, whose columns have numbers of their own, and one with a weight that is almost ternary."""
    ternary = random.integers(-1, 2, (depth, columns)) * random.uniform(0.01, 3, columns)
    almost = ternary.astype(numpy.float32)
    ternary = ternary.astype(numpy.float32)
    almost[-1, -1] = 7
    nodes = [helper.make_node("MatMul", ["x", "w"], ["p"]), helper.make_node("MatMul", ["x", "v"], ["q"]),
             helper.make_node("Add", ["p", "q"], ["y"])]  # fmt: skip
    save(path, nodes, {"w": ternary, "v": almost}, numpy.dtype("float32"), depth)
    return ternary.astype(numpy.float64) + almost, numpy.zeros(columns)


def save(path, nodes, constants, dtype, depth):
    element = helper.np_dtype_to_tensor_dtype(dtype)
    x, y = helper.make_tensor_value_info("x", element, ["batch", "seq", depth]), helper.make_tensor_value_info("y", element, None)
    graph = helper.make_graph(nodes, "few_bits", [x], [y], [numpy_helper.from_array(array, name) for name, array in constants.items()])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)


def run(*arguments):
    done = subprocess.run([str(word) for word in arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, arguments))}\nended with {done.returncode}: {done.stderr}")
    return done.stdout


def check_case(work, artifact, x, weight, bias):
    numpy.savez(work / "in.npz", x=x)
    results = []
    for threads in (1, 3):
        out = work / f"out{threads}.npz"
        run("weft", "run", artifact, f"--inputs={work / 'in.npz'}", f"--outputs={out}", f"--threads={threads}", "--guard-arena")
        results.append(numpy.load(out)["y"])
    assert numpy.array_equal(*results), f"{artifact} {x.shape}: other bits with 3 threads"
    wide = x.astype(numpy.float64)
    expected, magnitudes = wide @ weight + bias, numpy.abs(wide) @ numpy.abs(weight) + numpy.abs(bias)
    rounding = 2.0**-11 * numpy.abs(expected) + 2.0**-11 * numpy.abs(expected - bias) if x.dtype == numpy.float16 else 0
    far = numpy.abs(results[0] - expected) / (1e-6 * magnitudes + rounding + 1e-30)
    assert far.max() <= 1, f"{artifact} {x.shape}: {far.max()} times the bound"


def main():
    work = pathlib.Path(sys.argv[1])
    work.mkdir(parents=True, exist_ok=True)
    random, count = numpy.random.default_rng(6), 0
    model, artifact = work / "model.onnx", work / "model.weft"
    ternary = [(1, 3), (20, 49), (500, 50)]
    for index, form in enumerate(FORMS + ternary):
        weight, bias = save_few_bits(model, random, form) if form in FORMS else save_ternary(model, random, *form)
        flags = [] if form in FORMS else ["--weights=ternary"]
        for machine in MACHINES if index in (2, 5, 6, 12) else MACHINES[:1]:
            run("weft", "compile", "--quiet", model, *flags, f"--mcpu={machine}", "-o", artifact)
            for batch, length in ROWS if machine == "native" else ROWS[1:4]:
                x = random.normal(0, 1, (batch, length, form[0])).astype(form[-1] if form in FORMS else "float32")
                check_case(work, artifact, x, weight, bias)
                count += 1
    print(f"{count} cases agree")


if __name__ == "__main__":
    main()
