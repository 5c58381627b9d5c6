#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs weft verify on every third model of a folder, with the smallest of its stored cases; it must agree. A larger case says
little more, and the evaluator takes its time.

    verify_cases.py MODELS
"""
import concurrent.futures
import glob
import os
import subprocess
import sys


def smallest_case(model):
    cases = glob.glob(os.path.join(os.path.dirname(model), "*.in.npz"))
    return min(cases, key=lambda case: (os.path.getsize(case), case), default=None)


def verify(model, case):
    """What went wrong; empty if nothing did."""
    command = ["weft", "verify", model, "--inputs", case]
    done = subprocess.run(command, capture_output=True, text=True)
    if not done.returncode:
        return ""
    return f"{' '.join(command)}\nended with {done.returncode}: {done.stdout}{done.stderr}"


def main():
    models = sorted(glob.glob(os.path.join(sys.argv[1], "*", "*.onnx")))
    runs = [(model, case) for model in models[::3] if (case := smallest_case(model))]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = [problem for problem in pool.map(lambda run: verify(*run), runs) if problem]
    print("\n".join(problems + [f"{len(runs)} cases, {len(problems)} problems"]))
    return 1 if problems or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
