# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the memory of compiling and running a model: usage check_memory.py WEFT MODEL.onnx OUT.weft.

Compiling may take 500 MB of anonymous memory, running the arena that the plan says, the outputs, and 20 MB.
"""
import re
import subprocess
import sys
from pathlib import Path

PEAK = [sys.executable, str(Path(__file__).with_name("peak_memory.py"))]
MEGABYTE = 1_000_000


def measure(command):
    return int(subprocess.run(PEAK + command, check=True, capture_output=True, text=True).stdout)


def main():
    weft, model, artifact = sys.argv[1:]
    compiling = measure([weft, "compile", model, "-o", artifact, "--quiet"])
    print(f"compiling: {compiling} bytes")
    assert compiling <= 500 * MEGABYTE
    for batch, seq in [(1, 1), (1, 128), (1, 512), (4, 128)]:
        run = [weft, "run", artifact, f"--input=ids={batch}x{seq}xi64=0", "--bench", "2"]
        text = subprocess.run(run, check=True, capture_output=True, text=True).stdout
        arena = int(re.search(r"arena (\d+) bytes", text).group(1))
        outputs = batch * seq * 768 * 4
        running = measure(run)
        print(f"running {batch} x {seq}: {running} bytes, arena {arena}, outputs {outputs}")
        assert running <= arena + outputs + 20 * MEGABYTE


if __name__ == "__main__":
    main()
