# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# An ONNX file as a PyTorch module for inputs of given sizes. What depends on sizes only is computed at once, so that
# torch.compile sees nothing but operations on tensors. It knows the operators of the models in this folder.
import operator

import torch
from onnx import TensorProto, helper, load, numpy_helper
from torch.nn import functional

TYPES = {TensorProto.FLOAT: torch.float32, TensorProto.INT64: torch.int64, TensorProto.BOOL: torch.bool}


def gather(x, index, axis=0):
    if isinstance(index, int):
        return torch.select(x, axis, index)
    index = torch.as_tensor(index)
    return functional.embedding(index, x) if x.ndim == 2 else torch.index_select(x, axis, index)


def slice_(x, starts, ends, axes):
    for start, end, axis in zip(starts, ends, axes):
        x = torch.narrow(x, axis, start, min(end, x.shape[axis]) - start)
    return x


def reshape(x, shape):
    return x.reshape([x.shape[i] if size == 0 else size for i, size in enumerate(shape)])


def unsqueeze(x, axes):
    for axis in axes:
        x = torch.unsqueeze(x, axis)
    return x


def convolve(x, weight, bias, kernel_shape, strides, pads=(0,)):
    return (functional.conv1d if x.ndim == 3 else functional.conv2d)(x, weight, bias, strides, pads[0])


def layer_norm(x, scale, bias, axis, epsilon):
    return functional.layer_norm(x, scale.shape, scale, bias, epsilon)


def attention(q, k, v, mask=None, scale=1.0):
    return functional.scaled_dot_product_attention(q, k.transpose(-2, -1), v, attn_mask=mask, scale=scale)


OPERATORS = {
    "Abs": torch.abs, "Add": operator.add, "Attention": attention, "Cast": lambda x, to: x.to(TYPES[to]),
    "Concat": lambda *parts, axis: torch.cat(parts, axis), "Conv": convolve, "Cos": torch.cos, "Div": operator.truediv,
    "Equal": operator.eq, "Erf": torch.erf, "Expand": lambda x, shape: x.expand(shape), "Gather": gather,
    "Greater": operator.gt, "LayerNormalization": layer_norm, "Less": operator.lt, "Log": torch.log,
    "MatMul": torch.matmul, "Min": lambda x, y: torch.clamp(x, max=y), "Mul": operator.mul, "Neg": torch.neg,
    "Pow": operator.pow, "Range": torch.arange,
    "ReduceMean": lambda x, axes, keepdims: torch.mean(x, axes, keepdims == 1),
    "Relu": torch.relu, "Reshape": reshape, "Shape": lambda x: torch.tensor(x.shape), "Sigmoid": torch.sigmoid,
    "Sin": torch.sin, "Slice": slice_, "Softmax": lambda x, axis: torch.softmax(x, axis), "Split": torch.chunk,
    "Sqrt": torch.sqrt, "Squeeze": torch.squeeze, "Sub": operator.sub, "Tanh": torch.tanh,
    "Transpose": lambda x, perm: torch.permute(x, perm), "Unsqueeze": unsqueeze, "Where": torch.where,
}  # fmt: skip
# The first operand that PyTorch takes as numbers.
NUMBERS = {"Expand": 1, "Gather": 1, "Range": 0, "Reshape": 1, "Slice": 1, "Squeeze": 1, "Unsqueeze": 1}


def fuse_attention(nodes, known):
    """Two products with a softmax between them become one node, as PyTorch's own models have it; the old ones stay, but
    nothing uses them."""
    made = {name: node for node in nodes for name in node.output}
    known["zero"] = torch.tensor(0.0)
    for node in nodes:
        softmax = made.get(node.input[0])
        if node.op_type != "MatMul" or softmax is None or softmax.op_type != "Softmax":
            yield node
            continue
        step, mask, scale = made[softmax.input[0]], [], 1.0
        while step.op_type != "MatMul":
            operands = step.input[1:] if step.op_type == "Where" else step.input[:1]
            scores = next(name for name in operands if name not in known)
            if step.op_type == "Add":
                mask = [step.input[1]]
            elif step.op_type == "Where":
                mask = [f"{step.output[0]}_mask"]
                yield helper.make_node("Where", ["zero" if name == scores else name for name in step.input], mask)
            else:
                factor = known[step.input[1]].item()
                scale *= {"Mul": factor, "Div": 1 / factor}[step.op_type]
            step = made[scores]
        q, k = step.input
        yield helper.make_node("Attention", [q, k, node.input[1], *mask], node.output, scale=scale)


def drop_unused(nodes, outputs):
    used, kept = set(outputs), []
    for node in reversed(list(nodes)):
        if used.intersection(node.output):
            kept.append(node)
            used.update(node.input)
    return reversed(kept)


class Model(torch.nn.Module):
    """The nodes that depend on more than sizes, as steps: a function, its operands and the names of its results."""

    def __init__(self, path, inputs):
        super().__init__()
        graph = load(path).graph
        self.steps, self.inputs, self.outputs = [], list(inputs), [output.name for output in graph.output]
        # numpy's view of a file's bytes cannot be written, which PyTorch warns of.
        known = {value.name: torch.from_numpy(numpy_helper.to_array(value).copy()) for value in graph.initializer}
        values = {name: torch.from_numpy(array) for name, array in inputs.items()}
        for node in drop_unused(fuse_attention(graph.node, known), self.outputs):
            self.add(node, known, values)

    def add(self, node, known, values):
        attributes = {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}
        if node.op_type == "Split":
            attributes = {"chunks": len(node.output), "dim": attributes["axis"]}
        constant = node.op_type == "Shape" or all(name in known for name in node.input)

        def operand(place, name):
            """What is known, as a tensor or as numbers, or else the name."""
            if name not in known:
                return name
            numbers = place >= NUMBERS.get(node.op_type, len(node.input))
            return known[name].tolist() if numbers or not constant and known[name].ndim == 0 else known[name]

        def call(*operands):
            return OPERATORS[node.op_type](*operands, **attributes)

        operands = [operand(place, name) for place, name in enumerate(node.input)]
        results = call(*(values[x] if isinstance(x, str) else x for x in operands))
        results = dict(zip(node.output, results if isinstance(results, tuple) else [results]))
        if constant:
            known.update(results)
        else:
            values.update(results)
            self.steps.append((call, operands, list(node.output)))

    def forward(self, *inputs):
        values = dict(zip(self.inputs, inputs))
        for call, operands, names in self.steps:
            results = call(*(values[x] if isinstance(x, str) else x for x in operands))
            values.update(zip(names, results if isinstance(results, tuple) else [results]))
        return [values[name] for name in self.outputs]
