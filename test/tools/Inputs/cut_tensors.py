#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Feeds a model tensor files that are cut off at many lengths: cut_tensors.py ARTIFACT FILE... Each must be refused in one line."""
import os
import subprocess
import sys

CUTS = 24


def main():
    artifact, files = sys.argv[1], sys.argv[2:]
    count, problems = 0, []
    for path in files:
        with open(path, "rb") as file:
            data = file.read()
        extension = os.path.splitext(path)[1]
        cut = os.path.join(os.path.dirname(path), "cut" + extension)
        for length in sorted({0, 1, 5, 9, 10, 11, len(data) - 1, *range(2, len(data), len(data) // CUTS)}):
            with open(cut, "wb") as file:
                file.write(data[:length])
            source = ["--inputs", cut] if extension == ".npz" else ["--input", "x=@" + cut]
            done = subprocess.run(["weft", "run", artifact, *source], capture_output=True, text=True, timeout=60)
            count += 1
            if done.returncode != 1 or done.stderr.count("\n") != 1 or done.stdout:
                problems.append(f"{path} cut to {length}: ended with {done.returncode}: {done.stderr}{done.stdout}")
    print("\n".join(problems + [f"{count} cuts, {len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
