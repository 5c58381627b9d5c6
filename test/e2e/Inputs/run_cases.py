#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds a model against PyTorch: every stored case, every output, 1e-4 absolute and relative.

    run_cases.py MODEL.onnx SCRATCH              compiled, for this CPU and for x86-64-v3; each case with 1, 2 and 3 threads,
                                                 which must give the same bits, and once between guard pages
    run_cases.py --once MODEL.onnx SCRATCH       compiled for this CPU; each case once, between guard pages
    run_cases.py --evaluate MODEL.onnx SCRATCH   in the evaluator

The cases are the .in.npz and .ref.npz beside the model (test/models/README.md). Each reference must hold every output.
"""
import argparse
import glob
import os
import subprocess
import sys

MACHINES = ["native", "x86-64-v3"]
THREADS = [1, 2, 3]
# What test/lit.cfg.py says: with a sanitizer each case is run once.
SANITIZED = "WEFT_SANITIZED" in os.environ
# A command takes a second or two; this is for a machine with much else to do.
TIMEOUT = 60


def weft(*arguments):
    """Runs weft; its message, if it failed."""
    try:
        done = subprocess.run(["weft", *arguments], capture_output=True, text=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return f"weft {' '.join(arguments)}\nhas not ended after {TIMEOUT} seconds"
    return f"weft {' '.join(arguments)}\nended with {done.returncode}: {done.stderr.strip()}" if done.returncode else ""


def read(path):
    with open(path, "rb") as file:
        return file.read()


def run_compiled(artifact, case, scratch, all_threads):
    """What is wrong with one case of a compiled model."""
    inputs, expected = f"--inputs={case}.in.npz", f"--expect={case}.ref.npz"
    problems = []
    for threads in all_threads:
        path = os.path.join(scratch, f"threads{threads}.npz")
        problems.append(weft("run", artifact, inputs, expected, f"--threads={threads}", f"--outputs={path}"))
        if not problems[-1] and read(path) != read(os.path.join(scratch, "threads1.npz")):
            problems.append(f"{case}: {threads} threads give other bits than 1 thread")
    problems.append(weft("run", artifact, inputs, expected, "--guard-arena", "--threads=2"))
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--evaluate", action="store_true")
    parser.add_argument("--once", action="store_true")
    parser.add_argument("model")
    parser.add_argument("scratch")
    options = parser.parse_args()
    os.makedirs(options.scratch, exist_ok=True)
    cases = sorted(path[:-len(".in.npz")] for path in glob.glob(os.path.join(os.path.dirname(options.model), "*.in.npz")))
    problems = [] if cases else [f"{options.model}: no cases beside it"]
    if options.evaluate:
        for case in cases:
            problems.append(weft("run", "--evaluate", options.model, f"--inputs={case}.in.npz", f"--expect={case}.ref.npz"))
    else:
        for machine in MACHINES[:1] if options.once else MACHINES:
            artifact = os.path.join(options.scratch, machine + ".weft")
            problems.append(weft("compile", "--quiet", f"--mcpu={machine}", options.model, "-o", artifact))
            if not problems[-1]:
                for case in cases:
                    problems += run_compiled(artifact, case, options.scratch, [] if options.once or SANITIZED else THREADS)
    problems = [problem for problem in problems if problem]
    print("\n".join(problems + [f"{len(cases)} cases, {len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
