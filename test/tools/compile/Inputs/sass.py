#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says of each kernel with products of warpgroups, in what nvdisasm -c prints, what its products, copies and spills are.

Products are one behind the other if nothing that waits for a product, or begins a group of them, is in between.
"""
import re
import sys

kernels, current = {}, None
for line in sys.stdin:
    if found := re.match(r"\.text\.(\w+):", line):
        current = kernels.setdefault(found[1], [])
    elif current is not None and (found := re.search(r"/\*[0-9a-f]+\*/ +(?:@!?U?P\w+ +)?([A-Z][\w.]+)", line)):
        current.append(found[1])
for name, code in kernels.items():
    products = [i for i, op in enumerate(code) if op.startswith("HGMMA")]
    if not products:
        continue
    between = [op for op in code[products[0] : products[-1]] if op.startswith(("WARPGROUP", "WARPSYNC"))]
    count = {start: sum(op.startswith(start) for op in code) for start in ("UTMALDG", "UTMASTG", "STL", "LDL")}
    spills = count["STL"] + count["LDL"]
    print(f"{name}: {len(products)} {code[products[0]]}, {'with ' + ', '.join(between) + ' in between' if between else 'one behind the other'}; "
          f"{count['UTMALDG']} UTMALDG, {count['UTMASTG']} UTMASTG, {spills or 'no'} spills")
