#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention alone, on one thread, against a loop of fused multiply-adds timed in the same process, run for run: what
part of the processor's peak it reaches. Packing of keys is in the time. A causal mask counts half of the products."""
import argparse
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

MODULE = """
func.func @main(%q: {query} {{weft.name = "q"}}, %k: {key} {{weft.name = "k"}}, %v: {key} {{weft.name = "v"}})
    -> ({query} {{weft.name = "y"}}) {{
  %y = weft.attention %q, %k, %v scale({scale}) empty_rows(nan) {score} : ({query}, {key}, {key}) -> {query}
  return %y : {query}
}}
"""
CAUSAL = """score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %keep = arith.cmpi sle, %j, %i : index
    weft.yield %s, %keep : f32, i1
  }"""


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="the build folder")
    parser.add_argument("--mcpu", default="native")
    parser.add_argument("--runs", type=int, default=200, help="default: 200")
    parser.add_argument("--element", default="f32")
    parser.add_argument("--only", default="", help="cases whose names begin so")
    return parser.parse_args()


def make_cases(element):
    """name: (module, floating-point operations)"""
    cases = {}

    def add(name, heads, length, keys, width, groups=None, causal=False):
        query = f"tensor<1x{heads}x{length}x{width}x{element}>"
        key = f"tensor<1x{groups or heads}x{keys}x{width}x{element}>"
        module = MODULE.format(query=query, key=key, scale=width**-0.5, score=CAUSAL if causal else "")
        cases[name] = (module, 4.0 * heads * length * keys * width / (2 if causal else 1))

    for width in (64, 128):
        for length in (128, 512, 1024, 2048):
            add(f"full {width} {length}", 2, length, length, width)
    for width in (64, 128):
        for length in (512, 1024, 2048):
            add(f"causal {width} {length}", 2, length, length, width, causal=True)
    for width in (20, 80):
        for length in (128, 512, 1024):
            add(f"width {width} {length}", 2, length, length, width)
    add("cross 64 100 x 1000", 2, 100, 1000, 64)
    add("grouped 64 128 x 512", 8, 128, 512, 64, groups=2)
    for keys in (512, 4096):
        add(f"decode 64 {keys}", 8, 1, keys, 64)
        add(f"decode grouped 64 {keys}", 8, 1, keys, 64, groups=2)
    return cases


def main():
    options = parse()
    cases = {name: case for name, case in make_cases(options.element).items() if name.startswith(options.only)}
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        program = work / "attention"
        subprocess.run(["c++", "-O2", "-march=native", "-I", ROOT / "runtime/include", ROOT / "benchmarks/attention.cpp",
                        options.build / "lib/libweft_runtime.a", "-o", program], check=True)  # fmt: skip
        arguments = []
        for number, (module, flops) in enumerate(cases.values()):
            source, model = work / f"{number}.mlir", work / f"{number}.weft"
            source.write_text(module)
            subprocess.run([options.build / "bin/weft", "compile", "--quiet", f"--mcpu={options.mcpu}", source, "-o", model],
                           check=True)  # fmt: skip
            arguments += [model, str(flops)]
        output = subprocess.run([program, str(options.runs), *arguments], check=True, stdout=subprocess.PIPE, text=True)
    print(f"{'':28}{'GFLOP/s':>10}{'peak':>8}{'best/best':>11}{'medians':>9}")
    for name, line in zip(cases, output.stdout.splitlines()):
        best, middle, best_peak, middle_peak = map(float, line.split())
        print(f"{name:28}{middle:10.1f}{middle_peak:8.1f}{best / best_peak:11.1%}{middle / middle_peak:9.1%}")


if __name__ == "__main__":
    main()
