# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What scripts with random cases share. They are called with FOLDER SEED COUNT."""
import pathlib
import random
import subprocess
import sys


def weft(*words):
    """What weft says if it fails, or nothing."""
    done = subprocess.run(["weft", *map(str, words)], capture_output=True, text=True, check=False)
    return (done.stdout + done.stderr).strip() if done.returncode else ""


def checkAll(drawCase, what):
    """Checks as many cases as are asked for, up to the first that is wrong; that one is printed, and its module."""
    folder, seed, count = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    draw = random.Random(seed)
    for _ in range(count):
        case = drawCase(draw)
        if problem := case.check(folder):
            print(f"{problem}\n{case.module()}")
            sys.exit(1)
    print(f"{count} {what} agree")
