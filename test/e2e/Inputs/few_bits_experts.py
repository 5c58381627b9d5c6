# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Models of com.microsoft.QMoE against the formula of its schema in f64, and what is refused.
"""usage: few_bits_experts.py WORK; expects weft in PATH"""

import dataclasses
import pathlib
import subprocess
import sys

import numpy
import onnx
from few_bits import MACHINES, pack
from onnx import helper, numpy_helper

ROWS = [1, 3, 40, 150]


@dataclasses.dataclass
class Form:
    """Sizes, how weights are stored, and what the node does with them."""

    experts: int = 4
    width: int = 64
    hidden: int = 32
    bits: int = 4
    block: int = 0  # one scale for each row
    zeros: bool = False
    bias: bool = False
    chosen: int = 2
    activation: str = "relu"
    router_weights: bool = False
    normalized: bool = False
    dtype: str = "float32"

    @property
    def first_rows(self):
        return self.hidden * (2 if self.activation == "swiglu" else 1)


# Rows that fill panels and do not; groups of one row, as large as a matrix is deep, and smaller.
FORMS = [
    Form(),
    Form(bits=8, bias=True, normalized=True),
    Form(bits=2, width=128, block=32, chosen=1),
    Form(width=128, hidden=64, block=16, zeros=True, activation="silu", bias=True),
    Form(width=96, hidden=80, bits=8, block=16, zeros=True, chosen=4),
    Form(zeros=True, activation="gelu", experts=7, chosen=3),
    Form(activation="swiglu", bias=True, block=32),
    Form(router_weights=True),
    Form(router_weights=True, normalized=True, bits=2),
    Form(width=256, hidden=128, block=128, dtype="float16", activation="identity"),
]
# What is changed of the first form's node or of its tensors, and what is said.
REFUSED = [
    ({"expert_weight_bits": 3}, {}, 'expects "expert_weight_bits" of 2, 4 or 8, got 3'),
    ({"block_size": 24}, {}, 'expects a "block_size" of at least 16 that divides 64, got 24'),
    ({"quant_type": "fp4"}, {}, 'expects a "quant_type" of int, got fp4'),
    ({"weights_prepacked": 1}, {}, "expects weights that are not prepacked"),
    ({}, {"fc1_scales": None}, "expects fc1_scales, which are left out"),
    ({}, {"fc2_scales": numpy.ones((4, 63), numpy.float32)}, "expects fc2_scales for each row of 4 x 64 x 16 x ui8, got 4 x 63 x f32"),
    ({}, {"fc1_zeros": numpy.ones((4, 32), numpy.uint8)}, "expects fc1_zero_points of 4 x 16 x ui8, got 4 x 32 x ui8"),
    ({}, {"fc1": numpy.ones((4, 32, 32), numpy.int8)}, "expects fc1_experts_weights of bytes and of three known dims, got 4 x 32 x 32 x i8"),
    ({}, {"fc3": numpy.ones((4, 32, 32), numpy.uint8)}, "expects no fc3_experts_weights"),
]  # fmt: skip


def draw_layer(random, form, name, rows, depth, tensors):
    """Adds what the file has of a layer; the weights [experts, rows, depth] that it stands for, and the bias."""
    groups = depth // form.block if form.block else 1
    numbers = random.integers(0, 1 << form.bits, (form.experts, rows, depth))
    scales = random.uniform(0.001, 0.02, (form.experts, rows, groups)).astype(form.dtype)
    zeros = numpy.full(scales.shape, 1 << (form.bits - 1))
    tensors[name] = pack(numbers, form.bits)
    tensors[f"{name}_scales"] = scales if form.block else scales[..., 0]
    if form.zeros:
        zeros = random.integers(0, 1 << form.bits, scales.shape)
        tensors[f"{name}_zeros"] = pack(zeros if form.block else zeros[..., 0], form.bits)
    bias = numpy.zeros((form.experts, rows))
    if form.bias:
        bias = tensors[f"{name}_bias"] = random.normal(0, 1, bias.shape).astype(form.dtype)
    spread = lambda x: numpy.repeat(x.astype(float), depth // groups, axis=2)
    return (numbers - spread(zeros)) * spread(scales), bias.astype(float)


def save(path, form, tensors, **attributes):
    """A model of one node. Tensors that are none are left out."""
    tensors = {name: value for name, value in tensors.items() if value is not None}
    names = ["x", "router", "fc1", "fc1_scales", "fc1_bias", "fc2", "fc2_scales", "fc2_bias", "fc3", "", "", "fc1_zeros", "fc2_zeros", ""]
    inputs = [name if name in tensors or name in ("x", "router") else "" for name in names]
    if form.router_weights:
        inputs.append("router_weights")
    attributes = {"k": form.chosen, "activation_type": form.activation, "expert_weight_bits": form.bits,
                  "normalize_routing_weights": int(form.normalized), "block_size": form.block, **attributes}  # fmt: skip
    if form.activation == "swiglu":
        attributes.update(swiglu_fusion=1, activation_alpha=1.702, activation_beta=1.0, swiglu_limit=0.5)
    node = helper.make_node("QMoE", inputs, ["y"], name="experts", domain="com.microsoft", **attributes)
    element = helper.np_dtype_to_tensor_dtype(numpy.dtype(form.dtype))
    declare = lambda name, columns: helper.make_tensor_value_info(name, element, ["rows", columns])
    declared = [declare("x", form.width), declare("router", form.experts)]
    if form.router_weights:
        declared.append(declare("router_weights", form.experts))
    constants = [numpy_helper.from_array(array, name) for name, array in tensors.items()]
    graph = helper.make_graph([node], "experts", declared, [declare("y", form.width)], constants)
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=10), path)


def activate(form, x):
    if form.activation == "swiglu":
        gate, linear = numpy.minimum(x[0::2], 0.5), numpy.clip(x[1::2], -0.5, 0.5)
        return gate / (1 + numpy.exp(-1.702 * gate)) * (linear + 1)
    functions = {"relu": lambda x: numpy.maximum(x, 0), "silu": lambda x: x / (1 + numpy.exp(-x)), "identity": lambda x: x,
                 "gelu": lambda x: x * 0.5 * (1 + numpy.tanh(0.7978845608028654 * (x + 0.044715 * x**3)))}  # fmt: skip
    return functions[form.activation](x)


def mix(form, layers, inputs):
    (first, first_bias), (second, second_bias) = layers
    result = numpy.zeros(inputs["x"].shape)
    for i, (row, scores) in enumerate(zip(inputs["x"].astype(float), inputs["router"].astype(float))):
        best = numpy.argsort(-scores)[: form.chosen]
        shares = numpy.exp(scores[best]) / numpy.exp(scores[best]).sum()
        if form.router_weights:
            shares = inputs["router_weights"][i, best].astype(float)
            shares = shares / (shares.sum() if form.normalized else 1)
        for expert, share in zip(best, shares):
            inner = activate(form, first[expert] @ row + first_bias[expert])
            result[i] += share * (second[expert] @ inner + second_bias[expert])
    return result


def run(*command):
    """The exit code and everything printed."""
    done = subprocess.run(["weft", *map(str, command)], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def check(work, number, form):
    random = numpy.random.default_rng(number)
    tensors, model, artifact = {}, work / f"{number}.onnx", work / f"{number}.weft"
    layers = [draw_layer(random, form, "fc1", form.first_rows, form.width, tensors),
              draw_layer(random, form, "fc2", form.width, form.hidden, tensors)]  # fmt: skip
    save(model, form, tensors)
    cases = 0
    for machine in MACHINES if number in (0, 3) else MACHINES[:1]:
        levels = work / f"levels-{number}"
        code, text = run("compile", "--quiet", f"--mcpu={machine}", f"--dump-levels={levels}", model, "-o", artifact)
        if code:
            raise SystemExit(f"{form}: {text}")
        if (levels / "graph.mlir").read_text(encoding="utf-8").count("weft.routed_matmul") != 2:
            raise SystemExit(f"{form}: weights are copied")
        for rows in ROWS:
            inputs = {"x": random.normal(0, 1, (rows, form.width)).astype(form.dtype), "router": random.normal(0, 1, (rows, form.experts)).astype(form.dtype)}
            if form.router_weights:
                inputs["router_weights"] = random.random((rows, form.experts)).astype(form.dtype)
            numpy.savez(work / "in.npz", **inputs)
            numpy.savez(work / "ref.npz", y=mix(form, layers, inputs).astype(form.dtype))
            tolerance = ["--rtol=1e-2", "--atol=1e-2"] if form.dtype == "float16" else ["--rtol=1e-4", "--atol=1e-4"]
            for words in ([artifact, "--threads=1"], [artifact, "--threads=3"], *([["--evaluate", model]] if rows == ROWS[1] else [])):
                code, text = run("run", *words, "--inputs", work / "in.npz", "--expect", work / "ref.npz", *tolerance)
                if code:
                    raise SystemExit(f"{form}, {rows} rows, {machine}: {text}")
                cases += 1
    return cases


def check_refused(work):
    form, random = FORMS[0], numpy.random.default_rng(0)
    for attributes, changes, expected in REFUSED:
        tensors = {}
        draw_layer(random, form, "fc1", form.first_rows, form.width, tensors)
        draw_layer(random, form, "fc2", form.width, form.hidden, tensors)
        save(work / "refused.onnx", form, {**tensors, **changes}, **attributes)
        code, text = run("check", work / "refused.onnx")
        if not code or 'node "experts"' not in text or expected not in text:
            raise SystemExit(f"{attributes} {list(changes)}: exit {code}\n{text}\nexpected: {expected}")


def main():
    work = pathlib.Path(sys.argv[1])
    work.mkdir(parents=True, exist_ok=True)
    cases = sum(check(work, number, form) for number, form in enumerate(FORMS))
    check_refused(work)
    print(f"{cases} cases agree, {len(REFUSED)} are refused")


if __name__ == "__main__":
    main()
