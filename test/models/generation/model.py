# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A small decoder-only Transformer of GPT-2's shape: learned positions, norms before each block and at the end, one
# projection for query, key and value (a weight of [inputs, outputs], so that it is exported as Gemm), GELU in its tanh
# form, causality cut out of a stored triangle, and the embedding as the last projection.
import math

import torch
from torch import nn

PAD, START, END, UNKNOWN = range(4)
LAYERS = 2
WIDTH = 44
HEADS = 4
HEAD_WIDTH = 11
LONGEST = 152


class Projection(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(inputs, outputs))
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, x):
        rows = torch.addmm(self.bias, x.view(-1, x.size(-1)), self.weight)
        return rows.view(x.size(0), x.size(1), self.bias.size(0))


def gelu(x):
    return 0.5 * x * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0))))


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.enter, self.leave = Projection(WIDTH, 3 * WIDTH), Projection(WIDTH, WIDTH)

    def forward(self, x, triangle, past):
        """past is None, or the keys and values of all earlier positions: [batch, heads, past, width] each."""
        query, key, value = (part.view(x.size(0), x.size(1), HEADS, HEAD_WIDTH).transpose(1, 2)
                             for part in self.enter(x).split(WIDTH, dim=2))
        if past is not None:
            key, value = torch.cat([past[0], key], dim=2), torch.cat([past[1], value], dim=2)
        scores = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(HEAD_WIDTH)
        queries, keys = query.size(2), key.size(2)
        visible = triangle[:, :, keys - queries:keys, :keys]
        weights = torch.softmax(torch.where(visible, scores, torch.tensor(-1e9)), dim=-1)
        context = torch.matmul(weights, value).transpose(1, 2).reshape(x.size(0), x.size(1), WIDTH)
        return self.leave(context), (key, value)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm_1, self.attention, self.norm_2 = nn.LayerNorm(WIDTH), Attention(), nn.LayerNorm(WIDTH)
        self.expand, self.contract = Projection(WIDTH, 4 * WIDTH), Projection(4 * WIDTH, WIDTH)

    def forward(self, x, triangle, past):
        y, present = self.attention(self.norm_1(x), triangle, past)
        x = x + y
        return x + self.contract(gelu(self.expand(self.norm_2(x)))), present


class Generator(nn.Module):
    """Logits of every position of ids, and with a past the present: the keys and values of each layer in turn."""

    def __init__(self, vocabulary):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(vocabulary, WIDTH), nn.Embedding(LONGEST, WIDTH)
        nn.init.normal_(self.tokens.weight, std=0.1)
        nn.init.normal_(self.positions.weight, std=0.02)
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
        self.norm = nn.LayerNorm(WIDTH)
        triangle = torch.tril(torch.ones(1, 1, LONGEST, LONGEST, dtype=torch.bool))
        self.register_buffer("triangle", triangle, persistent=False)

    def forward(self, ids, *past):
        before = past[0].size(2) if past else 0
        x = self.tokens(ids) + self.positions(torch.arange(before, before + ids.size(1)).unsqueeze(0))
        presents = []
        for i, block in enumerate(self.blocks):
            x, present = block(x, self.triangle, past[2 * i:2 * i + 2] if past else None)
            presents += present
        logits = torch.matmul(self.norm(x), self.tokens.weight.t())
        return (logits, *presents) if past else logits


def next_scores(model, prompt, texts):
    """The log-probabilities of the token after the prompt and each of the texts, which are of one length."""
    with torch.no_grad():
        return torch.log_softmax(model(torch.tensor([list(prompt) + text for text in texts]))[:, -1].double(), dim=-1)


def greedy(model, prompt, longest):
    """The ids after the prompt up to END, END left out, at most `longest`; and how far ahead the likeliest one of
    each step was, at least."""
    text, lead = [], math.inf
    while len(text) < longest:
        (first, second), (best, _) = (part.tolist() for part in next_scores(model, prompt, [text])[0].topk(2))
        lead = min(lead, first - second)
        if best == END:
            break
        text.append(best)
    return text, lead


def beam(model, prompt, longest, width, penalty):
    """The same by beam search: `width` places, which a text that has ended keeps; the best is the one of the greatest
    log-probability divided by ((5 + length) / 6) ** penalty."""
    alive, ended = [(0.0, [])], []
    for length in range(1, longest + 1):
        scores = next_scores(model, prompt, [text for _, text in alive])
        extended = [(total + score, text + [token]) for (total, text), row in zip(alive, scores.tolist())
                    for token, score in enumerate(row)]
        extended = sorted(extended, key=lambda each: -each[0])[:width - len(ended)]
        divisor = ((5 + length) / 6) ** penalty
        ended += [(total / divisor, text) for total, text in extended if text[-1] == END or length == longest]
        alive = [(total, text) for total, text in extended if text[-1] != END]
        if not alive:
            break
    ranked = sorted(ended, key=lambda each: -each[0])
    lead = ranked[0][0] - ranked[1][0] if len(ranked) > 1 else math.inf
    return [token for token in ranked[0][1] if token != END], lead
