#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Assembles the PTX of models for GPUs. No kernel may put registers into memory, and ptxas has to have nothing to say.

    assemble.py PTXAS SCRATCH [--FLAG... ] MODEL...      flags are for the models behind them
"""
import pathlib
import re
import subprocess
import sys

ptxas, scratch, *words = sys.argv[1:]
scratch = pathlib.Path(scratch)
scratch.mkdir(parents=True, exist_ok=True)


def run(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120, check=False)


def problems(model, gpu, flags):
    """What is wrong, and how many kernels there are."""
    text, cubin = scratch / f"{pathlib.Path(model).stem}.ptx", scratch / "out.cubin"
    compiled = run("weft", "compile", "--quiet", "--target=cuda", f"--sm={gpu}", *flags, model, "-o", text)
    if compiled.returncode:
        return [compiled.stderr], 0
    assembled = run(ptxas, f"-arch=sm_{gpu}", "-v", text, "-o", cubin)
    said = assembled.stderr.splitlines()
    # What it has to say of performance are numbered infos.
    isInfo = [line.startswith("ptxas info") and "(C" not in line for line in said]
    found = [line for line, info in zip(said, isInfo) if not info and "0 bytes spill stores, 0 bytes spill loads" not in line]
    return found, len(re.findall(r"^\.visible \.entry", text.read_text(), re.MULTILINE))


kernels, flags = 0, []
for each in words:
    if each.startswith("--"):
        flags.append(each)
        continue
    for sm in ("80", "90a"):
        found, count = problems(each, sm, flags)
        kernels += count
        for line in found:
            print(f"{each}, sm_{sm}: {line}")
print(f"{kernels} kernels assembled")
