#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs weft verify on every stored case of the models in a folder; all must agree.

    verify_cases.py MODELS
"""
import glob
import os
import subprocess
import sys


def main():
    count, problems = 0, []
    for model in sorted(glob.glob(os.path.join(sys.argv[1], "*", "*.onnx"))):
        for case in sorted(glob.glob(os.path.join(os.path.dirname(model), "*.in.npz"))):
            command = ["weft", "verify", model, "--inputs", case]
            done = subprocess.run(command, capture_output=True, text=True)
            count += 1
            if done.returncode:
                problems.append(f"{' '.join(command)}\nended with {done.returncode}: {done.stdout}{done.stderr}")
    print("\n".join(problems + [f"{count} cases, {len(problems)} problems"]))
    return 1 if problems or not count else 0


if __name__ == "__main__":
    sys.exit(main())
