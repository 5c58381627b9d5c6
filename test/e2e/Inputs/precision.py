# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Models whose products are computed in bytes: results are those of the formula in docs/numerics.md, and within its bound.
"""usage: precision.py WORK; expects weft in PATH"""

import pathlib
import sys

import numpy
from weights import evaluate, normal, run, save, stored

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "same-answer"))
from compare import machines  # noqa: E402  (it lies in another folder)

# Depth and columns: one of each; few, where errors come near the bound; one more than bytes are padded to, and than a
# panel's columns; more than a block of the depth.
SIZES = [(1, 1), (3, 2), (65, 49), (4200, 130)]
ROWS = [(1, 1), (3, 5), (1, 130)]  # batch and length
TINY = numpy.finfo(numpy.float32).tiny


def rows(random, *shape):
    """Rows of very different sizes, and of one sign: all the negative ones, all the positive ones, zeros."""
    x = random.normal(0, 1, shape) * 10.0 ** random.integers(-3, 4, (*shape[:-1], 1))
    way = random.integers(0, 6, (*shape[:-1], 1))
    x = numpy.select([way == 0, way == 1, way == 2], [0 * x, -numpy.abs(x) - 1, numpy.abs(x)], x).astype(numpy.float32)
    if shape[0] > 1:
        x[0, 0, -1], x[1, 1, 0] = numpy.inf, numpy.nan
    return x


def quantized(x):
    """The rows as bytes stand for them, in f64, and each row's scale."""
    least, greatest = numpy.minimum(x.min(-1, keepdims=True), 0), numpy.maximum(x.max(-1, keepdims=True), 0)
    most = numpy.float32(255)
    scale = numpy.maximum(greatest / most - least / most, TINY)
    inverse = numpy.float32(1) / scale
    zero = numpy.clip(numpy.rint(-least * inverse), 0, 255)
    numbers = numpy.clip(numpy.rint(x * inverse) + zero, 0, 255) - zero
    return numbers.astype(numpy.float64) * scale, scale.astype(numpy.float64)


def check_case(work, artifacts, x, weights, bias):
    numpy.savez(work / "in.npz", x=x)
    results = []
    for artifact in artifacts:
        for threads in (1, 3):
            out = work / "out.npz"
            run("weft", "run", artifact, f"--inputs={work / 'in.npz'}", f"--outputs={out}", f"--threads={threads}", "--guard-arena")
            with numpy.load(out) as file:
                results.append({name: file[name] for name in file.files})
    # Sums are integers, so only what an epilogue does with them may differ between machines.
    for one, three in zip(results[::2], results[1::2]):
        assert all(numpy.array_equal(one[name], three[name], equal_nan=True) for name in one), "other bits with 3 threads"
        assert numpy.array_equal(one["plain"], results[0]["plain"], equal_nan=True), "other bits on another machine"
    is_finite = numpy.isfinite(x).all(-1)
    assert all(numpy.isnan(array[~is_finite]).all() for result in results for array in result.values()), "a number from NaN"
    x, results = x[is_finite], [{name: array[is_finite] for name, array in result.items()} for result in results]
    wide, rounded = x.astype(numpy.float64), [stored(weight, "int8")[0] for weight in weights]
    near, scale = quantized(x)
    for name, array in evaluate(near, rounded, bias).items():
        magnitudes = numpy.abs(near) @ numpy.abs(rounded[name == "tanh"])
        # A sum of bytes is exact, then rounded three times; sigmoid and tanh have errors of their own.
        bound = 2.0**-22 * numpy.abs(array) + 1e-12 * magnitudes if name == "plain" else 1e-5 * (magnitudes + 0.1)
        for result in results:
            far = numpy.abs(result[name] - array) - bound
            assert far.max() <= 0, f"{x.shape} {name}: {far.max()} beyond the bound"
    bound = numpy.abs(wide).sum(-1, keepdims=True) * numpy.abs(weights[0].astype(numpy.float64)).max(axis=0) / 254
    bound += numpy.abs(rounded[0]).sum(axis=0) * scale / 2 + 1e-5 * (numpy.abs(wide) @ numpy.abs(weights[0]))
    used = (numpy.abs(results[0]["plain"] - wide @ weights[0]) / numpy.maximum(bound, 1e-300)).max()
    assert used <= 1, f"{x.shape}: {used} times the stated bound"
    return used


def main():
    work = pathlib.Path(sys.argv[1])
    work.mkdir(parents=True, exist_ok=True)
    random, count, used = numpy.random.default_rng(5), 0, 0
    for depth, columns in SIZES:
        weights, bias = [normal(random, depth, columns) for _ in range(2)], random.normal(0, 1, columns).astype(numpy.float32)
        weights[0][:, -1] = 0  # a column of which the greatest is 0
        save(work / "model.onnx", weights, bias)
        artifacts = []
        for machine in machines(every=True):
            artifacts.append(work / f"{machine}.weft")
            run("weft", "compile", "--quiet", work / "model.onnx", "--precision=int8", f"--mcpu={machine}", "-o", artifacts[-1])
        for batch, length in ROWS:
            used = max(used, check_case(work, artifacts, rows(random, batch, length, depth), weights, bias))
            count += 1
    print(f"{count} cases agree on all machines, {used:.2f} of the bound at most")


if __name__ == "__main__":
    main()
