# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Models whose products are computed in bytes or bf16: results are those of the formula in docs/numerics.md, and within its bound.
"""usage: precision.py WORK; expects weft in PATH"""

import pathlib
import sys

import ml_dtypes
import numpy
from weights import evaluate, in_groups, normal, run, save, stored

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


def sums_of_groups(values, depth):
    """For each element the sum of its column's group of so many rows."""
    starts = numpy.arange(0, len(values), depth)
    return numpy.repeat(numpy.add.reduceat(values, starts), depth, axis=0)[: len(values)]


def rounded_weight(weight, kind):
    """The weight as products of this precision take it, in f64, and by how much at most each element is off."""
    if kind != "int4":
        return stored(weight, kind)
    column = numpy.maximum(numpy.abs(weight).max(axis=0) / numpy.float32(105), TINY)
    greatest = in_groups(weight, 8)
    first = numpy.clip(numpy.ceil(greatest / column / numpy.float32(7)), 1, 15)
    nearest = least = numpy.zeros(weight.shape)
    for less in range(15):  # in groups of 8 rows the factor that is nearest, of those that are off by no more than the first
        factor = numpy.maximum(first - numpy.float32(less), 1)
        numbers = numpy.clip(numpy.rint(weight / (factor * column)), -8, 7)
        rounded = numbers.astype(numpy.float64) * factor * column.astype(numpy.float64)
        off = rounded - weight
        off[numpy.abs(off) > first * (0.5 + 1e-6) * column.astype(numpy.float64)] = numpy.inf
        squares = sums_of_groups(off**2, 8)
        is_nearer = squares < least if less else numpy.bool_(True)
        nearest, least = numpy.where(is_nearer, rounded, nearest), numpy.where(is_nearer, squares, least)
    return nearest, greatest.astype(numpy.float64) / 14 + column.astype(numpy.float64) / 2


def used_of_bound(kind, x, weight, plain):
    """How much of the stated bound the results of a product with a weight use."""
    x, values = x.astype(numpy.float64), weight.astype(numpy.float64)
    magnitudes = numpy.abs(x) @ numpy.abs(values)
    if kind == "bf16":
        bound = (2.0**-7 + 2.0**-16) * magnitudes
    else:
        rounded, off = rounded_weight(weight, kind)
        bound = numpy.abs(x) @ off
        bound += numpy.abs(rounded).sum(axis=0) * quantized(x.astype(numpy.float32))[1] / 2
    return (numpy.abs(plain - x @ values) / numpy.maximum(bound + 1e-5 * magnitudes, 1e-300)).max()


def check_rows_not_finite(kind, x, weight, results):
    if kind != "bf16":
        assert all(numpy.isnan(array).all() for result in results for array in result.values()), "a number from NaN"
        return
    with numpy.errstate(invalid="ignore"):  # what infinities and NaNs come to, as of f32
        expected = x.astype(numpy.float64) @ stored(weight, kind)[0]
    assert all(numpy.array_equal(result["plain"], expected, equal_nan=True) for result in results), "another sum of an infinity"


def check_case(work, artifacts, kind, x, weights, bias):
    numpy.savez(work / "in.npz", x=x)
    results = []
    for artifact in artifacts:
        for threads in (1, 3):
            out = work / "out.npz"
            run("weft", "run", artifact, f"--inputs={work / 'in.npz'}", f"--outputs={out}", f"--threads={threads}", "--guard-arena")
            with numpy.load(out) as file:
                results.append({name: file[name] for name in file.files})
    for one, three in zip(results[::2], results[1::2]):
        assert all(numpy.array_equal(one[name], three[name], equal_nan=True) for name in one), "other bits with 3 threads"
        # Sums of bytes are integers, so only what an epilogue does with them may differ between machines.
        are_same = kind == "bf16" or numpy.array_equal(one["plain"], results[0]["plain"], equal_nan=True)
        assert are_same, "other bits on another machine"
    is_finite = numpy.isfinite(x).all(-1)
    strange = [{name: array[~is_finite] for name, array in result.items()} for result in results]
    check_rows_not_finite(kind, x[~is_finite], weights[0], strange)
    x, results = x[is_finite], [{name: array[is_finite] for name, array in result.items()} for result in results]
    rounded = [rounded_weight(weight, kind)[0] for weight in weights]
    near = quantized(x)[0] if kind != "bf16" else x.astype(ml_dtypes.bfloat16).astype(numpy.float64)
    for name, array in evaluate(near, rounded, bias).items():
        magnitudes = numpy.abs(near) @ numpy.abs(rounded[name == "tanh"])
        # A sum of bytes is exact, then rounded three times; sigmoid and tanh have errors of their own.
        is_exact = kind != "bf16" and name == "plain"
        bound = 2.0**-22 * numpy.abs(array) + 1e-12 * magnitudes if is_exact else 1e-5 * (magnitudes + 0.1)
        for result in results:
            far = numpy.abs(result[name] - array) - bound
            assert far.max() <= 0, f"{kind} {x.shape} {name}: {far.max()} beyond the bound"
    used = max(used_of_bound(kind, x, weights[0], result["plain"]) for result in results)
    assert used <= 1, f"{kind} {x.shape}: {used} times the stated bound"
    return used


def main():
    work = pathlib.Path(sys.argv[1])
    work.mkdir(parents=True, exist_ok=True)
    random, count, used = numpy.random.default_rng(5), 0, {"int8": 0, "int4": 0, "bf16": 0}
    for depth, columns in SIZES:
        weights, bias = [normal(random, depth, columns) for _ in range(2)], random.normal(0, 1, columns).astype(numpy.float32)
        weights[0][:, -1] = 0  # a column of which the greatest is 0
        save(work / "model.onnx", weights, bias)
        for kind in used:
            artifacts = []
            for machine in machines(every=True):
                artifacts.append(work / f"{kind}-{machine}.weft")
                run("weft", "compile", "--quiet", work / "model.onnx", f"--precision={kind}", f"--mcpu={machine}", "-o", artifacts[-1])
            for batch, length in ROWS:
                x = rows(random, batch, length, depth)
                used[kind] = max(used[kind], check_case(work, artifacts, kind, x, weights, bias))
                count += 1
    print(f"{count} cases agree on all machines;", ", ".join(f"{kind}: {part:.2f} of the bound at most" for kind, part in used.items()))


if __name__ == "__main__":
    main()
