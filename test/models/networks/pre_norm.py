# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The pre-norm encoder-decoder with a home-made norm: weight * (x - mean) / (std + eps) + bias, with the unbiased
# standard deviation and eps outside the root. Masks are uint8 inputs, 0 where nothing is to be seen.
import math

import torch
from torch import nn

import saving
from networks.common import LONGEST, FeedForward, StdNorm, lengths, merge, sinusoids, split, tokens, two_length_cases


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.head_width = heads, width // heads
        self.query, self.key, self.value, self.output = (nn.Linear(width, width) for _ in range(4))

    def forward(self, x, memory, mask):
        q, k, v = (split(y, self.heads) for y in (self.query(x), self.key(memory), self.value(memory)))
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.head_width)
        scores = scores.masked_fill(mask.unsqueeze(1) == 0, -1e9)
        return self.output(merge(torch.matmul(torch.softmax(scores, dim=-1), v)))


class EncoderLayer(nn.Module):
    def __init__(self, width, heads, hidden):
        super().__init__()
        self.attention, self.feed_forward = Attention(width, heads), FeedForward(width, hidden)
        self.norm1, self.norm2 = StdNorm(width), StdNorm(width)

    def forward(self, x, mask):
        y = self.norm1(x)
        x = x + self.attention(y, y, mask)
        return x + self.feed_forward(self.norm2(x))


class DecoderLayer(nn.Module):
    def __init__(self, width, heads, hidden):
        super().__init__()
        self.self_attention, self.cross_attention = Attention(width, heads), Attention(width, heads)
        self.feed_forward = FeedForward(width, hidden)
        self.norm1, self.norm2, self.norm3 = (StdNorm(width) for _ in range(3))

    def forward(self, x, memory, src_mask, tgt_mask):
        y = self.norm1(x)
        x = x + self.self_attention(y, y, tgt_mask)
        x = x + self.cross_attention(self.norm2(x), memory, src_mask)
        return x + self.feed_forward(self.norm3(x))


class Embedding(nn.Module):
    def __init__(self, vocabulary, width):
        super().__init__()
        self.embed, self.scale = nn.Embedding(vocabulary, width), math.sqrt(width)
        self.register_buffer("positions", sinusoids(LONGEST, width).unsqueeze(0))

    def forward(self, ids):
        return self.embed(ids) * self.scale + self.positions[:, : ids.shape[1]]


class PreNorm(nn.Module):
    def __init__(self, src_vocabulary, tgt_vocabulary, layers, width, heads, hidden):
        super().__init__()
        self.src_embed, self.tgt_embed = Embedding(src_vocabulary, width), Embedding(tgt_vocabulary, width)
        self.encoder = nn.ModuleList(EncoderLayer(width, heads, hidden) for _ in range(layers))
        self.decoder = nn.ModuleList(DecoderLayer(width, heads, hidden) for _ in range(layers))
        self.src_norm, self.tgt_norm = StdNorm(width), StdNorm(width)
        self.out = nn.Linear(width, tgt_vocabulary)

    def forward(self, src, tgt, src_mask, tgt_mask):
        memory = self.src_embed(src)
        for layer in self.encoder:
            memory = layer(memory, src_mask)
        memory = self.src_norm(memory)
        x = self.tgt_embed(tgt)
        for layer in self.decoder:
            x = layer(x, memory, src_mask, tgt_mask)
        return self.out(self.tgt_norm(x))


def case(generator, batch, tgt, src):
    """Padding at the end of each source; causality and padding in the target."""
    src_mask = torch.arange(src) < lengths(generator, batch, src)[:, None]
    tgt_mask = torch.arange(tgt) < lengths(generator, batch, tgt)[:, None]
    return {"src": tokens(generator, batch, src, 41), "tgt": tokens(generator, batch, tgt, 29),
            "src_mask": src_mask[:, None, :].byte(),
            "tgt_mask": tgt_mask[:, None, :].byte() * torch.ones(tgt, tgt).tril().byte()}


def export():
    model = saving.randomize(PreNorm(41, 29, layers=2, width=28, heads=4, hidden=48), 21)
    generator = torch.Generator().manual_seed(21)
    cases = two_length_cases(lambda *sizes: case(generator, *sizes))
    saving.save_model("pre_norm", model,
                      {"src": ["batch", "src"], "tgt": ["batch", "tgt"], "src_mask": ["batch", 1, "src"],
                       "tgt_mask": ["batch", "tgt", "tgt"]},
                      {"logits": ["batch", "tgt", 29]}, cases, example="b2_t7_s33")
