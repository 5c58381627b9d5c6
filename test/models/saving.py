# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Writes what a model is tested with: its ONNX file, and cases of inputs with PyTorch's outputs.
import os

import numpy
import torch

HERE = os.path.dirname(os.path.abspath(__file__))
OPSETS = (17, 14, 11)

def randomize(model, seed):
    """Draws every parameter anew, so that no weight, bias or norm is one that a wrong compiler gets right by chance.

    PyTorch's own initialisation has norms of weight 1 and bias 0, and attention that is nearly uniform.
    """
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            noise = torch.randn(parameter.shape, generator=generator)
            if "norm" in name:
                parameter.copy_(0.2 * noise + (1.0 if name.endswith("weight") else 0.0))
            elif parameter.dim() >= 2 and "embed" not in name:
                parameter.copy_(1.5 * noise / parameter.shape[1] ** 0.5)
            else:
                parameter.copy_(0.3 * noise)
    return model.eval()


def export(model, path, inputs, outputs, example, opset=17, fold=True):
    """Writes model as ONNX. `inputs` and `outputs` map each name to its axes; a string there is a dynamic axis. With
    `fold` the exporter computes what depends on constants only."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    axes = {
        name: {i: axis for i, axis in enumerate(shape) if isinstance(axis, str)}
        for name, shape in {**inputs, **outputs}.items()
    }
    torch.onnx.export(model, tuple(example[name] for name in inputs), path, opset_version=opset,
                      input_names=list(inputs), output_names=list(outputs), dynamic_axes=axes,
                      do_constant_folding=fold)


def save_case(folder, case, model, outputs, inputs, finite=True):
    """Writes <case>.in.npz and <case>.ref.npz. Where not all is `finite`, it is on purpose.

    numpy.savez stores without compression, which is all that the runtime reads.
    """
    with torch.no_grad():
        results = model(*inputs.values())
    if isinstance(results, torch.Tensor):
        results = [results]
    arrays = {name: result.numpy() for name, result in zip(outputs, results)}
    for name, array in arrays.items():
        if finite and not numpy.isfinite(array).all():
            raise ValueError(f"{folder}, case {case}: output {name} is not finite")
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, case)
    numpy.savez(path + ".in.npz", **{name: tensor.numpy() for name, tensor in inputs.items()})
    numpy.savez(path + ".ref.npz", **{name: arrays[name] for name in outputs})


def save_model(name, model, inputs, outputs, cases, example, opsets=OPSETS, fold=True, finite=True):
    """A folder with one model: an ONNX file for each opset (17 has the folder's name), and its cases.

    `cases` maps names to inputs; `example` is the case that is traced. Its sizes should differ from each other.
    """
    folder = os.path.join(HERE, name)
    for opset in opsets:
        file = os.path.basename(name) + ("" if opset == 17 else f"_opset{opset}") + ".onnx"
        export(model, os.path.join(folder, file), inputs, outputs, cases[example], opset, fold)
    for case, tensors in cases.items():
        save_case(folder, case, model, outputs, tensors, finite)
