# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the machine can do while something else is timed. Needs a C++ compiler.
import ctypes
import pathlib
import subprocess

SOURCE = pathlib.Path(__file__).with_name("machine.cpp")
BYTES = 1 << 30  # more than any cache holds


class Machine:
    def __init__(self, folder):
        library = folder / "machine.so"
        flags = ["-O2", "-march=native", "-shared", "-fPIC", "-pthread"]
        subprocess.run(["c++", *flags, SOURCE, "-o", library], check=True)
        self.lib = ctypes.CDLL(str(library))
        self.lib.machine_peak.restype = self.lib.machine_read.restype = ctypes.c_double
        self.memory = (ctypes.c_char * BYTES)()
        ctypes.memset(self.memory, 1, BYTES)  # Pages that nothing was written to are all the same one.

    def measure(self, threads):
        """FLOP/s of fused multiply-adds, and bytes per second of reading memory."""
        return self.lib.machine_peak(threads), self.lib.machine_read(threads, self.memory, ctypes.c_size_t(BYTES))
