# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The post-norm encoder-decoder Transformer as PyTorch exports it (opset 17), with random weights: batch and lengths are
# dynamic, masks are run-time inputs, of which 0 hides, and the softmax over the vocabulary is in the graph. Needs the
# packages onnx and numpy.
import numpy
from onnx import TensorProto

from model_writer import GivenWriter, Writer

EPSILON = 1e-5


def view(model, x, heads, width):
    """[batch, length, heads, width], where -1 stands for the length, by x.view(x.shape[0], -1, ...)."""
    shape = model.node("Concat", model.size(x, 0), model.ints(-1), model.ints(heads), model.ints(width), axis=0)
    return model.node("Reshape", x, shape)


def attention(model, x, memory, mask, width, heads, tutorial):
    head = width // heads
    q, k = (view(model, model.linear(y, width, width), heads, head) for y in (x, memory))
    v = k if tutorial else view(model, model.linear(memory, width, width), heads, head)
    q, v = (model.node("Transpose", y, perm=[0, 2, 1, 3]) for y in (q, v))
    scores = model.node("MatMul", q, model.node("Transpose", k, perm=[0, 2, 3, 1]))
    scores = model.node("Div", scores, model.number(head**0.5))
    hidden = model.node("Equal", model.unsqueeze(mask, 1), model.number(0))
    y = model.attend(model.node("Where", hidden, model.number(-1e9), scores), v)
    shape = model.node("Concat", model.size(x, 0), model.ints(-1), model.ints(width), axis=0)
    return model.linear(model.node("Reshape", model.node("Transpose", y, perm=[0, 2, 1, 3]), shape), width, width)


def feed_forward(model, x, width, hidden):
    return model.linear(model.node("Relu", model.linear(x, width, hidden)), hidden, width)


def sinusoids(longest, width, tutorial):
    channel = numpy.arange(0.0, width, 2)
    angle = numpy.arange(longest)[:, None] * (width * 10000**-channel if tutorial else 10000 ** (-channel / width))
    return numpy.stack((numpy.sin(angle), numpy.cos(angle)), axis=-1).reshape(longest, width).astype(numpy.float32)


def embed(model, tokens, vocabulary, width, longest, tutorial):
    x = model.node("Mul", model.node("Gather", model.weight(vocabulary, width), tokens), model.number(width**0.5))
    positions = model.constant(sinusoids(longest, width, tutorial))
    return model.node("Add", x, model.slice(positions, model.ints(0), model.size(tokens, 1), 0))


def save(path, layers, width, heads, hidden, source, target, longest, tutorial=False, weights=None, seed=1):
    """`source` and `target` are sizes of vocabularies, `weights` may be those of test/models/networks/transformer.py in
    its order. In the variant of its `tutorial` values are projected as keys are, and frequencies are what they are by
    the precedence of operators."""
    model = Writer(seed) if weights is None else GivenWriter(weights)

    def residual(x, y):
        return model.norm(model.node("Add", x, y), width, EPSILON)

    def attend(x, memory, mask):
        return residual(x, attention(model, x, memory, mask, width, heads, tutorial))

    memory = embed(model, "src", source, width, longest, tutorial)
    for _ in range(layers):
        memory = attend(memory, memory, "src_mask")
        memory = residual(memory, feed_forward(model, memory, width, hidden))
    x = embed(model, "tgt", target, width, longest, tutorial)
    for _ in range(layers):
        x = attend(attend(x, x, "tgt_mask"), memory, "cross_mask")
        x = residual(x, feed_forward(model, x, width, hidden))
    y = model.node("Softmax", model.linear(x, width, target), axis=-1, name="probabilities")
    inputs = [(name, TensorProto.INT64, ["batch", name]) for name in ("src", "tgt")]
    masks = {"src_mask": ["src", "src"], "cross_mask": ["tgt", "src"], "tgt_mask": ["tgt", "tgt"]}
    inputs += [(name, TensorProto.FLOAT, ["batch", *axes]) for name, axes in masks.items()]
    model.save(path, "transformer", inputs, [(y, TensorProto.FLOAT, ["batch", "tgt", target])])


def make_inputs(sizes, batch, length):
    """Up to a fifth of a source is padding; the target sees what is before it."""
    random = numpy.random.default_rng(0)
    seen = numpy.arange(length) < length - random.integers(0, length // 5 + 1, batch)[:, None]
    mask = numpy.repeat(seen[:, None, :], length, axis=1).astype(numpy.float32)
    causal = numpy.tril(numpy.ones((length, length), numpy.float32))
    return {"src": random.integers(0, sizes["source"], (batch, length)),
            "tgt": random.integers(0, sizes["target"], (batch, length)), "src_mask": mask, "cross_mask": mask,
            "tgt_mask": numpy.repeat(causal[None], batch, axis=0)}  # fmt: skip
