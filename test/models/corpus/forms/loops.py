# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Scripted modules, whose loops over positions stay loops: what is gathered in a list becomes a sequence that a Loop appends to. In the
# static graph, of known length, they are unrolled.
from typing import List

import torch
from torch import nn

import saving
from forms.common import LENGTHS, WIDTH, draw, linear


class GRU(nn.Module):
    """A gated recurrent unit, step by step."""

    def __init__(self):
        super().__init__()
        self.of_input, self.of_state, self.output = linear(3 * WIDTH), linear(3 * WIDTH), linear()

    def forward(self, x, h):
        results: List[torch.Tensor] = []
        for position in range(x.size(1)):
            input_reset, input_update, input_new = self.of_input(x[:, position]).chunk(3, -1)
            reset, update, new = self.of_state(h).chunk(3, -1)
            update = torch.sigmoid(input_update + update)
            new = torch.tanh(input_new + torch.sigmoid(input_reset + reset) * new)
            h = (1 - update) * new + update * h
            results.append(self.output(h))
        return torch.stack(results, 1), h


class TimeMixing(nn.Module):
    """RWKV 4: a weighted mean of all values so far, whose numerator and denominator are relative to the largest exponent."""

    def __init__(self):
        super().__init__()
        self.key, self.value, self.gate, self.output = (linear(bias=False) for _ in range(4))
        self.decay, self.first, self.mix = (nn.Parameter(torch.rand(WIDTH)) for _ in range(3))

    def forward(self, x, h):
        numerator, denominator, largest = torch.zeros_like(h), torch.zeros_like(h), torch.full_like(h, -30.0)
        results: List[torch.Tensor] = []
        for position in range(x.size(1)):
            mixed = x[:, position] * self.mix + h * (1 - self.mix)
            h = x[:, position]
            key, value = self.key(mixed), self.value(mixed)
            top = torch.maximum(largest, key + self.first)
            old, new = torch.exp(largest - top), torch.exp(key + self.first - top)
            mean = (old * numerator + new * value) / (old * denominator + new)
            results.append(self.output(torch.sigmoid(self.gate(mixed)) * mean))
            top = torch.maximum(largest + self.decay, key)
            old, new = torch.exp(largest + self.decay - top), torch.exp(key - top)
            numerator, denominator, largest = old * numerator + new * value, old * denominator + new, top
        return torch.stack(results, 1), h


class Reader(nn.Module):
    """One query after the other reads all of x, and says what the next one asks."""

    def __init__(self):
        super().__init__()
        self.query, self.key, self.value = linear(), linear(), linear()

    def forward(self, x, h):
        key, value = self.key(x), self.value(x)
        results: List[torch.Tensor] = []
        for position in range(x.size(1)):
            query = self.query(x[:, position] + h).unsqueeze(1)
            weights = torch.softmax(query @ key.transpose(1, 2) * 12.0**-0.5, dim=-1)
            h = (weights @ value).squeeze(1)
            results.append(h)
        return torch.stack(results, 1), h


def save_loop(name, model, seed):
    """A model of x [batch, seq, width] and of a state h [batch, width]."""
    cases = {f"b{b}_n{n}": {"x": draw(seed + n, b, n, WIDTH), "h": draw(seed + n + 100, b, WIDTH)} for b, n in LENGTHS}
    saving.save(name, torch.jit.script(model.requires_grad_(False)), {"x": ["batch", "seq", WIDTH], "h": ["batch", WIDTH]},
                {"y": ["batch", "seq", WIDTH], "last": ["batch", WIDTH]}, cases, seed)


FORMS = {
    "loop_gru": lambda name: save_loop(name, GRU(), 81),
    "loop_time_mixing": lambda name: save_loop(name, TimeMixing(), 82),
    "loop_reader": lambda name: save_loop(name, Reader(), 83),
}
