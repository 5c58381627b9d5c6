# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Whisper in small: a spectrogram [batch, mels, frames] goes through two convolutions of kernel 3, the second of which
# halves the length, then through a pre-norm encoder; the decoder has a causal mask, cut from a constant with -inf, and
# an output that is tied to its embedding. Query and key are each scaled by the fourth root; keys have no bias.
import math

import torch
from torch import nn
from torch.nn import functional

import saving
from networks.common import FeedForward, erf_gelu, tokens

MELS, WIDTH, HEADS, VOCABULARY = 16, 24, 3, 47
LONGEST = 150


def halved_sinusoids(rows, width):
    """All sines, then all cosines."""
    frequency = torch.exp(-math.log(10000) / (width // 2 - 1) * torch.arange(width // 2))
    angle = torch.arange(rows)[:, None] * frequency[None, :]
    return torch.cat((angle.sin(), angle.cos()), dim=1)


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.scale = heads, (width // heads) ** -0.25
        self.query, self.key, self.value, self.output = (nn.Linear(width, width, bias=name != "key")
                                                         for name in ("query", "key", "value", "output"))

    def forward(self, x, memory, mask=None):
        q, k, v = self.query(x), self.key(memory), self.value(memory)
        q = q.view(*q.shape[:2], self.heads, -1).permute(0, 2, 1, 3) * self.scale
        k = k.view(*k.shape[:2], self.heads, -1).permute(0, 2, 3, 1) * self.scale
        v = v.view(*v.shape[:2], self.heads, -1).permute(0, 2, 1, 3)
        scores = q @ k
        if mask is not None:
            scores = scores + mask[: x.shape[1], : x.shape[1]]
        return self.output((torch.softmax(scores, dim=-1) @ v).permute(0, 2, 1, 3).flatten(start_dim=2))


class Layer(nn.Module):
    def __init__(self, width, heads, cross):
        super().__init__()
        self.attention, self.norm1 = Attention(width, heads), nn.LayerNorm(width)
        self.feed_forward, self.norm2 = FeedForward(width, 2 * width, erf_gelu), nn.LayerNorm(width)
        if cross:
            self.cross_attention, self.norm3 = Attention(width, heads), nn.LayerNorm(width)

    def forward(self, x, memory=None, mask=None):
        y = self.norm1(x)
        x = x + self.attention(y, y, mask)
        if memory is not None:
            x = x + self.cross_attention(self.norm3(x), memory)
        return x + self.feed_forward(self.norm2(x))


class Whisper(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv1d(MELS, WIDTH, 3, padding=1)
        self.conv2 = nn.Conv1d(WIDTH, WIDTH, 3, stride=2, padding=1)
        self.register_buffer("sinusoids", halved_sinusoids(LONGEST, WIDTH))
        self.encoder = nn.ModuleList(Layer(WIDTH, HEADS, cross=False) for _ in range(2))
        self.embed, self.position_embed = nn.Embedding(VOCABULARY, WIDTH), nn.Parameter(torch.zeros(LONGEST, WIDTH))
        self.decoder = nn.ModuleList(Layer(WIDTH, HEADS, cross=True) for _ in range(1))
        self.register_buffer("mask", torch.full((LONGEST, LONGEST), -math.inf).triu(1))
        self.src_norm, self.tgt_norm = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)

    def forward(self, mel, ids):
        memory = functional.gelu(self.conv2(functional.gelu(self.conv1(mel)))).permute(0, 2, 1)
        memory = memory + self.sinusoids[: memory.shape[1]]
        for layer in self.encoder:
            memory = layer(memory)
        memory = self.src_norm(memory)
        x = self.embed(ids) + self.position_embed[: ids.shape[-1]]
        for layer in self.decoder:
            x = layer(x, memory, self.mask)
        return self.tgt_norm(x) @ self.embed.weight.t()


def export():
    """Frames are about twice the encoder's lengths, even and odd: 1, 7, 33, 128 and 150."""
    model = saving.randomize(Whisper(), 30)
    generator = torch.Generator().manual_seed(30)
    sizes = [(1, 1, 1), (2, 1, 14), (3, 7, 2), (2, 7, 65), (3, 33, 13), (1, 33, 255), (1, 128, 66), (1, 150, 300)]
    cases = {f"b{batch}_t{tgt}_f{frames}": {"mel": torch.randn(batch, MELS, frames, generator=generator),
                                            "ids": tokens(generator, batch, tgt, VOCABULARY)}
             for batch, tgt, frames in sizes}
    saving.save_model("whisper", model, {"mel": ["batch", MELS, "frames"], "ids": ["batch", "tgt"]},
                      {"logits": ["batch", "tgt", VOCABULARY]}, cases, example="b2_t7_f65")
