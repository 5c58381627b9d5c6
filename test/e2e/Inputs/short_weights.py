# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A weight that 16 bits hold, and the same with a column that they do not: the same results.
"""usage: short_weights.py WORK; expects weft in PATH"""

import pathlib
import subprocess
import sys

import ml_dtypes
import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

# Together the weights take more than the 4 MiB from which on it is worth while; a depth of several blocks.
DEPTH, COLUMNS = 1300, 850
ROWS = [1, 3, 17, 40, 130]
TYPES = {"f16": numpy.float16, "bf16": ml_dtypes.bfloat16}


def save(path, weight, bias):
    """plain = x w; gelu = gelu(x w + b)."""
    nodes = [helper.make_node("MatMul", ["x", "w"], ["plain"]), helper.make_node("Add", ["plain", "b"], ["sum"]),
             helper.make_node("Gelu", ["sum"], ["gelu"])]  # fmt: skip
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["rows", DEPTH])
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in ("plain", "gelu")]
    constants = [numpy_helper.from_array(weight, "w"), numpy_helper.from_array(bias, "b")]
    graph = helper.make_graph(nodes, "short_weights", [x], outputs, constants)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9), path)


def weights(random, kind):
    """One that the type holds, with columns of very different sizes, and one that it does not."""
    columns = random.normal(0, 1, (DEPTH, COLUMNS)) * 10.0 ** random.integers(-6, 3, COLUMNS)
    short = columns.astype(TYPES[kind]).astype(numpy.float32)
    return short, numpy.concatenate([short, numpy.full((DEPTH, 1), 1 + 2.0**-20, numpy.float32)], axis=1)


def main():
    work = pathlib.Path(sys.argv[1])
    work.mkdir(parents=True, exist_ok=True)
    random, machines = numpy.random.default_rng(7), ("native", "x86-64-v3")
    bias = random.normal(0, 1, COLUMNS + 1).astype(numpy.float32)
    for kind in TYPES:
        for name, weight in zip(("short", "long"), weights(random, kind)):
            save(work / f"{name}.onnx", weight, bias[: weight.shape[1]])
            for machine in machines:
                artifact = work / f"{name}-{machine}.weft"
                subprocess.run(["weft", "compile", "--quiet", work / f"{name}.onnx", f"--mcpu={machine}", "-o", artifact], check=True)
        for machine in machines:
            artifacts = {name: work / f"{name}-{machine}.weft" for name in ("short", "long")}
            sizes = {name: path.stat().st_size for name, path in artifacts.items()}
            assert sizes["short"] < 0.6 * sizes["long"], f"{kind}: {sizes}"
            for rows in ROWS:
                numpy.savez(work / "in.npz", x=random.normal(0, 1, (rows, DEPTH)).astype(numpy.float32))
                results = {}
                for name, artifact in artifacts.items():
                    out = work / f"{name}.npz"
                    subprocess.run(["weft", "run", artifact, f"--inputs={work / 'in.npz'}", f"--outputs={out}", "--guard-arena"], check=True)
                    results[name] = dict(numpy.load(out))
                for output in ("plain", "gelu"):
                    short, long = results["short"][output], results["long"][output][:, :COLUMNS]
                    assert numpy.array_equal(short.view(numpy.uint32), long.view(numpy.uint32)), f"{kind} {machine} {rows} rows: {output}"
    print(f"{len(TYPES)} weights, {len(machines)} machines, {len(ROWS)} sizes: the same bits")


if __name__ == "__main__":
    main()
