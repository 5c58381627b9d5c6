# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Attention on [batch, width, length]: projections are convolutions of kernel 1, products are einsums, heads are the
# *faster* part of the channels ([head width, heads]). Its weights are an output. Einsum needs opset 12.
import torch
from torch import nn

import saving
from networks.common import two_length_cases


class ConvAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.head_width = heads, width // heads
        self.query, self.key, self.value, self.output = (nn.Conv1d(width, width, 1) for _ in range(4))

    def forward(self, query, memory):
        batch, width = query.shape[0], self.head_width
        q, k, v = (y.view(batch, width, self.heads, -1)
                   for y in (self.query(query), self.key(memory), self.value(memory)))
        scores = torch.einsum("bdhn,bdhm->bhnm", q, k) / width**0.5
        weights = torch.softmax(scores, dim=-1)
        context = torch.einsum("bhnm,bdhm->bdhn", weights, v)
        return self.output(context.contiguous().view(batch, width * self.heads, -1)), weights


def export():
    model = saving.randomize(ConvAttention(24, 3), 27)
    generator = torch.Generator().manual_seed(27)
    sizes = [(1, 1, 1), (2, 1, 7), (3, 7, 1), (2, 7, 33), (3, 33, 7), (1, 128, 7), (1, 33, 128), (1, 7, 150)]
    cases = two_length_cases(lambda batch, tgt, src: {
        "query": torch.randn(batch, 24, tgt, generator=generator),
        "memory": torch.randn(batch, 24, src, generator=generator)}, sizes)
    saving.save_model("conv_attention", model, {"query": ["batch", 24, "tgt"], "memory": ["batch", 24, "src"]},
                      {"y": ["batch", 24, "tgt"], "attention": ["batch", 3, "tgt", "src"]}, cases,
                      example="b2_t7_s33", opsets=(17, 14, 12))
