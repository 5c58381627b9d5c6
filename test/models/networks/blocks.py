# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Single blocks of a Transformer, as small as they can be while every part of them matters.
import math

import torch
from torch import nn


class FeedForwardBlock(nn.Module):
    """LayerNorm(x + Linear(activation(Linear(x))))."""

    def __init__(self, width, hidden, activation):
        super().__init__()
        self.expand = nn.Linear(width, hidden)
        self.activation = activation
        self.contract = nn.Linear(hidden, width)
        self.norm = nn.LayerNorm(width)

    def forward(self, x):
        return self.norm(x + self.contract(self.activation(self.expand(x))))


class AttentionBlock(nn.Module):
    """Multi-head attention of `query` over `memory`, from projections to output, with nothing fused."""

    def __init__(self, width, heads, causal=False):
        super().__init__()
        self.heads, self.head_width, self.causal = heads, width // heads, causal
        self.query, self.key, self.value, self.output = (nn.Linear(width, width) for _ in range(4))

    def split(self, x):
        return x.view(x.shape[0], -1, self.heads, self.head_width).transpose(1, 2)

    def forward(self, query, memory=None):
        memory = query if memory is None else memory
        q, k, v = self.split(self.query(query)), self.split(self.key(memory)), self.split(self.value(memory))
        scores = q @ k.transpose(-1, -2) / math.sqrt(self.head_width)
        if self.causal:
            length = query.shape[1]
            later = torch.triu(torch.ones(length, length), diagonal=1) > 0
            scores = scores.masked_fill(later, -math.inf)
        context = torch.softmax(scores, dim=-1) @ v
        return self.output(context.transpose(1, 2).reshape(query.shape[0], -1, self.heads * self.head_width))


class LibraryAttention(nn.Module):
    """PyTorch's nn.MultiheadAttention as self-attention. It merges batch and heads into one axis, so that its
    reshapes have two unknown axes at once; frameworks have got that wrong without an error."""

    def __init__(self, width, heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(width, heads, batch_first=True)

    def forward(self, x):
        return self.attention(x, x, x, need_weights=True, average_attn_weights=False)
