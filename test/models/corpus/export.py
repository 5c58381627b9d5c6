# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Exports the graphs that PyTorch 1.13's exporter can make. Everything is seeded: a second run writes the same bytes.
#   python3 export.py [GRAPH...]        all of them without an argument
import sys

from forms import decoders, encoders, masks, variants

FORMS = {**encoders.FORMS, **decoders.FORMS, **masks.FORMS, **variants.FORMS}


def main(names):
    unknown = [name for name in names if name not in FORMS]
    if unknown:
        sys.exit(f"export.py: unknown graph {unknown[0]}; known: {', '.join(FORMS)}")
    for name in names or FORMS:
        FORMS[name](name)
        print(name)


if __name__ == "__main__":
    main(sys.argv[1:])
