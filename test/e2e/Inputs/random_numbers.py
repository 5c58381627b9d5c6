# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Random operators: what their numbers are like, and that a model has the same ones in every run.
import pathlib
import subprocess
import sys

import numpy
import onnx.parser

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
MODEL = """
<ir_version: 8, opset_import: ["" : 22]>
random (float[n, m] x, float16[n, m] h, double[n, m] p) => (float[a, b] uniform, float[a, b] other, float16[a, b] half, double[a, b] wide,
        float[a, b] seeded, float[a, b] again, float[a, b] normal, float16[a, b] shifted, bool[a, b] coins, double[a, b] kept, float[c, d] fixed, double[c, d] bell) {
  uniform = RandomUniformLike (x)
  other = RandomUniformLike (x)
  half = RandomUniformLike <low = -3.0, high = 5.0> (h)
  wide = RandomUniformLike <dtype = 11, low = 2.0, high = 2.5> (x)
  seeded = RandomUniformLike <seed = 7.0> (x)
  again = RandomUniformLike <seed = 7.0> (x)
  normal = RandomNormalLike (x)
  shifted = RandomNormalLike <mean = 4.0, scale = 0.25> (h)
  coins = Bernoulli <dtype = 9> (p)
  kept = Bernoulli <seed = 1.0> (p)
  fixed = RandomUniform <shape = [70, 30], seed = 3.0> ()
  bell = RandomNormal <shape = [70, 30], dtype = 11> ()
}
"""
onnx.save(onnx.parser.parse_model(MODEL), folder / "random.onnx")


def run(size, *flags):
    n, m = size
    chance = numpy.tile(numpy.linspace(0, 1, m), (n, 1))
    numpy.savez(folder / "in.npz", x=numpy.zeros(size, numpy.float32), h=numpy.zeros(size, numpy.float16), p=chance)
    files = [f"--inputs={folder / 'in.npz'}", f"--outputs={folder / 'out.npz'}"]
    subprocess.run(["weft", "run", folder / "random.onnx", *files, *flags], check=True)
    with numpy.load(folder / "out.npz") as outputs:
        return dict(outputs), chance


problems = []


def expect(holds, text):
    if not holds:
        problems.append(text)


def expect_distributed(name, values, cdf):
    """Kolmogorov and Smirnov's test: a right generator fails it once in 10^5 times, and these numbers stay the same."""
    places = numpy.sort(values.astype(numpy.float64).ravel())
    expected, count = cdf(places), places.size
    distance = max((numpy.arange(1, count + 1) / count - expected).max(), (expected - numpy.arange(count) / count).max())
    expect(distance < 2.5 / count**0.5, f"{name}: {distance} from its distribution")


def expect_apart(name, a, b):
    """Neither numbers next to each other nor those of two nodes know of each other."""
    r = numpy.corrcoef(a.astype(numpy.float64).ravel(), b.astype(numpy.float64).ravel())[0, 1]
    expect(abs(r) < 4.5 / a.size**0.5, f"{name}: correlated by {r}")


def normal_cdf(x):
    # Abramowitz and Stegun, 7.1.26: within 1.5e-7.
    t, z = 1 / (1 + 0.3275911 * abs(x) / 2**0.5), abs(x) / 2**0.5
    tail = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429)))) * numpy.exp(-z * z)
    return numpy.where(x < 0, tail, 2 - tail) / 2


for size in ((200, 150), (7, 33), (1, 1), (0, 5)):
    first, chance = run(size, "--threads=1")
    for flags in (("--threads=2",), ("--evaluate",)):
        second, _ = run(size, *flags)
        for name, values in first.items():
            # The evaluator's sines and logarithms are those of C, and f16 may be rounded to either neighbour.
            tolerance = 1e-3 if values.dtype == numpy.float16 else 1e-6
            close = numpy.allclose(values, second[name], tolerance, tolerance) if "evaluate" in flags[0] else numpy.array_equal(values, second[name])
            expect(close, f"{name} {size}: not the same with {flags[0]}")
    expect(numpy.array_equal(first["seeded"], first["again"]), f"{size}: one seed, other numbers")
    for name, low, high in (("uniform", 0, 1), ("half", -3, 5), ("wide", 2, 2.5), ("fixed", 0, 1)):
        values = first[name]
        expect(((values >= low) & (values < high)).all(), f"{name} {size}: outside of its bounds")
    expect(not first["coins"][:, 0].any() and (size[1] < 2 or first["coins"][:, -1].all()), f"{size}: what is certain is not")
    if size[0] < 100:
        continue
    for name, low, high in (("uniform", 0, 1), ("other", 0, 1), ("seeded", 0, 1), ("wide", 2, 2.5), ("fixed", 0, 1)):
        expect_distributed(name, first[name], lambda x, low=low, high=high: (x - low) / (high - low))
    expect_distributed("normal", first["normal"], normal_cdf)
    expect_distributed("bell", first["bell"], normal_cdf)
    half, shifted = first["half"].astype(float), first["shifted"].astype(float)
    expect(abs(half.mean() - 1) < 0.06 and abs(half.std() - 8 / 12**0.5) < 0.06, f"half: {half.mean()} and {half.std()}")
    expect(abs(shifted.mean() - 4) < 0.01 and abs(shifted.std() - 0.25) < 0.01, f"shifted: {shifted.mean()} and {shifted.std()}")
    expect(abs(first["coins"].mean(0) - chance[0]).max() < 0.17 and abs(first["coins"].mean() - 0.5) < 0.015, "coins: not of their chances")
    expect(set(numpy.unique(first["kept"])) == {0, 1}, "kept: more than 0 and 1")
    for name in ("uniform", "normal"):
        rows = first[name]
        expect_apart(f"{name} beside each other", rows[:, 1:], rows[:, :-1])
        expect_apart(f"{name} above each other", rows[1:], rows[:-1])
    expect_apart("two nodes", first["uniform"], first["other"])
    expect_apart("with a seed and without", first["uniform"], first["seeded"])
    expect_apart("uniform and normal", first["uniform"], first["normal"])
print("\n".join(problems))
print(f"{len(problems)} problems")
