#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Architectures of the package transformers, with random weights, as PyTorch's exporter writes them, beside ONNX Runtime."""
import inspect
import logging
import pathlib
import tempfile

import onnx
import torch
import transformers

from comparison import Table, compare, compile_model, make_parser
from machine import Machine
from peers import OnnxRuntime

WEFT, LENGTH, VOCABULARY = "Weft", 128, 3000
TEXT = dict(vocab_size=VOCABULARY, hidden_size=384, num_hidden_layers=4, num_attention_heads=6, intermediate_size=1536)
DECODER = dict(TEXT, num_key_value_heads=2, max_position_embeddings=512, head_dim=64)
VISION = dict(hidden_size=384, num_hidden_layers=4, num_attention_heads=6, intermediate_size=1536, image_size=224,
              patch_size=16)  # fmt: skip
SOUND = dict(num_hidden_layers=4, hidden_size=384, num_attention_heads=6, intermediate_size=1536)


def text():
    return {"input_ids": torch.randint(3, VOCABULARY, (1, LENGTH)), "attention_mask": torch.ones(1, LENGTH, dtype=torch.long)}


def image(side):
    return lambda: {"pixel_values": torch.randn(1, 3, side, side)}


def sound():
    return {"input_values": torch.randn(1, 16000)}


# The class, what its configuration has that is not the default, and what makes inputs.
ARCHITECTURES = {
    "beit": ("BeitModel", dict(VISION, use_relative_position_bias=True), image(224)),
    "convbert": ("ConvBertModel", dict(TEXT, embedding_size=384), text),
    "convnext": ("ConvNextModel", {}, image(224)),
    "cvt": ("CvtModel", {}, image(224)),
    "deberta-v2": ("DebertaV2Model", dict(TEXT, relative_attention=True, pos_att_type=["c2p", "p2c"], position_buckets=256,
                                          norm_rel_ebd="layer_norm", share_att_key=True,
                                          position_biased_input=False), text),
    "dinov3": ("DINOv3ViTModel", VISION, image(224)),
    "dpt": ("DPTForDepthEstimation", dict(VISION, backbone_out_indices=[0, 1, 2, 3], neck_hidden_sizes=[48, 96, 192, 384],
                                          fusion_hidden_size=128, is_hybrid=False), image(224)),
    "focalnet": ("FocalNetModel", {}, image(224)),
    "funnel": ("FunnelModel", dict(vocab_size=VOCABULARY, d_model=384, block_sizes=[2, 2, 2], n_head=6, d_head=64,
                                   d_inner=1536), text),
    "gemma3": ("Gemma3ForCausalLM", dict(DECODER, sliding_window=64,
                                         layer_types=["sliding_attention", "full_attention"] * 2), text),
    "hiera": ("HieraModel", dict(depths=[1, 2, 7, 2]), image(224)),
    "hubert": ("HubertModel", dict(num_hidden_layers=4), sound),
    "levit": ("LevitModel", {}, image(224)),
    "lfm2": ("Lfm2ForCausalLM", dict(DECODER, layer_types=["conv", "conv", "full_attention", "conv"]), text),
    "poolformer": ("PoolFormerModel", {}, image(224)),
    "pvt-v2": ("PvtV2Model", {}, image(224)),
    "qwen3": ("Qwen3ForCausalLM", DECODER, text),
    "resnet": ("ResNetModel", {}, image(224)),
    "segformer": ("SegformerForSemanticSegmentation", {}, image(256)),
    "squeezebert": ("SqueezeBertModel", dict(TEXT, embedding_size=384), text),
    "swin": ("SwinModel", {}, image(224)),
    "swin-v2": ("Swinv2Model", dict(image_size=256, window_size=8), image(256)),
    "wav2vec2": ("Wav2Vec2Model", SOUND, sound),
}  # fmt: skip


class FirstOutput(torch.nn.Module):
    """The first tensor that a model gives, of inputs by position."""

    def __init__(self, model, names):
        super().__init__()
        self.model, self.names = model, names

    def forward(self, *inputs):
        outputs = self.model(**dict(zip(self.names, inputs)), return_dict=True)
        return next(value for value in outputs.values() if torch.is_tensor(value))


def export(name, path):
    """Saves the model; gives the inputs that are left, as arrays."""
    kind, changed, make_inputs = ARCHITECTURES[name]
    torch.manual_seed(0)
    model_type = getattr(transformers, kind)
    model = model_type(model_type.config_class(**changed)).eval()
    if "use_cache" in inspect.signature(type(model).forward).parameters:
        model.config.use_cache = False
    inputs = make_inputs()
    with torch.no_grad():
        torch.onnx.export(FirstOutput(model, list(inputs)).eval(), tuple(inputs.values()), path, input_names=list(inputs),
                          output_names=["y"], dynamo=True, opset_version=20, verbose=False)  # fmt: skip
    left = {value.name for value in onnx.load(path, load_external_data=False).graph.input}
    return {key: value.numpy() for key, value in inputs.items() if key in left}


def main():
    parser = make_parser(__doc__, runs=9)
    parser.add_argument("--names", nargs="*", choices=sorted(ARCHITECTURES), default=sorted(ARCHITECTURES))
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    results = {threads: [] for threads in options.threads}
    with tempfile.TemporaryDirectory() as path:
        folder = pathlib.Path(path)
        machine, table = Machine(folder), Table(WEFT, [OnnxRuntime.title])
        for name in options.names:
            model = folder / f"{name}.onnx"
            inputs = export(name, model)
            load = compile_model(options.build, model, folder / f"{name}.weft")
            for threads in options.threads:
                reference = OnnxRuntime(model, threads)
                result = compare({WEFT: load(threads), OnnxRuntime.title: reference}, reference, inputs, options.runs,
                                 lambda: machine.measure(threads))  # fmt: skip
                table.add(name, "1", threads, result)
                results[threads].append(result)
        for threads, measured in results.items():
            table.add_means(threads, measured)


if __name__ == "__main__":
    main()
