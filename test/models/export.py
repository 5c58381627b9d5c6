# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Exports the untrained test models, each with its reference cases: one function per model. Everything is seeded, so
# that a second run writes the same bytes.
#   python3 export.py [MODEL...]        all of them without an argument
import os
import sys

import torch
from torch import nn

import saving
from networks import (bert, blocks, conv_attention, derived_masks, forms, gpt2, list_outputs, masked_rows, one_night, positions,
                      pre_norm, relative, sharing, t5, transformer, twins, vit, whisper)
from networks.common import ONE_LENGTH, TWO_LENGTHS

HERE = os.path.dirname(os.path.abspath(__file__))


def path(model, file=None):
    return os.path.join(HERE, model, (file or model) + ".onnx")


def save_self_model(name, model, outputs, width, seed):
    """A model of one input x [batch, seq, width]."""
    inputs = {"x": ["batch", "seq", width]}
    saving.export(model, path(name), inputs, outputs, {"x": torch.zeros(2, 5, width)})
    generator = torch.Generator().manual_seed(seed)
    for batch, length in ONE_LENGTH:
        x = torch.randn(batch, length, width, generator=generator)
        saving.save_case(os.path.join(HERE, name), f"b{batch}_n{length}", model, outputs, {"x": x})


def save_feed_forward(name, activation, seed):
    model = saving.randomize(blocks.FeedForwardBlock(64, 128, activation), seed)
    save_self_model(name, model, {"y": ["batch", "seq", 64]}, 64, seed)


def ffn():
    save_feed_forward("ffn", nn.ReLU(), seed=1)


def ffn_gelu_erf():
    save_feed_forward("ffn_gelu_erf", nn.GELU(), seed=2)


def ffn_gelu_tanh():
    save_feed_forward("ffn_gelu_tanh", nn.GELU(approximate="tanh"), seed=3)


def attention():
    """Cross attention without a mask; query and memory have their own lengths."""
    model = saving.randomize(blocks.AttentionBlock(64, 4), 4)
    inputs = {"query": ["batch", "tgt", 64], "memory": ["batch", "src", 64]}
    outputs = {"y": ["batch", "tgt", 64]}
    saving.export(model, path("attention"), inputs, outputs,
                  {"query": torch.zeros(2, 5, 64), "memory": torch.zeros(2, 6, 64)})
    generator = torch.Generator().manual_seed(4)
    for batch, tgt, src in TWO_LENGTHS:
        tensors = {"query": torch.randn(batch, tgt, 64, generator=generator),
                   "memory": torch.randn(batch, src, 64, generator=generator)}
        saving.save_case(os.path.join(HERE, "attention"), f"b{batch}_t{tgt}_s{src}", model, outputs, tensors)


def attention_causal():
    """Self-attention with a causal mask that the graph makes from its own length."""
    model = saving.randomize(blocks.AttentionBlock(64, 4, causal=True), 5)
    save_self_model("attention_causal", model, {"y": ["batch", "seq", 64]}, 64, seed=5)


def mha_dynamic():
    """nn.MultiheadAttention; its attention maps are an output too, so that they cannot be fused away."""
    model = saving.randomize(blocks.LibraryAttention(32, 2), 6)
    # In training mode (it has no dropout) PyTorch exports primitives instead of one fused operator of its own.
    model.train()
    outputs = {"y": ["batch", "seq", 32], "attention": ["batch", 2, "seq", "seq"]}
    save_self_model("mha_dynamic", model, outputs, 32, seed=6)


def transformer_masks(generator, batch, tgt, src):
    """Padding, causality and holes. Where a mask is not zero it has any value: only 0 masks. The first batch entry's
    first target row is masked everywhere, which must give the mean of the values."""
    def holes(rows, columns):
        kept = (torch.rand(batch, rows, columns, generator=generator) > 0.2).float()
        return kept * torch.randn(batch, rows, columns, generator=generator)

    src_mask, cross_mask, tgt_mask = holes(src, src), holes(tgt, src), holes(tgt, tgt).tril()
    if batch > 1:
        padding = src - src // 3
        src_mask[1, :, padding:] = 0
        cross_mask[1, :, padding:] = 0
    cross_mask[0, 0, :] = 0
    return {"src_mask": src_mask, "cross_mask": cross_mask, "tgt_mask": tgt_mask}


def transformer_inputs(generator, batch, tgt, src):
    return {"src": torch.randint(0, 128, (batch, src), generator=generator),
            "tgt": torch.randint(0, 64, (batch, tgt), generator=generator),
            **transformer_masks(generator, batch, tgt, src)}


def transformer_post_norm():
    """The whole post-norm Transformer; at opsets 14 and 11 LayerNormalization is spelt out in primitives."""
    model = transformer.Transformer(128, 64, layers=2, width=36, heads=4, hidden=64, longest=150)
    saving.randomize(model, 7)
    inputs = {"src": ["batch", "src"], "tgt": ["batch", "tgt"], "src_mask": ["batch", "src", "src"],
              "cross_mask": ["batch", "tgt", "src"], "tgt_mask": ["batch", "tgt", "tgt"]}
    outputs = {"probabilities": ["batch", "tgt", 64]}
    generator = torch.Generator().manual_seed(7)
    example = transformer_inputs(generator, 2, 5, 6)
    folder = "transformer"
    saving.export(model, path(folder), inputs, outputs, example)
    for opset in (14, 11):
        saving.export(model, path(folder, f"transformer_opset{opset}"), inputs, outputs, example, opset)
    for batch, tgt, src in TWO_LENGTHS:
        tensors = transformer_inputs(generator, batch, tgt, src)
        saving.save_case(os.path.join(HERE, folder), f"b{batch}_t{tgt}_s{src}", model, outputs, tensors)


MODELS = {
    "ffn": ffn,
    "ffn_gelu_erf": ffn_gelu_erf,
    "ffn_gelu_tanh": ffn_gelu_tanh,
    "attention": attention,
    "attention_causal": attention_causal,
    "mha_dynamic": mha_dynamic,
    "transformer": transformer_post_norm,
    "derived_masks": derived_masks.export,
    "masked_rows": masked_rows.export,
    "one_night": one_night.export,
    "pre_norm": pre_norm.export,
    "gpt2": gpt2.export,
    "gpt2_cache": gpt2.export_with_cache,
    "gpt2_deep": gpt2.export_deep,
    "gpt2_half": gpt2.export_half,
    "t5": t5.export,
    "bert": bert.export,
    "list_outputs": list_outputs.export,
    "conv_attention": conv_attention.export,
    "vit": vit.export,
    "vit_any_size": vit.export_any_size,
    "whisper": whisper.export,
    "albert": sharing.export_albert,
    "residual": sharing.export_residual,
    "rotary_interleaved": positions.export_interleaved,
    "rotary_halves": positions.export_halves,
    "alibi": positions.export_alibi,
    "llama": positions.export_llama,
    "transformer_xl": relative.export_transformer_xl,
    "xlnet": relative.export_xlnet,
    "layer_norm_twins": twins.export_layer_norm,
    "rms_norm_twins": twins.export_rms_norm,
    "gelu_twins": twins.export_gelu,
    "norm_forms": forms.export_norms,
    "gelu_forms": forms.export_gelus,
}


def main(names):
    unknown = [name for name in names if name not in MODELS]
    if unknown:
        sys.exit(f"export.py: unknown model {unknown[0]}; known: {', '.join(MODELS)}")
    for name in names or MODELS:
        MODELS[name]()
        print(name)


if __name__ == "__main__":
    main(sys.argv[1:])
