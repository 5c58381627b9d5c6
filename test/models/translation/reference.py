# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Exports the translation model and writes its reference cases.
import os
import sys

import torch

from model import HEADS, LAYERS, PAD, START, pad

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import saving  # noqa: E402  (it lies one folder up)

# (batch, target length, source length)
SIZES = [(1, 1, 1), (2, 1, 7), (3, 7, 1), (2, 7, 33), (3, 33, 7), (1, 33, 128), (1, 128, 33), (1, 150, 150)]
INPUTS = {"enc_inputs": ["batch", "src"], "dec_inputs": ["batch", "tgt"]}


def outputs(target_vocabulary):
    names = {"logits": ["batch", "tgt", target_vocabulary]}
    for name, rows, columns in (("enc_attn", "src", "src"), ("dec_self_attn", "tgt", "tgt"),
                                ("dec_cross_attn", "tgt", "src")):
        for layer in range(LAYERS):
            names[f"{name}_{layer}"] = ["batch", HEADS, rows, columns]
    return names


def export(model, target_vocabulary):
    example = {"enc_inputs": torch.tensor([[4, 5, 6], [7, 8, PAD]]), "dec_inputs": torch.tensor([[1, 4], [1, PAD]])}
    saving.export(model, os.path.join(HERE, "translation.onnx"), INPUTS, outputs(target_vocabulary), example)


def random_tokens(generator, batch, length, vocabulary):
    """Random ids; in the second entry of a batch the last third is padding, in the third entry everything is."""
    tokens = torch.randint(1, vocabulary, (batch, length), generator=generator)
    if batch > 1:
        tokens[1, length - length // 3:] = PAD
    if batch > 2:
        tokens[2, :] = PAD
    return tokens


def save_cases(model, source_vocabulary, target_vocabulary):
    """Every output of every case: an output that no reference holds is one that no test proves."""
    generator = torch.Generator().manual_seed(11)
    for batch, tgt, src in SIZES:
        inputs = {"enc_inputs": random_tokens(generator, batch, src, source_vocabulary),
                  "dec_inputs": random_tokens(generator, batch, tgt, target_vocabulary)}
        saving.save_case(HERE, f"b{batch}_t{tgt}_s{src}", model, outputs(target_vocabulary), inputs)


def save_sentences(model, pairs, target_vocabulary):
    """A batch as in training: sentences of the corpus, padded to the longest."""
    chosen = [pairs[0], pairs[len(pairs) // 2], pairs[-1]]
    inputs = {"enc_inputs": pad([source for source, _ in chosen]),
              "dec_inputs": pad([[START] + target for _, target in chosen])}
    saving.save_case(HERE, "sentences", model, outputs(target_vocabulary), inputs)
