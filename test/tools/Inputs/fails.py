#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command that must fail in the right way: one line of error, the right exit code, nothing left behind.

    fails.py CODE [options] COMMAND...    prints the error line, for FileCheck

Options: --lines=N (N lines instead of one), --stdout=PATH|closed (where standard output goes), --file-limit=BYTES (the largest
file that may be written), --folder=DIR (whose content must stay as it is; the working folder unless given).
"""
import os
import re
import resource
import subprocess
import sys

SECONDS = 60
TRACE = re.compile(r"Stack dump|PLEASE submit|AddressSanitizer|runtime error:|terminate called|Assertion|LLVM ERROR")


def contents(folder):
    return sorted((entry.name, entry.is_dir() or entry.stat().st_size) for entry in os.scandir(folder))


def read_options(arguments):
    options = {"lines": "1", "folder": "."}
    while arguments and arguments[0].startswith("--"):
        name, _, value = arguments.pop(0)[2:].partition("=")
        options[name] = value
    return options


def run(command, options):
    def prepare():
        if "file-limit" in options:
            resource.setrlimit(resource.RLIMIT_FSIZE, (int(options["file-limit"]),) * 2)
        if options.get("stdout") == "closed":
            os.close(1)

    target = options.get("stdout", "closed")
    with open(os.devnull if target == "closed" else target, "w") as stdout:
        output = stdout if "stdout" in options else subprocess.PIPE
        return subprocess.run(command, stdout=output, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, preexec_fn=prepare,
                              timeout=SECONDS)


def main():
    code, arguments = int(sys.argv[1]), sys.argv[2:]
    options = read_options(arguments)
    before = contents(options["folder"])
    done = run(arguments, options)
    message = done.stderr.decode(errors="replace")
    sys.stdout.write(message)
    problems = []
    if done.returncode != code:
        problems.append(f"ended with {done.returncode}, expected {code}")
    if message.count("\n") != int(options["lines"]) or not message.endswith("\n"):
        problems.append(f"{message.count(chr(10))} lines of error, expected {options['lines']}")
    if TRACE.search(message):
        problems.append("the error is a crash's")
    if done.stdout:
        problems.append(f"printed {done.stdout[:100]!r}")
    if contents(options["folder"]) != before:
        problems.append(f"left something behind: {contents(options['folder'])}, before {before}")
    for problem in problems:
        print(f"{' '.join(arguments)}: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
