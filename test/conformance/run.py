# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs conformance cases in the evaluator and compiled, and sorts out what comes of them. README.md explains.
"""usage: run.py [--mode MODE]... [--filter PATTERN] [--every N] [--jobs N] [--weft PROGRAM] [--report FILE]"""

import argparse
import collections
import concurrent.futures
import fnmatch
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import cases
import numpy
import traps

MODES = ["static", "parameters", "dynamic", "constant"]
ENGINES = {"evaluator": ["--evaluate"], "compiled": ["--threads", "1"]}
RTOL, ATOL = 1e-3, 1e-7  # what ONNX asks of a backend
# A result in 16 bits may be rounded to either neighbour.
EPSILON = {"float16": 2.0**-10, "bfloat16": 2.0**-7}
TIMEOUT = 60  # seconds
NOT_IMPORTED = {"weft-0180", "weft-0182"}


def compare(name, got, expected):
    """What differs, or nothing."""
    dtype = "bfloat16" if got.dtype.str == "|V2" else got.dtype.name
    if dtype != expected.dtype.name:
        return f"{name}: element type {dtype}, expected {expected.dtype.name}"
    if got.shape != expected.shape:
        return f"{name}: shape {got.shape}, expected {expected.shape}"
    if got.dtype.kind in "fV":
        rtol = max(RTOL, EPSILON.get(dtype, 0))
        got, expected = cases.to_float(got), expected.astype(numpy.float64)
        equal = numpy.isclose(got, expected, rtol=rtol, atol=ATOL, equal_nan=True)
    else:
        equal = numpy.asarray(got == expected)
    if equal.all():
        return None
    first = tuple(numpy.argwhere(~equal)[0])
    place = list(map(int, first))
    return f"{name}: {(~equal).sum()} of {equal.size} differ, at {place} {got[first]}, expected {expected[first]}"


def judge(case, code, errors, outputs):
    """(what came of it, in what way). The classes: pass, refused, not imported, WRONG, CRASH."""
    line = errors.strip().splitlines()[0] if errors.strip() else f"no message, exit code {code}"
    if code == 1:
        ids = re.findall(r"\[(weft-\d{4})\]", errors)
        if not ids:
            return "WRONG", line
        kind = "not imported" if set(ids) <= NOT_IMPORTED else "refused"
        return kind, f"{ids[0]} {line}"
    if code:
        return "CRASH", f"exit code {code}: {line}"
    with numpy.load(outputs) as file:
        got = dict(file)
    names = [value.name for value in case.model.graph.output]
    if set(got) != set(names):
        return "WRONG", f"outputs {sorted(got)}, expected {sorted(names)}"
    for name, expected in zip(names, case.outputs):
        if difference := compare(name, got[name], expected):
            return "WRONG", difference
    return "pass", ""


def run(options, case):
    """One case in each engine: a list of (engine, class, detail)."""
    with tempfile.TemporaryDirectory(prefix="weft-conformance") as folder:
        work = pathlib.Path(folder)
        model, outputs = work / "model.onnx", work / "outputs.npz"
        model.write_bytes(case.model.SerializeToString())
        command = [options.weft, "run", model, "--outputs", outputs]
        for i, (name, tensor) in enumerate(case.inputs.items()):
            path = work / f"input_{i}.pb"
            path.write_bytes(tensor.SerializeToString())
            command += ["--input", f"{name}=@{path}"]
        results = []
        for engine, flags in ENGINES.items():
            outputs.unlink(missing_ok=True)
            try:
                done = subprocess.run(
                    [*command, *flags], capture_output=True, text=True, errors="replace", timeout=TIMEOUT, check=False
                )
                kind, detail = judge(case, done.returncode, done.stderr, outputs)
            except subprocess.TimeoutExpired:
                kind, detail = "CRASH", f"no end in {TIMEOUT} s"
            results.append((engine, kind, detail))
            if kind == "not imported":
                break
        return results


def choose(options):
    """The cases to run."""
    folders = cases.node_tests()
    if not folders:
        print("the installed onnx package has no node tests; only our own cases run")
    loaders = [(folder.name, lambda folder=folder: cases.load_node_test(folder)) for folder in folders]
    loaders += [(case.name, lambda case=case: case) for case in traps.make_cases()]
    loaders = [item for item in loaders if fnmatch.fnmatch(item[0], options.filter)]
    for _, load in loaders[:: options.every]:
        if case := load():
            for mode in options.mode or MODES:
                yield from cases.rewrite(case, mode)


def read_exceptions(path):
    """What is known to be refused: the diagnostic's id by case and engine."""
    known = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, engine, ident = line.split()
            known[name, engine] = ident
    return known


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--mode", action="append", choices=MODES)
    parser.add_argument("--filter", default="*")
    parser.add_argument("--every", type=int, default=1, help="only every Nth test")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--weft", default="weft")
    parser.add_argument("--report", type=pathlib.Path, help="write everything that came out as JSON lines")
    options = parser.parse_args()
    known = read_exceptions(pathlib.Path(__file__).parent / "exceptions.txt")
    counts = collections.Counter()
    problems = 0
    report = options.report.open("w", encoding="utf-8") if options.report else None
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        chosen = list(choose(options))
        for case, results in zip(chosen, pool.map(lambda case: run(options, case), chosen)):
            for engine, kind, detail in results:
                counts[kind] += 1
                if report:
                    operators = sorted(case.operators())
                    report.write(json.dumps([case.name, engine, kind, detail, operators]) + "\n")
                expected = known.get((case.name, engine))
                if expected and kind == "refused" and detail.startswith(expected):
                    continue
                if kind in ("pass", "not imported") and not expected:
                    continue
                problems += 1
                listed = f" (listed in exceptions.txt with {expected})" if expected else ""
                print(f"{kind}: {case.name} {engine}: {detail}{listed}")
    summary = ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))
    print(f"{len(chosen)} cases in {len(ENGINES)} engines: {summary}")
    print(f"{problems} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
