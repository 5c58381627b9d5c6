# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the modules of this folder share. Sizes are small and all different, so that no two dims can be mistaken.
import torch
from torch import nn

import saving

WIDTH, HEADS, HEAD_WIDTH = 12, 3, 4
LONGEST = 48  # of the stored triangles
LENGTHS = [(2, 7), (1, 33), (3, 1)]  # batch, length; the first is that of the static graph
LONG = [*LENGTHS, (1, 70)]
TWO_LENGTHS = [(2, 5, 7), (1, 33, 17), (3, 1, 9)]  # batch, target length, source length


def half(tensor):
    """The nearest numbers that are f16, too: so the graph in f16 has the same inputs and weights."""
    return tensor.half().float()


def draw(seed, *shape):
    return half(torch.randn(*shape, generator=torch.Generator().manual_seed(seed)))


def padding(batch, length):
    """1 where there is a token: the last entry of a batch is padded, on the right."""
    mask = torch.ones(batch, length, dtype=torch.int64)
    if batch > 1:
        mask[-1, (length * 2 + 2) // 3:] = 0
    return mask


def linear(width=WIDTH, bias=True):
    return nn.Linear(WIDTH, width, bias=bias)


def split_heads(x, heads=HEADS):
    return x.view(x.shape[0], x.shape[1], heads, HEAD_WIDTH).transpose(1, 2)


def merge_heads(x):
    return x.transpose(1, 2).contiguous().view(x.shape[0], x.shape[2], WIDTH)


class Projections(nn.Module):
    """Query, key and value of x or, if given, of memory; to be subclassed by how they attend."""

    def __init__(self, key_heads=HEADS):
        super().__init__()
        self.key_heads = key_heads
        self.query = linear()
        self.key, self.value = linear(key_heads * HEAD_WIDTH), linear(key_heads * HEAD_WIDTH)
        self.output = linear()

    def project(self, x, memory=None):
        memory = x if memory is None else memory
        return (split_heads(self.query(x)), split_heads(self.key(memory), self.key_heads),
                split_heads(self.value(memory), self.key_heads))

    def finish(self, context):
        return self.output(merge_heads(context))


def save_self(name, model, seed, opsets=(17,), outputs=None, lengths=None):
    """A model of x [batch, seq, width]."""
    cases = {f"b{b}_n{n}": {"x": draw(seed + n, b, n, WIDTH)} for b, n in lengths or LENGTHS}
    saving.save(name, model, {"x": ["batch", "seq", WIDTH]}, outputs or {"y": ["batch", "seq", WIDTH]}, cases, seed, opsets)


def save_masked(name, model, seed, opsets=(17,), outputs=None, empty=True):
    """A model of x and of mask [batch, seq], 0 where x is padding; with `empty` an entry that is all padding."""
    cases = {f"b{b}_n{n}": {"x": draw(seed + n, b, n, WIDTH), "mask": padding(b, n)} for b, n in LENGTHS}
    if empty:
        cases["b2_n9_empty"] = {"x": draw(seed, 2, 9, WIDTH), "mask": torch.tensor([[1] * 9, [0] * 9])}
    saving.save(name, model, {"x": ["batch", "seq", WIDTH], "mask": ["batch", "seq"]},
                outputs or {"y": ["batch", "seq", WIDTH]}, cases, seed, opsets)


def save_cross(name, model, seed, opsets=(17,), outputs=None):
    """A model of x [batch, tgt, width] and memory [batch, src, width]."""
    cases = {f"b{b}_t{t}_s{s}": {"x": draw(seed + t, b, t, WIDTH), "memory": draw(seed + s + 100, b, s, WIDTH)}
             for b, t, s in TWO_LENGTHS}
    saving.save(name, model, {"x": ["batch", "tgt", WIDTH], "memory": ["batch", "src", WIDTH]},
                outputs or {"y": ["batch", "tgt", WIDTH]}, cases, seed, opsets)
