#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints what doubling every length does to the scratch memory of a compiled model, by the formula of `weft inspect`.

    check_arena.py ARTIFACT LENGTH...     the symbols that are lengths; others are 2
"""
import re
import subprocess
import sys

SIZES = (256, 512)


def main():
    artifact, lengths = sys.argv[1], sys.argv[2:]
    shown = subprocess.run(["weft", "inspect", artifact], capture_output=True, text=True, check=True).stdout
    formula = re.search(r"^arena\s+(.*) bytes$", shown, re.MULTILINE).group(1)
    names = set(re.findall(r"[a-z_]\w*", formula)) - {"max", "min", "floordiv", "mod"}
    if not set(lengths) & names:
        sys.exit(f"none of {lengths} is in the formula: {formula}")

    def arena(size):
        values = {name: size if name in lengths else 2 for name in names}
        functions = {"max": max, "min": min, "floordiv": lambda a, b: a // b, "mod": lambda a, b: a % b}
        return eval(formula, {"__builtins__": {}}, values | functions)  # our own compiler's formula

    small, large = map(arena, SIZES)
    print(f"{large / small:.3f} times: {'linear' if large <= 2 * small else 'MORE THAN LINEAR'}")


if __name__ == "__main__":
    main()
