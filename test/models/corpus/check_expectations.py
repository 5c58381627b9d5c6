# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Checks every stored answer with onnxruntime, unoptimized. Needs onnx, onnxruntime and numpy; the tests need no onnxruntime.
import glob
import os
import sys

import numpy
import onnx
import onnxruntime

import cases
from check_corpus import cast, fits

HERE = os.path.dirname(os.path.abspath(__file__))
TOLERANCE = {onnx.TensorProto.FLOAT: 1e-5, onnx.TensorProto.FLOAT16: 2e-2}


def check(path):
    model = onnx.load(path)
    onnx.checker.check_model(model, full_check=True)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    bound = TOLERANCE[model.graph.output[0].type.tensor_type.elem_type]
    problems = []
    for case, (inputs, expected) in cases.read(os.path.dirname(path)).items():
        if not fits(inputs, model):
            continue
        try:
            results = session.run(list(expected), cast(inputs, model.graph.input))
        except onnxruntime.capi.onnxruntime_pybind11_state.Fail as error:
            problems.append(f"{os.path.relpath(path, HERE)}: {case}: {error}")
            continue
        for name, result in zip(expected, results):
            if not numpy.allclose(result, expected[name], rtol=bound, atol=bound, equal_nan=True):
                problems.append(f"{os.path.relpath(path, HERE)}: {case}: {name} differs")
    return problems


def main():
    paths = sorted(glob.glob(os.path.join(HERE, "graphs", "*", "*.onnx")))
    problems = [problem for path in paths for problem in check(path)]
    print("\n".join([*problems, f"{len(paths)} graphs, {len(problems)} problems"]))
    return 1 if problems or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
