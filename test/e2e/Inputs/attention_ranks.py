# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Nodes of com.microsoft and RotaryEmbedding of which one input has a rank that depends on data, or a dim too many or too few: each is
# compiled, or refused with a diagnostic, never a crash.
"""usage: attention_ranks.py WORK; expects weft in PATH"""

import pathlib
import re
import subprocess
import sys

import onnx
from onnx import TensorProto, helper

F32, I32, I64 = TensorProto.FLOAT, TensorProto.INT32, TensorProto.INT64
HEADS = {"num_heads": 4}
KEYS = [("past_key", F32, ["b", 4, "p", 8]), ("past_value", F32, ["b", 4, "p", 8])]
ROWS = [("x", F32, ["b", "s", 8]), ("skip", F32, ["b", "s", 8]), ("scale", F32, [8])]
# Operator, inputs, attributes, outputs.
NODES = [
    ("GroupQueryAttention", [("q", F32, ["b", "s", 32]), ("k", F32, ["b", "s", 16]), ("v", F32, ["b", "s", 16]), ("pk", F32, ["b", 2, "p", 8]),
                             ("pv", F32, ["b", 2, "p", 8]), ("last", I32, ["b"]), ("total", I32, []), ("cos", F32, [9, 4]), ("sin", F32, [9, 4]),
                             ("ids", I64, ["b", "s"]), ("bias", F32, ["b", 1, "s", "t"])], {**HEADS, "kv_num_heads": 2, "do_rotary": 1}, 3),
    ("MultiHeadAttention", [("q", F32, ["b", "s", 32]), ("k", F32, ["b", "t", 32]), ("v", F32, ["b", "t", 32]), ("bias", F32, [96]),
                            ("mask", I32, ["b", "t"]), ("added", F32, [1, 4, "s", "t"]), *KEYS], HEADS, 3),
    ("Attention", [("x", F32, ["b", "s", 12]), ("w", F32, [12, 96]), ("bias", F32, [96]), ("mask", I32, ["b", "t"]), ("past", F32, [2, "b", 4, "p", 8]),
                   ("added", F32, [1, 4, "s", "t"])], HEADS, 2),
    ("RotaryEmbedding", [("x", F32, ["b", 4, "s", 8]), ("ids", I64, ["b", "s"]), ("cos", F32, [9, 4]), ("sin", F32, [9, 4])], {}, 1),
    ("ai.onnx.RotaryEmbedding", [("x", F32, ["b", 4, "s", 8]), ("cos", F32, [9, 4]), ("sin", F32, [9, 4]), ("ids", I64, ["b", "s"])], {}, 1),
    ("SkipLayerNormalization", ROWS, {}, 1),
    ("SkipSimplifiedLayerNormalization", ROWS, {}, 1),
    ("EmbedLayerNormalization", [("ids", I32, ["b", "s"]), ("segments", I32, ["b", "s"]), ("words", F32, [9, 8]), ("places", F32, [9, 8]),
                                 ("kinds", F32, [2, 8]), ("scale", F32, [8]), ("shift", F32, [8]), ("mask", I32, ["b", "s"])], {}, 1),
    ("FusedMatMul", [("a", F32, ["b", "s", 8]), ("b", F32, ["b", "t", 8])], {"transB": 1}, 1),
    ("BiasGelu", [("x", F32, ["s", 8]), ("bias", F32, [8])], {}, 1),
]  # fmt: skip


def make_model(node, changed, how):
    operator, inputs, attributes, outputs = node
    contrib = {} if operator.startswith("ai.onnx.") else {"domain": "com.microsoft"}
    declared, names, nodes = [], [], []
    for index, (name, kind, dims) in enumerate(inputs):
        if index == changed and how == "more":
            dims = [*dims, 3]
        if index == changed and how == "fewer":
            dims = dims[:-1]
        declared.append(helper.make_tensor_value_info(name, kind, dims))
        names.append(name)
        if index == changed and how == "unknown":
            declared.append(helper.make_tensor_value_info("shape", I64, ["rank"]))
            nodes.append(helper.make_node("Reshape", [name, "shape"], ["reshaped"]))
            names[-1] = "reshaped"
    results = [f"y{i}" for i in range(outputs)]
    nodes.append(helper.make_node(operator.removeprefix("ai.onnx."), names, results, name="tested", **attributes, **contrib))
    graph = helper.make_graph(nodes, "g", declared, [helper.make_tensor_value_info(name, F32, None) for name in results])
    opsets = [helper.make_opsetid("", 23), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def main(work):
    work.mkdir(exist_ok=True)
    count = problems = 0
    for node in NODES:
        for changed in range(len(node[1])):
            for how in ("unknown", "more", "fewer"):
                if how == "fewer" and not node[1][changed][2]:
                    continue
                onnx.save(make_model(node, changed, how), work / "model.onnx")
                command = ["weft", "compile", "--quiet", str(work / "model.onnx"), "-o", str(work / "model.weft")]
                done = subprocess.run(command, capture_output=True, text=True)
                count += 1
                is_refused = done.returncode == 1 and re.search(r"node .*\[weft-\d{4}\]", done.stderr)
                if not is_refused and done.returncode != 0:
                    problems += 1
                    print(f"{node[0]}, {node[1][changed][0]}, {how}: exit code {done.returncode}: {done.stderr}")
    print(f"{count} models, {problems} problems")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
