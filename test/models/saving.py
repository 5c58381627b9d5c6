# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Writes what a model is tested with: its ONNX file, and cases of inputs with PyTorch's outputs.
import os

import numpy
import torch


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


def export(model, path, inputs, outputs, example, opset=17):
    """Writes model as ONNX. `inputs` and `outputs` map each name to its axes; a string there is a dynamic axis."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    axes = {
        name: {i: axis for i, axis in enumerate(shape) if isinstance(axis, str)}
        for name, shape in {**inputs, **outputs}.items()
    }
    torch.onnx.export(model, tuple(example[name] for name in inputs), path, opset_version=opset,
                      input_names=list(inputs), output_names=list(outputs), dynamic_axes=axes)


def save_case(folder, case, model, outputs, inputs):
    """Writes <case>.in.npz and <case>.ref.npz.

    numpy.savez stores without compression, which is all that the runtime reads.
    """
    with torch.no_grad():
        results = model(*inputs.values())
    if isinstance(results, torch.Tensor):
        results = [results]
    arrays = {name: result.numpy() for name, result in zip(outputs, results)}
    for name, array in arrays.items():
        if not numpy.isfinite(array).all():
            raise ValueError(f"{folder}, case {case}: output {name} is not finite")
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, case)
    numpy.savez(path + ".in.npz", **{name: tensor.numpy() for name, tensor in inputs.items()})
    numpy.savez(path + ".ref.npz", **{name: arrays[name] for name in outputs})
