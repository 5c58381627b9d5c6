# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Attention in many spellings, and look-alikes of it: makes them, runs them compiled, and compares.
"""usage: variants.py --seeds FROM:TO [--twins] [--no-fusion] --work DIR [--weft PROGRAM]
       variants.py --seed N [--twins]      writes variant-N.onnx and its inputs, and prints what it is made of

A variant means softmax(query key^T scale + mask) value, and must be fused. A twin has a step more; it may be fused or
not, and its answer must be right."""

import argparse
import collections
import concurrent.futures
import pathlib
import re
import subprocess
import sys

import numpy
import onnx
import onnx.reference
from variant import Variant
from variant_twins import TWINS

RUNS = 2
TOLERANCES = {"f32": 1e-4, "f64": 1e-4, "f16": 3e-2}  # f16: scores of up to 20 are rounded, then exponentials taken


def make(seed, twins):
    """The variant, and the same without rounding to f16, to compare with."""
    twin = list(TWINS)[seed % len(TWINS)] if twins else None
    return Variant(seed, twin), Variant(seed, twin, widen=True)


def prepare(seed, twins, folder):
    """Writes the model and each run's inputs and outputs; a list of those. Fails where the generator is wrong."""
    variant, reference = make(seed, twins)
    model = folder / f"variant-{seed}.onnx"
    onnx.save(variant.writer.model(), model)
    evaluator = onnx.reference.ReferenceEvaluator(reference.writer.model())
    cases = []
    for run in range(1 if variant.choice["dims"] == "static" else RUNS):
        feeds, _ = variant.feeds(run + seed * RUNS)
        wide, sizes = reference.feeds(run + seed * RUNS)
        with numpy.errstate(all="ignore"):
            outputs = dict(zip(evaluator.output_names, evaluator.run(None, wide)))
            expected = reference.expected(wide, sizes)
        result = outputs["result"]
        if not twins and result.shape != expected.shape:
            raise AssertionError(f"the generator: shape {result.shape}, not {expected.shape}")
        tolerance = TOLERANCES[variant.element] / 10 + 1e-4
        if not twins and not numpy.allclose(result, expected, rtol=tolerance, atol=tolerance, equal_nan=True):
            raise AssertionError("the generator: its graph does not mean what its formula says")
        for value in variant.writer.outputs:
            element = onnx.helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)
            outputs[value.name] = outputs[value.name].astype(element)
        cases.append([folder / f"variant-{seed}.{run}.{end}.npz" for end in ("in", "ref")])
        numpy.savez(cases[-1][0], **feeds)
        numpy.savez(cases[-1][1], **outputs)
    return variant, model, cases


def call(command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, errors="replace")
    return done.returncode, done.stderr.strip() or done.stdout.strip()


def check(seed, options):
    """Nothing, or (kind, text) of what went wrong."""
    try:
        variant, model, cases = prepare(seed, options.twins, options.work)
    except Exception as problem:
        return "generator", f"{type(problem).__name__}: {problem}"
    artifact = model.with_suffix(".weft")
    fusion = ["--require-fusion=1", "--explain-fusion"] if options.fusion and not options.twins else []
    code, text = call([options.weft, "compile", "--quiet", *fusion, model, "-o", artifact])
    if code:
        return "fusion" if "fused attention" in text else "compile", f"exit {code}: {text}"
    tolerance = TOLERANCES[variant.element]
    for inputs, expected in cases:
        code, text = call([options.weft, "run", artifact, "--inputs", inputs, "--expect", expected, "--threads=1",
                           f"--rtol={tolerance}", f"--atol={tolerance}"])  # fmt: skip
        if code:
            return "answer" if code == 3 else "run", f"exit {code}: {text}"
    for path in options.work.glob(f"variant-{seed}.*"):
        path.unlink()
    return None


def reason(text):
    """What failures of one kind have in common: the text without names and numbers."""
    return re.sub(r'"[^"]*"|\d+', "_", text.splitlines()[0] if text else "")


def run(options):
    first, end = map(int, options.seeds.split(":"))
    failures = collections.defaultdict(list)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for seed, problem in zip(range(first, end), pool.map(lambda seed: check(seed, options), range(first, end))):
            if problem:
                kind, text = problem
                failures[kind].append(seed)
                twin = f" ({list(TWINS)[seed % len(TWINS)]})" if options.twins else ""
                print(f"seed {seed}{twin}: {kind}: {text}", flush=True)
    count = sum(map(len, failures.values()))
    print(f"{end - first - count} {'twins' if options.twins else 'variants'} are right, {count} are not")
    for kind, seeds in failures.items():
        print(f"  {kind}: {seeds}")
    return 1 if count else 0


def show(options):
    variant, model, cases = prepare(options.seed, options.twins, options.work)
    print(model, *(f"--inputs {a} --expect {b}" for a, b in cases), sep="\n  ")
    print("opset", variant.choice["opset"], "twin:", variant.twin)
    print(*variant.moves, sep="\n")
    return 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--seeds", help="FROM:TO, the second not included")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--twins", action="store_true")
    parser.add_argument("--no-fusion", dest="fusion", action="store_false", help="ask for right answers only")
    parser.add_argument("--work", type=pathlib.Path, default=".", help="a folder for files; those of failures stay")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--weft", default="weft")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    return show(options) if options.seed is not None else run(options)


if __name__ == "__main__":
    sys.exit(main())
