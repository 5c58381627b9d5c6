# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The translation model, small and untrained, at every opset: masks from token ids and from a triangle, all attention
# maps as outputs.
import os
import sys

import torch

import saving
from networks.common import TWO_LENGTHS

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "translation"))
import model as translation  # noqa: E402  (it lies beside this folder)
import reference  # noqa: E402

SOURCE_VOCABULARY, TARGET_VOCABULARY = 37, 29
SIZES = {"LAYERS": 1, "WIDTH": 24, "HEADS": 2, "HEAD_WIDTH": 12, "HIDDEN": 40}


def later_mask(tokens):
    """torch.triu has no operator before opset 14; a comparison of positions has."""
    place = torch.arange(tokens.size(1))
    later = (place.unsqueeze(0) > place.unsqueeze(1)).float()
    return later.unsqueeze(0).expand(tokens.size(0), tokens.size(1), tokens.size(1))


def export():
    for module in (translation, reference):
        for name, value in SIZES.items():
            if hasattr(module, name):
                setattr(module, name, value)
    model = saving.randomize(translation.Translator(SOURCE_VOCABULARY, TARGET_VOCABULARY), 31)
    generator = torch.Generator().manual_seed(31)
    cases = {f"b{batch}_t{tgt}_s{src}": {
        "enc_inputs": reference.random_tokens(generator, batch, src, SOURCE_VOCABULARY),
        "dec_inputs": reference.random_tokens(generator, batch, tgt, TARGET_VOCABULARY)}
        for batch, tgt, src in TWO_LENGTHS}
    outputs = reference.outputs(TARGET_VOCABULARY)
    for opsets, mask in (((17, 14), translation.later_mask), ((11,), later_mask)):
        translation.later_mask = mask
        saving.save_model("derived_masks", model, reference.INPUTS, outputs, cases, "b2_t7_s33", opsets)
