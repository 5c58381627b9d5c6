#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adds up the table of weft run --profile on stdin: shares, steps and times are those of the last line, and the largest comes first."""
import re
import sys

HEAD = "kernel                    steps         ms    share   GFLOP/s of peak      GB/s of memory"
ROW = re.compile(r"(\w+) +(\d+) +(\d+\.\d{3}) +(\d+\.\d) %( +\d+\.\d +\d+ %)?( +\d+\.\d +\d+ %)?")
MACHINE = re.compile(
    r"machine, beside the runs: (\d+\.\d) GFLOP/s of f32 multiply-adds, (\d+\.\d) GB/s read from memory, (\d+) threads")


def main():
    lines = sys.stdin.read().splitlines()
    while lines and lines[0] != HEAD:
        print(lines.pop(0))
    rows = [ROW.fullmatch(line) for line in lines[1:-1]]
    machine = MACHINE.fullmatch(lines[-1])
    assert all(rows) and machine, "\n".join(lines)
    *kernels, total = [(row[1], int(row[2]), float(row[3]), float(row[4])) for row in rows]
    names, steps, times, shares = zip(*kernels)
    near = 0.06 * len(kernels)  # each is rounded
    assert total[0] == "all" and total[3] == 100, total
    assert sum(steps) == total[1] and len(set(names)) == len(names), "steps"
    assert abs(sum(times) - total[2]) <= near * 0.01 and abs(sum(shares) - 100) <= near, "sums"
    assert list(shares) == sorted(shares, reverse=True), "order"
    assert float(machine[1]) > 1 and float(machine[2]) > 0.1, "machine"
    print(f"kernels: {' '.join(sorted(names))}")
    print(f"{sum(steps)} steps, {machine[3]} threads")


if __name__ == "__main__":
    main()
