# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds the graphs that PyTorch 1.13 does not export, with onnx and onnxruntime. Everything is seeded: a second run writes the
# same bytes.
#   python3 build.py [GRAPH...]        all of them without an argument
from built import layouts, others, torch2, twins
from cases import make_graphs

FORMS = {**torch2.FORMS, **others.FORMS, **layouts.FORMS, **twins.FORMS}

if __name__ == "__main__":
    make_graphs(FORMS)
