# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs each code of a portable artifact that this CPU can run, as --isa asks for it, with the arguments of a run. The
others are refused."""
import re
import subprocess
import sys

LACKS = 4  # the exit code where the system is at fault


def weft(*arguments):
    return subprocess.run(["weft", *arguments], capture_output=True, text=True, check=False)


def main():
    artifact, *run = sys.argv[1:]
    codes = re.findall(r"^code +\d+ bytes for (\S+)$", weft("inspect", artifact).stdout, re.MULTILINE)
    for code in codes:
        done = weft("run", artifact, "--isa", code, *run)
        if done.returncode == LACKS and "needs a CPU with" in done.stderr:
            print(f"{code}: not for this CPU")
        else:
            print(f"{code}: {(done.stdout + done.stderr).strip()}")


main()
