# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# An encoder-decoder Transformer that a tutorial's author wrote in a night. It looks like attention and is not; the
# quirks are the model:
#   - no softmax: scores times values, linear in each. The causal mask was computed and its result dropped, so there is
#     none;
#   - heads by a bare reshape to [heads, batch, length, head width], which mixes entries, positions and channels;
#   - scores are scaled by 1/sqrt(width), not of the head;
#   - query and key both come from the decoder, only the value from the encoder: both lengths are the same;
#   - the norm is over positions and channels at once, without weights. It was a LayerNorm made anew for the length of
#     each input; here it is the formula, so that the length may vary;
#   - every layer adds the positions again, and uses one attention for both of its places in the decoder;
#   - the sinusoids' exponent is twice the column, so that pairs of columns do not share a frequency.
import math

import torch
from torch import nn

import saving
from networks.common import LONGEST, FeedForward, one_length_cases, tokens


def skewed_sinusoids(width):
    column = torch.arange(width, dtype=torch.double)
    angle = torch.arange(LONGEST, dtype=torch.double)[:, None] / 10000 ** (2 * column / width)
    return torch.where(column % 2 == 0, angle.sin(), angle.cos()).float()


def norm(x):
    centred = x - x.mean(dim=(1, 2), keepdim=True)
    return centred / torch.sqrt((centred * centred).mean(dim=(1, 2), keepdim=True) + 1e-5)


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.head_width, self.scale = width // heads, 1 / math.sqrt(width)
        self.query, self.key, self.value, self.output = (nn.Linear(width, width) for _ in range(4))

    def split(self, x):
        return x.reshape(-1, x.shape[0], x.shape[1], self.head_width)

    def forward(self, x, values):
        q, k = self.split(self.query(x)), self.split(self.key(x))
        v = self.value(values).reshape(-1, values.shape[0], values.shape[1], self.head_width)
        context = torch.matmul(torch.matmul(q, k.permute(0, 1, 3, 2)) * self.scale, v)
        return self.output(context.reshape(values.shape[0], values.shape[1], -1))


class Layer(nn.Module):
    """An encoder layer, or, with a memory, a decoder layer."""

    def __init__(self, width, heads, hidden):
        super().__init__()
        self.attention, self.feed_forward = Attention(width, heads), FeedForward(width, hidden)
        self.register_buffer("positions", skewed_sinusoids(width))

    def forward(self, x, memory=None):
        x = x + self.positions[: x.shape[1]]
        x = norm(x + self.attention(x, x))
        if memory is not None:
            x = norm(x + self.attention(x, memory))
        return norm(x + self.feed_forward(x))


class OneNight(nn.Module):
    def __init__(self, vocabulary, layers, width, heads, hidden):
        super().__init__()
        self.src_embed, self.tgt_embed = nn.Embedding(vocabulary, width), nn.Embedding(vocabulary, width)
        self.encoder = nn.ModuleList(Layer(width, heads, hidden) for _ in range(layers))
        self.decoder = nn.ModuleList(Layer(width, heads, hidden) for _ in range(layers))
        self.out = nn.Linear(width, vocabulary)

    def forward(self, src, tgt):
        memory, x = self.src_embed(src), self.tgt_embed(tgt)
        for encode, decode in zip(self.encoder, self.decoder):
            memory = encode(memory)
            x = decode(x, memory)
        return torch.softmax(self.out(x), dim=-1)


def export():
    model = saving.randomize(OneNight(vocabulary=37, layers=2, width=20, heads=2, hidden=48), 20)
    generator = torch.Generator().manual_seed(20)
    cases = one_length_cases(lambda batch, length: {
        "src": tokens(generator, batch, length, 37), "tgt": tokens(generator, batch, length, 37)})
    saving.save_model("one_night", model, {"src": ["batch", "seq"], "tgt": ["batch", "seq"]},
                      {"probabilities": ["batch", "seq", 37]}, cases, example="b3_n7")
