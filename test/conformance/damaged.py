# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: damaged.py [--seed N] [--count N] [--keep FOLDER]

Models that lie: cases of this suite, each with a few things in it changed at random. Every one gives an error that says
something, or the same answer in the evaluator and compiled; nothing crashes, hangs or takes all memory."""

import argparse
import concurrent.futures
import pathlib
import random
import resource
import sys
import tempfile

import cases
import numpy
import onnx
import run
import traps
from onnx import AttributeProto, TensorProto

NUMBERS = [-(2**63), -(2**31), -2, -1, 0, 1, 2, 3, 7, 2**16, 2**31, 2**40, 2**63 - 1]
FLOATS = [float("nan"), float("inf"), -1.0, 0.0, 1e-45, 3e38]
TYPES = sorted(cases.ELEMENT_TYPES) + [TensorProto.STRING, TensorProto.UNDEFINED, 99]
OPERATORS = ["Add", "Attention", "Cast", "Concat", "ConstantOfShape", "Conv", "Expand", "Gather", "GatherND", "Gemm", "If", "Loop", "MatMul",
             "OneHot", "Pad", "Range", "ReduceMax", "Reshape", "Scan", "ScatterND", "Shape", "Slice", "Softmax", "Split", "Squeeze",
             "Tile", "TopK", "Transpose", "Unsqueeze", "Where"]  # fmt: skip
REFUSALS = ["[weft-", "decides sizes, so that", "--input", "no memory for a tensor"]  # by the compiler, or by a session: what the evaluator may know how to do
MEMORY = 16 << 30  # bytes of address space: what asks for more has to say so


def names_of(model):
    """All names of values."""
    graph = model.graph
    names = [value.name for value in [*graph.input, *graph.initializer]]
    return names + [name for node in graph.node for name in node.output] or [""]


def damage_input(model, rng):
    """A node reads something else, one thing less, or one more."""
    node = rng.choice(model.graph.node)
    name = rng.choice([rng.choice(names_of(model)), "", "missing"])
    choice = rng.randrange(3)
    if choice == 0 and node.input:
        node.input[rng.randrange(len(node.input))] = name
    elif choice == 1 and node.input:
        del node.input[rng.randrange(len(node.input))]
    else:
        node.input.append(name)


def damage_node(model, rng):
    """A node is missing, there twice, another operator, or of another version or domain."""
    nodes = model.graph.node
    place = rng.randrange(len(nodes))
    choice = rng.randrange(6)
    if choice == 0:
        del nodes[place]
    elif choice == 1:
        nodes.add().CopyFrom(nodes[place])
    elif choice == 2:
        nodes[place].op_type = rng.choice(OPERATORS)
    elif choice == 3:
        nodes[place].domain = rng.choice(["", "com.microsoft", "ai.onnx.ml", "nowhere"])
    elif choice == 4:
        rng.choice(model.opset_import).version = rng.choice(NUMBERS + list(range(7, 28)))
    else:
        rng.choice(nodes).output.append(rng.choice(names_of(model)))


def damage_numbers(values, others, rng):
    """A list of numbers with another in it, one more or one less."""
    choice = rng.randrange(3)
    if values and choice == 0:
        values[rng.randrange(len(values))] = rng.choice(others)
    elif values and choice == 1:
        del values[rng.randrange(len(values))]
    else:
        values.append(rng.choice(others))


def damage_attribute(model, rng):
    """An attribute says something else, is missing, or is of another kind; or there is one more."""
    node = rng.choice(model.graph.node)
    if not node.attribute:
        name = rng.choice(["axis", "axes", "group", "perm", "to"])
        node.attribute.append(onnx.helper.make_attribute(name, rng.choice([rng.choice(NUMBERS), [rng.choice(NUMBERS)]])))
        return
    attribute = rng.choice(node.attribute)
    choice = rng.randrange(8)
    if choice == 0:
        node.attribute.remove(attribute)
    elif choice == 1:
        attribute.type = rng.choice(list(AttributeProto.AttributeType.values()))
    elif attribute.type == AttributeProto.INT:
        attribute.i = rng.choice(NUMBERS)
    elif attribute.type == AttributeProto.FLOAT:
        attribute.f = rng.choice(FLOATS)
    elif attribute.type == AttributeProto.STRING:
        attribute.s = rng.choice([b"", b"other", b"\xff\0", attribute.s * 2])
    elif attribute.type == AttributeProto.INTS:
        damage_numbers(attribute.ints, NUMBERS, rng)
    elif attribute.type == AttributeProto.FLOATS:
        damage_numbers(attribute.floats, FLOATS, rng)
    elif attribute.type == AttributeProto.TENSOR:
        damage_one_tensor(attribute.t, rng)
    else:
        attribute.name += "_"


def damage_one_tensor(tensor, rng):
    """A tensor's dims, type or bytes are not what they were."""
    choice = rng.randrange(5)
    if choice == 0:
        damage_numbers(tensor.dims, NUMBERS, rng)
    elif choice == 1:
        tensor.data_type = rng.choice(TYPES)
    elif choice == 2:
        tensor.raw_data = rng.choice([b"", tensor.raw_data[:-1], tensor.raw_data * 2])
    elif choice == 3:
        tensor.data_location = TensorProto.EXTERNAL
        entry = tensor.external_data.add()
        entry.key, entry.value = "location", rng.choice(["../secret", "/etc/passwd", "missing", ""])
    elif tensor.raw_data:
        place = rng.randrange(len(tensor.raw_data))
        tensor.raw_data = tensor.raw_data[:place] + bytes([rng.randrange(256)]) + tensor.raw_data[place + 1 :]


def damage_tensor(model, rng):
    """An initializer; where there is none, an input becomes one."""
    graph = model.graph
    if graph.initializer:
        damage_one_tensor(rng.choice(graph.initializer), rng)
    elif graph.input:
        graph.initializer.add(name=rng.choice(graph.input).name, data_type=rng.choice(TYPES), dims=[2], raw_data=bytes(16))


def damage_signature(model, rng):
    """An input or output says another type, rank or size, or has another name."""
    value = rng.choice([*model.graph.input, *model.graph.output])
    tensor = value.type.tensor_type
    choice = rng.randrange(5)
    if choice == 0:
        tensor.elem_type = rng.choice(TYPES)
    elif choice == 1:
        value.name = rng.choice([*names_of(model), "missing", ""])
    elif choice == 2 and tensor.shape.dim:
        rng.choice(tensor.shape.dim).dim_value = rng.choice(NUMBERS)
    elif choice == 3 and tensor.shape.dim:
        rng.choice(tensor.shape.dim).dim_param = rng.choice(["n", "n + 1", "-", "\xe9\n\""])
    elif tensor.shape.dim:
        del tensor.shape.dim[rng.randrange(len(tensor.shape.dim))]
    else:
        tensor.shape.dim.add().dim_value = rng.choice(NUMBERS)


DAMAGES = [damage_input, damage_node, *[damage_attribute] * 4, *[damage_tensor] * 2, *[damage_signature] * 2]


def make_damaged(case, rng):
    """The bytes of the case's model with a thing or two changed, or a few bytes."""
    model = onnx.ModelProto()
    model.CopyFrom(case.model)
    if rng.random() < 0.1:
        data = bytearray(model.SerializeToString())
        for _ in range(rng.randint(1, 3)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        return bytes(data)
    for _ in range(rng.choice([1, 1, 1, 2])):
        if model.graph.node:
            rng.choice(DAMAGES)(model, rng)
    return model.SerializeToString()


def damage_values(inputs, rng):
    """The case's inputs; perhaps with another number in one of integers, which may be an index, an axis or a size."""
    numbers = [name for name, tensor in inputs.items() if tensor.data_type == TensorProto.INT64 and len(tensor.raw_data) >= 8]
    if not numbers or rng.random() < 0.7:
        return inputs
    changed = TensorProto()
    name = rng.choice(numbers)
    changed.CopyFrom(inputs[name])
    values = numpy.frombuffer(changed.raw_data, numpy.int64).copy()
    values[rng.randrange(values.size)] = rng.choice(NUMBERS)
    changed.raw_data = values.tobytes()
    return {**inputs, name: changed}


def load_cases(folder):
    """Small ones, of each family: as they are given, and with what says how as constants."""
    given = [cases.load_node_test(test) for test in cases.node_tests(folder)] + traps.make_cases()
    given = [case for case in given if case and len(case.model.SerializeToString()) < 100_000]
    return given + [made for case in given for made in cases.rewrite(case, "parameters")]


def read_outputs(path):
    with numpy.load(path) as file:
        return dict(file)


def compare(evaluated, compiled):
    """How two files of outputs differ, or nothing."""
    expected, got = read_outputs(evaluated), read_outputs(compiled)
    if set(expected) != set(got):
        return f"outputs {sorted(got)}, evaluated {sorted(expected)}"
    for name, value in expected.items():
        if value.dtype != got[name].dtype or value.shape != got[name].shape:
            return f"{name} is {got[name].dtype} {got[name].shape}, evaluated {value.dtype} {value.shape}"
        if value.dtype.kind == "f":
            tolerance = 1e-2 if value.dtype.itemsize == 2 else 1e-3
            with numpy.errstate(all="ignore"):
                # Far from what numbers are for, sums of what is large or tiny are a matter of order.
                near = numpy.isclose(got[name].astype(float), value.astype(float), rtol=tolerance, atol=1e-4, equal_nan=True)
        else:
            near = got[name] == value
        if value.dtype.kind != "V" and not numpy.all(near):
            return f"{name}: {numpy.sum(~near)} of {value.size} differ"
    return None


def judge(runner, inputs, data, work):
    """What is wrong with how one model is treated, or nothing; and whether there was an answer."""
    arguments = run.write(data, inputs, work)
    codes, texts, files = [], [], []
    for engine, flags in run.ENGINES.items():
        outputs, errors = work / f"{engine}.npz", work / f"{engine}.errors"
        outputs.unlink(missing_ok=True)
        code = runner.run([*arguments, "--outputs", outputs, *flags], errors)
        text = errors.read_text(encoding="utf-8", errors="replace")
        # Of what is damaged the inputs may be: of another name, or too large for the memory there is.
        if (code == 2 and "--input" in text) or (code == 4 and "no memory for a tensor" in text):
            code = 1
        if code not in (0, 1):
            return f"{engine}: exit code {code}: {text[-300:]}", False
        if code == 1 and not text.strip():
            return f"{engine}: no message", False
        codes.append(code)
        texts.append(text)
        files.append(outputs)
    if codes == [1, 0]:
        return f"compiled code has an answer, the evaluator {texts[0][:300]}", True
    if codes == [0, 1] and not any(refusal in texts[1] for refusal in REFUSALS):
        return f"the evaluator has an answer, compiled code {texts[1][:300]}", True
    return (compare(*files) if codes == [0, 0] else None), codes[0] == 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--tests", type=pathlib.Path, default=cases.NODE_TESTS)
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for models that are treated wrongly")
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    rng = random.Random(options.seed)
    given, chosen = load_cases(options.tests), []
    for _ in range(options.count):
        case = rng.choice(given)
        chosen.append((case.name, damage_values(case.inputs, rng), make_damaged(case, rng)))
    runner, problems, answers = run.Forked(), 0, 0

    def check(item):
        with tempfile.TemporaryDirectory(prefix="weft-damaged") as folder:
            return judge(runner, *item[1:], pathlib.Path(folder))

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for number, ((name, inputs, data), (problem, answered)) in enumerate(zip(chosen, pool.map(check, chosen))):
            answers += answered
            if problem:
                problems += 1
                print(f"{number}, of {name}: {problem}")
                if options.keep:
                    options.keep.mkdir(exist_ok=True)
                    (options.keep / f"{number}.onnx").write_bytes(data)
                    for i, (name, tensor) in enumerate(inputs.items()):
                        (options.keep / f"{number}_{i}_{name}.pb").write_bytes(tensor.SerializeToString())
    print(f"{len(chosen)} damaged models, {answers} with an answer, {problems} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
