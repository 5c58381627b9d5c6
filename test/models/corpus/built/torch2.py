# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What PyTorch from 2.0 on exports for scaled_dot_product_attention: by its TorchScript exporter (opset 14 to 17), and by
# its newer one (opset 18 on).
import numpy
from onnx import TensorProto

from built.graph import HEAD_WIDTH, HEADS, WIDTH, save

INT64_MAX = 2**63 - 1
SELF = [{"batch": 2, "seq": 7}, {"batch": 1, "seq": 33}, {"batch": 3, "seq": 1}]
CROSS = [{"batch": 2, "tgt": 5, "src": 7}, {"batch": 1, "tgt": 33, "src": 17}, {"batch": 3, "tgt": 1, "src": 9}]


def sdpa(g, query, key, value, mask=None, guard=False):
    """The symbolic function of opset 14: the scale is made of the shape, its root is on both sides. `mask`: "causal", "bool",
    or the name of a float input."""
    width = g.Slice(g.Shape(query), g.ints(-1), g.ints(INT64_MAX))
    root = lambda: g.Sqrt(g.Div(g.number([1.0]), g.Sqrt(g.Cast(width, to=g.element))))
    transposed = g.Transpose(key, perm=[0, 1, 3, 2])
    if mask == "causal":
        length = lambda x: g.Slice(g.Shape(x), g.ints(-2), g.ints(-1))
        ones = g.Expand(g.number([1.0]), g.Concat(length(query), length(key), axis=0))
        added = g.Where(g.Equal(g.Trilu(ones, upper=0), g.number([0.0])), g.number([-numpy.inf]), g.number([0.0]))
    elif mask == "bool":
        added = g.Where("mask", g.number([0.0]), g.number([-numpy.inf]))
    else:
        added = mask
    scores = g.MatMul(g.Mul(query, root()), g.Mul(transposed, root()))
    weights = g.Softmax(g.Add(scores, added) if added else scores, axis=-1)
    if guard:
        weights = g.Where(g.IsNaN(weights), g.number([0.0]), weights)
    return g.MatMul(weights, value)


def dynamo(g, query, key, value, mask=None, guard=False, heads=HEADS):
    """The newer exporter: keys are transposed as a batch of matrices; the roots are constants. Key and value of fewer heads are
    expanded."""
    if heads != HEADS:
        key, value = (repeat_heads(g, x, heads) for x in (key, value))
    shape = g.Shape(key)
    part = lambda start, end: g.Slice(shape, g.ints(start), g.ints(end))
    matrices = g.Reshape(key, g.Concat(g.ints(-1), part(-2, -1), part(-1, INT64_MAX), axis=0), allowzero=0)
    transposed = g.Transpose(matrices, perm=[0, 2, 1])
    transposed = g.Reshape(transposed, g.Concat(part(0, -2), part(-1, INT64_MAX), part(-2, -1), axis=0), allowzero=0)
    root = g.tensor(numpy.array(HEAD_WIDTH**-0.25, numpy.float16 if g.element == TensorProto.FLOAT16 else numpy.float32))
    scores = g.MatMul(g.Mul(query, root), g.Mul(transposed, root))
    if mask == "bool":
        mask = g.Where("mask", g.number(0.0), g.number(g.least))
    if mask:
        scores = g.Add(scores, mask)
    weights = g.Softmax(scores, axis=-1)
    if guard:
        weights = g.Where(g.IsNaN(weights), g.number(0.0), weights)
    return g.MatMul(weights, value)


def repeat_heads(g, x, heads):
    size = lambda axis: g.Shape(x, start=axis, end=axis + 1)
    wide = g.Concat(size(0), g.ints(heads), g.ints(HEADS // heads), size(2), g.ints(HEAD_WIDTH), axis=0)
    flat = g.Concat(size(0), g.ints(HEADS), size(2), g.ints(HEAD_WIDTH), axis=0)
    return g.Reshape(g.Expand(g.Unsqueeze(x, g.ints(2)), wide), flat, allowzero=1)


def attend(how, tgt="tgt", src="src", mask=None, heads=HEADS, **options):
    """A graph of three inputs, and a mask."""
    def build(g):
        operands = g.heads_qkv(tgt, src, heads)
        name = mask
        if mask == "bool":
            g.input("mask", ["batch", 1, tgt, src], TensorProto.BOOL)
        elif mask == "float":
            name = g.input("mask", ["batch", HEADS, tgt, src])
        if heads != HEADS:
            options["heads"] = heads
        g.output("y", how(g, *operands, name, **options), ["batch", HEADS, tgt, HEAD_WIDTH])
    return build


def layer(how, **options):
    """With the projections of x around it, in the newer exporter's way: weights are transposed in the graph."""
    def build(g):
        x = g.input("x", ["batch", "seq", WIDTH])
        size = lambda axis: g.Shape(x, start=axis, end=axis + 1)
        linear = lambda y: g.Add(g.MatMul(y, g.Transpose(g.weight(WIDTH, WIDTH), perm=[1, 0])), g.weight(WIDTH))
        heads = [g.Transpose(g.Reshape(linear(x), g.Concat(size(0), size(1), g.ints(-1, HEAD_WIDTH), axis=0)), perm=[0, 2, 1, 3])
                 for _ in range(3)]
        context = g.Transpose(how(g, *heads, **options), perm=[0, 2, 1, 3])
        context = g.Reshape(context, g.Concat(size(0), size(1), g.ints(-1), axis=0))
        g.output("y", linear(context), ["batch", "seq", WIDTH])
    return build


def hide_a_row(case, inputs):
    """One query of the first case sees nothing."""
    if case.startswith("b2"):
        inputs["mask"][1, 0, 2, :] = False


FORMS = {
    "sdpa": lambda name: save(name, attend(sdpa), CROSS, 14),
    "sdpa_layer": lambda name: save(name, layer(sdpa, mask="causal"), SELF),
    "sdpa_causal": lambda name: save(name, attend(sdpa, "seq", "seq", mask="causal"), SELF, 14),
    "sdpa_causal_cross": lambda name: save(name, attend(sdpa, mask="causal"), CROSS, 14),
    "sdpa_bool": lambda name: save(name, attend(sdpa, mask="bool"), CROSS, edit=hide_a_row),
    "sdpa_bool_guard": lambda name: save(name, attend(sdpa, mask="bool", guard=True), CROSS, edit=hide_a_row),
    "sdpa_float": lambda name: save(name, attend(sdpa, mask="float"), CROSS),
    "sdpa_float_guard": lambda name: save(name, attend(sdpa, mask="float", guard=True), CROSS),
    "dynamo": lambda name: save(name, attend(dynamo), CROSS, 18),
    "dynamo_layer": lambda name: save(name, layer(dynamo), SELF, 18),
    "dynamo_bool": lambda name: save(name, attend(dynamo, mask="bool"), CROSS, 18, edit=hide_a_row),
    "dynamo_bool_guard": lambda name: save(name, attend(dynamo, mask="bool", guard=True), CROSS, 20, edit=hide_a_row),
    "dynamo_float": lambda name: save(name, attend(dynamo, mask="float"), CROSS, 18),
    "dynamo_grouped": lambda name: save(name, attend(dynamo, mask="bool", heads=1), CROSS, 18),
}
