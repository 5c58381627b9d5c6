# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Whisper's encoder as PyTorch exports it (opset 17), with random weights: the batch is dynamic, the spectrogram of half
# a minute is not. Two convolutions of kernel 3, of which the second halves the length, come before pre-norm layers.
# Needs the packages onnx and numpy.
import numpy
from onnx import TensorProto

from model_writer import Writer

HEAD = 64  # the width of a head, in every Whisper
EPSILON = 1e-5


def convolve(model, x, channels, width, stride):
    x = model.node("Conv", x, model.weight(width, channels, 3), model.weight(width), kernel_shape=[3], pads=[1, 1],
                   strides=[stride])  # fmt: skip
    return model.gelu(x)


def attention(model, x, width):
    """Queries are scaled; keys have no bias."""
    heads = width // HEAD
    q = model.node("Mul", model.linear(x, width, width), model.number(HEAD**-0.5))
    q, v = (model.split(y, heads, HEAD) for y in (q, model.linear(x, width, width)))
    k = model.split(model.product(x, width, width), heads, HEAD, (0, 2, 3, 1))
    return model.linear(model.merge(model.attend(model.node("MatMul", q, k), v), width), width, width)


def save(path, layers, width, mels, frames, seed=1):
    model = Writer(seed)
    x = convolve(model, "mel", mels, width, 1)
    x = model.node("Transpose", convolve(model, x, width, width, 2), perm=[0, 2, 1])
    x = model.node("Add", x, model.weight(frames // 2, width))
    for _ in range(layers):
        x = model.node("Add", x, attention(model, model.norm(x, width, EPSILON), width))
        y = model.gelu(model.linear(model.norm(x, width, EPSILON), width, 4 * width))
        x = model.node("Add", x, model.linear(y, 4 * width, width))
    model.save(path, "whisper", [("mel", TensorProto.FLOAT, ["batch", mels, frames])],
               [(model.norm(x, width, EPSILON), TensorProto.FLOAT, ["batch", frames // 2, width])])  # fmt: skip


def make_inputs(sizes, batch):
    shape = batch, sizes["mels"], sizes["frames"]
    return {"mel": numpy.random.default_rng(0).standard_normal(shape, numpy.float32)}
