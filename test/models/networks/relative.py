# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Attention with relative positions as Transformer-XL and XLNet have it: scores are the sum of content with content and
# content with position, each with a bias of its own; the second is computed for every distance and shifted into place by
# reading it as if its rows were longer. Everything is einsum, with the length first and the batch second.
import torch
from torch import nn

import saving


def encode(positions, width):
    """All sines, then all cosines, of positions that the graph makes."""
    frequency = 1 / 10000 ** (torch.arange(0.0, width, 2.0) / width)
    angle = torch.einsum("i,d->id", positions, frequency)
    return torch.cat((angle.sin(), angle.cos()), dim=-1)


class TransformerXL(nn.Module):
    """Attends over a memory of earlier rows and, causally, over its own."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.head_width = heads, width // heads
        self.query, self.key_value = nn.Linear(width, width, bias=False), nn.Linear(width, 2 * width, bias=False)
        self.position, self.output = nn.Linear(width, width, bias=False), nn.Linear(width, width, bias=False)
        self.content_bias, self.position_bias = (nn.Parameter(torch.zeros(heads, self.head_width)) for _ in range(2))
        self.norm = nn.LayerNorm(width)

    def shift(self, x):
        """Row i of [queries, keys, ...] moves left by queries - 1 - i: a column of zeros, and the rows read anew."""
        padded = torch.cat((torch.zeros_like(x[:, :1]), x), dim=1)
        return padded.view(x.shape[1] + 1, x.shape[0], *x.shape[2:])[1:].view_as(x)

    def forward(self, x, memory):
        queries, before, batch, width = x.shape[0], memory.shape[0], x.shape[1], x.shape[2]
        keys = before + queries
        q = self.query(x).view(queries, batch, self.heads, self.head_width)
        k, v = torch.chunk(self.key_value(torch.cat((memory, x), dim=0)), 2, dim=-1)
        k, v = (y.view(keys, batch, self.heads, self.head_width) for y in (k, v))
        r = self.position(encode(torch.arange(keys - 1, -1, -1.0), width)).view(keys, self.heads, self.head_width)
        content = torch.einsum("ibnd,jbnd->ijbn", q + self.content_bias, k)
        position = self.shift(torch.einsum("ibnd,jnd->ijbn", q + self.position_bias, r))
        later = torch.arange(keys)[None, :] > torch.arange(queries)[:, None] + before
        scores = ((content + position) / self.head_width**0.5).masked_fill(later[:, :, None, None], -1e30)
        context = torch.einsum("ijbn,jbnd->ibnd", torch.softmax(scores, dim=1), v)
        return self.norm(x + self.output(context.reshape(queries, batch, width)))


class XLNet(nn.Module):
    """Looks both ways, as a permutation mask [queries, keys, batch] allows (1 hides); knows whether two tokens are of
    the same segment."""

    def __init__(self, width, heads):
        super().__init__()
        self.head_width = width // heads
        self.query, self.key, self.value, self.position, self.output = (
            nn.Parameter(torch.zeros(width, heads, self.head_width)) for _ in range(5))
        self.content_bias, self.position_bias, self.segment_bias = (
            nn.Parameter(torch.zeros(heads, self.head_width)) for _ in range(3))
        self.segment_embed, self.norm = nn.Parameter(torch.zeros(2, heads, self.head_width)), nn.LayerNorm(width)

    def shift(self, x):
        """[batch, heads, queries, positions]: row i loses its first queries - i columns; only as many as keys stay."""
        batch, heads, queries, positions = x.shape
        x = x.reshape(batch, heads, positions, queries)[:, :, 1:, :].reshape(batch, heads, queries, positions - 1)
        return torch.index_select(x, 3, torch.arange(queries))

    def forward(self, x, segments, mask):
        length, width = x.shape[0], x.shape[2]
        q, k, v = (torch.einsum("ibh,hnd->ibnd", x, weight) for weight in (self.query, self.key, self.value))
        # From length down to 1 - length.
        encoded = encode(torch.arange(length, -length, -1.0), width)[:, None, :].expand(-1, x.shape[1], -1)
        r = torch.einsum("ibh,hnd->ibnd", encoded, self.position)
        content = torch.einsum("ibnd,jbnd->bnij", q + self.content_bias, k)
        position = self.shift(torch.einsum("ibnd,jbnd->bnij", q + self.position_bias, r))
        other = (segments[:, None] != segments[None, :]).long()
        other = nn.functional.one_hot(other, num_classes=2).float()
        segment = torch.einsum("ibnd,snd->ibns", q + self.segment_bias, self.segment_embed)
        segment = torch.einsum("ijbs,ibns->bnij", other, segment)
        scores = (content + position + segment) * self.head_width**-0.5
        scores = scores - 1e30 * torch.einsum("ijbn->bnij", mask[:, :, :, None])
        context = torch.einsum("bnij,jbnd->ibnd", torch.softmax(scores, dim=3), v)
        return self.norm(torch.einsum("ibnd,hnd->ibh", context, self.output) + x)


def export_transformer_xl():
    """Without a memory (0) it is a causal block."""
    model = saving.randomize(TransformerXL(24, 3), 37)
    generator = torch.Generator().manual_seed(37)
    sizes = [(1, 0, 1), (2, 0, 7), (3, 7, 1), (2, 33, 7), (3, 7, 33), (1, 128, 22), (1, 33, 128), (1, 150, 150)]
    cases = {f"b{batch}_m{before}_n{length}": {"x": torch.randn(length, batch, 24, generator=generator),
                                               "memory": torch.randn(before, batch, 24, generator=generator)}
             for batch, before, length in sizes}
    saving.save_model("transformer_xl", model, {"x": ["seq", "batch", 24], "memory": ["mem", "batch", 24]},
                      {"y": ["seq", "batch", 24]}, cases, example="b2_m33_n7", opsets=(17,))


def xlnet_case(generator, batch, length):
    """Each entry has an order of its own; a token sees those before it in that order, and itself."""
    rank = torch.stack([torch.randperm(length, generator=generator) for _ in range(batch)], dim=1)
    return {"x": torch.randn(length, batch, 24, generator=generator),
            "segments": torch.randint(0, 2, (length, batch), generator=generator),
            "mask": (rank[None, :] > rank[:, None]).float()}


def export_xlnet():
    model = saving.randomize(XLNet(24, 3), 38)
    generator = torch.Generator().manual_seed(38)
    sizes = [(1, 1), (3, 7), (2, 33), (1, 128), (1, 150)]
    cases = {f"b{batch}_n{length}": xlnet_case(generator, batch, length) for batch, length in sizes}
    inputs = {"x": ["seq", "batch", 24], "segments": ["seq", "batch"], "mask": ["seq", "seq", "batch"]}
    saving.save_model("xlnet", model, inputs, {"y": ["seq", "batch", 24]}, cases, example="b3_n7", opsets=(17,))
