# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Models whose weights are stored in fewer bits: results are those of the rounded weights, and as near to those of the model's own as
# docs/numerics.md says.
"""usage: weights.py WORK | weights.py MODEL KIND ROUNDED; the first expects weft in PATH, the second writes a model"""

import pathlib
import subprocess
import sys

import ml_dtypes
import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

# Depth and columns: one of each, a panel of 48 columns and one more, more than a block of the depth.
SIZES = [(1, 1), (7, 49), (64, 48), (33, 101), (1500, 96)]
ROWS = [(1, 1), (1, 5), (2, 9), (1, 130)]  # batch and length; 4 rows at once or fewer have kernels of their own
MACHINES = {"native": SIZES, "x86-64-v3": [(33, 101)]}  # compiling is what takes long


def normal(random, *shape):
    """Columns of very different sizes."""
    return (random.normal(0, 1, shape) * 10.0 ** random.integers(-3, 3, shape[-1])).astype(numpy.float32)


def save(path, weights, bias):
    """plain = x w; gelu(x w + b) with the transposed weight; twice(x w): what uses the sum more than once."""
    matrix, transposed = weights
    nodes = [helper.make_node("MatMul", ["x", "w"], ["plain"]),
             helper.make_node("Transpose", ["t"], ["wt"], perm=[1, 0]),
             helper.make_node("MatMul", ["x", "wt"], ["product"]),
             helper.make_node("Add", ["product", "b"], ["biased"]),
             helper.make_node("Tanh", ["biased"], ["tanh"]),
             helper.make_node("MatMul", ["x", "w"], ["again"]),
             helper.make_node("Sigmoid", ["again"], ["gate"]),
             helper.make_node("Mul", ["again", "gate"], ["twice"])]  # fmt: skip
    constants = {"w": matrix, "t": numpy.ascontiguousarray(transposed.T), "b": bias}
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", "seq", matrix.shape[0]])
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in ("plain", "tanh", "twice")]
    graph = helper.make_graph(nodes, "weights", [x], outputs,
                              [numpy_helper.from_array(array, name) for name, array in constants.items()])  # fmt: skip
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def in_groups(weight, depth=32):
    """For each element the greatest of its column's group of so many rows."""
    starts = numpy.arange(0, len(weight), depth)
    return numpy.repeat(numpy.maximum.reduceat(numpy.abs(weight), starts), depth, axis=0)[: len(weight)]


def stored(weight, kind):
    """The weight as it is stored, and by how much at most an element of each column differs from it."""
    if kind == "bf16":
        rounded = weight.astype(ml_dtypes.bfloat16).astype(numpy.float64)
        return rounded, numpy.abs(weight.astype(numpy.float64)) * 2.0**-8
    if kind == "int4":
        greatest = in_groups(weight)
        scale = numpy.maximum(greatest / numpy.float32(7), numpy.finfo(numpy.float32).tiny).astype(ml_dtypes.bfloat16).astype(numpy.float32)
        return numpy.rint(weight / scale).astype(numpy.float64) * scale, greatest.astype(numpy.float64) / 14 * (1 + 2.0**-8)
    scale = numpy.maximum(numpy.abs(weight).max(axis=0) / numpy.float32(127), numpy.finfo(numpy.float32).tiny)
    rounded = numpy.rint(weight / scale).astype(numpy.float64) * scale
    return rounded, numpy.broadcast_to(numpy.abs(weight).max(axis=0) / 254 * (1 + 1e-6), weight.shape)


def save_rounded(source, kind, path):
    """The same model with the values that its weights are stored as."""
    model = onnx.load(source)
    used = {node.input[1] for node in model.graph.node if node.op_type == "MatMul"}
    for constant in model.graph.initializer:
        if constant.name in used:
            rounded, _ = stored(numpy_helper.to_array(constant), kind)
            constant.CopyFrom(numpy_helper.from_array(rounded.astype(numpy.float32), constant.name))
    onnx.save(model, path)


def evaluate(x, weights, bias):
    matrix, transposed = weights
    again = x @ matrix
    return {"plain": again, "tanh": numpy.tanh(x @ transposed + bias), "twice": again * (1 + numpy.tanh(again / 2)) / 2}


def run(*arguments):
    done = subprocess.run([str(word) for word in arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, arguments))}\nended with {done.returncode}: {done.stderr}")


def check_case(work, artifact, x, weights, bias, kind):
    numpy.savez(work / "in.npz", x=x)
    results = []
    for threads in (1, 3):
        out = work / f"out{threads}.npz"
        run("weft", "run", artifact, f"--inputs={work / 'in.npz'}", f"--outputs={out}", f"--threads={threads}", "--guard-arena")
        results.append(dict(numpy.load(out)))
    wide, rounded = x.astype(numpy.float64), [stored(weight, kind) for weight in weights]
    expected = evaluate(wide, [values for values, _ in rounded], bias)
    magnitudes = [numpy.abs(wide) @ numpy.abs(weight) + 0.1 for weight in weights]
    for name, array in expected.items():
        assert numpy.array_equal(results[0][name], results[1][name]), f"{kind} {name}: other bits with 3 threads"
        far = numpy.abs(results[0][name] - array) / (1e-5 * magnitudes[name == "tanh"])
        assert far.max() <= 1, f"{kind} {x.shape} {name}: {far.max()} times the bound"
    bound = numpy.abs(wide) @ rounded[0][1] + 1e-5 * magnitudes[0]
    assert (numpy.abs(results[0]["plain"] - wide @ weights[0]) <= bound).all(), f"{kind} {x.shape}: beyond the stated bound"


def main():
    if len(sys.argv) == 4:
        return save_rounded(*sys.argv[1:])
    work = pathlib.Path(sys.argv[1])
    work.mkdir(parents=True, exist_ok=True)
    random, count = numpy.random.default_rng(5), 0
    for depth, columns in SIZES:
        weights, bias = [normal(random, depth, columns) for _ in range(2)], random.normal(0, 1, columns).astype(numpy.float32)
        weights[0][:, 0] = 0  # a column of which the greatest is 0
        save(work / "model.onnx", weights, bias)
        for kind in ("bf16", "int8", "int4"):
            for machine, sizes in MACHINES.items():
                if (depth, columns) not in sizes:
                    continue
                artifact = work / f"{kind}-{machine}.weft"
                run("weft", "compile", "--quiet", work / "model.onnx", f"--weights={kind}", f"--mcpu={machine}", "-o", artifact)
                for batch, length in ROWS:
                    check_case(work, artifact, random.normal(0, 1, (batch, length, depth)).astype(numpy.float32), weights, bias, kind)
                    count += 1
    print(f"{count} cases agree")


if __name__ == "__main__":
    main()
