# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A post-norm encoder-decoder that takes ids with lengths and returns lists of attention maps. Its quirks:
#   - heads by a bare view to [batch * heads, length, head width], without a transpose: a head sees a piece of the
#     positions, all of their channels mixed. Masks are repeated as [heads * batch], which is another order, so that an
#     entry may be masked by another one's length;
#   - scores are scaled by 1/sqrt(head width // heads);
#   - positions count from 1 up to an entry's length; from there on the position is row 0 of the table, which is zero;
#   - masked scores are -inf; the norm is that of pre_norm; the feed-forward block is two convolutions of kernel 1.
import torch
from torch import nn

import saving
from networks.common import LONGEST, StdNorm, lengths, sinusoids, tokens, two_length_cases


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.head_width = heads, width // heads
        self.query, self.key, self.value, self.output = (nn.Linear(width, width) for _ in range(4))
        self.norm = StdNorm(width)

    def view(self, x):
        return x.view(x.shape[0] * self.heads, -1, self.head_width)

    def forward(self, x, memory, mask):
        q, k, v = self.view(self.query(x)), self.view(self.key(memory)), self.view(self.value(memory))
        scores = torch.bmm(q, k.transpose(1, 2)) * (self.head_width // self.heads) ** -0.5
        weights = torch.softmax(scores.masked_fill(mask.repeat(self.heads, 1, 1), -float("inf")), dim=2)
        context = torch.bmm(weights, v).view(x.shape[0], -1, self.head_width * self.heads)
        return self.norm(x + self.output(context)), weights


class FeedForward(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.expand, self.contract = nn.Conv1d(width, hidden, 1), nn.Conv1d(hidden, width, 1)
        self.norm = StdNorm(width)

    def forward(self, x):
        y = self.contract(torch.relu(self.expand(x.transpose(1, 2))))
        return self.norm(x + y.transpose(1, 2))


class Embedding(nn.Module):
    def __init__(self, vocabulary, width):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.register_buffer("positions", torch.cat((torch.zeros(1, width), sinusoids(LONGEST, width))))

    def forward(self, ids, length):
        position = torch.arange(ids.shape[1])[None, :] + 1
        position = torch.where(position <= length[:, None], position, torch.zeros_like(position))
        return self.embed(ids) + nn.functional.embedding(position, self.positions)


class Layer(nn.Module):
    def __init__(self, width, heads, hidden, cross):
        super().__init__()
        self.attention, self.feed_forward = Attention(width, heads), FeedForward(width, hidden)
        if cross:
            self.cross_attention = Attention(width, heads)

    def forward(self, x, mask, memory=None, memory_mask=None):
        x, maps = self.attention(x, x, mask)
        maps = [maps]
        if memory is not None:
            x, cross = self.cross_attention(x, memory, memory_mask)
            maps.append(cross)
        return self.feed_forward(x), maps


def padding_mask(queries, keys, key_lengths):
    """[batch, queries, keys]: True from the keys' length on."""
    padding = torch.arange(keys.shape[1])[None, :] >= key_lengths[:, None]
    return padding.unsqueeze(1).expand(-1, queries.shape[1], -1)


class ListOutputs(nn.Module):
    def __init__(self, src_vocabulary, tgt_vocabulary, encoders, decoders, width, heads, hidden):
        super().__init__()
        self.src_embed, self.tgt_embed = Embedding(src_vocabulary, width), Embedding(tgt_vocabulary, width)
        self.encoder = nn.ModuleList(Layer(width, heads, hidden, cross=False) for _ in range(encoders))
        self.decoder = nn.ModuleList(Layer(width, heads, hidden, cross=True) for _ in range(decoders))
        self.out = nn.Linear(width, tgt_vocabulary, bias=False)

    def forward(self, src, src_lengths, tgt, tgt_lengths):
        memory, maps = self.src_embed(src, src_lengths), []
        for layer in self.encoder:
            memory, more = layer(memory, padding_mask(src, src, src_lengths))
            maps += more
        position = torch.arange(tgt.shape[1])
        later = position[None, :] > position[:, None]
        mask = padding_mask(tgt, tgt, tgt_lengths) | later[None]
        x = self.tgt_embed(tgt, tgt_lengths)
        for layer in self.decoder:
            x, more = layer(x, mask, memory, padding_mask(tgt, src, src_lengths))
            maps += more
        return [torch.softmax(self.out(x), dim=2), *maps]


def case(generator, batch, tgt, src):
    return {"src": tokens(generator, batch, src, 31), "src_lengths": lengths(generator, batch, src),
            "tgt": tokens(generator, batch, tgt, 23), "tgt_lengths": lengths(generator, batch, tgt)}


def export():
    """The maps grow with the square of the length; so the longest cases are long on one side."""
    model = saving.randomize(ListOutputs(31, 23, encoders=2, decoders=1, width=24, heads=2, hidden=40), 26)
    generator = torch.Generator().manual_seed(26)
    sizes = [(1, 1, 1), (2, 1, 7), (3, 7, 1), (2, 7, 33), (3, 33, 7), (1, 7, 128), (1, 150, 33)]
    cases = two_length_cases(lambda *sizes: case(generator, *sizes), sizes)
    inputs = {"src": ["batch", "src"], "src_lengths": ["batch"], "tgt": ["batch", "tgt"], "tgt_lengths": ["batch"]}
    outputs = {"probabilities": ["batch", "tgt", 23],
               "encoder_0": ["2*batch", "src", "src"], "encoder_1": ["2*batch", "src", "src"],
               "decoder_0": ["2*batch", "tgt", "tgt"], "cross_0": ["2*batch", "tgt", "src"]}
    saving.save_model("list_outputs", model, inputs, outputs, cases, example="b3_t33_s7")
