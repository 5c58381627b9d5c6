# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A vision Transformer as PyTorch exports timm's (opset 17), with random weights: the batch is dynamic. Patches are cut
# by a convolution; query, key and value come of one product and are taken apart. Needs the packages onnx and numpy.
import numpy
from onnx import TensorProto

from model_writer import Writer

HEAD = 64  # the width of a head, in every ViT
CHANNELS = 3
EPSILON = 1e-6


def attention(model, x, length, width):
    heads = width // HEAD
    parts = model.node("Reshape", model.linear(x, width, 3 * width), model.ints(-1, length, 3, heads, HEAD))
    parts = model.node("Split", model.node("Transpose", parts, perm=[2, 0, 3, 1, 4]), axis=0, outputs=3)
    q, k, v = (model.node("Squeeze", part, model.ints(0)) for part in parts)
    q = model.node("Mul", q, model.number(HEAD**-0.5))
    y = model.attend(model.node("MatMul", q, model.node("Transpose", k, perm=[0, 1, 3, 2])), v)
    return model.linear(model.merge(y, width), width, width)


def embed(model, side, patch, width):
    """[batch, length, width], and the length: a learned token comes first."""
    count = (side // patch) ** 2
    x = model.node("Conv", "image", model.weight(width, CHANNELS, patch, patch), model.weight(width),
                   kernel_shape=[patch, patch], strides=[patch, patch])  # fmt: skip
    x = model.node("Transpose", model.node("Reshape", x, model.ints(0, width, count)), perm=[0, 2, 1])
    shape = model.node("Concat", model.size(x, 0), model.ints(1), model.ints(width), axis=0)
    x = model.node("Concat", model.node("Expand", model.weight(1, 1, width), shape), x, axis=1)
    return model.node("Add", x, model.weight(1, 1 + count, width)), 1 + count


def save(path, layers, width, side, patch, classes, seed=1):
    model = Writer(seed)
    x, length = embed(model, side, patch, width)
    for _ in range(layers):
        x = model.node("Add", x, attention(model, model.norm(x, width, EPSILON), length, width))
        y = model.gelu(model.linear(model.norm(x, width, EPSILON), width, 4 * width))
        x = model.node("Add", x, model.linear(y, 4 * width, width))
    first = model.node("Gather", model.norm(x, width, EPSILON), model.constant(numpy.array(0)), axis=1)
    model.save(path, "vit", [("image", TensorProto.FLOAT, ["batch", CHANNELS, side, side])],
               [(model.linear(first, width, classes), TensorProto.FLOAT, ["batch", classes])])  # fmt: skip


def make_inputs(sizes, batch):
    shape = batch, CHANNELS, sizes["side"], sizes["side"]
    return {"image": numpy.random.default_rng(0).standard_normal(shape, numpy.float32)}
