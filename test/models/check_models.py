# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Checks every ONNX file here with onnxruntime against the PyTorch references, and lists what the files are made of.
# Needs onnx, onnxruntime and numpy; the tests of Weft need none of them.
import argparse
import collections
import glob
import os
import sys

import numpy
import onnx
import onnxruntime

HERE = os.path.dirname(os.path.abspath(__file__))


def describe(value):
    tensor = value.type.tensor_type
    dims = [dim.dim_param or str(dim.dim_value) for dim in tensor.shape.dim]
    return f"{value.name}: {onnx.TensorProto.DataType.Name(tensor.elem_type)}[{', '.join(dims)}]"


def print_contents(path, model):
    counts = collections.Counter(node.op_type for node in model.graph.node)
    print(f"{os.path.relpath(path, HERE)}: {os.path.getsize(path)} bytes, opset {model.opset_import[0].version}, "
          f"{len(model.graph.node)} nodes")
    print("  " + ", ".join(f"{name} {count}" for name, count in sorted(counts.items())))
    for title, values in (("inputs", model.graph.input), ("outputs", model.graph.output)):
        print(f"  {title}: " + "; ".join(describe(value) for value in values))


def largest_error(result, reference):
    """The greatest |result - reference| in units of the allowed 1e-5 + 1e-4 |reference|; infinity for a NaN, except where
    the reference is NaN."""
    if result.shape != reference.shape:
        return numpy.inf
    excess = numpy.abs(result - reference) / (1e-5 + 1e-4 * numpy.abs(reference))
    excess[numpy.isnan(result) & numpy.isnan(reference)] = 0
    return numpy.inf if numpy.isnan(excess).any() else float(excess.max(initial=0.0))


def check(path, verbose):
    model = onnx.load(path)
    onnx.checker.check_model(model, full_check=True)
    if verbose:
        print_contents(path, model)
    # Unoptimized: its recognizers fall for some of the twins.
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    cases = sorted(glob.glob(os.path.join(os.path.dirname(path), "*.in.npz")))
    failures = 0
    for case in cases:
        inputs, reference = numpy.load(case), numpy.load(case.replace(".in.npz", ".ref.npz"))
        results = session.run(reference.files, {name: inputs[name] for name in inputs.files})
        for name, result in zip(reference.files, results):
            error = largest_error(result, reference[name])
            if error > 1:
                failures += 1
                print(f"{path}: {os.path.basename(case)}: {name} is off by {error:.3g} times the tolerance")
    print(f"{os.path.relpath(path, HERE)}: {len(cases)} cases, {failures} failures")
    return failures == 0 and len(cases) > 0


def main():
    parser = argparse.ArgumentParser(description="Checks the test models with onnxruntime.")
    parser.add_argument("--verbose", action="store_true", help="list operators, inputs and outputs of each model")
    parser.add_argument("models", nargs="*", help="folders; all without an argument")
    options = parser.parse_args()
    folders = [os.path.join(HERE, name) for name in options.models or ["**"]]
    paths = sorted(path for folder in folders for path in glob.glob(os.path.join(folder, "*.onnx"), recursive=True)
                   if not path.startswith(os.path.join(HERE, "corpus")))  # It has a program of its own.
    good = [check(path, options.verbose) for path in paths]
    return 0 if good and all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
