#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention in f16 whose rows may be masked everywhere, compiled and in the evaluator, against numbers of this file:

    masked_rows_half.py SCRATCH

Every operation's result is rounded to f16, as the operators' definitions say.
"""
import os
import subprocess
import sys

import numpy
import onnx
from onnx import TensorProto, helper

LEAST = numpy.finfo(numpy.float16).min
NOTHING = -numpy.inf
# (batch, rows, columns)
SIZES = [(2, 5, 7), (3, 1, 1), (1, 67, 250)]
SHAPES = {"query": [2, "rows", 8], "key": [2, "columns", 8], "value": [2, "columns", 5], "mask": [1, "rows", "columns"]}
# Each style's mask: added to the scores, or in their place.
STYLES = {"infinity": ("Add", NOTHING), "least": ("Add", LEAST), "ten_thousand": ("Add", -10000.0),
          "infinity_filled": ("Where", NOTHING), "least_filled": ("Where", LEAST)}


def make_model():
    """An output for each style; each has a scale of its own, so that no product is shared."""
    nodes, constants = [], []

    def add(operator, *inputs, **attributes):
        name = f"{operator}_{len(nodes)}"
        nodes.append(helper.make_node(operator, list(inputs), [name], name=name, **attributes))
        return name

    def number(value):
        name = f"number_{len(constants)}"
        constants.append(helper.make_tensor(name, TensorProto.FLOAT16, [], numpy.array([value], numpy.float16)))
        return name

    transposed = add("Transpose", "key", perm=[0, 1, 3, 2])
    for place, (style, (operator, value)) in enumerate(STYLES.items()):
        scores = add("MatMul", add("Mul", "query", number(scale_of(place))), transposed)
        if operator == "Add":
            scores = add("Add", scores, add("Where", "mask", number(0.0), number(value)))
        else:
            scores = add("Where", "mask", scores, number(value))
        weights = add("Softmax", scores, axis=-1)
        nodes.append(helper.make_node("MatMul", [weights, "value"], [style], name=style))
    kinds = {"mask": TensorProto.BOOL}
    inputs = [helper.make_tensor_value_info(name, kinds.get(name, TensorProto.FLOAT16), ["batch", *shape])
              for name, shape in SHAPES.items()]
    outputs = [helper.make_tensor_value_info(style, TensorProto.FLOAT16, ["batch", 2, "rows", 5]) for style in STYLES]
    graph = helper.make_graph(nodes, "masked_rows_half", inputs, outputs, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model, full_check=True)
    return model


def scale_of(place):
    return 0.125 * (2 + place)


def half(array):
    return array.astype(numpy.float16).astype(numpy.float64)


def expected(inputs):
    query, key, value = (half(inputs[name]) for name in ("query", "key", "value"))
    results = {}
    for place, (style, (operator, number)) in enumerate(STYLES.items()):
        scores = half(half(query * scale_of(place)) @ key.transpose(0, 1, 3, 2))
        if operator == "Add":
            scores = half(scores + numpy.where(inputs["mask"], 0, number))
        else:
            scores = numpy.where(inputs["mask"], scores, number)
        powers = numpy.exp(scores - scores.max(-1, keepdims=True))
        results[style] = (half(powers / powers.sum(-1, keepdims=True)) @ value).astype(numpy.float16)
    return results


def draw(random, batch, rows, columns, kind):
    """Scores so coarse that f16 holds them exactly. One row is masked everywhere, or all are."""
    sizes = {"rows": rows, "columns": columns}
    inputs = {name: random.integers(-3, 4, [batch, *(sizes.get(dim, dim) for dim in shape)]).astype(numpy.float16) / 4
              for name, shape in SHAPES.items()}
    mask = inputs["mask"] > 0
    mask[..., 0] = True
    mask[0, 0, rows // 2] = False
    inputs["mask"] = mask & (kind != "all")
    return inputs


def weft(*arguments):
    done = subprocess.run(["weft", *arguments], capture_output=True, text=True, timeout=60, check=False)
    return f"weft {' '.join(arguments)}\nended with {done.returncode}: {done.stderr.strip()}" if done.returncode else ""


def main(scratch):
    os.makedirs(scratch, exist_ok=True)
    path, artifact = os.path.join(scratch, "half.onnx"), os.path.join(scratch, "half.weft")
    onnx.save(make_model(), path)
    problems = [weft("compile", "--quiet", path, "-o", artifact)]
    random = numpy.random.default_rng(7)
    cases = [(*sizes, kind) for sizes in SIZES for kind in ("row", "all")]
    for case in cases:
        inputs = draw(random, *case)
        names = [os.path.join(scratch, name) for name in ("in.npz", "ref.npz")]
        numpy.savez(names[0], **inputs)
        with numpy.errstate(invalid="ignore"):
            numpy.savez(names[1], **expected(inputs))
        compare = [f"--inputs={names[0]}", f"--expect={names[1]}", "--atol=2e-3", "--rtol=2e-3"]
        problems += [weft("run", artifact, *compare), weft("run", "--evaluate", path, *compare)]
    problems = [problem for problem in problems if problem]
    print("\n".join(problems + [f"{len(cases)} cases, {len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
