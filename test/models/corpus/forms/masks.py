# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Masks and biases that are made in the graph of more than lengths and padding; and other ways to compare query and key.
import torch
from torch import nn

import saving
from forms.common import HEAD_WIDTH, HEADS, WIDTH, LENGTHS, Projections, draw, linear, save_self

SCALE = HEAD_WIDTH**-0.5


class Segments(Projections):
    """Several texts in one row: a position sees its own text only, and what is before it."""

    def forward(self, x, segments):
        query, key, value = self.project(x)
        position = torch.arange(x.shape[1])
        kept = (segments[:, :, None] == segments[:, None, :]) & (position[:, None] >= position[None, :])
        scores = (query @ key.transpose(-2, -1) * SCALE).masked_fill(~kept[:, None], torch.finfo(x.dtype).min)
        return self.finish(torch.softmax(scores, dim=-1) @ value)


def save_segments(name):
    cases = {f"b{b}_n{n}": {"x": draw(60 + n, b, n, WIDTH), "segments": (torch.arange(n) // 5 + torch.arange(b)[:, None]) // 2}
             for b, n in LENGTHS}
    saving.save(name, Segments(), {"x": ["batch", "seq", WIDTH], "segments": ["batch", "seq"]}, {"y": ["batch", "seq", WIDTH]},
                cases, 60)


class PastAndCausal(Projections):
    """The first Llama: zeros for what is past are put before a triangle."""

    def forward(self, x, past_key, past_value):
        query, key, value = self.project(x)
        length, past = x.shape[1], past_key.shape[2]
        key, value = torch.cat((past_key, key), dim=2), torch.cat((past_value, value), dim=2)
        position = torch.arange(length)
        mask = torch.full((length, length), torch.finfo(x.dtype).min)
        mask = mask.masked_fill(position < (position + 1).view(length, 1), 0.0)
        mask = torch.cat((torch.zeros(length, past), mask), dim=-1)
        scores = query @ key.transpose(-2, -1) * SCALE + mask[None, None]
        return self.finish(torch.softmax(scores, dim=-1) @ value)


def save_past(name):
    past = ["batch", HEADS, "past", HEAD_WIDTH]
    cases = {f"b{b}_p{p}_n{n}": {"x": draw(70 + n, b, n, WIDTH), "past_key": draw(71 + p, b, HEADS, p, HEAD_WIDTH),
                                 "past_value": draw(72 + p, b, HEADS, p, HEAD_WIDTH)}
             for b, p, n in [(2, 5, 4), (1, 40, 1), (1, 11, 33)]}
    saving.save(name, PastAndCausal(), {"x": ["batch", "seq", WIDTH], "past_key": past, "past_value": past},
                {"y": ["batch", "seq", WIDTH]}, cases, 61)


class WindowAndFirst(Projections):
    """The last five positions and the first two."""

    def forward(self, x):
        query, key, value = self.project(x)
        i, j = torch.arange(x.shape[1])[:, None], torch.arange(x.shape[1])
        kept = (j <= i) & ((i - j < 5) | (j < 2))
        scores = torch.where(kept, query @ key.transpose(-2, -1) * SCALE, torch.tensor(-torch.inf))
        return self.finish(torch.softmax(scores, dim=-1) @ value)


class Swin(nn.Module):
    """Two windows are entries of the batch; a mask for each is added with the batch split again."""

    def __init__(self, length=6):
        super().__init__()
        self.length = length
        self.qkv, self.output = linear(3 * WIDTH), linear()
        self.table = nn.Parameter(torch.empty(2 * length - 1, HEADS))
        position = torch.arange(length)
        self.register_buffer("index", position[:, None] - position + length - 1)
        self.register_buffer("mask", torch.zeros(2, length, length))
        self.mask[1, :3, 3:] = self.mask[1, 3:, :3] = -100.0

    def forward(self, image):
        x = image.view(image.shape[0], 2, self.length, WIDTH).view(-1, self.length, WIDTH)
        windows, length, width = x.shape
        query, key, value = self.qkv(x).reshape(windows, length, 3, HEADS, HEAD_WIDTH).permute(2, 0, 3, 1, 4).unbind(0)
        scores = query * SCALE @ key.transpose(-2, -1)
        bias = self.table[self.index.view(-1)].view(length, length, -1).permute(2, 0, 1).contiguous()
        scores = (scores + bias.unsqueeze(0)).view(windows // 2, 2, HEADS, length, length)
        scores = (scores + self.mask.unsqueeze(1).unsqueeze(0)).view(-1, HEADS, length, length)
        context = (torch.softmax(scores, dim=-1) @ value).transpose(1, 2).reshape(windows, length, width)
        return self.output(context).view(image.shape)


def save_swin(name):
    cases = {f"b{b}": {"x": draw(62 + b, b, 12, WIDTH)} for b in (2, 1, 3)}
    saving.save(name, Swin(), {"x": ["batch", 12, WIDTH]}, {"y": ["batch", 12, WIDTH]}, cases, 62)


class Cosine(Projections):
    """Swin v2: query and key have length 1, and each head a scale of its own."""

    def __init__(self):
        super().__init__()
        self.logarithm = nn.Parameter(torch.empty(HEADS, 1, 1))

    def forward(self, x):
        query, key, value = self.project(x)
        scores = nn.functional.normalize(query, dim=-1) @ nn.functional.normalize(key, dim=-1).transpose(-2, -1)
        scores = scores * torch.clamp(self.logarithm + 1.0, max=4.6).exp()
        return self.finish(torch.softmax(scores, dim=-1) @ value)


class Disentangled(Projections):
    """DeBERTa: the query by the key's distance, and the key by the query's, are looked up and added."""

    def __init__(self):
        super().__init__()
        self.distances = nn.Embedding(8, WIDTH)

    def forward(self, x):
        query, key, value = self.project(x)
        batch, length = x.shape[0], x.shape[1]
        position = torch.arange(length)
        index = torch.clamp(position[:, None] - position + 4, 0, 7).expand(batch, HEADS, length, length)
        keys, queries = (f(self.distances.weight).view(8, HEADS, HEAD_WIDTH).permute(1, 2, 0) for f in (self.key, self.query))
        to_position = torch.gather(query @ keys, -1, index)
        from_position = torch.gather(key @ queries, -1, index).transpose(-1, -2)
        scores = (query @ key.transpose(-2, -1) + to_position + from_position) / (3 * HEAD_WIDTH) ** 0.5
        return self.finish(torch.softmax(scores, dim=-1) @ value)


class OneForAll(nn.Module):
    """CRATE: one projection is query, key and value."""

    def __init__(self):
        super().__init__()
        self.all, self.output = linear(bias=False), linear()

    def forward(self, x):
        heads = self.all(x).view(x.shape[0], x.shape[1], HEADS, HEAD_WIDTH).transpose(1, 2)
        weights = torch.softmax(heads @ heads.transpose(-1, -2) * SCALE, dim=-1)
        return self.output((weights @ heads).transpose(1, 2).reshape(x.shape[0], x.shape[1], WIDTH))


FORMS = {
    "segments": save_segments,
    "past_and_causal": save_past,
    "window_and_first": lambda name: save_self(name, WindowAndFirst(), 63),
    "swin": save_swin,
    "cosine": lambda name: save_self(name, Cosine(), 64),
    "disentangled": lambda name: save_self(name, Disentangled(), 65),
    "one_for_all": lambda name: save_self(name, OneForAll(), 66),
}
