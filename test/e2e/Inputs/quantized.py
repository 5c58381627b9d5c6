# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Models of quantized products against NumPy.
"""usage: quantized.py WORK; expects weft in PATH"""

import pathlib
import subprocess
import sys

import numpy
import onnx
from numpy import float32, int8, int32, uint8
from onnx import TensorProto, helper, numpy_helper

# Depth and columns; the weight's type and how its zero points are given; what rows become; whether a
# product of bytes is left, as there is of all that are not so small that they are folded.
FORMS = [
    (1, 1, int8, None, "dynamic", False),  # so small that it is folded
    (37, 49, int8, "one", "dynamic", True),
    (64, 130, uint8, "middle", "dynamic", True),
    (100, 48, int8, "columns", "signed", True),
    (300, 50, uint8, "middle", "signed", True),
    (65, 3, uint8, "far", "dynamic", True),
    (64, 96, int8, None, "unsigned", True),
    (200, 7, int8, None, "signed without zero", True),
    (65, 3, uint8, "far", "floats", True),
    (300, 50, uint8, "far columns", "dynamic", True),
    (64, 49, int8, "far columns", "signed", True),
    (100, 7, int8, "far columns", "floats, transposed", True),
    (100, 50, int8, "columns", "floats", True),
    (64, 48, uint8, "middle", "floats, transposed", True),
    (37, 96, int8, None, "floats, transposed", True),
]  # fmt: skip
ROWS = [(1, 1), (2, 3), (1, 17), (3, 40)]  # batch and length


def weight_of(random, form):
    """A weight and its zero points, such that their difference fits signed bytes, unless they are far."""
    depth, columns, kind, zeros, _, _ = form
    if zeros == "middle":
        return random.integers(0, 256, (depth, columns)).astype(uint8), numpy.asarray(128, uint8)
    if zeros is None:
        return random.integers(-128, 128, (depth, columns)).astype(kind), None
    if "far" in zeros:
        bounds = numpy.iinfo(kind)
        weight = random.integers(bounds.min, bounds.max + 1, (depth, columns)).astype(kind)
        zero = random.integers(bounds.min, bounds.max + 1, columns) if "columns" in zeros else bounds.max - 3
        return weight, numpy.asarray(zero, kind)
    zero = random.integers(-20, 20, columns if zeros == "columns" else ()) + (0 if kind == int8 else 60)
    values = random.integers(-100, 100, (depth, columns)) + (0 if kind == int8 else 100)
    return values.astype(kind), zero.astype(kind)


def save_floats(form, zero):
    """Both sides as floats, which have scales and zero points of their own; transposed, a weight's columns are rows."""
    is_transposed = "transposed" in form[4]
    weight = ["w", "w_scale"] + (["w_zeros"] if zero is not None else [])
    nodes = [helper.make_node("QuantizeLinear", ["x", "x_scale", "x_zero"], ["q"]),
             helper.make_node("DequantizeLinear", ["q", "x_scale", "x_zero"], ["rows"]),
             helper.make_node("DequantizeLinear", weight, ["wide"], axis=0 if is_transposed else 1)]  # fmt: skip
    if is_transposed:
        nodes.append(helper.make_node("Transpose", ["wide"], ["columns"], perm=[1, 0]))
    return [*nodes, helper.make_node("MatMul", ["rows", "columns" if is_transposed else "wide"], ["scaled"])]


def save_integers(form, zero):
    rows = form[4]
    if rows == "dynamic":
        nodes = [helper.make_node("DynamicQuantizeLinear", ["x"], ["q", "x_scale", "x_zero"])]
    else:
        names = ["x", "x_scale", "x_zero"]
        nodes = [helper.make_node("QuantizeLinear", names, ["q"])]
    given = ["" if rows == "signed without zero" else "x_zero", "w_zero" if zero is not None else ""]
    nodes += [helper.make_node("MatMulInteger", ["q", "w", *given], ["sums"]), helper.make_node("Cast", ["sums"], ["floats"], to=TensorProto.FLOAT),
              helper.make_node("Mul", ["x_scale", "w_scale"], ["scale"]), helper.make_node("Mul", ["floats", "scale"], ["scaled"])]  # fmt: skip
    return nodes


def save(path, form, weight, zero, constants):
    nodes = save_floats(form, zero) if "floats" in form[4] else save_integers(form, zero)
    nodes += [helper.make_node("Add", ["scaled", "bias"], ["biased"]), helper.make_node("Relu", ["biased"], ["y"])]
    constants = {**constants, "w": weight.T.copy() if "transposed" in form[4] else weight}
    if zero is not None:
        constants |= {"w_zero": zero, "w_zeros": numpy.broadcast_to(zero, form[1]).copy()}
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", "seq", form[0]])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    initializers = [numpy_helper.from_array(numpy.asarray(array), name) for name, array in constants.items()]
    graph = helper.make_graph(nodes, "quantized", [x], [y], initializers)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def evaluate(x, form, weight, zero, constants):
    if form[4] == "dynamic":
        high, low = max(float32(0), x.max()), min(float32(0), x.min())
        scale = float32(high - low if high != low else 1) / float32(255)
        x_zero = numpy.clip(numpy.rint(-low / scale), 0, 255).astype(uint8)
    else:
        scale, x_zero = constants["x_scale"], constants["x_zero"]
    bounds = numpy.iinfo(x_zero.dtype)
    rows = numpy.clip(numpy.rint(x / scale) + x_zero, bounds.min, bounds.max).astype(int32)
    less = 0 if form[4] == "signed without zero" else x_zero.astype(int32)
    rows, columns = rows - less, weight.astype(int32) - (0 if zero is None else zero.astype(int32))
    scales = scale * constants["w_scale"]
    expected = numpy.maximum(numpy.matmul(rows, columns).astype(float32) * scales + constants["bias"], 0)
    return expected, 1e-6 * (numpy.abs(expected) + numpy.abs(constants["bias"]))


def run(*arguments):
    done = subprocess.run([str(word) for word in arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, arguments))}\nended with {done.returncode}: {done.stderr}")
    return done.stdout


def main():
    work = pathlib.Path(sys.argv[1])
    work.mkdir(parents=True, exist_ok=True)
    random, count = numpy.random.default_rng(7), 0
    for form in FORMS:
        weight, zero = weight_of(random, form)
        columns = form[1]
        constants = {"w_scale": random.uniform(0.001, 0.1, columns).astype(float32), "bias": random.normal(0, 1, columns).astype(float32)}
        if form[4] != "dynamic":
            kind = uint8 if form[4] == "unsigned" else int8
            constants |= {"x_scale": numpy.asarray(0.03, float32), "x_zero": numpy.asarray(kind(0 if "without" in form[4] else 7))}
        model = work / "model.onnx"
        save(model, form, weight, zero, constants)
        run("weft", "compile", "--quiet", "--to=graph", model, "-o", work / "graph.mlir")
        has_quads = "x48x4xi8>" in (work / "graph.mlir").read_text(encoding="utf-8")
        assert has_quads == form[5], f"{form}: quads {has_quads}"
        for machine in ("native", "x86-64-v3", "x86-64-v4"):
            if machine == "x86-64-v4" and "avx512f" not in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"):
                machine = "native"
            artifact = work / "model.weft"
            run("weft", "compile", "--quiet", model, f"--mcpu={machine}", "-o", artifact)
            for threads, (batch, length) in enumerate(ROWS, start=1):
                x = (random.normal(0.5, 2, (batch, length, form[0]))).astype(float32)
                numpy.savez(work / "in.npz", x=x)
                run("weft", "run", artifact, f"--inputs={work / 'in.npz'}", f"--outputs={work / 'out.npz'}", f"--threads={threads}", "--guard-arena")
                expected, bound = evaluate(x, form, weight, zero, constants)
                far = numpy.abs(numpy.load(work / "out.npz")["y"] - expected) / bound
                assert far.max() <= 1, f"{form} {machine} {x.shape}: {far.max()} times the bound"
                count += 1
    print(f"{count} cases agree")


if __name__ == "__main__":
    main()
