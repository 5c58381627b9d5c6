# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs conformance cases in the evaluator and compiled, and sorts out what comes of them. README.md explains.
"""usage: run.py [--mode MODE]... [--engine ENGINE]... [--filter PATTERN] [--every N] [--first K] [--listed] [--tests FOLDER] [--weft PROGRAM] ..."""

import argparse
import collections
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading

import cases
import numpy
import traps

MODES = ["static", "parameters", "dynamic", "constant"]
ENGINES = {"evaluator": ["--evaluate"], "compiled": ["--threads", "1"]}
RTOL, ATOL = 1e-3, 1e-7  # what ONNX asks of a backend
BF16_RTOL = 2.0**-7  # a result may be rounded to either neighbour
CANCELLING_ATOL = {"DFT": 1e-6, "STFT": 1e-6}  # of the largest result: ONNX's own have what is left of sums that are 0
TIMEOUT = 60  # seconds
NOT_IMPORTED = {"weft-0180"}
EXCEPTIONS = pathlib.Path(__file__).parent / "exceptions.txt"


def compare(name, got, expected, operators=()):
    """What differs, or nothing."""
    if got.dtype.str == "|V1":  # which of the types of a byte and less it is is not in the file
        got = got.view(expected.dtype)
    dtype = "bfloat16" if got.dtype.str == "|V2" else got.dtype.name
    if dtype != expected.dtype.name:
        return f"{name}: element type {dtype}, expected {expected.dtype.name}"
    if got.shape != expected.shape:
        return f"{name}: shape {got.shape}, expected {expected.shape}"
    if got.dtype.kind in "fV" and "int" not in dtype:
        rtol = BF16_RTOL if dtype == "bfloat16" else RTOL
        got, expected = cases.to_float(got), expected.astype(numpy.float64)
        atol = max([CANCELLING_ATOL[op] * abs(expected).max(initial=0) for op in operators if op in CANCELLING_ATOL], default=ATOL)
        equal = numpy.isclose(got, expected, rtol=rtol, atol=atol, equal_nan=True)
    else:
        equal = numpy.asarray(got == expected)
    if equal.all():
        return None
    first = tuple(numpy.argwhere(~equal)[0])
    place = list(map(int, first))
    return f"{name}: {(~equal).sum()} of {equal.size} differ, at {place} {got[first]}, expected {expected[first]}"


def judge(case, code, errors, outputs):
    """(what came of it, in what way). A refusal's detail starts with the id of its diagnostic."""
    line = errors.strip().splitlines()[0] if errors.strip() else "no message"
    if case.outputs is None and code == 0:
        return "WRONG", "gives an answer to what has none"
    if case.outputs is None and code == 1 and errors.strip():
        return "pass", ""
    if code == 1:
        ids = re.findall(r"\[(weft-\d{4})\]", errors)
        if not ids:
            return "WRONG", line
        return "not imported" if set(ids) <= NOT_IMPORTED else "refused", f"{ids[0]} {line}"
    if code:
        return "CRASH", f"exit code {code}: {line}"
    with numpy.load(outputs) as file:
        got = dict(file)
    names = [value.name for value in case.model.graph.output]
    if set(got) != set(names):
        return "WRONG", f"outputs {sorted(got)}, expected {sorted(names)}"
    differences = [compare(name, got[name], expected, case.operators()) for name, expected in zip(names, case.outputs)]
    return next((("WRONG", difference) for difference in differences if difference), ("pass", ""))


class Started:
    """Starts weft for each run."""

    def __init__(self, program):
        self.program = program

    def run(self, arguments, errors):
        """The exit code; what it says on standard error is in that file."""
        with errors.open("wb") as file:
            command = [self.program, *arguments]
            kept = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": file}
            try:
                return subprocess.run(command, **kept, timeout=TIMEOUT, check=False).returncode
            except subprocess.TimeoutExpired:
                return -signal.SIGALRM


class Forked:
    """The same from one process for each thread, which has loaded all and forks for each run (WeftForked.cpp)."""

    def __init__(self):
        self.own = threading.local()

    def run(self, arguments, errors):
        if not hasattr(self.own, "process"):
            self.own.process = subprocess.Popen(["weft-forked"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        process, words = self.own.process, [errors, TIMEOUT, *arguments]
        process.stdin.write("".join(f"{word}\0" for word in words).encode() + b"\0")
        process.stdin.flush()
        answer = process.stdout.readline()
        if not answer:
            raise RuntimeError(f"weft-forked ended with exit code {process.wait()}")
        return int(answer)


def run_engine(runner, case, arguments, outputs):
    outputs.unlink(missing_ok=True)
    errors = outputs.with_suffix(".errors")
    code = runner.run(arguments, errors)
    if code == -signal.SIGALRM:
        return "CRASH", f"no end in {TIMEOUT} s"
    return judge(case, code, errors.read_text(encoding="utf-8", errors="replace"), outputs)


def write(model, inputs, work):
    """Writes a serialized model and its inputs to a folder; returns the arguments that run it."""
    path = work / "model.onnx"
    path.write_bytes(model)
    arguments = ["run", path]
    for i, (name, tensor) in enumerate(inputs.items()):
        path = work / f"input_{i}.pb"
        path.write_bytes(tensor.SerializeToString())
        arguments += ["--input", f"{name}=@{path}"]
    return arguments


def run(runner, engines, case):
    """One case in each of those engines: a list of (engine, what came of it, detail)."""
    results = []
    with tempfile.TemporaryDirectory(prefix="weft-conformance") as folder:
        work = pathlib.Path(folder)
        outputs = work / "outputs.npz"
        arguments = [*write(case.model.SerializeToString(), case.inputs, work), "--outputs", outputs]
        for engine in engines:
            results.append((engine, *run_engine(runner, case, [*arguments, *ENGINES[engine]], outputs)))
            if results[-1][1] == "not imported":
                break
    return results


def choose(options, known):
    """The cases to run."""
    folders = cases.node_tests(options.tests)
    if not folders:
        print(f"no node tests in {options.tests}: only our own cases run")
    loaders = [(folder.name, lambda folder=folder: cases.load_node_test(folder)) for folder in folders]
    loaders += [(case.name, lambda case=case: case) for case in traps.make_cases()]
    loaders = [item for item in loaders if fnmatch.fnmatch(item[0], options.filter)]
    listed = {name for name, _ in known} if options.listed else set()
    tests = {name.split("/", 1)[0] for name in listed}
    chosen = range(options.first, len(loaders), options.every)
    for i, (name, load) in enumerate(loaders):
        if (i in chosen or name in tests) and (case := load()):
            for mode in options.mode:
                yield from (made for made in cases.rewrite(case, mode) if i in chosen or made.name in listed)


def read_exceptions():
    """What is known to be refused: the diagnostic's id by case and engine."""
    known = {}
    for line in EXCEPTIONS.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            test, modes, engines, ident = line.split()
            for mode in modes.split(","):
                known |= {(f"{test}/{mode}", engine): ident for engine in engines.split(",")}
    return known


def format_exceptions(refused):
    """The same as lines; the modes of a test that are refused alike share one."""
    engines = collections.defaultdict(list)
    for (name, engine), ident in refused.items():
        engines[name, ident].append(engine)
    modes = collections.defaultdict(list)
    for (name, ident), where in engines.items():
        test, mode = name.split("/", 1)
        modes[test, ",".join(where), ident].append(mode)
    return [f"{test} {','.join(names)} {where} {ident}" for (test, where, ident), names in modes.items()]


class Summary:
    """Counts what comes in, and prints what should not have come."""

    def __init__(self, known):
        self.known, self.missing = known, set(known)
        self.counts, self.refused, self.problems = collections.Counter(), {}, 0

    def add(self, name, engine, kind, detail):
        self.counts[kind] += 1
        self.missing.discard((name, engine))
        listed = self.known.get((name, engine))
        if kind == "refused":
            self.refused[name, engine] = detail.split()[0]
            expected = listed == detail.split()[0]
        else:
            expected = kind in ("pass", "not imported") and not listed
        if not expected:
            self.problem(f"{kind}: {name} {engine}: {detail}" + (f" (listed with {listed})" if listed else ""))

    def problem(self, text):
        self.problems += 1
        print(text)

    def check_list(self, modes, engines):
        """Where every case has run, the list may hold no other."""
        for name, engine in sorted(self.missing):
            if engine in engines and name.split("/", 1)[1].split("-")[0] in modes:
                self.problem(f"listed, but there is no such case: {name} {engine}")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--mode", action="append", choices=MODES)
    parser.add_argument("--engine", action="append", choices=list(ENGINES))
    parser.add_argument("--filter", default="*", help="only tests of such names")
    parser.add_argument("--every", type=int, default=1, help="only every Nth test")
    parser.add_argument("--first", type=int, default=0, help="from this one on")
    parser.add_argument("--listed", action="store_true", help="and all cases that exceptions.txt lists")
    parser.add_argument("--tests", type=pathlib.Path, default=cases.NODE_TESTS, help="the folder of the node tests")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--weft", default="weft")
    parser.add_argument("--forked", action="store_true", help="load weft-forked once, and fork it for each run: faster")
    parser.add_argument("--list", action="store_true", help="print what is refused, as lines of exceptions.txt")
    parser.add_argument("--report", type=pathlib.Path, help="write all that came out, a line of JSON each")
    options = parser.parse_args()
    options.mode, options.engine = options.mode or MODES, options.engine or list(ENGINES)
    known = read_exceptions()
    summary, report = Summary(known), []
    # What stands for weft on another machine (test/aarch64/weft) is no program that forks.
    runner = Forked() if options.forked and "WEFT_AARCH64" not in os.environ else Started(options.weft)
    chosen = list(choose(options, known))
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for case, results in zip(chosen, pool.map(lambda case: run(runner, options.engine, case), chosen)):
            for engine, kind, detail in results:
                summary.add(case.name, engine, kind, detail)
                report.append(json.dumps([case.name, engine, kind, detail, sorted(case.operators())]) + "\n")
    if options.filter == "*" and (options.every == 1 or options.listed) and cases.node_tests(options.tests):
        summary.check_list(options.mode, options.engine)
    if options.report:
        options.report.write_text("".join(report), encoding="utf-8")
    if options.list:
        print("\n".join(format_exceptions(summary.refused)))
    counts = ", ".join(f"{count} {kind}" for kind, count in sorted(summary.counts.items()))
    print(f"{len(chosen)} cases: {counts}")
    print(f"{summary.problems} problems")
    return 1 if summary.problems else 0


if __name__ == "__main__":
    sys.exit(main())
