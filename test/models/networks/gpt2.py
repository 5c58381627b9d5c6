# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# GPT-2 in small: pre-norm, learned positions, the tanh form of GELU in primitives, one product for query, key and value
# that is split afterwards, and an output that is tied to the embedding. Causality is a triangle of bytes, a constant, of
# which the rows [keys - queries, keys) and the columns [0, keys) are cut; a masked score is replaced by -1e4.
# With a cache the keys and values of earlier tokens are inputs, and those of all tokens outputs.
import math

import torch
from torch import nn
from torch.nn import functional
from torch.nn.utils import parametrize

import saving
from networks.common import LONGEST, FeedForward, merge, one_length_cases, split, tanh_gelu, tokens

VOCABULARY = 53


class Attention(nn.Module):
    def __init__(self, width, heads, longest):
        super().__init__()
        self.heads, self.width = heads, width
        self.project, self.output = nn.Linear(width, 3 * width), nn.Linear(width, width)
        triangle = torch.ones(longest, longest, dtype=torch.uint8).tril()
        self.register_buffer("triangle", triangle.view(1, 1, longest, longest))
        self.register_buffer("hidden", torch.tensor(-1e4))

    def forward(self, x, past):
        q, k, v = (split(y, self.heads) for y in self.project(x).split(self.width, dim=2))
        if past is not None:
            k, v = torch.cat((past[0], k), dim=-2), torch.cat((past[1], v), dim=-2)
        queries, keys = q.shape[-2], k.shape[-2]
        scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(self.width // self.heads)
        seen = self.triangle[:, :, keys - queries : keys, :keys].bool()
        scores = torch.where(seen, scores, self.hidden)
        return self.output(merge(torch.matmul(torch.softmax(scores, dim=-1), v))), (k, v)


class Layer(nn.Module):
    def __init__(self, width, heads, longest):
        super().__init__()
        self.attention = Attention(width, heads, longest)
        self.feed_forward = FeedForward(width, 2 * width, tanh_gelu)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)

    def forward(self, x, past):
        y, present = self.attention(self.norm1(x), past)
        x = x + y
        return x + self.feed_forward(self.norm2(x)), present


class GPT2(nn.Module):
    def __init__(self, layers=2, width=32, heads=4, longest=LONGEST):
        super().__init__()
        self.embed, self.position_embed = nn.Embedding(VOCABULARY, width), nn.Embedding(longest, width)
        self.layers = nn.ModuleList(Layer(width, heads, longest) for _ in range(layers))
        self.norm = nn.LayerNorm(width)

    def decode(self, ids, past):
        """`past` holds a pair of keys and values for each layer, or None."""
        before = 0 if past[0] is None else past[0][0].shape[-2]
        positions = torch.arange(before, before + ids.shape[1])
        x, present = self.embed(ids) + self.position_embed(positions), []
        for layer, pair in zip(self.layers, past):
            x, pair = layer(x, pair)
            present += pair
        return functional.linear(self.norm(x), self.embed.weight), present

    def forward(self, ids):
        return self.decode(ids, [None] * len(self.layers))[0]


class Widen(nn.Module):
    def forward(self, stored):
        return stored.float()


def store_as_half(model):
    """Stores the parameters in half precision; each is widened where it is used."""
    for module in list(model.modules()):
        for name, parameter in list(module.named_parameters(recurse=False)):
            parametrize.register_parametrization(module, name, Widen(), unsafe=True)
            module.parametrizations[name].original = nn.Parameter(parameter.detach().half())
    return model


class GPT2WithCache(GPT2):
    def forward(self, ids, *past):
        logits, present = self.decode(ids, list(zip(past[0::2], past[1::2])))
        return [logits, *present]


def cache_names(word, layers):
    return [f"{word}_{kind}_{layer}" for layer in range(layers) for kind in ("key", "value")]


def save_with_cache(name, seed, sizes, layers, width, heads, longest, opsets=saving.OPSETS):
    """`sizes` are batch, past length and length."""
    # The weights are those of gpt2, if the sizes are.
    model = saving.randomize(GPT2WithCache(layers, width, heads, longest), 22)
    generator = torch.Generator().manual_seed(seed)
    cases = {}
    for batch, past, length in sizes:
        case = {"ids": tokens(generator, batch, length, VOCABULARY)}
        for cache in cache_names("past", layers):
            case[cache] = torch.randn(batch, heads, past, width // heads, generator=generator)
        cases[f"b{batch}_p{past}_n{length}"] = case
    inputs = {"ids": ["batch", "seq"]}
    inputs.update({cache: ["batch", heads, "past", width // heads] for cache in cache_names("past", layers)})
    outputs = {"logits": ["batch", "seq", VOCABULARY]}
    outputs.update({cache: ["batch", heads, "past + seq", width // heads] for cache in cache_names("present", layers)})
    saving.save_model(name, model, inputs, outputs, cases, "b3_p1_n7", opsets)


def export():
    model = saving.randomize(GPT2(), 22)
    generator = torch.Generator().manual_seed(22)
    cases = one_length_cases(lambda batch, length: {"ids": tokens(generator, batch, length, VOCABULARY)})
    saving.save_model("gpt2", model, {"ids": ["batch", "seq"]}, {"logits": ["batch", "seq", VOCABULARY]}, cases,
                      example="b3_n7")


def export_half():
    """The weights of gpt2 in half precision, each with a Cast in the graph. All arithmetic is in single precision, so
    that the references are no less exact than those of other models."""
    model = store_as_half(saving.randomize(GPT2(), 22))
    generator = torch.Generator().manual_seed(25)
    cases = one_length_cases(lambda batch, length: {"ids": tokens(generator, batch, length, VOCABULARY)})
    saving.save_model("gpt2_half", model, {"ids": ["batch", "seq"]}, {"logits": ["batch", "seq", VOCABULARY]}, cases,
                      example="b3_n7", fold=False)


def export_with_cache():
    sizes = [(1, 0, 7), (2, 7, 1), (3, 1, 7), (1, 33, 7), (1, 7, 33), (1, 127, 1), (1, 22, 128)]
    save_with_cache("gpt2_cache", 23, sizes, layers=2, width=32, heads=4, longest=LONGEST)


def export_deep():
    """As deep as the smallest GPT-2, and very narrow: what a compiler does once too often in each layer shows here."""
    save_with_cache("gpt2_deep", 24, [(1, 0, 7), (3, 1, 7), (2, 7, 1), (1, 7, 33)], layers=12, width=8, heads=2,
                    longest=40, opsets=(17, 11))
