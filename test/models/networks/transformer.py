# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The post-norm encoder-decoder Transformer with masks as run-time inputs, in the variant of a Chinese
# tutorial. Its quirks are part of the model, since a compiler has to compile what the graph says:
#   - values are projected by the *key* projection; the value projection is never used;
#   - position frequencies are 1 / (base**i / d), by operator precedence, instead of 1 / base**(i / d);
#   - masks are float tensors, and a score is replaced by -1e9 wherever its mask is exactly 0: a row that is masked
#     everywhere therefore yields the mean of the values, not NaN and not zero;
#   - the softmax over the vocabulary belongs to the graph.
# The tutorial gives its decoder the encoder's [batch, src, src] mask for cross attention as well, which works only
# if source and target have the same length. Here the cross attention has a mask of its own, [batch, tgt, src], so
# that the two lengths are independent symbols; passing src_mask twice gives the tutorial's model.
import math

import torch
from torch import nn
from torch.nn import functional


class Embedding(nn.Module):
    """Token embedding times sqrt(width), plus sinusoids."""

    def __init__(self, vocabulary, width, longest, base=10000):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.scale = math.sqrt(width)
        frequency = 1.0 / (float(base) ** torch.arange(0, width, 2, dtype=torch.float) / width)
        angle = torch.arange(longest, dtype=torch.float)[:, None] * frequency.repeat_interleave(2)[None, :]
        angle[:, 0::2] = angle[:, 0::2].sin()
        angle[:, 1::2] = angle[:, 1::2].cos()
        self.register_buffer("positions", angle)

    def forward(self, tokens):
        return self.embed(tokens) * self.scale + self.positions[: tokens.shape[1]]


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.head_width = heads, width // heads
        self.q_proj, self.k_proj, self.v_proj, self.o_proj = (nn.Linear(width, width) for _ in range(4))

    def split(self, x):
        return x.view(x.shape[0], -1, self.heads, self.head_width).transpose(1, 2)

    def forward(self, x, memory, mask):
        # The value goes through k_proj: see the quirks above.
        q, k, v = self.split(self.q_proj(x)), self.split(self.k_proj(memory)), self.split(self.k_proj(memory))
        scores = q @ k.transpose(-1, -2) / math.sqrt(self.head_width)
        scores = scores.masked_fill(mask.unsqueeze(1) == 0, -1e9)
        context = functional.softmax(scores, dim=-1) @ v
        return self.o_proj(context.transpose(1, 2).contiguous().view(x.shape[0], -1, self.heads * self.head_width))


class FeedForward(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.expand, self.contract = nn.Linear(width, hidden), nn.Linear(hidden, width)

    def forward(self, x):
        return self.contract(functional.relu(self.expand(x)))


class EncoderLayer(nn.Module):
    def __init__(self, width, heads, hidden):
        super().__init__()
        self.attention, self.norm1 = Attention(width, heads), nn.LayerNorm(width)
        self.feed_forward, self.norm2 = FeedForward(width, hidden), nn.LayerNorm(width)

    def forward(self, x, mask):
        x = self.norm1(x + self.attention(x, x, mask))
        return self.norm2(x + self.feed_forward(x))


class DecoderLayer(nn.Module):
    def __init__(self, width, heads, hidden):
        super().__init__()
        self.self_attention, self.norm1 = Attention(width, heads), nn.LayerNorm(width)
        self.cross_attention, self.norm2 = Attention(width, heads), nn.LayerNorm(width)
        self.feed_forward, self.norm3 = FeedForward(width, hidden), nn.LayerNorm(width)

    def forward(self, x, memory, cross_mask, tgt_mask):
        x = self.norm1(x + self.self_attention(x, x, tgt_mask))
        x = self.norm2(x + self.cross_attention(x, memory, cross_mask))
        return self.norm3(x + self.feed_forward(x))


class Transformer(nn.Module):
    def __init__(self, src_vocabulary, tgt_vocabulary, layers, width, heads, hidden, longest):
        super().__init__()
        self.src_embedding = Embedding(src_vocabulary, width, longest)
        self.tgt_embedding = Embedding(tgt_vocabulary, width, longest)
        self.encoder = nn.ModuleList(EncoderLayer(width, heads, hidden) for _ in range(layers))
        self.decoder = nn.ModuleList(DecoderLayer(width, heads, hidden) for _ in range(layers))
        self.out = nn.Linear(width, tgt_vocabulary)

    def forward(self, src, tgt, src_mask, cross_mask, tgt_mask):
        memory = self.src_embedding(src)
        for layer in self.encoder:
            memory = layer(memory, src_mask)
        x = self.tgt_embedding(tgt)
        for layer in self.decoder:
            x = layer(x, memory, cross_mask, tgt_mask)
        return functional.softmax(self.out(x), dim=-1)
