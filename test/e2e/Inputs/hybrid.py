# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A layer of linear attention with com.microsoft's operators, against its formulas in f64.
"""usage: hybrid.py WORK; expects weft in PATH"""

import pathlib
import subprocess
import sys

import numpy
import onnx
from onnx import helper, numpy_helper

HIDDEN, QUERY_HEADS, HEADS, WIDTH, VALUE_WIDTH, TAPS = 24, 2, 4, 16, 12, 4
QUERIES, VALUES = QUERY_HEADS * WIDTH, HEADS * VALUE_WIDTH
CHANNELS = 2 * QUERIES + VALUES  # of queries, keys and values, one behind the other
EPSILON = 1e-6
# How long the parts of a prompt are, and the batch.
PROMPTS = [(2, [7]), (2, [4, 2, 1]), (1, [1] * 7), (3, [5])]
MACHINE = "x86-64-v3"


def make_weights(random):
    def normal(*shape):
        return random.normal(0, shape[0] ** -0.5, shape).astype(numpy.float32)

    return {
        "to_qkv": normal(HIDDEN, CHANNELS), "to_a": normal(HIDDEN, HEADS), "to_b": normal(HIDDEN, HEADS),
        "to_z": normal(HIDDEN, VALUES), "out": normal(VALUES, HIDDEN), "conv": normal(CHANNELS, 1, TAPS),
        "dt_bias": normal(HEADS), "decay_scale": -abs(normal(HEADS)), "norm": 1 + normal(VALUE_WIDTH),
    }  # fmt: skip


def save_model(path, weights):
    def contrib(operator, inputs, outputs, **attributes):
        return helper.make_node(operator, inputs, outputs, domain="com.microsoft", **attributes)

    def unit_rows(name):
        """Rows of a head have length 1: what queries and keys have to be."""
        return [
            helper.make_node("Reshape", [name, "by_head"], [f"{name}_heads"]),
            helper.make_node("LpNormalization", [f"{name}_heads"], [f"{name}_unit"], axis=-1, p=2),
            helper.make_node("Reshape", [f"{name}_unit", "by_row"], [f"{name}_rows"]),
        ]

    nodes = [helper.make_node("MatMul", ["x", weight], [weight[3:]]) for weight in ("to_qkv", "to_a", "to_b", "to_z")]
    nodes += [
        contrib("CausalConvWithState", ["qkv", "conv", "", "conv_state"], ["mixed", "next_conv_state"], activation="silu", channels_last=1),
        helper.make_node("Split", ["mixed", "parts"], ["q", "k", "v"], axis=-1),
        *unit_rows("q"),
        *unit_rows("k"),
        contrib("LinearAttentionGate", ["a", "dt_bias", "decay_scale", "b"], ["decay", "beta"]),
        contrib("LinearAttention", ["q_rows", "k_rows", "v", "state", "decay", "beta"], ["attended", "next_state"],
                q_num_heads=QUERY_HEADS, kv_num_heads=HEADS),
        contrib("GatedRMSNorm", ["attended", "norm", "z"], ["normed"], epsilon=EPSILON),
        helper.make_node("MatMul", ["normed", "out"], ["y"]),
    ]  # fmt: skip
    constants = weights | {
        "parts": numpy.array([QUERIES, QUERIES, VALUES]), "by_head": numpy.array([0, 0, QUERY_HEADS, WIDTH]),
        "by_row": numpy.array([0, 0, QUERIES]),
    }  # fmt: skip

    def declare(name, *dims):
        return helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, dims)

    inputs = [declare("x", "n", "t", HIDDEN), declare("conv_state", "n", TAPS - 1, CHANNELS), declare("state", "n", HEADS, WIDTH, VALUE_WIDTH)]
    outputs = [declare("y", "n", "t", HIDDEN), declare("next_conv_state", None, None, None), declare("next_state", None, None, None, None)]
    tensors = [numpy_helper.from_array(value, name) for name, value in constants.items()]
    graph = helper.make_graph(nodes, "hybrid", inputs, outputs, tensors)
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=10), path)


def sigmoid(x):
    return 1 / (1 + numpy.exp(-x))


def expect(weights, x, conv_state, state):
    """The formulas, one position after the other."""
    w = {name: value.astype(numpy.float64) for name, value in weights.items()}
    batch, length, _ = x.shape
    whole, rows = numpy.concatenate([conv_state, x @ w["to_qkv"]], 1), []
    for t in range(length):
        mixed = numpy.einsum("nkc,ck->nc", whole[:, t : t + TAPS], w["conv"][:, 0])
        mixed = mixed * sigmoid(mixed)
        q, k = (part.reshape(batch, QUERY_HEADS, WIDTH) for part in (mixed[:, :QUERIES], mixed[:, QUERIES : 2 * QUERIES]))
        q, k = (numpy.repeat(part / numpy.linalg.norm(part, axis=-1, keepdims=True), HEADS // QUERY_HEADS, 1) for part in (q, k))
        v = mixed[:, 2 * QUERIES :].reshape(batch, HEADS, VALUE_WIDTH)
        decay = numpy.exp(w["decay_scale"] * numpy.logaddexp(0, x[:, t] @ w["to_a"] + w["dt_bias"]))
        state = state * decay[:, :, None, None]
        update = sigmoid(x[:, t] @ w["to_b"])[..., None] * (v - numpy.einsum("nhkv,nhk->nhv", state, k))
        state = state + k[..., None] * update[:, :, None]
        y = numpy.einsum("nhkv,nhk->nhv", state, q) * WIDTH**-0.5
        y = y / numpy.sqrt((y * y).mean(-1, keepdims=True) + EPSILON) * w["norm"]
        z = x[:, t] @ w["to_z"]
        rows.append((y.reshape(batch, VALUES) * z * sigmoid(z)) @ w["out"])
    return numpy.stack(rows, 1), whole[:, length:], state


def main():
    work = pathlib.Path(sys.argv[1])
    work.mkdir(parents=True, exist_ok=True)
    random = numpy.random.default_rng(0)
    weights = make_weights(random)
    model, artifact, given, results = (work / name for name in ("hybrid.onnx", "hybrid.weft", "in.npz", "out.npz"))
    save_model(model, weights)
    subprocess.run(["weft", "compile", "--quiet", f"--mcpu={MACHINE}", model, "-o", artifact], check=True)
    runs = problems = 0
    for batch, parts in PROMPTS:
        states = {"conv_state": random.normal(0, 1, (batch, TAPS - 1, CHANNELS)), "state": random.normal(0, 1, (batch, HEADS, WIDTH, VALUE_WIDTH))}
        exact = tuple(states.values())
        for length in parts:
            x = random.normal(0, 1, (batch, length, HIDDEN))
            numpy.savez(given, **{name: value.astype(numpy.float32) for name, value in ({"x": x} | states).items()})
            subprocess.run(["weft", "run", artifact, f"--inputs={given}", f"--outputs={results}"], check=True, stdout=subprocess.DEVNULL)
            got = dict(numpy.load(results))
            expected, *exact = expect(weights, x, *exact)
            runs += 1
            for name, value in zip(("y", "next_conv_state", "next_state"), (expected, *exact)):
                if got[name].shape != value.shape or not numpy.allclose(got[name], value, rtol=1e-4, atol=1e-4):
                    problems += 1
                    print(f"{name} of {length} of {parts} differs")
            states = {"conv_state": got["next_conv_state"], "state": got["next_state"]}
    print(f"{runs} runs, {problems} problems")


if __name__ == "__main__":
    main()
