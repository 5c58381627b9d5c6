# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command and prints its peak anonymous memory in bytes: usage peak_memory.py COMMAND [ARG ...].

Anonymous memory is what the process itself takes: mapped files (weights, code) are not in it. It is read from
/proc/PID/status a thousand times a second, so a command should run for a tenth of a second or more.
"""
import re
import subprocess
import sys
import time


def read_anonymous_bytes(pid):
    with open(f"/proc/{pid}/status") as status:
        found = re.search(r"RssAnon:\s+(\d+) kB", status.read())
    return int(found.group(1)) * 1024 if found else 0


def main():
    process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
    peak = 0
    while process.poll() is None:
        peak = max(peak, read_anonymous_bytes(process.pid))
        time.sleep(0.001)
    print(peak)
    sys.exit(process.returncode)


if __name__ == "__main__":
    main()
