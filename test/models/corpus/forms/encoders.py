# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Attention of encoders, as their implementations write it.
import math

import torch
from torch import nn

from forms.common import HEAD_WIDTH, HEADS, WIDTH, Projections, linear, merge_heads, save_masked, save_self


class Bert(Projections):
    """The scores are divided; padding is a product with the least number, added."""

    def forward(self, x, mask):
        extended = (1.0 - mask[:, None, None, :].to(x.dtype)) * torch.finfo(x.dtype).min
        query, key, value = self.project(x)
        scores = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(HEAD_WIDTH) + extended
        weights = nn.functional.dropout(nn.functional.softmax(scores, dim=-1), 0.1, self.training)
        context = torch.matmul(weights, value).permute(0, 2, 1, 3).contiguous()
        return self.output(context.view(context.size()[:-2] + (WIDTH,)))


class DistilBert(Projections):
    """The query is divided; padding is a choice, by a mask that is expanded to the scores."""

    def forward(self, x, mask):
        query, key, value = self.project(x)
        scores = torch.matmul(query / math.sqrt(HEAD_WIDTH), key.transpose(2, 3))
        hidden = (mask == 0).view(mask.shape[0], 1, 1, key.shape[2]).expand_as(scores)
        scores = scores.masked_fill(hidden, torch.tensor(torch.finfo(scores.dtype).min))
        return self.finish(torch.matmul(nn.functional.softmax(scores, dim=-1), value))


class VitPieces(nn.Module):
    """One projection for all three, taken apart after it was transposed (timm)."""

    def __init__(self, unbind):
        super().__init__()
        self.unbind = unbind
        self.qkv, self.output = linear(3 * WIDTH), linear()

    def forward(self, x):
        batch, length, width = x.shape
        qkv = self.qkv(x).reshape(batch, length, 3, HEADS, HEAD_WIDTH).permute(2, 0, 3, 1, 4)
        query, key, value = qkv.unbind(0) if self.unbind else (qkv[0], qkv[1], qkv[2])
        weights = (query @ key.transpose(-2, -1) * HEAD_WIDTH**-0.5).softmax(dim=-1)
        return self.output((weights @ value).transpose(1, 2).reshape(batch, length, width))


class T5(nn.Module):
    """Two layers that add one bias, looked up by the bucket of a distance. There is no scale."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(Projections() for _ in range(2))
        self.bias = nn.Embedding(8, HEADS)

    def buckets(self, length, device):
        position = torch.arange(length, dtype=torch.long, device=device)
        distance = position[None, :] - position[:, None]
        far, distance = (distance > 0).to(torch.long) * 4, torch.abs(distance)
        near = distance < 2
        logarithmic = 2 + (torch.log(distance.float() / 2) / math.log(16 / 2) * 2).to(torch.long)
        logarithmic = torch.min(logarithmic, torch.full_like(logarithmic, 3))
        return far + torch.where(near, distance, logarithmic)

    def forward(self, x):
        bias = self.bias(self.buckets(x.shape[1], x.device)).permute(2, 0, 1).unsqueeze(0)
        for layer in self.layers:
            query, key, value = layer.project(x)
            scores = torch.matmul(query, key.transpose(3, 2)) + bias
            weights = nn.functional.softmax(scores.float(), dim=-1).type_as(scores)
            x = x + layer.finish(torch.matmul(weights, value))
        return x


class Einsum(nn.Module):
    """ALBERT: heads stay behind the positions, products are einsums."""

    def __init__(self):
        super().__init__()
        self.query, self.key, self.value, self.output = (linear() for _ in range(4))

    def forward(self, x, mask):
        query, key, value = (f(x).view(x.shape[0], x.shape[1], HEADS, HEAD_WIDTH) for f in (self.query, self.key, self.value))
        scores = torch.einsum("bihd,bjhd->bhij", query, key) * HEAD_WIDTH**-0.5
        scores = scores + (1.0 - mask[:, None, None, :].to(x.dtype)) * -10000.0
        context = torch.einsum("bhij,bjhd->bihd", torch.softmax(scores, -1), value)
        return self.output(context.reshape(x.shape[0], x.shape[1], WIDTH))


class EinsumLengthFirst(nn.Module):
    """XLNet: the batch is the second dim, and the projections are einsums, too."""

    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Parameter(torch.empty(WIDTH, HEADS, HEAD_WIDTH)) for _ in range(4))

    def forward(self, x, mask):
        x = x.transpose(0, 1)
        query, key, value = (torch.einsum("ibh,hnd->ibnd", x, w * 0.5) for w in (self.q, self.k, self.v))
        scores = torch.einsum("ibnd,jbnd->bnij", query, key) * (1 / HEAD_WIDTH**0.5)
        hidden = (mask == 0).to(x.dtype)[:, None, None, :]
        scores = scores - 65500 * torch.einsum("bxyj->bxyj", hidden)
        context = torch.einsum("bnij,jbnd->ibnd", nn.functional.softmax(scores, dim=3), value)
        return torch.einsum("ibnd,hnd->ibh", context, self.o).transpose(0, 1)


class Alibi(Projections):
    """BLOOM: batch and heads are one dim; a bias that grows with the position is beta of a baddbmm."""

    def forward(self, x, mask):
        batch, length, _ = x.shape
        slopes = torch.tensor([2.0 ** -(i + 1) for i in range(HEADS)])
        position = ((mask.cumsum(dim=-1) - 1) * mask)[:, None, :]
        bias = (slopes[:, None] * position).reshape(batch * HEADS, 1, length).to(x.dtype)
        query, key, value = (y.reshape(batch * HEADS, length, HEAD_WIDTH) for y in self.project(x))
        scores = bias.baddbmm(batch1=query, batch2=key.transpose(1, 2), beta=1.0, alpha=HEAD_WIDTH**-0.5)
        scores = scores.view(batch, HEADS, length, length)
        later = torch.arange(length)[:, None] < torch.arange(length)
        hidden = later[None, None] | (mask == 0)[:, None, None, :]
        scores = torch.masked_fill(scores, hidden, torch.finfo(scores.dtype).min)
        weights = nn.functional.softmax(scores, dim=-1, dtype=torch.float32).to(x.dtype)
        context = torch.bmm(weights.view(batch * HEADS, length, length), value)
        return self.finish(context.view(batch, HEADS, length, HEAD_WIDTH))


FORMS = {
    "bert": lambda name: save_masked(name, Bert(), 1, opsets=(11, 14, 17)),
    "distilbert": lambda name: save_masked(name, DistilBert(), 2),
    "vit_unbind": lambda name: save_self(name, VitPieces(True), 3),
    "vit_index": lambda name: save_self(name, VitPieces(False), 4),
    "t5": lambda name: save_self(name, T5(), 5),
    "einsum": lambda name: save_masked(name, Einsum(), 6, empty=False),
    "einsum_length_first": lambda name: save_masked(name, EinsumLengthFirst(), 7, empty=False),
    "alibi": lambda name: save_masked(name, Alibi(), 8, empty=False),
}
