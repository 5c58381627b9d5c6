#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every flag that a help text lists, given wrongly: each must be one line of error and exit code 2, whatever the flag is for.

    command_line.py MODEL COMMAND...    COMMAND prints its flags with --help; MODEL is what it works on, or empty
"""
import re
import subprocess
import sys

FLAG = re.compile(r"^ {2}(-o|--[a-z-]+)([= ]\[?[A-Z][^ ]*)?", re.MULTILINE)
REPEATABLE = {"--dim", "--input", "--inputs"}


def run(arguments):
    return subprocess.run(arguments, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)


def expect_refusal(arguments):
    """What is wrong with how a wrong command line ends."""
    done = run(arguments)
    if done.returncode == 2 and done.stderr.count("\n") == 1 and ": error: " in done.stderr and not done.stdout:
        return []
    return [f"{' '.join(arguments)}\n  ended with {done.returncode}: {done.stderr}{done.stdout[:200]}"]


def main():
    model, command = [argument for argument in sys.argv[1:2] if argument], sys.argv[2:]
    help_text = run(command + ["--help"])
    flags = dict(FLAG.findall(help_text.stdout))
    problems = [] if help_text.returncode == 0 and not help_text.stderr else ["--help failed"]
    print(f"flags: {' '.join(sorted(flags))}")
    for flag, value in flags.items():
        if value and not value.startswith(" ["):
            problems += expect_refusal(command + model + [flag])
            problems += expect_refusal(command + model + [flag + "="])
            if flag not in REPEATABLE:
                problems += expect_refusal(command + model + [flag + "=1", flag + "=1"])
        elif not value:
            problems += expect_refusal(command + model + [flag + "=1"])
            problems += expect_refusal(command + model + [flag, flag])
    for wrong in (["--no-such-flag"], ["--no-such-flag=1"], ["-z"], ["--"], [""], ["--" + "x" * 5000]):
        problems += expect_refusal(command + model + wrong)
        problems += expect_refusal(command + wrong + model)
    problems += expect_refusal(command + model + ["another"])
    print("\n".join(problems + [f"{len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
