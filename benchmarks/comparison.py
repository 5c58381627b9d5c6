# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compiled models against ONNX Runtime: the same inputs, outputs compared, runs interleaved.
import pathlib
import statistics
import subprocess
import time

import numpy
import onnxruntime

from weft_runtime import Session

BASE = "ONNX Runtime"
ROOT = pathlib.Path(__file__).resolve().parent.parent


def load_reference(onnx, threads):
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads, settings.inter_op_num_threads = threads, 1
    # Its threads would wait on the processors that the next run needs.
    settings.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(str(onnx), settings, providers=["CPUExecutionProvider"])


def load(build, onnx, artifacts, threads):
    """ONNX Runtime's session, and those of compiled models by name."""
    library = build / "lib" / "libweft_runtime.so"
    return load_reference(onnx, threads), {name: Session(library, path, threads) for name, path in artifacts.items()}


def add_flags(parser, sizes):
    """Flags of a script that compares builds; `sizes`: names of numbers with their defaults."""
    for name, default in (*sizes, ("runs", 9)):
        parser.add_argument(f"--{name}", type=int, default=default, help=f"default: {default}")
    parser.add_argument("--threads", type=int, nargs="*", default=[1, 2], help="default: 1 2")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="the build folder")
    parser.add_argument("--baseline", type=pathlib.Path, help="another build folder, to compare with")


def compare_builds(options, onnx, cases, flags=()):
    """Compiles the file with each build and compares every case, a pair of its name and its inputs."""
    builds = {"weft": options.build} | ({"baseline": options.baseline} if options.baseline else {})
    artifacts = {name: onnx.with_name(f"{name}.weft") for name in builds}
    for name, build in builds.items():
        subprocess.run([build / "bin" / "weft", "compile", "--quiet", *flags, onnx, "-o", artifacts[name]], check=True)
    for threads in options.threads:
        reference, sessions = load(options.build, onnx, artifacts, threads)
        for case, inputs in cases:
            print(f"batch {options.batch}, {case}, {threads} threads")
            compare(reference, sessions, inputs, options.runs)


def compare(reference, sessions, inputs, runs):
    """Prints what each takes, after the outputs were compared."""
    names = [output.name for output in reference.get_outputs()]
    expected = dict(zip(names, reference.run(None, inputs)))
    programs = {BASE: lambda: reference.run(None, inputs)}
    for name, session in sessions.items():
        session.bind(inputs)
        got = session.run()
        worst = max(numpy.abs(got[output] - array).max() for output, array in expected.items())
        print(f"  {name}: differs by at most {worst:.2g}; {session.arena_bytes() / 2**20:.1f} MiB of scratch memory")
        for output, array in expected.items():
            numpy.testing.assert_allclose(got[output], array, rtol=1e-3, atol=1e-4)
        programs[name] = lambda session=session: session.run(keep=False)
    report(measure(programs, runs))


def measure(programs, runs):
    """Seconds of each program's runs; the k-th of all of them are neighbours, in turning order."""
    seconds = {name: [] for name in programs}
    order = list(programs.items())
    for _ in range(runs):
        for name, run in order:
            start = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - start)
        order.reverse()
    return seconds


def report(seconds):
    """Medians; against ONNX Runtime the median of the ratios of neighbours, which what else the machine does hits
    least."""
    for name, values in seconds.items():
        line = f"  {name}: median {statistics.median(values) * 1000:.1f} ms, least {min(values) * 1000:.1f}"
        if name != BASE:
            ratios = [base / value for base, value in zip(seconds[BASE], values)]
            least = min(seconds[BASE]) / min(values)
            line += f"; {statistics.median(ratios):.2f} times as fast as {BASE}, by least times {least:.2f}"
        print(line, flush=True)
