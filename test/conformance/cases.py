# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Cases: a model with inputs and the outputs that it must give. ONNX's node tests, and the modes that rewrite a case.
import dataclasses
import pathlib

import numpy
import onnx
from onnx import TensorProto, numpy_helper

# What Weft computes with, and what it stores and casts. Models with anything else in them (strings, sequences, complex
# numbers) are not what this suite is about.
ELEMENT_TYPES = {
    TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.FLOAT16, TensorProto.BFLOAT16, TensorProto.BOOL,
    TensorProto.INT8, TensorProto.INT16, TensorProto.INT32, TensorProto.INT64,
    TensorProto.UINT8, TensorProto.UINT16, TensorProto.UINT32, TensorProto.UINT64,
    TensorProto.FLOAT8E4M3FN, TensorProto.FLOAT8E4M3FNUZ, TensorProto.FLOAT8E5M2, TensorProto.FLOAT8E5M2FNUZ,
    TensorProto.FLOAT8E8M0, TensorProto.FLOAT4E2M1, TensorProto.INT4, TensorProto.UINT4, TensorProto.INT2, TensorProto.UINT2,
}  # fmt: skip
DOMAINS = {"", "ai.onnx", "ai.onnx.preview"}
# Whose results ONNX leaves to chance.
RANDOM_OPERATORS = {"Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike"}


@dataclasses.dataclass
class Case:
    name: str  # of the test; once rewritten, also of the mode: test_abs/static
    model: onnx.ModelProto
    inputs: dict  # TensorProto by name
    outputs: list  # a numpy array for each output of the model; None if it must fail

    def operators(self):
        return {node.op_type for graph in graphs(self.model) for node in graph.node}


def graphs(model):
    """The model's graph and all graphs in it."""
    pending = [model.graph]
    while pending:
        graph = pending.pop()
        yield graph
        for node in graph.node:
            for attribute in node.attribute:
                pending += [attribute.g] if attribute.HasField("g") else []
                pending += attribute.graphs


def is_tensor(value):
    kind = value.type.WhichOneof("value")
    return kind == "tensor_type" and value.type.tensor_type.elem_type in ELEMENT_TYPES


def in_scope(model):
    """Whether everything in the model is of a domain and of types that Weft knows, and has one right answer."""
    for graph in graphs(model):
        tensors = list(graph.initializer)
        for node in graph.node:
            if node.domain not in DOMAINS or node.op_type in RANDOM_OPERATORS:
                return False
            for attribute in node.attribute:
                tensors += [attribute.t] if attribute.HasField("t") else []
                if attribute.name == "to" and attribute.i not in ELEMENT_TYPES:
                    return False
                if attribute.type in (onnx.AttributeProto.STRINGS, onnx.AttributeProto.SPARSE_TENSOR) or (
                    node.op_type == "Constant" and attribute.name == "value_string"
                ):
                    return False
        if not all(tensor.data_type in ELEMENT_TYPES for tensor in tensors):
            return False
    return all(is_tensor(value) for value in [*model.graph.input, *model.graph.output])


def load_tensor(path):
    tensor = TensorProto()
    tensor.ParseFromString(path.read_bytes())
    return tensor


NODE_TESTS = pathlib.Path(onnx.__file__).parent / "backend" / "test" / "data" / "node"


def node_tests(root):
    """The folders of node tests; none where this onnx package has none."""
    return sorted(folder for folder in root.glob("test_*") if (folder / "model.onnx").is_file())


def load_node_test(folder):
    """The case of a node test as it is given, or nothing if it is out of scope."""
    model = onnx.load(folder / "model.onnx")
    if not in_scope(model):
        return None
    data = folder / "test_data_set_0"
    inputs = {value.name: load_tensor(data / f"input_{i}.pb") for i, value in enumerate(model.graph.input)}
    outputs = [numpy_helper.to_array(load_tensor(data / f"output_{i}.pb")) for i in range(len(model.graph.output))]
    return Case(folder.name, model, inputs, outputs)


def forget_shapes(model):
    """Leaves nothing but the inputs' own types, and the outputs' ranks, to say what shapes are."""
    del model.graph.value_info[:]
    for value in model.graph.output:
        for dim in value.type.tensor_type.shape.dim:
            dim.Clear()


INTEGERS = {TensorProto.INT32, TensorProto.INT64}


def parameters(case):
    """Inputs that say how, as axes and sizes do: integers, and lists of them but for the first input."""
    integers = [(i, name) for i, name in enumerate(case.inputs) if case.inputs[name].data_type in INTEGERS]
    return [name for i, name in integers if len(case.inputs[name].dims) < (2 if i else 1)]


def make_dynamic(case):
    """The case with every dim of every input under its own symbol, but for parameters, which become initializers."""
    case = make_constant(case, parameters(case))
    model = case.model
    forget_shapes(model)
    for i, value in enumerate(model.graph.input):
        for axis, dim in enumerate(value.type.tensor_type.shape.dim):
            dim.dim_param = f"d{i}_{axis}"
    return case


def make_constant(case, names):
    """The case with some inputs as initializers."""
    model = onnx.ModelProto()
    model.CopyFrom(case.model)
    rest = [value for value in model.graph.input if value.name not in names]
    del model.graph.input[:]
    model.graph.input.extend(rest)
    for name in names:
        tensor = model.graph.initializer.add()
        tensor.CopyFrom(case.inputs[name])
        tensor.name = name
    inputs = {name: tensor for name, tensor in case.inputs.items() if name not in names}
    return Case(case.name, model, inputs, case.outputs)


def rewrite(case, mode):
    """The cases that a mode makes of one, named after the test and the mode."""
    if mode == "static":
        made = {mode: case}
    elif mode == "dynamic":
        has_dims = any(value.type.tensor_type.shape.dim for value in case.model.graph.input)
        made = {mode: make_dynamic(case)} if has_dims else {}
    elif mode == "parameters":
        names = parameters(case)
        made = {mode: make_constant(case, names)} if names else {}
    else:
        fixed = parameters(case)
        made = {f"{mode}-{name}": make_constant(case, [name, *fixed]) for name in case.inputs if name not in fixed}
    return [dataclasses.replace(item, name=f"{case.name}/{suffix}") for suffix, item in made.items()]


def to_float(array):
    """Floats of any width as f64; NumPy reads bf16 from an .npz as two bytes."""
    if array.dtype.str == "|V2":
        return (array.view(numpy.uint16).astype(numpy.uint32) << 16).view(numpy.float32).astype(numpy.float64)
    return array.astype(numpy.float64)
