# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Two encoders that rearrange what a Transformer is made of.
# ALBERT: every depth has the same layer, so that its weights are in the file once; the embedding is narrow and is
# widened by a product; padding is a float mask, 1 for what is seen, that becomes an addend of -10000.
# ResiDual: two streams. One is normalised after each addition and feeds the blocks; the other adds up the same blocks
# without a norm between them, is normalised once, and added at the end.
import math

import torch
from torch import nn

import saving
from networks.common import (LONGEST, FeedForward, erf_gelu, lengths, merge, one_length_cases, split, tanh_gelu,
                             tokens)


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.head_width = heads, width // heads
        self.query, self.key, self.value, self.output = (nn.Linear(width, width) for _ in range(4))

    def forward(self, x, addend=None):
        q, k, v = (split(y, self.heads) for y in (self.query(x), self.key(x), self.value(x)))
        scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(self.head_width)
        if addend is not None:
            scores = scores + addend
        return self.output(merge(torch.matmul(torch.softmax(scores, dim=-1), v)))


class AlbertLayer(nn.Module):
    def __init__(self, width, heads, hidden):
        super().__init__()
        self.attention, self.norm1 = Attention(width, heads), nn.LayerNorm(width, eps=1e-12)
        self.feed_forward, self.norm2 = FeedForward(width, hidden, tanh_gelu), nn.LayerNorm(width, eps=1e-12)

    def forward(self, x, addend):
        x = self.norm1(x + self.attention(x, addend))
        return self.norm2(x + self.feed_forward(x))


class Albert(nn.Module):
    def __init__(self, vocabulary, depth, embedding, width, heads, hidden):
        super().__init__()
        self.embed, self.position_embed = nn.Embedding(vocabulary, embedding), nn.Embedding(LONGEST, embedding)
        self.segment_embed, self.norm = nn.Embedding(2, embedding), nn.LayerNorm(embedding, eps=1e-12)
        self.widen = nn.Linear(embedding, width)
        self.layer, self.depth = AlbertLayer(width, heads, hidden), depth

    def forward(self, ids, segments, mask):
        x = self.embed(ids) + self.segment_embed(segments) + self.position_embed(torch.arange(ids.shape[1]))
        addend = (1.0 - mask[:, None, None, :]) * -10000.0
        x = self.widen(self.norm(x))
        for _ in range(self.depth):
            x = self.layer(x, addend)
        return x


class ResiDualLayer(nn.Module):
    def __init__(self, width, heads, hidden):
        super().__init__()
        self.blocks = nn.ModuleList((Attention(width, heads), FeedForward(width, hidden, erf_gelu)))
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in self.blocks)

    def forward(self, x, total):
        for block, norm in zip(self.blocks, self.norms):
            y = block(x)
            x, total = norm(x + y), total + y
        return x, total


class ResiDual(nn.Module):
    def __init__(self, vocabulary, layers, width, heads, hidden):
        super().__init__()
        self.embed, self.position_embed = nn.Embedding(vocabulary, width), nn.Embedding(LONGEST, width)
        self.layers = nn.ModuleList(ResiDualLayer(width, heads, hidden) for _ in range(layers))
        self.norm = nn.LayerNorm(width)

    def forward(self, ids):
        x = total = self.embed(ids) + self.position_embed(torch.arange(ids.shape[1]))
        for layer in self.layers:
            x, total = layer(x, total)
        return x + self.norm(total)


def albert_case(generator, batch, length):
    mask = torch.arange(length) < lengths(generator, batch, length)[:, None]
    return {"ids": tokens(generator, batch, length, 61), "segments": tokens(generator, batch, length, 2),
            "mask": mask.float()}


def export_albert():
    model = saving.randomize(Albert(61, depth=3, embedding=16, width=32, heads=4, hidden=64), 31)
    generator = torch.Generator().manual_seed(31)
    cases = one_length_cases(lambda *sizes: albert_case(generator, *sizes))
    axes = ["batch", "seq"]
    saving.save_model("albert", model, {"ids": axes, "segments": axes, "mask": axes}, {"y": [*axes, 32]}, cases,
                      example="b3_n7")


def export_residual():
    model = saving.randomize(ResiDual(61, layers=2, width=32, heads=4, hidden=64), 32)
    generator = torch.Generator().manual_seed(32)
    cases = one_length_cases(lambda batch, length: {"ids": tokens(generator, batch, length, 61)})
    saving.save_model("residual", model, {"ids": ["batch", "seq"]}, {"y": ["batch", "seq", 32]}, cases,
                      example="b3_n7")
