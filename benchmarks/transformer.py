#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The post-norm Transformer at its own size, on equal weights: built in C++ (build-model) and exported from PyTorch, each
compiled by weft, against ONNX Runtime. Runs are interleaved, so that what else the machine does hits all alike."""
import argparse
import pathlib
import statistics
import subprocess
import tempfile
import time

import numpy
import onnxruntime

from weft_runtime import Session

ROOT = pathlib.Path(__file__).resolve().parent.parent


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("batch", 4), ("length", 1024), ("layers", 3), ("width", 512), ("heads", 8), ("hidden", 512),
                          ("source-vocabulary", 128), ("target-vocabulary", 64), ("threads", 2), ("runs", 5)):
        parser.add_argument(f"--{name}", type=int, default=default, help=f"default: {default}")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="the build folder")
    parser.add_argument("--torch-python", default="python3", help="a Python that has PyTorch, for the export")
    return parser.parse_args()


def make_models(options, work):
    """The .weft files by what they were made from, and the .onnx file."""
    bin = options.build / "bin"
    weights, onnx = work / "weights.npz", work / "model.onnx"
    built, imported = work / "built.weft", work / "imported.weft"
    sizes = [options.layers, options.width, options.heads, options.hidden, options.source_vocabulary,
             options.target_vocabulary, options.length]  # fmt: skip
    flags = zip(("layers", "width", "heads", "hidden", "vocabulary", "target-vocabulary", "longest"), sizes)
    subprocess.run([bin / "build-model", "transformer", *(f"--{name}={size}" for name, size in flags), "--seed=1",
                    f"--save-weights={weights}", "-o", built], check=True)  # fmt: skip
    subprocess.run([options.torch_python, ROOT / "benchmarks" / "export_transformer.py", weights, onnx,
                    *map(str, sizes)], check=True, stdout=subprocess.DEVNULL)  # fmt: skip
    subprocess.run([bin / "weft", "compile", "--quiet", onnx, "-o", imported], check=True)
    return {"weft, built in C++": built, "weft, from ONNX": imported}, onnx


def make_inputs(options):
    """A fifth of the source is padding; the target sees what is before it."""
    random = numpy.random.default_rng(0)
    batch, length = options.batch, options.length
    seen = numpy.arange(length) < length - random.integers(0, length // 5 + 1, batch)[:, None]
    mask = numpy.repeat(seen[:, None, :], length, axis=1).astype(numpy.float32)
    causal = numpy.tril(numpy.ones((length, length), numpy.float32))
    return {"src": random.integers(0, options.source_vocabulary, (batch, length)),
            "tgt": random.integers(0, options.target_vocabulary, (batch, length)), "src_mask": mask, "cross_mask": mask,
            "tgt_mask": numpy.repeat(causal[None], batch, axis=0)}  # fmt: skip


def main():
    options = parse()
    with tempfile.TemporaryDirectory() as folder:
        artifacts, onnx = make_models(options, pathlib.Path(folder))
        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads, settings.inter_op_num_threads = options.threads, 1
        # Its threads would wait on the processors that the next run needs.
        settings.add_session_config_entry("session.intra_op.allow_spinning", "0")
        reference = onnxruntime.InferenceSession(str(onnx), settings, providers=["CPUExecutionProvider"])
        library = options.build / "lib" / "libweft_runtime.so"
        sessions = {name: Session(library, path, options.threads) for name, path in artifacts.items()}
    inputs = make_inputs(options)
    expected = reference.run(None, inputs)[0]
    runs = {"ONNX Runtime": lambda: reference.run(None, inputs)}
    for name, session in sessions.items():
        session.bind(inputs)
        got = next(iter(session.run().values()))
        print(f"{name}: differs by at most {numpy.abs(got - expected).max():.2g}; "
              f"{session.arena_bytes() / 2**20:.1f} MiB of scratch memory")  # fmt: skip
        numpy.testing.assert_allclose(got, expected, rtol=1e-3, atol=1e-4)
        runs[name] = session.run
    seconds = {name: [] for name in runs}
    for _ in range(options.runs):
        for name, run in runs.items():
            start = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - start)
    base = statistics.median(seconds["ONNX Runtime"])
    for name, values in seconds.items():
        median = statistics.median(values)
        print(f"{name}: median {median * 1000:.0f} ms of {options.runs} runs on {options.threads} threads; "
              f"{median / base:.2f} of ONNX Runtime's")  # fmt: skip


if __name__ == "__main__":
    main()
