#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Exports the post-norm Transformer of test/models with weights of a file. Needs PyTorch.
#   export_transformer.py WEIGHTS.npz OUT.onnx LAYERS WIDTH HEADS HIDDEN SOURCE_VOCABULARY TARGET_VOCABULARY LONGEST
import os
import sys

import numpy
import torch

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "test", "models"))
from networks.transformer import Transformer  # noqa: E402


def main():
    weights, out = sys.argv[1:3]
    layers, width, heads, hidden, source, target, longest = map(int, sys.argv[3:])
    model = Transformer(source, target, layers, width, heads, hidden, longest).eval()
    state = {name: torch.from_numpy(array) for name, array in numpy.load(weights).items()}
    missing = model.load_state_dict(state, strict=False)
    # The tables of positions are made, and nothing uses a projection of values: see networks/transformer.py.
    left = [name for name in missing.missing_keys if "v_proj" not in name and not name.endswith(".positions")]
    if left or missing.unexpected_keys:
        raise SystemExit(f"{weights}: lacks {left}, has {missing.unexpected_keys} beside the model's")
    masks = {"src_mask": (3, 3), "cross_mask": (2, 3), "tgt_mask": (2, 2)}
    example = [torch.zeros(2, 3, dtype=torch.long), torch.zeros(2, 2, dtype=torch.long)]
    example += [torch.ones(2, *shape) for shape in masks.values()]
    axes = {"src": {0: "batch", 1: "src"}, "tgt": {0: "batch", 1: "tgt"},
            "src_mask": {0: "batch", 1: "src", 2: "src"}, "cross_mask": {0: "batch", 1: "tgt", 2: "src"},
            "tgt_mask": {0: "batch", 1: "tgt", 2: "tgt"}, "probabilities": {0: "batch", 1: "tgt"}}  # fmt: skip
    torch.onnx.export(model, tuple(example), out, opset_version=17, dynamic_axes=axes,
                      input_names=["src", "tgt", *masks], output_names=["probabilities"])  # fmt: skip


if __name__ == "__main__":
    main()
