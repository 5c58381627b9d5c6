# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: secret.py FOLDER

A model all of whose names and texts are secret, with a function of its own, weights, a mask and a shape."""

import sys

import numpy
import onnx
from onnx import helper, numpy_helper

DOMAIN = "secret.domain"


def main():
    body = helper.make_node("Mul", ["secret_a", "secret_a"], ["secret_b"], name="secret/inner")
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid(DOMAIN, 1)]
    function = helper.make_function(DOMAIN, "SecretSquare", ["secret_a"], ["secret_b"], [body], opsets, doc_string="secret")
    weights = numpy.random.default_rng(1).normal(0, 1, (8, 8)).astype(numpy.float32)
    mask = numpy.where(numpy.tri(8), 0, -numpy.inf).astype(numpy.float32)
    tensors = [("secret_weights", weights), ("secret_mask", mask), ("secret_shape", numpy.array([-1, 64])), ("secret_other", weights + 1)]
    nodes = [
        helper.make_node("MatMul", ["secret_input", "secret_weights"], ["secret_product"], name="/secret/first"),
        helper.make_node("Add", ["secret_product", "secret_mask"], ["secret_sum"], name="/secret/add", doc_string="secret"),
        helper.make_node("Reshape", ["secret_sum", "secret_shape"], ["secret_row"], name="/secret/second"),
        helper.make_node("SecretSquare", ["secret_row"], ["secret_output"], domain=DOMAIN, name="/secret/third"),
        helper.make_node("MatMul", ["secret_input", "secret_other"], ["secret_rest"], name="/secret/fourth"),
    ]
    types = [("secret_input", ["secret_batch", 8, 8]), ("secret_output", None), ("secret_rest", None)]
    values = [helper.make_tensor_value_info(name, 1, shape) for name, shape in types]
    values[1:] = [onnx.ValueInfoProto(name=value.name, type=value.type, doc_string="secret") for value in values[1:]]
    initializers = [numpy_helper.from_array(value, name) for name, value in tensors]
    known = [helper.make_tensor_value_info("secret_row", 1, ["secret_batch", 64])]
    graph = helper.make_graph(nodes, "secret graph", values[:1], values[1:], initializers, doc_string="secret", value_info=known)
    model = helper.make_model(graph, functions=[function], opset_imports=opsets, ir_version=10, doc_string="secret", domain="secret")
    model.metadata_props.add(key="secret", value="secret")
    onnx.save(model, f"{sys.argv[1]}/secret.onnx")


if __name__ == "__main__":
    main()
