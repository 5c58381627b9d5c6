# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compares a compiled model with the evaluator at given sizes, on every instruction set and several numbers of threads.
"""usage: compare.py MODEL.mlir [--element TYPE] [--special all] [--every-machine] [--target TARGET] SIZES... where SIZES is such as m=1,n=48"""

import argparse
import ctypes
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zlib

import numpy

FLOATS = {"f32": numpy.float32, "f64": numpy.float64, "f16": numpy.float16}
INTEGERS = {
    "i8": numpy.int8, "i16": numpy.int16, "i32": numpy.int32, "i64": numpy.int64,
    "ui8": numpy.uint8, "ui16": numpy.uint16, "ui32": numpy.uint32, "ui64": numpy.uint64,
}  # fmt: skip
TYPES = {**FLOATS, **INTEGERS, "i1": numpy.bool_}
# What arithmetic gets wrong first; sums of the large ones mean nothing.
NOT_FINITE = [numpy.nan, numpy.inf, -numpy.inf, 0.0, -0.0]
SPECIAL = [*NOT_FINITE, 1.0, -1.0, 1e30, -1e30, 1e-30, 2.5e9, -129.5, 65504.0, 88.8, -104.0]
THREADS = [1, 2, 3, 7]
# What test/lit.cfg.py says: with a sanitizer each machine is compiled for, and one of them run.
SANITIZED = "WEFT_SANITIZED" in os.environ
# Without -Dlong=1 other elements than f32 run on one machine, and in a third of all tests, another one for each.
QUICK = "WEFT_QUICK" in os.environ
# A machine, and what of /proc/cpuinfo it needs besides the one before; the last are for products of bytes or bf16.
MACHINES = [("x86-64-v3", set()), ("x86-64-v4", {"avx512f"})]
SPECIAL_MACHINES = [("x86-64-v4-vnni", {"avx512_vnni"}), ("x86-64-v4-bf16", {"avx512_bf16"}), ("x86-64-v4-amx", {"amx_int8", "amx_bf16"})]


def call(command):
    """The exit code and everything printed."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    return done.returncode, (done.stdout + done.stderr).strip()


def may_use_amx():
    """Whether the system lets a process have AMX's registers: Linux's arch_prctl(ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA)."""
    arch_prctl, request, tile_data = 158, 0x1023, 18
    return ctypes.CDLL(None).syscall(arch_prctl, request, tile_data) == 0


def machines(every):
    if "WEFT_AARCH64" in os.environ: # what stands for them (test/aarch64/weft)
        return [name for name, _ in MACHINES]
    features = set(pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").split())
    names = []
    for name, needed in MACHINES + (SPECIAL_MACHINES if every else []):
        if not needed <= features or (needed & {"avx512_bf16", "amx_int8"} and "amx_int8" in features and not may_use_amx()):
            break
        names.append(name)
    return names


def draw_rows(random, array):
    """Changes rows, each in a way of its own: numbers as they are, zeros, one number, one sign, almost nothing, and as much as there is."""
    rows = array.reshape(-1, array.shape[-1])
    ways = [lambda row: row, lambda row: 0 * row, lambda row: row * 0 + 1.7, lambda row: row * 0 - 3.3, lambda row: -abs(row) - 1,
            lambda row: abs(row) + 1, lambda row: row * 1e-40, lambda row: row * 1e-37, lambda row: numpy.clip(row, -1, 1) * 3.4e38,
            lambda row: abs(numpy.clip(row, -1, 1)) * -3e38]  # fmt: skip
    first = random.integers(len(ways))
    for i, row in enumerate(rows):
        row[:] = ways[(first + i) % len(ways)](row)
        if row.size and random.random() < 0.2:
            row[random.integers(row.size)] = random.choice(NOT_FINITE)


def draw(random, element, shape, special=()):
    """Random elements. A tenth of the integers are anything, the others small, so that they meet."""
    if element in FLOATS:
        array = random.normal(0, 2, shape)
        if special == "rows" and array.size:
            draw_rows(random, array)
        elif special != "rows" and len(special):
            array = numpy.where(random.random(shape) < 0.5, random.choice(special, shape), array)
        with numpy.errstate(over="ignore"):
            return numpy.asarray(array).astype(FLOATS[element])
    if element == "i1":
        return numpy.asarray(random.integers(0, 2, shape)).astype(numpy.bool_)
    info = numpy.iinfo(INTEGERS[element])
    small = numpy.asarray(random.integers(max(info.min, -9), 10, shape)).astype(INTEGERS[element])
    anything = random.integers(info.min, info.max, shape, dtype=INTEGERS[element], endpoint=True)
    return numpy.asarray(numpy.where(random.random(shape) < 0.1, anything, small))


def inputs(text):
    """Name, dims (a formula of symbols each) and element type of each argument of @main."""
    head = text[text.index("func.func @main") :]
    head = head[: head.index("->")]
    found = re.findall(r'tensor<((?:[?\d]+x)*)(\w+?)(?:, #weft\.dims<([^>]*)>)?>\s*\{weft\.name = "(\w+)"', head)
    for shape, element, dims, name in found:
        formulas = re.split(r",(?![^(]*\))", dims) if dims else shape.split("x")[:-1]
        sizes = [formula.replace('"', "").strip() for formula in formulas]
        yield name, sizes, element


class Comparison:
    """One model, compiled for every instruction set."""

    def __init__(self, options, work):
        self.options, self.work = options, work
        text = options.model.read_text(encoding="utf-8")
        if options.element:
            text = text.replace("TYPE", options.element)
        self.inputs = list(inputs(text))
        self.model = work / "model.mlir"
        self.model.write_text(text, encoding="utf-8")
        self.flags = [f"--from={options.level}"]
        self.artifacts = []

    def compile(self):
        flags = [*self.flags, "--quiet", *([f"--target={self.options.target}"] if self.options.target else [])]
        names = MACHINES[0][:1] if self.options.target else machines(self.options.every_machine)
        for machine in names[-1:] if QUICK and self.options.element not in (None, "f32") else names:
            artifact = self.work / f"{machine}.weft"
            self.expect("compile", *flags, f"--mcpu={machine}", self.model, "-o", artifact)
            self.artifacts.append(artifact)

    def expect(self, verb, *words):
        command = [self.options.weft, verb, *words]
        code, text = call(command)
        if code != 0:
            raise SystemExit(f"{' '.join(map(str, command))}: exit {code}\n{text}")

    def check(self, number, sizes):
        symbols = {name: int(size) for name, size in (part.split("=") for part in sizes.split(","))}
        random = numpy.random.default_rng(number)
        special = {"all": SPECIAL, "not-finite": NOT_FINITE, "rows": "rows"}.get(self.options.special, ())
        arrays = {}
        low, high = self.options.indices
        for name, dims, element in self.inputs:
            shape = [eval(dim, {"min": min, "max": max}, symbols) for dim in dims]
            arrays[name] = draw(random, element, shape, special)
            if high and element in ("i32", "i64"):
                arrays[name] = numpy.asarray(random.integers(low, high, shape, endpoint=True)).astype(INTEGERS[element])
            if self.options.every_machine and (element in ("i8", "ui8") or (element == "i32" and len(shape) == 4)):
                arrays[name] = numpy.frombuffer(random.bytes(arrays[name].nbytes), INTEGERS[element]).reshape(shape)
        data, expected = self.work / "data.npz", self.work / "expected.npz"
        numpy.savez(data, **arrays)
        self.expect("run", self.model, *self.flags, "--evaluate", "--inputs", data, "--outputs", expected)
        for artifact in self.artifacts[-1:] if SANITIZED else self.artifacts:
            for threads in THREADS if number == 0 else THREADS[number % 4 :][:1]:
                run = [artifact, "--inputs", data, f"--threads={threads}"]
                run += [f"--rtol={self.options.rtol}", f"--atol={self.options.atol}", "--expect", expected]
                self.expect("run", *run, *(["--guard-arena"] if threads != 1 else []))
        if number == 0:
            self.check_threads(data)

    def check_threads(self, data):
        """The same bits for any number of threads."""
        results = []
        for threads in THREADS[:1] + THREADS[-1:]:
            output = self.work / f"{threads}.npz"
            self.expect("run", self.artifacts[-1], "--inputs", data, f"--threads={threads}", "--outputs", output)
            with numpy.load(output) as file:
                results.append({name: file[name].tobytes() for name in file.files})
        if results[0] != results[1]:
            raise SystemExit("the result depends on the number of threads")


def is_in_sample(options):
    return options.element in (None, "f32") or zlib.crc32(f"{options.model.name} {options.element}".encode()) % 3 == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("sizes", nargs="+")
    parser.add_argument("--element", help="stands for TYPE in the model")
    parser.add_argument("--special", choices=["all", "not-finite", "rows"],
                        help="mix NaN, infinities and the like into floats, or rows of special ranges")  # fmt: skip
    parser.add_argument("--every-machine", action="store_true",
                        help="machines with special instructions take part; integers of 8 bits are anything")  # fmt: skip
    parser.add_argument("--indices", default=(0, 0), type=lambda text: tuple(map(int, text.split(":"))),
                        help="LOW:HIGH, of integers of 32 and 64 bits")  # fmt: skip
    parser.add_argument("--level", default="import", help="what the model is written at")
    parser.add_argument("--target", help="what it is compiled for instead of this CPU")
    parser.add_argument("--weft", default="weft")
    parser.add_argument("--rtol", default="1e-4")
    parser.add_argument("--atol", default="1e-4")
    options = parser.parse_args()
    if QUICK and not is_in_sample(options):
        return
    with tempfile.TemporaryDirectory() as work:
        comparison = Comparison(options, pathlib.Path(work))
        comparison.compile()
        for number, sizes in enumerate(options.sizes):
            comparison.check(number, sizes)


if __name__ == "__main__":
    sys.exit(main())
