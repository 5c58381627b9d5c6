# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A small encoder-decoder Transformer for translation, in a form often taught, chosen for what it asks of a compiler:
#   - both masks come from inside the graph: padding from the token ids (id 0), causality from a triangle of ones
#     whose size is the run-time length; the two are added and compared with 0;
#   - masked scores are replaced by -1e9, so that a row with nothing to see attends to everything equally;
#   - positions are an embedding of 1..length in a fixed table of sinusoids;
#   - the feed-forward block is two convolutions of kernel 1 between transposes;
#   - each block normalises the sum with its input; the projection to the vocabulary has no bias;
#   - every attention map is an output of the model.
import math

import torch
from torch import nn

PAD, START, END, UNKNOWN = range(4)
LAYERS = 2
WIDTH = 128
HEADS = 4
HEAD_WIDTH = 32
HIDDEN = 256
LONGEST = 160


def sinusoids():
    """Row p is for position p; row 0 belongs to no position, since they count from 1."""
    column = torch.arange(WIDTH, dtype=torch.double)
    position = torch.arange(LONGEST + 1, dtype=torch.double)
    angle = position[:, None] / 10000 ** (2 * (column // 2) / WIDTH)
    return torch.where(column % 2 == 0, angle.sin(), angle.cos()).float()


def padding_mask(queries, keys):
    """[batch, queries, keys]: True where the key is padding."""
    return keys.eq(PAD).unsqueeze(1).expand(queries.size(0), queries.size(1), keys.size(1))


def later_mask(tokens):
    """[batch, length, length]: 1 where the key comes after the query."""
    return torch.triu(torch.ones(tokens.size(0), tokens.size(1), tokens.size(1)), diagonal=1)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.query = nn.Linear(WIDTH, HEADS * HEAD_WIDTH)
        self.key = nn.Linear(WIDTH, HEADS * HEAD_WIDTH)
        self.value = nn.Linear(WIDTH, HEADS * HEAD_WIDTH)
        self.output = nn.Linear(HEADS * HEAD_WIDTH, WIDTH)
        self.norm = nn.LayerNorm(WIDTH)

    def split(self, x):
        return x.view(x.size(0), -1, HEADS, HEAD_WIDTH).transpose(1, 2)

    def forward(self, x, memory, mask):
        q, k, v = self.split(self.query(x)), self.split(self.key(memory)), self.split(self.value(memory))
        scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(HEAD_WIDTH)
        scores = scores.masked_fill(mask.unsqueeze(1).repeat(1, HEADS, 1, 1), -1e9)
        weights = torch.softmax(scores, dim=-1)
        context = torch.matmul(weights, v).transpose(1, 2).contiguous().view(x.size(0), -1, HEADS * HEAD_WIDTH)
        return self.norm(self.output(context) + x), weights


class FeedForward(nn.Module):
    def __init__(self):
        super().__init__()
        self.expand = nn.Conv1d(WIDTH, HIDDEN, kernel_size=1)
        self.contract = nn.Conv1d(HIDDEN, WIDTH, kernel_size=1)
        self.norm = nn.LayerNorm(WIDTH)

    def forward(self, x):
        hidden = torch.relu(self.expand(x.transpose(1, 2)))
        return self.norm(self.contract(hidden).transpose(1, 2) + x)


class Embedding(nn.Module):
    def __init__(self, vocabulary):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, WIDTH)
        self.positions = nn.Embedding.from_pretrained(sinusoids(), freeze=True)

    def forward(self, tokens):
        return self.tokens(tokens) + self.positions(torch.arange(1, tokens.size(1) + 1).unsqueeze(0))


class EncoderLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention, self.feed_forward = Attention(), FeedForward()

    def forward(self, x, mask):
        x, weights = self.attention(x, x, mask)
        return self.feed_forward(x), weights


class DecoderLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.self_attention, self.cross_attention, self.feed_forward = Attention(), Attention(), FeedForward()

    def forward(self, x, memory, self_mask, cross_mask):
        x, self_weights = self.self_attention(x, x, self_mask)
        x, cross_weights = self.cross_attention(x, memory, cross_mask)
        return self.feed_forward(x), self_weights, cross_weights


class Translator(nn.Module):
    """Returns the logits, then the maps of each encoder layer, each decoder self and each decoder cross attention."""

    def __init__(self, source_vocabulary, target_vocabulary):
        super().__init__()
        self.source, self.target = Embedding(source_vocabulary), Embedding(target_vocabulary)
        self.encoder = nn.ModuleList(EncoderLayer() for _ in range(LAYERS))
        self.decoder = nn.ModuleList(DecoderLayer() for _ in range(LAYERS))
        self.projection = nn.Linear(WIDTH, target_vocabulary, bias=False)

    def forward(self, enc_inputs, dec_inputs):
        memory, encoder_maps = self.source(enc_inputs), []
        for layer in self.encoder:
            memory, weights = layer(memory, padding_mask(enc_inputs, enc_inputs))
            encoder_maps.append(weights)

        self_mask = torch.gt(padding_mask(dec_inputs, dec_inputs) + later_mask(dec_inputs), 0)
        cross_mask = padding_mask(dec_inputs, enc_inputs)
        x, self_maps, cross_maps = self.target(dec_inputs), [], []
        for layer in self.decoder:
            x, self_weights, cross_weights = layer(x, memory, self_mask, cross_mask)
            self_maps.append(self_weights)
            cross_maps.append(cross_weights)
        return (self.projection(x), *encoder_maps, *self_maps, *cross_maps)


def pad(rows):
    """Rows of token ids as one tensor, padded to the longest."""
    longest = max(map(len, rows))
    return torch.tensor([row + [PAD] * (longest - len(row)) for row in rows])


def greedy(model, source, longest=40):
    """The ids after START up to END, END left out; at most `longest`."""
    tokens = [START]
    with torch.no_grad():
        while len(tokens) <= longest:
            logits = model(torch.tensor([source]), torch.tensor([tokens]))[0]
            best = int(logits[0, -1].argmax())
            if best == END:
                break
            tokens.append(best)
    return tokens[1:]
