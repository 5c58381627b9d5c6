#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether the data of `weft compile --report` agree with themselves and with the artifact, at several sizes of the dims.

    check_compile_report.py DATA.json PAGE.html MODEL.weft [DIM=SIZE...]    the sizes at which the artifact says its arena

Every buffer lies in the arena, no two that live at once overlap, the arena is as large as a session's, and steps, kernels and
weights are those that `weft inspect` lists. The page holds the same data, but for times, and asks no network.
"""
import json
import random
import re
import subprocess
import sys

OPERATIONS = {
    "add": lambda a, b: a + b, "mul": lambda a, b: a * b, "floordiv": lambda a, b: a // b, "mod": lambda a, b: a % b,
    "min": min, "max": max, "broadcast": lambda a, b: b if a == 1 else a,
}


def evaluate(formula, dims):
    stack = []
    for word in formula:
        if isinstance(word, str):
            right = stack.pop()
            stack.append(OPERATIONS[word](stack.pop(), right))
        else:
            stack.append(dims[word["dim"]] if isinstance(word, dict) else word)
    assert len(stack) == 1, formula
    return stack[0]


def check_arena(program, dims):
    arena, buffers = evaluate(program["arena"], dims), []
    for buffer in program["buffers"]:
        start, size = evaluate(buffer["offset"], dims), evaluate(buffer["bytes"], dims)
        assert 0 <= start and start + size <= arena, (dims, buffer, arena)
        assert 0 <= buffer["first"] <= buffer["last"] < len(program["steps"]), buffer
        for other, at, end in buffers:
            apart = start + size <= at or end <= start
            assert apart or buffer["first"] > other["last"] or other["first"] > buffer["last"], (dims, buffer, other)
        buffers.append((buffer, start, start + size))
    assert arena == max((end for _, _, end in buffers), default=0), (dims, arena)


def check_page(page, data):
    with open(page, encoding="utf-8") as file:
        text = file.read()
    held = json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', text, re.S).group(1))
    for each in (held, data):
        each.pop("seconds")
    assert held == data
    asked = [address for address in re.findall(r'(?:src|href)\s*=|https?://[^"\s]*|@import|fetch\(', text)
             if address != "http://www.w3.org/2000/svg"]
    assert not asked, asked


def main():
    data_path, page, artifact, *sizes = sys.argv[1:]
    with open(data_path, encoding="utf-8") as file:
        data = json.load(file)
    assert [level for level, _ in data["seconds"]] == ["import", "graph", "tile", "buffer", "target", "artifact"], data["seconds"]
    assert all(seconds >= 0 for _, seconds in data["seconds"])
    program, = data["programs"]
    names = [dim["name"] for dim in program["dims"]]
    for dim in program["dims"]:
        assert dim["low"] <= dim["start"] and (dim["high"] is None or dim["start"] <= dim["high"]), dim
    random.seed(1)
    for _ in range(20):
        check_arena(program, {name: random.choice([1, 2, 3, 17, 64, 129, 700]) for name in names})
    inspected = subprocess.run(["weft", "inspect", artifact], capture_output=True, text=True, check=True).stdout
    assert program["arena_formula"] in inspected, program["arena_formula"]
    for step in program["steps"]:
        assert re.search(rf"\b{step['kernel']}\b", inspected), step
        assert evaluate(step["bytes"], dict.fromkeys(names, 3)) >= 0
    used = sum(weight["bytes"] for weight in program["weights"])
    assert 0 < used <= data["weights_bytes"], (used, data["weights_bytes"])
    assert all(weight["steps"] for weight in program["weights"])
    check_page(page, data)
    dims = {name: int(size) for name, size in (text.split("=") for text in sizes)}
    page_bytes = 4096
    print("arena in pages", -(-evaluate(program["arena"], dims) // page_bytes) * page_bytes)
    print(len(program["steps"]), "steps,", data["attentions"], "attentions,", len(data["declined"]), "declined,",
          len(program["states"]), "states")
    for name, kind in program["inputs"] + program["outputs"] + program["states"]:
        print(f"{name}: {kind}")
    for step in program["steps"]:
        print(step["kernel"], *(f"{node} ({operator})" for node, operator in step["nodes"]))


if __name__ == "__main__":
    main()
