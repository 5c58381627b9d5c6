# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Attention of decoders, and of encoder-decoders, as their implementations write it.
import math

import torch
from torch import nn

import saving
from forms.common import (HEAD_WIDTH, HEADS, LONG, LONGEST, WIDTH, Projections, draw, linear, merge_heads, save_cross, save_masked,
                          save_self, split_heads)

PASTS = [(2, 5, 4), (1, 0, 7), (1, 40, 1), (1, 11, 33)]  # batch, past, new


class Gpt2(nn.Module):
    """One projection, split; keys and values of the past; causality is cut out of a stored triangle."""

    def __init__(self, old):
        super().__init__()
        self.old = old
        self.attend, self.output = linear(3 * WIDTH), linear()
        triangle = torch.tril(torch.ones(LONGEST, LONGEST, dtype=torch.uint8)).view(1, 1, LONGEST, LONGEST)
        self.register_buffer("bias", triangle if old else triangle.bool())

    def heads(self, x):
        return x.view(x.size()[:-1] + (HEADS, HEAD_WIDTH)).permute(0, 2, 1, 3)

    def forward(self, x, past_key, past_value):
        query, key, value = (self.heads(y) for y in self.attend(x).split(WIDTH, dim=2))
        key, value = torch.cat((past_key, key), dim=-2), torch.cat((past_value, value), dim=-2)
        scores = torch.matmul(query, key.transpose(-1, -2))
        new, all_keys = query.size(-2), key.size(-2)
        kept = self.bias[:, :, all_keys - new : all_keys, :all_keys]
        if self.old:
            scores = scores / (float(value.size(-1)) ** 0.5)
            kept = kept.to(scores.dtype)
            scores = scores * kept - 1e4 * (1 - kept)
        else:
            scores = scores / torch.full([], value.size(-1) ** 0.5, dtype=scores.dtype)
            scores = torch.where(kept, scores, torch.full([], torch.finfo(scores.dtype).min, dtype=scores.dtype))
        weights = nn.functional.softmax(scores, dim=-1).type(value.dtype)
        context = torch.matmul(weights, value).permute(0, 2, 1, 3).contiguous()
        return self.output(context.view(context.size()[:-2] + (WIDTH,))), key, value


def save_with_past(name, model, seed, opsets):
    past = ["batch", HEADS, "past", HEAD_WIDTH]
    present = ["batch", HEADS, "all", HEAD_WIDTH]
    cases = {f"b{b}_p{p}_n{n}": {"x": draw(seed + n, b, n, WIDTH), "past_key": draw(seed + p + 50, b, HEADS, p, HEAD_WIDTH),
                                 "past_value": draw(seed + p + 90, b, HEADS, p, HEAD_WIDTH)} for b, p, n in PASTS}
    saving.save(name, model, {"x": ["batch", "seq", WIDTH], "past_key": past, "past_value": past},
                {"y": ["batch", "seq", WIDTH], "present_key": present, "present_value": present}, cases, seed, opsets)


class Bart(Projections):
    """Heads are merged into the batch; a mask is added in another shape; the weights come out, and go on, through reshapes."""

    def forward(self, x, memory, mask):
        batch, target, source = x.shape[0], x.shape[1], memory.shape[1]
        shape = (batch * HEADS, -1, HEAD_WIDTH)
        merged = lambda y: y.view(batch, -1, HEADS, HEAD_WIDTH).transpose(1, 2).contiguous()
        query = merged(self.query(x) * HEAD_WIDTH**-0.5).view(*shape)
        key, value = merged(self.key(memory)).view(*shape), merged(self.value(memory)).view(*shape)
        scores = torch.bmm(query, key.transpose(1, 2))
        scores = scores.view(batch, HEADS, target, source) + mask
        weights = nn.functional.softmax(scores.view(batch * HEADS, target, source), dim=-1)
        shown = weights.view(batch, HEADS, target, source)
        context = torch.bmm(shown.view(batch * HEADS, target, source), value)
        context = context.view(batch, HEADS, target, HEAD_WIDTH).transpose(1, 2)
        return self.output(context.reshape(batch, target, WIDTH)), shown


def save_bart(name):
    cases = {}
    for b, t, s in [(2, 5, 7), (1, 33, 17), (3, 1, 9)]:
        mask = torch.where(draw(9 + t, b, 1, t, s) > 1, torch.tensor(torch.finfo(torch.float16).min), torch.tensor(0.0))
        cases[f"b{b}_t{t}_s{s}"] = {"x": draw(t, b, t, WIDTH), "memory": draw(s + 100, b, s, WIDTH), "mask": mask}
    inputs = {"x": ["batch", "tgt", WIDTH], "memory": ["batch", "src", WIDTH], "mask": ["batch", 1, "tgt", "src"]}
    outputs = {"y": ["batch", "tgt", WIDTH], "weights": ["batch", HEADS, "tgt", "src"]}
    saving.save(name, Bart(), inputs, outputs, cases, 20, (11, 17))


class Whisper(nn.Module):
    """The root of the scale is on query and key alike; keys have no bias; self-attention, then attention to a memory."""

    def __init__(self):
        super().__init__()
        self.queries, self.values = (nn.ModuleList(linear() for _ in range(2)) for _ in range(2))
        self.keys, self.outputs = nn.ModuleList(linear(bias=False) for _ in range(2)), nn.ModuleList(linear() for _ in range(2))

    def attend(self, layer, x, memory, mask):
        query, key, value = self.queries[layer](x), self.keys[layer](memory), self.values[layer](memory)
        batch, length, width = query.shape
        scale = (width // HEADS) ** -0.25
        query = query.view(*query.shape[:2], HEADS, -1).permute(0, 2, 1, 3) * scale
        key = key.view(*key.shape[:2], HEADS, -1).permute(0, 2, 3, 1) * scale
        value = value.view(*value.shape[:2], HEADS, -1).permute(0, 2, 1, 3)
        scores = query @ key
        if mask is not None:
            scores = scores + mask[:length, :length]
        weights = nn.functional.softmax(scores.float(), dim=-1).to(x.dtype)
        return self.outputs[layer]((weights @ value).permute(0, 2, 1, 3).flatten(start_dim=2))

    def forward(self, x, memory):
        mask = torch.full((LONGEST, LONGEST), -math.inf).triu_(1)
        x = x + self.attend(0, x, x, mask)
        return x + self.attend(1, x, memory, None)


class Causal(Projections):
    """The mask is made of the length: by a comparison of positions, or by a triangle of minus infinity that is added."""

    def __init__(self, kind):
        super().__init__()
        self.kind = kind

    def hide(self, scores):
        length = scores.shape[-1]
        if self.kind == "arange":
            later = torch.arange(length)[None, :] > torch.arange(length)[:, None]
            return scores.masked_fill(later, -math.inf)
        if self.kind == "triu":
            return scores + torch.triu(torch.full((length, length), -math.inf), diagonal=1)
        if self.kind == "triu_bool":
            return scores.masked_fill(torch.ones(length, length).triu(1).bool(), -1e4)
        if self.kind == "tril":
            return scores.masked_fill(torch.tril(torch.ones(length, length)) == 0, -math.inf)
        distance = torch.arange(length)[:, None] - torch.arange(length)  # a window of 5
        return scores.masked_fill((distance < 0) | (distance >= 5), -math.inf)

    def forward(self, x):
        query, key, value = self.project(x)
        scores = self.hide(query @ key.transpose(-2, -1) * HEAD_WIDTH**-0.5)
        return self.finish(torch.softmax(scores, dim=-1) @ value)


class Optimum(Projections):
    """Hugging Face's masks without vmap: a predicate of the positions, and a look-up in the padding, make a bool, and that
    makes the floats that are added."""

    def forward(self, x, mask):
        query, key, value = self.project(x)
        batch, length = mask.shape
        entries = torch.arange(batch)[:, None, None, None]
        queries, keys = torch.arange(length)[None, None, :, None], torch.arange(length)[None, None, None, :]
        kept = (keys <= queries) & mask.bool()[entries, keys]
        least = torch.full([], torch.finfo(x.dtype).min, dtype=x.dtype)
        added = torch.where(kept, torch.zeros([], dtype=x.dtype), least)
        scores = torch.matmul(query, key.transpose(2, 3)) * HEAD_WIDTH**-0.5 + added
        return self.finish(torch.matmul(nn.functional.softmax(scores, dim=-1, dtype=torch.float32).to(x.dtype), value))


class TwoMasks(Projections):
    """Causality and padding are added one after the other, each by the least number: where both hide, minus infinity."""

    def forward(self, x, mask):
        query, key, value = self.project(x)
        length, least = x.shape[1], torch.finfo(x.dtype).min
        causal = torch.full((length, length), least).triu(1)
        scores = query @ key.transpose(-2, -1) * HEAD_WIDTH**-0.5 + causal[None, None]
        scores = scores + (1.0 - mask[:, None, None, :].to(x.dtype)) * least
        return self.finish(torch.softmax(scores, dim=-1) @ value)


class GroupedHeads(Projections):
    """Llama: one key head for three query heads."""

    def __init__(self):
        super().__init__(key_heads=1)

    def repeat(self, x):
        batch, heads, length, width = x.shape
        return x[:, :, None, :, :].expand(batch, heads, HEADS, length, width).reshape(batch, heads * HEADS, length, width)

    def forward(self, x):
        query, key, value = self.project(x)
        length = x.shape[1]
        mask = torch.full((length, length), torch.finfo(x.dtype).min).triu(1)[None, None]
        scores = torch.matmul(query, self.repeat(key).transpose(2, 3)) / math.sqrt(HEAD_WIDTH) + mask
        return self.finish(torch.matmul(torch.softmax(scores, dim=-1), self.repeat(value)))


class TwoGroups(nn.Module):
    """Four query heads over two key heads."""

    def __init__(self):
        super().__init__()
        self.query, self.key, self.value, self.output = linear(16), linear(8), linear(8), nn.Linear(16, WIDTH)

    def repeat(self, x):
        batch, heads, length, width = x.shape
        return x[:, :, None].expand(batch, heads, 2, length, width).reshape(batch, heads * 2, length, width)

    def forward(self, x):
        query, key, value = split_heads(self.query(x), 4), split_heads(self.key(x), 2), split_heads(self.value(x), 2)
        scores = torch.matmul(query, self.repeat(key).transpose(2, 3)) * HEAD_WIDTH**-0.5
        context = torch.matmul(torch.softmax(scores, dim=-1), self.repeat(value)).transpose(1, 2)
        return self.output(context.reshape(x.shape[0], x.shape[1], 16))


def save_whisper(name):
    save_cross(name, Whisper(), 21)


FORMS = {
    "gpt2": lambda name: save_with_past(name, Gpt2(False), 10, (11, 17)),
    "gpt2_uint8": lambda name: save_with_past(name, Gpt2(True), 11, (11, 17)),
    "bart": save_bart,
    "whisper": save_whisper,
    "causal_arange": lambda name: save_self(name, Causal("arange"), 12, (11, 17), lengths=LONG),
    "causal_triu": lambda name: save_self(name, Causal("triu"), 13),
    "causal_triu_bool": lambda name: save_self(name, Causal("triu_bool"), 14),
    "causal_tril": lambda name: save_self(name, Causal("tril"), 15),
    "window": lambda name: save_self(name, Causal("window"), 16, lengths=LONG),
    "optimum": lambda name: save_masked(name, Optimum(), 17, empty=False),
    "two_masks": lambda name: save_masked(name, TwoMasks(), 18, empty=False),
    "shared_key_head": lambda name: save_self(name, GroupedHeads(), 19),
    "grouped_expand": lambda name: save_self(name, TwoGroups(), 22),
}
