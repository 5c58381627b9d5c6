# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The encoder of BERT: embeddings of token, segment and position, post-norm layers with the erf form of GELU, batch and
# heads merged into one axis. Keys from an entry's valid length on have their scores replaced by -1e6; an entry of
# length 0 attends to everything equally. The second output is what classifiers take: tanh of the first position's row.
import math

import torch
from torch import nn

import saving
from networks.common import LONGEST, FeedForward, erf_gelu, lengths, one_length_cases, tokens


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.head_width = heads, width // heads
        self.query, self.key, self.value, self.output = (nn.Linear(width, width) for _ in range(4))

    def split(self, x):
        x = x.reshape(x.shape[0], x.shape[1], self.heads, self.head_width).permute(0, 2, 1, 3)
        return x.reshape(-1, x.shape[2], x.shape[3])

    def merge(self, x):
        x = x.reshape(-1, self.heads, x.shape[1], x.shape[2]).permute(0, 2, 1, 3)
        return x.reshape(x.shape[0], x.shape[1], self.heads * self.head_width)

    def forward(self, x, valid_lengths):
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(self.head_width)
        # A length for each entry and head, in the order of the merged axis.
        valid = valid_lengths.unsqueeze(1).repeat(1, self.heads).reshape(-1, 1, 1)
        seen = torch.arange(x.shape[1])[None, None, :] < valid
        weights = torch.softmax(scores.masked_fill(~seen, -1e6), dim=-1)
        return self.output(self.merge(torch.bmm(weights, v)))


class Layer(nn.Module):
    def __init__(self, width, heads, hidden):
        super().__init__()
        self.attention, self.norm1 = Attention(width, heads), nn.LayerNorm(width)
        self.feed_forward, self.norm2 = FeedForward(width, hidden, erf_gelu), nn.LayerNorm(width)

    def forward(self, x, valid_lengths):
        x = self.norm1(x + self.attention(x, valid_lengths))
        return self.norm2(x + self.feed_forward(x))


class Bert(nn.Module):
    def __init__(self, vocabulary, layers, width, heads, hidden):
        super().__init__()
        self.embed, self.segment_embed = nn.Embedding(vocabulary, width), nn.Embedding(2, width)
        self.position_embed = nn.Parameter(torch.zeros(1, LONGEST, width))
        self.layers = nn.ModuleList(Layer(width, heads, hidden) for _ in range(layers))
        self.pool = nn.Linear(width, width)

    def forward(self, ids, segments, valid_lengths):
        x = self.embed(ids) + self.segment_embed(segments)
        x = x + self.position_embed[:, : x.shape[1], :]
        for layer in self.layers:
            x = layer(x, valid_lengths)
        return x, torch.tanh(self.pool(x[:, 0]))


def case(generator, batch, length):
    valid = lengths(generator, batch, length)
    if batch > 2:
        valid[2] = 0
    return {"ids": tokens(generator, batch, length, 59), "segments": tokens(generator, batch, length, 2),
            "valid_lengths": valid}


def export():
    model = saving.randomize(Bert(59, layers=2, width=32, heads=4, hidden=64), 25)
    generator = torch.Generator().manual_seed(25)
    cases = one_length_cases(lambda *sizes: case(generator, *sizes))
    axes = ["batch", "seq"]
    saving.save_model("bert", model, {"ids": axes, "segments": axes, "valid_lengths": ["batch"]},
                      {"y": [*axes, 32], "pooled": ["batch", 32]}, cases, example="b3_n7")
