# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Vision Transformers: an image is cut into patches by a convolution whose stride is its kernel, a learned token comes
# first, positions are learned, layers are pre-norm. One takes images of 20 x 12; the other any size (what is left over
# at the edges is not looked at), with a position for each row and one for each column.
import math

import torch
from torch import nn

import saving
from networks.common import FeedForward, erf_gelu

PATCH, WIDTH, HEADS, CLASSES = 4, 32, 4, 10
ROWS, COLUMNS = 5, 3
MOST = 24


class Attention(nn.Module):
    """Query, key and value in one product, [batch, length, 3, heads, head width], taken apart by unbind."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.head_width = heads, width // heads
        self.project, self.output = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        batch, length, width = x.shape
        parts = self.project(x).reshape(batch, length, 3, self.heads, self.head_width).permute(2, 0, 3, 1, 4)
        q, k, v = parts.unbind(0)
        weights = torch.softmax((q @ k.transpose(-2, -1)) * (1 / math.sqrt(self.head_width)), dim=-1)
        return self.output((weights @ v).transpose(1, 2).reshape(batch, length, width))


class Layer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.attention, self.norm1 = Attention(width, heads), nn.LayerNorm(width)
        self.feed_forward, self.norm2 = FeedForward(width, 2 * width, erf_gelu), nn.LayerNorm(width)

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.feed_forward(self.norm2(x))


class VisionTransformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(3, WIDTH, PATCH, stride=PATCH)
        self.class_embed = nn.Parameter(torch.zeros(1, 1, WIDTH))
        self.layers = nn.ModuleList(Layer(WIDTH, HEADS) for _ in range(2))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, CLASSES)
        self.make_positions()

    def make_positions(self):
        self.position_embed = nn.Parameter(torch.zeros(1, 1 + ROWS * COLUMNS, WIDTH))

    def embed(self, patches):
        x = patches.flatten(2).transpose(1, 2)
        return torch.cat((self.class_embed.expand(x.shape[0], -1, -1), x), dim=1) + self.position_embed

    def forward(self, image):
        x = self.embed(self.patches(image))
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x)[:, 0])


class AnySize(VisionTransformer):
    def make_positions(self):
        self.row_embed, self.column_embed = (nn.Parameter(torch.zeros(WIDTH, MOST)) for _ in range(2))

    def embed(self, patches):
        rows, columns = patches.shape[2], patches.shape[3]
        x = patches + self.row_embed[:, :rows, None] + self.column_embed[:, None, :columns]
        x = x.flatten(2).transpose(1, 2)
        return torch.cat((self.class_embed.expand(x.shape[0], -1, -1), x), dim=1)


def export():
    model = saving.randomize(VisionTransformer(), 28)
    generator = torch.Generator().manual_seed(28)
    sides = (PATCH * ROWS, PATCH * COLUMNS)
    cases = {f"b{batch}": {"image": torch.randn(batch, 3, *sides, generator=generator)} for batch in (1, 3, 5)}
    saving.save_model("vit", model, {"image": ["batch", 3, *sides]}, {"logits": ["batch", CLASSES]}, cases,
                      example="b3")


def export_any_size():
    """Up to 150 patches; sides that are no multiple of the patch."""
    model = saving.randomize(AnySize(), 29)
    generator = torch.Generator().manual_seed(29)
    sizes = [(1, 4, 4), (3, 4, 28), (2, 13, 47), (1, 67, 35), (1, 40, 60), (2, 7, 7), (5, 30, 6)]
    cases = {f"b{batch}_h{height}_w{width}": {"image": torch.randn(batch, 3, height, width, generator=generator)}
             for batch, height, width in sizes}
    saving.save_model("vit_any_size", model, {"image": ["batch", 3, "height", "width"]},
                      {"logits": ["batch", CLASSES]}, cases, example="b2_h13_w47")
