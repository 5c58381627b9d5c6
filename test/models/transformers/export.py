# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Writes the models here: each as both exporters of PyTorch write it, and cases with what PyTorch computes. Needs torch, transformers, onnx
# and onnxscript (README.md says which); the tests need none of them.
"""usage: export.py [NAME...]; all of them without"""

import os
import sys
import warnings

import numpy
import onnx
import torch
from architectures import LONGFORMERS, NAMES, PAST, Decoder, architecture

HERE = os.path.dirname(os.path.abspath(__file__))
# What an exporter cannot write.
NOT_BY_EXPORT = {"xlnet", "bigbird", *LONGFORMERS, "t5", "transformer_xl", "rwkv", "encodec"}
NOT_BY_SCRIPT = {"whisper", "fnet"}
# Opset 23 has Attention and RMSNormalization.
BY_OPSET_23 = {"bert", "modernbert", "bart", "gpt2", "llama", "mistral", "qwen3", "gemma2"}


def by_script(it, path):
    torch.onnx.export(it.module, tuple(next(iter(it.cases.values()))), path, input_names=list(it.axes), output_names=it.outputs, dynamo=False,
                      opset_version=17, dynamic_axes=it.axes)  # fmt: skip
    it.module.eval()


def by_export(it, path, opset):
    def dynamic(axes):
        return dict.fromkeys(axes, torch.export.Dim.DYNAMIC)

    if isinstance(it.module, Decoder):
        shapes = {name: dynamic(axes) for name, axes in it.axes.items() if name not in PAST}
        shapes["past"] = tuple(dynamic(it.axes[name]) for name in PAST)
    else:
        shapes = (tuple(dynamic(axes) for axes in it.axes.values()),)
    torch.onnx.export(it.module, tuple(next(iter(it.cases.values()))), path, input_names=list(it.axes), output_names=it.outputs, dynamo=True,
                      opset_version=opset, dynamic_shapes=shapes, verbose=False, external_data=False)  # fmt: skip


def strip(path):
    """Leaves out what an exporter notes of itself, and of where code lay."""
    model = onnx.load(path)
    del model.metadata_props[:]
    for graph in [model.graph, *model.functions]:
        del graph.metadata_props[:], graph.value_info[:]
        for node in graph.node:
            del node.metadata_props[:]
            node.ClearField("doc_string")
    for value in [*model.graph.input, *model.graph.output, *model.graph.initializer]:
        del value.metadata_props[:]
    onnx.save(model, path)
    return {value.name for value in model.graph.input}


def continue_prompt(model, prompt, count):
    """The likeliest tokens, one after another, without a past."""
    text = torch.tensor([prompt])
    with torch.no_grad():
        for _ in range(count):
            text = torch.cat([text, model(input_ids=text, use_cache=False).logits[:, -1].argmax(-1, keepdim=True)], 1)
    return text[0, len(prompt) :].numpy()


def write(name):
    it = architecture(name)
    folder = os.path.join(HERE, name)
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, name)
    read = set()
    if name not in NOT_BY_EXPORT:
        by_export(it, f"{path}.onnx", 18)
        read |= strip(f"{path}.onnx")
    if name in BY_OPSET_23:
        by_export(it, f"{path}_opset23.onnx", 23)
        read |= strip(f"{path}_opset23.onnx")
    if name not in NOT_BY_SCRIPT:
        by_script(it, f"{path}_script.onnx")
        read |= strip(f"{path}_script.onnx")
    arrays = {}
    for case, inputs in it.cases.items():
        with torch.no_grad():
            results = it.module(*inputs)
        results = results if isinstance(results, tuple) else (results,)
        arrays |= {f"{case}/in/{key}": value.numpy() for key, value in zip(it.axes, inputs) if key in read}
        arrays |= {f"{case}/ref/{key}": value.numpy() for key, value in zip(it.outputs, results)}
    if isinstance(it.module, Decoder):
        prompt = [5, 6, 7, 8]
        arrays |= {"prompt": numpy.array(prompt), "continuation": continue_prompt(it.module.model, prompt, 12)}
    if not all(numpy.isfinite(value).all() for value in arrays.values()):
        sys.exit(f"{name}: a result is not finite")
    numpy.savez(f"{folder}/cases.npz", **arrays)
    print(name, {key: value.shape for key, value in arrays.items() if "/ref/" in key and "present" not in key}, flush=True)


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    for name in sys.argv[1:] or NAMES:
        write(name)
