# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What several networks are made of: splitting into heads, sinusoids, the norms that are not LayerNorm, and cases.
import math

import torch
from torch import nn

LONGEST = 160

# (batch, length), and (batch, target length, source length). The longest have batch 1, to stay small.
ONE_LENGTH = [(1, 1), (3, 7), (2, 33), (1, 128), (1, 150)]
TWO_LENGTHS = [(1, 1, 1), (2, 1, 7), (3, 7, 1), (2, 7, 33), (3, 33, 7), (1, 33, 128), (1, 128, 33), (1, 150, 150)]


def split(x, heads):
    """[batch, length, width] as [batch, heads, length, width / heads]."""
    return x.view(x.shape[0], -1, heads, x.shape[2] // heads).transpose(1, 2)


def merge(x):
    """The inverse of split."""
    x = x.transpose(1, 2)
    return x.reshape(x.shape[0], -1, x.shape[2] * x.shape[3])


def sinusoids(rows, width):
    """Sine in even columns, cosine in odd ones, a frequency for each pair of columns."""
    column = torch.arange(width, dtype=torch.double)
    angle = torch.arange(rows, dtype=torch.double)[:, None] / 10000 ** (2 * (column // 2) / width)
    return torch.where(column % 2 == 0, angle.sin(), angle.cos()).float()


def erf_gelu(x):
    return x * 0.5 * (1.0 + torch.erf(x / math.sqrt(2.0)))


def tanh_gelu(x):
    return 0.5 * x * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0))))


class StdNorm(nn.Module):
    """Divides by the *unbiased* standard deviation plus eps: eps is outside the root. Not LayerNorm."""

    def __init__(self, width, eps=1e-6):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.ones(width)), nn.Parameter(torch.zeros(width))
        self.eps = eps

    def forward(self, x):
        centred = x - x.mean(dim=-1, keepdim=True)
        return self.weight * centred / (x.std(dim=-1, keepdim=True) + self.eps) + self.bias


class RMSNorm(nn.Module):
    """No mean is subtracted, and there is no bias."""

    def __init__(self, width, eps=1e-6):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(width)), eps

    def forward(self, x):
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps))


class FeedForward(nn.Module):
    def __init__(self, width, hidden, activation=torch.relu, bias=True):
        super().__init__()
        self.expand, self.contract = nn.Linear(width, hidden, bias=bias), nn.Linear(hidden, width, bias=bias)
        self.activation = activation

    def forward(self, x):
        return self.contract(self.activation(self.expand(x)))


def tokens(generator, batch, length, vocabulary):
    return torch.randint(0, vocabulary, (batch, length), generator=generator)


def lengths(generator, batch, length):
    """A length from 1 to `length` for each entry of the batch; the first is not shortened."""
    drawn = torch.randint(1, length + 1, (batch,), generator=generator)
    drawn[0] = length
    return drawn


def one_length_cases(make, sizes=None):
    """make(batch, length) is a case's inputs."""
    return {f"b{batch}_n{length}": make(batch, length) for batch, length in sizes or ONE_LENGTH}


def two_length_cases(make, sizes=None):
    """make(batch, target length, source length) is a case's inputs."""
    return {f"b{batch}_t{tgt}_s{src}": make(batch, tgt, src) for batch, tgt, src in sizes or TWO_LENGTHS}
