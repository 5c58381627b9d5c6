# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The same in other words: softmax spelt out, other ranks, other scores, inner values that are outputs, PyTorch's own module.
import math

import torch
from torch import nn

import saving
from forms.common import HEAD_WIDTH, HEADS, WIDTH, Projections, draw, linear, padding, save_cross, save_masked, save_self


class Annotated(Projections):
    """"The Annotated Transformer": masked_fill by a large number; the weights are an output."""

    def forward(self, x, mask):
        query, key, value = self.project(x)
        scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(HEAD_WIDTH)
        scores = scores.masked_fill(mask.unsqueeze(1).unsqueeze(1) == 0, -1e9)
        weights = scores.softmax(dim=-1)
        return self.finish(torch.matmul(weights, value)), weights


class Scored(Projections):
    """Something is done to the scores: `change`. With `shown` they are outputs, before and after it."""

    def __init__(self, change, shown=False):
        super().__init__()
        self.change, self.shown = change, shown

    def forward(self, x):
        query, key, value = self.project(x)
        raw = torch.matmul(query, key.transpose(-2, -1))
        scores = self.change(raw)
        result = self.finish(torch.matmul(torch.softmax(scores, dim=-1), value))
        return (result, raw, scores) if self.shown else result


class SpeltOut(Projections):
    """Softmax as five operations."""

    def forward(self, x):
        query, key, value = self.project(x)
        scores = query @ key.transpose(-2, -1) * HEAD_WIDTH**-0.5
        powers = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
        return self.finish(powers / powers.sum(dim=-1, keepdim=True) @ value)


class DividedLater(Projections):
    """The product is divided by the sums, not the weights."""

    def forward(self, x):
        query, key, value = self.project(x)
        scores = query @ key.transpose(-2, -1) * HEAD_WIDTH**-0.5
        powers = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
        return self.finish((powers @ value) / powers.sum(dim=-1, keepdim=True))


class OneHead(nn.Module):
    """Matrices without heads, of rank 3 or 2."""

    def __init__(self):
        super().__init__()
        self.query, self.key, self.value = (linear(HEAD_WIDTH, bias=False) for _ in range(3))

    def forward(self, x):
        query, key, value = self.query(x), self.key(x), self.value(x)
        return torch.softmax(query @ key.transpose(-2, -1) / math.sqrt(HEAD_WIDTH), dim=-1) @ value


def save_matrices(name):
    cases = {f"n{n}": {"x": draw(30 + n, n, WIDTH)} for n in (7, 1, 33)}
    saving.save(name, OneHead(), {"x": ["seq", WIDTH]}, {"y": ["seq", HEAD_WIDTH]}, cases, 31)


class KeysReshaped(Projections):
    """Keys are read in another shape instead of being transposed (a known mistake, and what the model means)."""

    def forward(self, x):
        query, key, value = self.project(x)
        keys = key.reshape(key.shape[0], HEADS, HEAD_WIDTH, key.shape[2])
        return self.finish(torch.softmax(query @ keys * HEAD_WIDTH**-0.5, dim=-1) @ value)


class Library(nn.Module):
    """nn.MultiheadAttention over x, or over a memory; its masks are bools."""

    keep_mode = True  # In training mode, without dropout, it exports operations.

    def __init__(self, seed, need_weights=False):
        super().__init__()
        self.need_weights = need_weights
        self.attention = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
        saving.randomize(self, seed)
        self.train()

    def forward(self, x, memory=None):
        memory = x if memory is None else memory
        result, weights = self.attention(x, memory, memory, need_weights=self.need_weights, average_attn_weights=False)
        return (result, weights) if self.need_weights else result


class LibraryMasked(Library):
    def forward(self, x, mask):
        later = torch.triu(torch.ones(x.shape[1], x.shape[1]), diagonal=1) > 0
        return self.attention(x, x, x, need_weights=False, attn_mask=later, key_padding_mask=mask == 0)[0]


class PreNorm(nn.Module):
    """A whole layer around it: norms, residuals, feed-forward."""

    def __init__(self):
        super().__init__()
        self.attention, self.norm, self.second = Scored(lambda s: s * HEAD_WIDTH**-0.5), nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.expand, self.contract = nn.Linear(WIDTH, 20), nn.Linear(20, WIDTH)

    def forward(self, x):
        x = x + self.attention(self.norm(x))
        return x + self.contract(nn.functional.gelu(self.expand(self.second(x))))


WEIGHTS = {"y": ["batch", "seq", WIDTH], "weights": ["batch", HEADS, "seq", "seq"]}
SCORES = {"y": ["batch", "seq", WIDTH], "raw": ["batch", HEADS, "seq", "seq"], "scores": ["batch", HEADS, "seq", "seq"]}

FORMS = {
    "annotated": lambda name: save_masked(name, Annotated(), 30, (11, 17), WEIGHTS),
    "spelt_out": lambda name: save_self(name, SpeltOut(), 32, (11, 17)),
    "divided_later": lambda name: save_self(name, DividedLater(), 33),
    "rank3": lambda name: save_self(name, OneHead(), 34, outputs={"y": ["batch", "seq", HEAD_WIDTH]}),
    "rank2": save_matrices,
    "keys_reshaped": lambda name: save_self(name, KeysReshaped(), 35),
    "no_scale": lambda name: save_self(name, Scored(lambda s: s), 36),
    "softcap": lambda name: save_self(name, Scored(lambda s: torch.tanh(s / 4) * 4), 37),
    "clipped_scores": lambda name: save_self(name, Scored(lambda s: torch.clamp(s * 0.5, -1.5, 2.0)), 38),
    "squared_scores": lambda name: save_self(name, Scored(lambda s: torch.relu(s) ** 2 * 0.25), 39),
    "scores_shown": lambda name: save_self(name, Scored(lambda s: s * 0.5, True), 40, outputs=SCORES),
    "library": lambda name: save_self(name, Library(41), 41),
    "library_weights": lambda name: save_self(name, Library(42, True), 42, outputs=WEIGHTS),
    "library_cross": lambda name: save_cross(name, Library(43), 43),
    "library_masked": lambda name: save_masked(name, LibraryMasked(44), 44, empty=False),
    "layer": lambda name: save_self(name, PreNorm(), 45),
}
