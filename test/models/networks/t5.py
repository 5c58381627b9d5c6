# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The encoder-decoder of T5: root-mean-square norms, no biases, no scale on the scores, ReLU. Positions are buckets of
# the distance from key to query, with a learned bias for each head and bucket; they are computed in the graph (range,
# absolute value, logarithm, minimum, select) and added by every layer. Padding is -inf's neighbour, the least float.
import math

import torch
from torch import nn
from torch.nn import functional

import saving
from networks.common import FeedForward, RMSNorm, lengths, merge, split, tokens, two_length_cases

BUCKETS = 16
# With the usual 128 the decoder's distances 16, 32 and 64 would stand on the very edge of a bucket, where the last bit
# of the logarithm decides. With 60 none does.
FARTHEST = 60


def smaller(a, b):
    """The minimum for opset 11, whose Min knows no integers."""
    return torch.where(a < b, a, b)


def bucket(distance, both_ways, smaller=torch.min):
    """`distance` is key minus query. Near ones have buckets of their own, farther ones share, by logarithm."""
    buckets, base = BUCKETS, 0
    if both_ways:
        buckets //= 2
        base = (distance > 0).long() * buckets
        distance = distance.abs()
    else:
        distance = -smaller(distance, torch.zeros_like(distance))
    exact = buckets // 2
    far = exact + (torch.log(distance.float() / exact) / math.log(FARTHEST / exact) * (buckets - exact)).long()
    far = smaller(far, torch.full_like(far, buckets - 1))
    return base + torch.where(distance < exact, distance, far)


class PositionBias(nn.Module):
    def __init__(self, heads, both_ways):
        super().__init__()
        self.embed, self.both_ways = nn.Embedding(BUCKETS, heads), both_ways
        self.smaller = torch.min

    def forward(self, length):
        position = torch.arange(length)
        distance = position[None, :] - position[:, None]
        return self.embed(bucket(distance, self.both_ways, self.smaller)).permute(2, 0, 1).unsqueeze(0)


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.output = (nn.Linear(width, width, bias=False) for _ in range(4))

    def forward(self, x, memory, bias):
        q, k, v = (split(y, self.heads) for y in (self.query(x), self.key(memory), self.value(memory)))
        weights = torch.softmax(torch.matmul(q, k.transpose(3, 2)) + bias, dim=-1)
        return self.output(merge(torch.matmul(weights, v)))


class Layer(nn.Module):
    def __init__(self, width, heads, hidden, cross):
        super().__init__()
        self.attention, self.norm1 = Attention(width, heads), RMSNorm(width)
        self.feed_forward, self.norm2 = FeedForward(width, hidden, bias=False), RMSNorm(width)
        if cross:
            self.cross_attention, self.norm3 = Attention(width, heads), RMSNorm(width)

    def forward(self, x, bias, memory=None, memory_bias=None):
        y = self.norm1(x)
        x = x + self.attention(y, y, bias)
        if memory is not None:
            x = x + self.cross_attention(self.norm3(x), memory, memory_bias)
        return x + self.feed_forward(self.norm2(x))


class T5(nn.Module):
    def __init__(self, vocabulary, layers, width, heads, hidden):
        super().__init__()
        self.embed, self.scale = nn.Embedding(vocabulary, width), width**-0.5
        self.src_bias, self.tgt_bias = PositionBias(heads, both_ways=True), PositionBias(heads, both_ways=False)
        self.encoder = nn.ModuleList(Layer(width, heads, hidden, cross=False) for _ in range(layers))
        self.decoder = nn.ModuleList(Layer(width, heads, hidden, cross=True) for _ in range(layers))
        self.src_norm, self.tgt_norm = RMSNorm(width), RMSNorm(width)

    def forward(self, src, src_mask, tgt):
        padding = (1.0 - src_mask[:, None, None, :].float()) * torch.finfo(torch.float).min
        bias = self.src_bias(src.shape[1]) + padding
        memory = self.embed(src)
        for layer in self.encoder:
            memory = layer(memory, bias)
        memory = self.src_norm(memory)
        position = torch.arange(tgt.shape[1])
        later = (position[None, :] > position[:, None]).float() * torch.finfo(torch.float).min
        bias = self.tgt_bias(tgt.shape[1]) + later
        x = self.embed(tgt)
        for layer in self.decoder:
            x = layer(x, bias, memory, padding)
        return functional.linear(self.tgt_norm(x) * self.scale, self.embed.weight)


def case(generator, batch, tgt, src):
    mask = torch.arange(src) < lengths(generator, batch, src)[:, None]
    return {"src": tokens(generator, batch, src, 43), "src_mask": mask.long(),
            "tgt": tokens(generator, batch, tgt, 43)}


def export():
    model = saving.randomize(T5(43, layers=2, width=32, heads=4, hidden=64), 24)
    # Scores have no scale: without this, attention would look at one key only.
    for name, parameter in model.named_parameters():
        if "query" in name:
            parameter.data *= 0.3
    generator = torch.Generator().manual_seed(24)
    cases = two_length_cases(lambda *sizes: case(generator, *sizes))
    inputs = {"src": ["batch", "src"], "src_mask": ["batch", "src"], "tgt": ["batch", "tgt"]}
    outputs = {"logits": ["batch", "tgt", 43]}
    saving.save_model("t5", model, inputs, outputs, cases, example="b2_t7_s33", opsets=(17, 14))
    model.src_bias.smaller = model.tgt_bias.smaller = smaller
    saving.save_model("t5", model, inputs, outputs, cases, example="b2_t7_s33", opsets=(11,))
