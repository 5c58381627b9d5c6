# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Operators that become several operations, and those of indices: a model of them all against ONNX's own evaluator.
"""usage: operators.py WORK; expects weft in PATH"""

import pathlib
import subprocess
import sys

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

TYPES = {"float32": TensorProto.FLOAT, "int64": TensorProto.INT64, "int32": TensorProto.INT32}
DIMS = {"x": ["n", 6], "cube": ["n", 4, "t"], "at": ["n", 3], "row": ["n", 1], "pairs": ["k", 2], "u": ["k"], "v": ["n", 3],
        "classes": ["n", "t"], "a": ["n", "t"], "b": ["t"]}  # fmt: skip
CONSTANTS = {
    "three": numpy.array([3], numpy.int64), "depth": numpy.array(5, numpy.int64), "onoff": numpy.array([0.5, 2], numpy.float32),
    "slope": numpy.array([0.1, -2, 0, 1, 3, 0.5], numpy.float32), "scale": numpy.array([1, -2, 0.5, 3], numpy.float32),
    "bias": numpy.array([0, 1, -1, 2], numpy.float32), "weight": numpy.array([1, 2, 3, -4, 5, 6], numpy.float32),
    "axis": numpy.array([1], numpy.int64),
}  # fmt: skip
# Operator, inputs, attributes, number of outputs.
NODES = [
    *((name, ["x"], {}, 1) for name in ("Elu", "Selu", "Celu", "LeakyRelu", "ThresholdedRelu", "HardSigmoid", "HardSwish", "Softplus",
                                        "Softsign", "Mish", "Swish", "Sign", "IsInf", "Sin", "Cos", "Floor", "Ceil", "Round")),
    ("Swish", ["x"], {"alpha": 0.5}, 1),
    ("Elu", ["x"], {"alpha": 0.3}, 1),
    ("PRelu", ["x", "slope"], {}, 1),
    ("Mod", ["a", "b"], {}, 1),
    ("Mod", ["a", "b"], {"fmod": 1}, 1),
    ("Mean", ["x", "row", "weight"], {}, 1),
    ("GatherElements", ["x", "at"], {"axis": 1}, 1),
    ("GatherND", ["x", "pairs"], {}, 1),
    ("GatherND", ["x", "row_at"], {"batch_dims": 1}, 1),
    ("ScatterElements", ["x", "at", "v"], {"axis": 1, "reduction": "add"}, 1),
    ("ScatterElements", ["x", "at", "v"], {"axis": 1, "reduction": "max"}, 1),
    ("ScatterND", ["x", "pairs", "u"], {"reduction": "add"}, 1),
    ("TopK", ["x", "three"], {}, 2),
    ("TopK", ["x", "three"], {"axis": -1, "largest": 0}, 2),
    ("OneHot", ["classes", "depth", "onoff"], {}, 1),
    ("OneHot", ["classes", "depth", "onoff"], {"axis": 1}, 1),
    ("LayerNormalization", ["cube4", "weight4", "bias"], {}, 3),
    ("RMSNormalization", ["x", "weight"], {}, 1),
    ("InstanceNormalization", ["cube", "scale", "bias"], {}, 1),
    ("GroupNormalization", ["cube", "scale", "bias"], {"num_groups": 2}, 1),
    ("LpNormalization", ["x"], {"p": 2}, 1),
    ("ReduceLogSumExp", ["x", "axis"], {"keepdims": 0}, 1),
]


def make_inputs(n, t, k, random):
    floats = lambda *shape: random.normal(0, 2, shape).astype(numpy.float32)
    return {
        "x": floats(n, 6), "cube": floats(n, 4, t), "row": floats(n, 1), "u": floats(k), "v": floats(n, 3),
        "at": random.integers(-6, 6, (n, 3)), "classes": random.integers(-5, 5, (n, t)),
        "pairs": numpy.stack([random.integers(-n, n, k), random.integers(-6, 6, k)], axis=1),
        "a": random.integers(-50, 50, (n, t)), "b": random.choice([-7, -3, -1, 1, 2, 5], t),
        "row_at": random.integers(-6, 6, (n, 1)), "cube4": floats(n, t, 4),
    }  # fmt: skip


def make_model(inputs):
    dims = {**DIMS, "row_at": ["n", 1], "cube4": ["n", "t", 4]}
    graph_inputs = [helper.make_tensor_value_info(name, TYPES[str(array.dtype)], dims[name]) for name, array in inputs.items()]
    constants = {**CONSTANTS, "weight4": CONSTANTS["scale"]}
    nodes, outputs = [], []
    for number, (operator, names, attributes, count) in enumerate(NODES):
        made = [f"{operator}_{number}_{i}" for i in range(count)]
        nodes.append(helper.make_node(operator, names, made, name=f"{operator}_{number}", **attributes))
        outputs += [helper.make_empty_tensor_value_info(name) for name in made]
    initializers = [numpy_helper.from_array(array, name) for name, array in constants.items()]
    graph = helper.make_graph(nodes, "operators", graph_inputs, outputs, initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 24)], ir_version=10)


def check(work, model, evaluator, inputs):
    numpy.savez(work / "in.npz", **inputs)
    expected = dict(zip([output.name for output in model.graph.output], evaluator.run(None, inputs)))
    numpy.savez(work / "expected.npz", **expected)
    for flags in (["--evaluate"], ["--threads=3"]):
        run = ["weft", "run", work / "operators.onnx", *flags, "--inputs", work / "in.npz", "--expect", work / "expected.npz"]
        subprocess.run([str(word) for word in run], check=True)


def main():
    work = pathlib.Path(sys.argv[1])
    work.mkdir(parents=True, exist_ok=True)
    random = numpy.random.default_rng(0)
    model = make_model(make_inputs(2, 3, 4, random))
    onnx.save(model, work / "operators.onnx")
    evaluator = ReferenceEvaluator(model)
    for n, t, k in ((2, 3, 4), (1, 1, 1), (13, 17, 29)):
        check(work, model, evaluator, make_inputs(n, t, k, random))


if __name__ == "__main__":
    main()
