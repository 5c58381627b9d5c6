# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Single blocks, one for each way in which attention learns of positions: rotation of pairs, interleaved or in halves; a
# linear penalty (ALiBi); a decoder block of Llama.
import torch
from torch import nn

import saving
from networks.common import LONGEST, RMSNorm, lengths, merge, one_length_cases, split


def later_mask(length):
    """[length, length]: the least float where the key comes after the query, else 0."""
    position = torch.arange(length)
    return (position[None, :] > position[:, None]).float() * torch.finfo(torch.float).min


def frequencies(width):
    return 1.0 / 10000 ** (torch.arange(0, width, 2).float() / width)


class Attention(nn.Module):
    """Self-attention whose query and key are turned by rotate(x)."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.scale = heads, (width // heads) ** -0.5
        self.query, self.key, self.value, self.output = (nn.Linear(width, width) for _ in range(4))

    def forward(self, x):
        q, k, v = (split(y, self.heads) for y in (self.query(x), self.key(x), self.value(x)))
        scores = self.rotate(q) @ self.rotate(k).transpose(-1, -2) * self.scale + self.addend(x.shape[1])
        return self.output(merge(torch.softmax(scores, dim=-1) @ v))


class InterleavedRotary(Attention):
    """RoFormer: channels 2i and 2i + 1 are a pair; sines and cosines are a constant table. Looks both ways."""

    def __init__(self, width, heads):
        super().__init__(width, heads)
        angle = torch.arange(LONGEST)[:, None] * frequencies(width // heads).repeat_interleave(2)[None, :]
        self.register_buffer("sine", angle.sin())
        self.register_buffer("cosine", angle.cos())

    def rotate(self, x):
        turned = torch.stack((-x[..., 1::2], x[..., ::2]), dim=-1).reshape_as(x)
        return x * self.cosine[: x.shape[2]] + turned * self.sine[: x.shape[2]]

    def addend(self, length):
        return 0.0


class HalvesRotary(Attention):
    """GPT-NeoX: channel i is paired with i + n / 2, in the first half of a head only; angles are made in the graph."""

    def __init__(self, width, heads):
        super().__init__(width, heads)
        self.turned = width // heads // 2
        self.register_buffer("frequency", frequencies(self.turned))

    def rotate(self, x):
        angle = torch.arange(x.shape[2]).float()[:, None] * self.frequency[None, :]
        angle = torch.cat((angle, angle), dim=-1)
        y, rest = x[..., : self.turned], x[..., self.turned :]
        half = self.turned // 2
        turned = torch.cat((-y[..., half:], y[..., :half]), dim=-1)
        return torch.cat((y * angle.cos() + turned * angle.sin(), rest), dim=-1)

    def addend(self, length):
        return later_mask(length)


class Alibi(nn.Module):
    """BLOOM: a key's position, counted over what is not padding, times a slope for each head is added to its scores."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.scale = heads, (width // heads) ** -0.5
        self.project, self.output = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.register_buffer("slopes", 2.0 ** (-8.0 / heads * torch.arange(1, heads + 1)))

    def forward(self, x, mask):
        batch, length, width = x.shape
        parts = self.project(x).view(batch, length, self.heads, 3, width // self.heads).permute(0, 2, 3, 1, 4)
        q, k, v = (parts[:, :, i].reshape(batch * self.heads, length, -1) for i in range(3))
        position = ((mask.cumsum(dim=-1) - 1) * mask)[:, None, :]
        alibi = (self.slopes[:, None] * position).reshape(batch * self.heads, 1, length)
        scores = torch.baddbmm(alibi, q, k.transpose(1, 2), beta=1.0, alpha=self.scale)
        index = torch.arange(length)
        hidden = (index[None, :] > index[:, None])[None, None] | (mask == 0)[:, None, None, :]
        scores = scores.view(batch, self.heads, length, length)
        scores = scores.masked_fill(hidden, torch.finfo(torch.float).min)
        weights = torch.softmax(scores, dim=-1).view(batch * self.heads, length, length)
        context = (weights @ v).view(batch, self.heads, length, -1)
        return self.output(merge(context))


class LlamaBlock(nn.Module):
    """Root-mean-square norms, rotary halves at given positions, key and value heads shared by two query heads each,
    SwiGLU, no biases."""

    def __init__(self, width, heads, shared_heads, hidden):
        super().__init__()
        self.heads, self.shared_heads, self.head_width = heads, shared_heads, width // heads
        self.query, self.output = nn.Linear(width, width, bias=False), nn.Linear(width, width, bias=False)
        self.key, self.value = (nn.Linear(width, shared_heads * self.head_width, bias=False) for _ in range(2))
        self.gate, self.up = (nn.Linear(width, hidden, bias=False) for _ in range(2))
        self.down = nn.Linear(hidden, width, bias=False)
        self.norm1, self.norm2 = RMSNorm(width), RMSNorm(width)
        self.register_buffer("frequency", frequencies(self.head_width))

    def rotate(self, x, cosine, sine):
        half = self.head_width // 2
        return x * cosine + torch.cat((-x[..., half:], x[..., :half]), dim=-1) * sine

    def repeat(self, x):
        batch, shared, length, width = x.shape
        times = self.heads // self.shared_heads
        return x[:, :, None].expand(batch, shared, times, length, width).reshape(batch, self.heads, length, width)

    def attend(self, x, positions):
        angle = positions[:, :, None].float() @ self.frequency[None, None, :]
        angle = torch.cat((angle, angle), dim=-1).unsqueeze(1)
        cosine, sine = angle.cos(), angle.sin()
        q = self.rotate(split(self.query(x), self.heads), cosine, sine)
        k = self.repeat(self.rotate(split(self.key(x), self.shared_heads), cosine, sine))
        v = self.repeat(split(self.value(x), self.shared_heads))
        scores = q @ k.transpose(2, 3) / self.head_width**0.5 + later_mask(x.shape[1])
        return self.output(merge(torch.softmax(scores, dim=-1) @ v))

    def forward(self, x, positions):
        x = x + self.attend(self.norm1(x), positions)
        y = self.norm2(x)
        return x + self.down(nn.functional.silu(self.gate(y)) * self.up(y))


def save(name, model, make, more=None):
    """A model of x [batch, seq, 32] and `more` inputs."""
    axes = ["batch", "seq"]
    saving.save_model(name, model, {"x": [*axes, 32], **(more or {})}, {"y": [*axes, 32]}, one_length_cases(make),
                      example="b3_n7", opsets=(17,))


def export_rotary(name, make_model, seed):
    generator = torch.Generator().manual_seed(seed)
    save(name, saving.randomize(make_model(32, 4), seed),
         lambda batch, length: {"x": torch.randn(batch, length, 32, generator=generator)})


def export_interleaved():
    export_rotary("rotary_interleaved", InterleavedRotary, 33)


def export_halves():
    export_rotary("rotary_halves", HalvesRotary, 34)


def export_alibi():
    """Padding is on the left here, so that the mask matters to the positions; the last token is never padding."""
    generator = torch.Generator().manual_seed(35)
    save("alibi", saving.randomize(Alibi(32, 4), 35), lambda batch, length: {
        "x": torch.randn(batch, length, 32, generator=generator),
        "mask": (torch.arange(length) >= length - lengths(generator, batch, length)[:, None]).long()},
        {"mask": ["batch", "seq"]})


def export_llama():
    """Positions start anywhere and have gaps."""
    generator = torch.Generator().manual_seed(36)
    save("llama", saving.randomize(LlamaBlock(32, 4, 2, 48), 36), lambda batch, length: {
        "x": torch.randn(batch, length, 32, generator=generator),
        "positions": torch.randint(0, 3, (batch, length), generator=generator).cumsum(dim=1)},
        {"positions": ["batch", "seq"]})
