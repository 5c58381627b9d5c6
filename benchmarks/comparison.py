# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Programs against each other: the same inputs, outputs compared, runs interleaved.
import argparse
import dataclasses
import pathlib
import statistics
import subprocess
import sys
import time

import numpy

from weft_runtime import KeptSession, Session

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOLERANCE = 1e-3  # of the largest element of an output
WARM = 0.01  # seconds; threads that still spin after another program's run have stopped by then


def make_parser(text, runs):
    parser = argparse.ArgumentParser(description=text)
    parser.add_argument("--runs", type=int, default=runs, help=f"default: {runs}")
    parser.add_argument("--threads", type=int, nargs="*", default=[1, 2], help="default: 1 2")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="the build folder")
    return parser


def compile_model(build, onnx, artifact, *flags, session=Session):
    """A function from a number of threads to a session."""
    subprocess.run([build / "bin" / "weft", "compile", "--quiet", *flags, onnx, "-o", artifact], check=True)
    return lambda threads: session(build / "lib" / "libweft_runtime.so", artifact, threads)


def compile_kept(build, onnx, artifact, longest):
    """The same where the session keeps what came before, of a prompt and a text of at most that length each."""
    flags = (f"--kv-capacity={2 * longest}", f"--dim=past=0..{longest}", f"--dim=seq=1..{longest}")
    return compile_model(build, onnx, artifact, *flags, session=KeptSession)


@dataclasses.dataclass
class Comparison:
    """What was measured of programs, by name; the k-th of all the values are neighbours."""

    seconds: dict
    machine: list  # pairs: FLOP/s, bytes per second
    differences: dict  # from the reference, in parts of an output's largest element

    def milliseconds(self, name):
        return statistics.median(self.seconds[name]) * 1000

    def ratio(self, name, base):
        """How many times as long as the base it takes: the median of neighbours' ratios, which what else the machine
        does hits least."""
        return statistics.median(a / b for a, b in zip(self.seconds[name], self.seconds[base]))


def compare(programs, reference, inputs, runs, measure_machine):
    """Binds the inputs, compares outputs with those of the reference, and measures."""
    for program in {id(program): program for program in [reference, *programs.values()]}.values():
        program.bind(inputs)
    expected = reference.outputs()
    differences = {}
    for name, program in programs.items():
        outputs = program.outputs()
        if set(outputs) != set(expected) and not (isinstance(program, KeptSession) and outputs):
            sys.exit(f"{name}: has outputs {sorted(outputs)}, expected {sorted(expected)}")
        differences[name] = difference(name, outputs, expected)
    return Comparison(*measure(programs, runs, measure_machine), differences)


def difference(name, outputs, expected):
    worst = 0.0
    for output in outputs:
        part = float(numpy.abs(outputs[output] - expected[output]).max() / numpy.abs(expected[output]).max())
        if not part <= TOLERANCE:  # so that NaN is no match
            sys.exit(f"{name}: output {output} differs by {part:.2g} of its largest element")
        worst = max(worst, part)
    return worst


def measure(programs, runs, measure_machine):
    """Seconds of each program's runs, and the machine's rates beside them. Who goes first turns from round to round;
    caches hold what a program's own last run left there."""
    seconds, machine = {name: [] for name in programs}, []
    order = list(programs.items())
    for _ in range(runs):
        for name, program in order:
            warm(program.run)
            start = time.perf_counter()
            program.run()
            seconds[name].append(time.perf_counter() - start)
        machine.append(measure_machine())
        order.reverse()
    return seconds, machine


def warm(run):
    end = time.perf_counter() + WARM
    run()
    while time.perf_counter() < end:
        run()


class Table:
    """A table in Markdown: programs beside a base. Rows are printed as soon as they are known."""

    def __init__(self, base, others):
        self.base, self.others = base, others
        titles = ["model", "case", "threads", f"{base}, ms", *(f"{name}, ms (times {base})" for name in others),
                  "peak, GFLOP/s", "memory, GB/s", "largest difference"]  # fmt: skip
        self.print(titles)
        self.print(["---", "---", *["---:"] * (len(titles) - 2)])

    def print(self, cells):
        print("|", " | ".join(map(str, cells)), "|", flush=True)

    def add(self, model, case, threads, result):
        machine = [statistics.median(values) / 1e9 for values in zip(*result.machine)]
        self.print([model, case, threads, f"{result.milliseconds(self.base):.2f}",
                    *(f"{result.milliseconds(name):.2f} ({result.ratio(name, self.base):.2f})" for name in self.others),
                    *(f"{rate:.0f}" for rate in machine), f"{max(result.differences.values()):.1g}"])  # fmt: skip

    def add_means(self, threads, results):
        means = [statistics.geometric_mean(result.ratio(name, self.base) for result in results) for name in self.others]
        self.print(["geometric mean", "", threads, "", *(f"({mean:.2f})" for mean in means), "", "", ""])
