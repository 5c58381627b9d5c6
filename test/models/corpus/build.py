# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds the graphs that PyTorch 1.13 does not export, with onnx and onnxruntime. Everything is seeded: a second run writes the
# same bytes.
#   python3 build.py [GRAPH...]        all of them without an argument
import sys

from built import layouts, others, torch2, twins

FORMS = {**torch2.FORMS, **others.FORMS, **layouts.FORMS, **twins.FORMS}


def main(names):
    unknown = [name for name in names if name not in FORMS]
    if unknown:
        sys.exit(f"build.py: unknown graph {unknown[0]}; known: {', '.join(FORMS)}")
    for name in names or FORMS:
        FORMS[name](name)
        print(name)


if __name__ == "__main__":
    main(sys.argv[1:])
