# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Cases of our own: models of one node, and how their values are written.
import re

import cases
import numpy
import onnx.parser
from onnx import helper, numpy_helper

IR_VERSION = 10
RANDOM = numpy.random.default_rng(1)


def normal(*shape):
    return RANDOM.normal(0, 1, shape).astype(numpy.float32)


def f32(*values):
    return numpy.array(values, numpy.float32)


def i64(*values):
    return numpy.array(values, numpy.int64)


def one_node(title, inputs, outputs, opset=21, opset_attribute=None, **attributes):
    """The case of a model of one node, whose operator is the title's first word, with its domain if that is not ai.onnx.
    An input or an output that is None is left out. Without outputs the run must fail; the node has one, of the first input's type."""
    domain, _, operator = title.split()[0].rpartition(".")
    case = re.sub(r"[^\w-]+", "_", f"trap_{title}").strip("_")
    names = [f"x{i}" if value is not None else "" for i, value in enumerate(inputs)]
    if outputs is not None:
        outputs = outputs if isinstance(outputs, list) else [outputs]
    values = {name: numpy.asarray(value) for name, value in zip(names, inputs) if value is not None}

    def declare(name, value, shape):
        return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), shape)

    declared = [declare(name, value, value.shape) for name, value in values.items()]
    if outputs is None:
        results, written = [declare("y0", values["x0"], None)], ["y0"]
    else:
        written = [f"y{i}" if value is not None else "" for i, value in enumerate(outputs)]
        outputs = {name: numpy.asarray(value) for name, value in zip(written, outputs) if value is not None}
        results = [declare(name, value, value.shape) for name, value in outputs.items()]
        outputs = list(outputs.values())
    if opset_attribute is not None:
        attributes["opset"] = opset_attribute
    node = helper.make_node(operator, names, written, domain=domain, **attributes)
    graph = helper.make_graph([node], case, declared, results)
    opsets = [helper.make_opsetid("", opset)] + ([helper.make_opsetid(domain, 1)] if domain else [])
    model = helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION)
    tensors = {name: numpy_helper.from_array(value, name) for name, value in values.items()}
    return cases.Case(case, model, tensors, outputs)


def text_model(title, body, inputs, outputs, opset=21):
    """The case of a model as text: its inputs are x0, x1, ..., its outputs y0, y1, ... Without outputs it must fail."""
    def declare(values, letter):
        kinds = {"f": "float", "i": "int64", "b": "bool"}
        shapes = [f"[{','.join(map(str, value.shape))}]" if value.shape else "" for value in values]
        return ", ".join(f"{kinds[value.dtype.kind]}{shape} {letter}{i}" for i, (value, shape) in enumerate(zip(values, shapes)))

    results = declare(outputs, "y") if outputs is not None else "float y0"
    case = f"trap_{title.replace(' ', '_')}"
    text = f'<ir_version: 8, opset_import: ["" : {opset}]> {case} ({declare(inputs, "x")}) => ({results}) {{ {body} }}'
    model = onnx.parser.parse_model(text)
    if outputs is None:
        model.graph.output[0].type.tensor_type.ClearField("shape")
    tensors = {f"x{i}": numpy_helper.from_array(value, f"x{i}") for i, value in enumerate(inputs)}
    return cases.Case(case, model, tensors, outputs)
