#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: check_report.py REPORT SIGNATURE | check_report.py --make MODEL

The first says what a report holds, and fails unless its steps are those that `weft inspect` printed to SIGNATURE and its page needs nothing
but itself. The second writes a model whose node has a name that a page has to escape."""
import json
import re
import sys

NAME = '</script><b>"x\\é\t&'


def make(path):
    import onnx
    from onnx import TensorProto, helper

    edges = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [4]) for name in ("x", "y")]
    graph = helper.make_graph([helper.make_node("Exp", ["x"], ["y"], name=NAME)], "escape", edges[:1], edges[1:])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def read(path):
    with open(path, encoding="utf-8") as stream:
        text = stream.read()
    if path.endswith(".json"):
        return text
    foreign = [link for link in re.findall(r"(?:https?:)?//[\w.]+/|\b(?:src|href)\s*=|@import|url\(", text) if "www.w3.org" not in link]
    assert not foreign, foreign
    head, rest = text.split('<script id="data" type="application/json">')
    data, script = rest.split("</script>", 1)  # the first end is the data's own
    assert head.startswith("<!DOCTYPE html>") and script.count("</script>") == 1, "the page's parts"
    return data


def main():
    if sys.argv[1] == "--make":
        return make(sys.argv[2])
    text = read(sys.argv[1])
    report = json.loads(text)
    assert text.count("\n") == 1 and "<" not in text, "one line"
    with open(sys.argv[2], encoding="utf-8") as stream:
        listed = [line.split(" ", 1)[1] for line in (line.removeprefix("step    ") for line in stream if line.startswith("step "))]
    steps = [f"{step['kernel']}: {step['node']}\n" for step in report["steps"]]
    assert steps == listed, (steps, listed)
    assert all(step["seconds"] > 0 and step["flops"] >= 0 and step["bytes"] >= 0 for step in report["steps"]), "steps"
    assert all(seconds > 0 for seconds in report["run_seconds"]), "runs"
    assert report["machine_flops_per_second"] > 1e9 and report["machine_bytes_per_second"] > 1e8, "machine"
    assert any(step["flops"] for step in report["steps"]) == any("matmul" in step for step in steps), "products"
    is_escaped = any(step["node"] == NAME for step in report["steps"])
    print(f"{report['model']}: {len(steps)} steps, {len(report['run_seconds'])} runs, {report['threads']} threads", "escaped" * is_escaped)


if __name__ == "__main__":
    main()
