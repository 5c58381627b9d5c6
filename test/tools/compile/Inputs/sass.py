#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says of each kernel with products, in what nvdisasm -c prints, what its products, copies and spills are.

Products of a group are one behind the other if nothing that waits for a product, or begins a group of them, is in between.
Exponentials that are between two waits, of which the first leaves a group under way, are computed while that is multiplied.
Products of warps, and threads' own, are those of the shortest loop that has any.
"""
import re
import sys

kernels, current = {}, None
loops, labels = {}, {}
for line in sys.stdin:
    if found := re.match(r"\.text\.(\w+):", line):
        current = kernels.setdefault(found[1], [])
        ends = loops.setdefault(found[1], [])
    elif found := re.match(r"(\.L\w+):", line):
        labels[found[1]] = len(current or [])
    elif current is not None and (found := re.search(r"/\*[0-9a-f]+\*/ +(?:@!?U?P\w+ +)?([A-Z][\w.]+)", line)):
        current.append(found[1])
        if (target := re.search(r"BRA.*`\((\.L\w+)\)", line)) and target[1] in labels:
            ends.append((labels[target[1]], len(current)))
for name, code in kernels.items():
    for product in ("HMMA", "IMMA", "FFMA"):
        counts = [(end - begin, sum(op.startswith(product) for op in code[begin:end])) for begin, end in loops[name]]
        length, products = min((loop for loop in counts if loop[1]), default=(0, 0))
        if products:
            print(f"{name}: {products} {product} in a loop of {length}")
            break
for name, code in kernels.items():
    marks = {"HGMMA": "p", "WARPGROUP.ARRIVE": "b", "WARPGROUP.DEPBAR": "w", "MUFU.EX2": "e"}
    text = "".join(next((mark for start, mark in marks.items() if op.startswith(start)), "") for op in code)
    if "p" not in text:
        continue
    sizes = sorted({len(group) for group in re.findall("p+", text)})
    groups = text.count("b")
    isWhole = len(re.findall("p+", text)) == groups  # a group is one run of products
    count = {start: sum(op.startswith(start) for op in code) for start in ("UTMALDG", "UTMASTG", "STL", "LDL")}
    spills = count["STL"] + count["LDL"]
    overlapped = max((len(run) for run in re.findall("w(e+)(?=w)", text)), default=0)
    said = f"{groups} groups of {' or '.join(map(str, sizes))} products{', one behind the other' if isWhole else ''}"
    said += f"; {count['UTMALDG']} UTMALDG, {count['UTMASTG']} UTMASTG, {spills or 'no'} spills"
    print(f"{name}: {said}" + (f", {overlapped} exponentials beside products" if "e" in text else ""))
