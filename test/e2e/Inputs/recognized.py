# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the graph of a compiled model is made of.
"""usage: recognized.py WORK; expects weft in PATH"""

import pathlib
import subprocess
import sys

import ml_dtypes
import numpy
import onnx.parser
from onnx import helper, numpy_helper

HEADER = '<ir_version: 10, opset_import: ["" : 25, "ai.onnx.preview" : 1]>'


def operations(path, model):
    """The names of the operations of the model's graph level."""
    onnx.save(model, path)
    done = subprocess.run(["weft", "compile", path, "--to=graph"], capture_output=True, text=True, check=True)
    names = [word for line in done.stdout.splitlines() for word in line.split() if word.startswith("weft.")]
    return names, done.stdout


def attention(work, title, heads, body):
    """Of FlexAttention with `heads` heads over two, whose scores a body changes."""
    text = f"""{HEADER} g (float[b,{heads},l,16] q, float[b,2,s,16] k, float[b,2,s,16] v) => (float[b,{heads},l,16] y) {{
        y = ai.onnx.preview.FlexAttention <score_mod: graph = change (float[b,h,l,s] x) => (float[b,h,l,s] z) {{ {body} }}> (q, k, v) }}"""
    names, _ = operations(work / "flex.onnx", onnx.parser.parse_model(text))
    fused = names.count("weft.attention") == 1 and not {"weft.softmax", "weft.matmul"} & set(names)
    print(f"{title}: {'attention' if fused else names}")


def weights(work, title, kind, scales, **attributes):
    """Of a product with a constant matrix [96, 40] that DequantizeLinear reads."""
    nodes = [helper.make_node("DequantizeLinear", ["w", "s"], ["m"], **attributes)]
    transposed = scales[0] == 40 and len(scales) == 2
    if transposed:
        nodes.append(helper.make_node("Transpose", ["m"], ["t"], perm=[1, 0]))
    nodes.append(helper.make_node("MatMul", ["x", "t" if transposed else "m"], ["y"]))
    numbers = numpy.arange(96 * 40) % 4
    shape = (40, 96) if transposed else (96, 40)
    constants = {"w": numbers.reshape(shape).astype(numpy.int8).astype(kind),
                 "s": numpy.arange(1, 1 + numpy.prod(scales)).reshape(scales).astype(numpy.float32)}  # fmt: skip
    inputs = [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, ["n", 96])]
    outputs = [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, ["n", 40])]
    held = [numpy_helper.from_array(value, name) for name, value in constants.items()]
    graph = helper.make_graph(nodes, "weights", inputs, outputs, held)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 25)], ir_version=10)
    names, text = operations(work / "weights.onnx", model)
    grouped = "weft.weight_groups" in text and "weft.dequantize" not in names and names.count("weft.matmul") == 1
    print(f"{title}: {'matmul with groups' if grouped else names}")


def main():
    work = pathlib.Path(sys.argv[1])
    work.mkdir(parents=True, exist_ok=True)
    attention(work, "scores as they are", 2, "z = Identity (x)")
    attention(work, "scores capped", 2, "c = Constant <value_float: float = 20.0> () d = Div (x, c) t = Tanh (d) z = Mul (t, c)")
    masked = """shape = Shape <start: int = 2> (x) ones = ConstantOfShape <value: tensor = int64[1] {1}> (shape)
        hidden = Constant <value_float: float = -1e9> () seen = Cast <to: int = 9> (ones) low = Trilu <upper: int = 0> (seen)
        z = Where (low, x, hidden)"""
    attention(work, "scores masked", 2, masked)
    attention(work, "shared heads", 6, "z = Identity (x)")
    weights(work, "int4 in blocks of columns", ml_dtypes.int4, (3, 40), axis=0, block_size=32)
    weights(work, "int4 in blocks of rows", ml_dtypes.int4, (40, 3), axis=1, block_size=32)
    weights(work, "uint2 by column", ml_dtypes.uint2, (40,), axis=1)
    weights(work, "uint8 in blocks of columns", numpy.uint8, (6, 40), axis=0, block_size=16)


if __name__ == "__main__":
    main()
