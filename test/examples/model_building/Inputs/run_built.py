#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds a model of test/models in C++ from the weights of its ONNX file, and holds it against PyTorch's answers: every
stored case, compiled with 1 and 3 threads (which must give the same bits) and in the evaluator.

    run_built.py MODEL.onnx SCRATCH FLAGS...        FLAGS are build-model's"""
import glob
import os
import subprocess
import sys


def call(*words):
    """What was printed, if the command failed."""
    done = subprocess.run(words, capture_output=True, text=True)
    return f"{' '.join(words)}\nended with {done.returncode}: {done.stderr.strip()}" if done.returncode else ""


def read(path):
    with open(path, "rb") as file:
        return file.read()


def main():
    model, scratch, flags = sys.argv[1], sys.argv[2], sys.argv[3:]
    os.makedirs(scratch, exist_ok=True)
    weights, artifact, ir = (os.path.join(scratch, name) for name in ("weights.npz", "model.weft", "model.mlir"))
    extract = os.path.join(os.path.dirname(os.path.abspath(__file__)), "onnx_weights.py")
    problems = [call(sys.executable, extract, model, weights)]
    for output in (artifact, ir):
        problems.append(call("build-model", *flags, f"--weights={weights}", "-o", output))
    cases = sorted(path[:-len(".in.npz")] for path in glob.glob(os.path.join(os.path.dirname(model), "*.in.npz")))
    for case in cases:
        data = [f"--inputs={case}.in.npz", f"--expect={case}.ref.npz"]
        problems.append(call("weft", "run", "--evaluate", "--from=import", ir, *data))
        outputs = [os.path.join(scratch, f"threads{threads}.npz") for threads in (1, 3)]
        for threads, output in zip((1, 3), outputs):
            problems.append(call("weft", "run", artifact, *data, f"--threads={threads}", f"--outputs={output}"))
        if not any(problems) and read(outputs[0]) != read(outputs[1]):
            problems.append(f"{case}: 3 threads give other bits than 1 thread")
    problems = [problem for problem in problems if problem]
    print("\n".join(problems + [f"{len(cases)} cases, {len(problems)} problems"]))
    return 1 if problems or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
