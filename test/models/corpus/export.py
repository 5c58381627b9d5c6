# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Exports the graphs that PyTorch 1.13's exporter can make. Everything is seeded: a second run writes the same bytes.
#   python3 export.py [GRAPH...]        all of them without an argument
from forms import decoders, encoders, loops, masks, variants
from cases import make_graphs

FORMS = {**encoders.FORMS, **decoders.FORMS, **masks.FORMS, **variants.FORMS, **loops.FORMS}

if __name__ == "__main__":
    make_graphs(FORMS)
