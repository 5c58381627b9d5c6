# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Exports a PyTorch module as it is and with static shapes, and writes cases of inputs with its outputs.
import os
import warnings

import torch

from cases import write

HERE = os.path.dirname(os.path.abspath(__file__))


def randomize(model, seed):
    """Weights with which attention is far from uniform; all are f16 numbers, so that a graph in f16 has the same."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            scale = 1.2 / parameter.shape[-1] ** 0.5 if parameter.dim() >= 2 else 0.3
            parameter.copy_((scale * torch.randn(parameter.shape, generator=generator)).half().float())
    return model.eval()


def export(model, path, inputs, outputs, example, opset, dynamic):
    axes = {name: {i: axis for i, axis in enumerate(shape) if isinstance(axis, str)}
            for name, shape in {**inputs, **outputs}.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # A trace that fixes a size is what some forms are about.
        torch.onnx.export(model, tuple(example.values()), path, opset_version=opset, input_names=list(inputs),
                          output_names=list(outputs), dynamic_axes=axes if dynamic else None)


def save(name, model, inputs, outputs, cases, seed, opsets=(17,)):
    """`inputs` and `outputs` map each name to its axes; strings are dynamic. The first case is traced."""
    if not getattr(model, "keep_mode", False):
        model = randomize(model, seed)
    folder = os.path.join(HERE, "graphs", name)
    os.makedirs(folder, exist_ok=True)
    example = next(iter(cases.values()))
    for opset in opsets:
        for dynamic in (True, False) if opset == opsets[-1] else (True,):
            suffix = ("" if len(opsets) == 1 else f"_opset{opset}") + ("" if dynamic else "_static")
            export(model, os.path.join(folder, name + suffix + ".onnx"), inputs, outputs, example, opset, dynamic)
    results = {}
    for case, tensors in cases.items():
        with torch.no_grad():
            result = model(*tensors.values())
        result = [result] if isinstance(result, torch.Tensor) else result
        results[case] = tuple({key: tensor.numpy() for key, tensor in pairs}
                              for pairs in (tensors.items(), zip(outputs, result)))
    write(folder, results)
