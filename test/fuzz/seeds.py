# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: seeds.py FOLDER

Writes the seeds of the fuzzers of models: small conformance cases, one of each operator, and loops and sizes that a run or its data says."""

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).parent.parent / "conformance"))
import cases
import traps

MOST_BYTES = 4096
DYNAMIC = {"Loop", "Scan", "NonZero", "Compress", "Range", "Resize"}


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    tests = [cases.load_node_test(path) for path in cases.node_tests(cases.NODE_TESTS)]
    seen = set()
    for case in [*tests, *traps.make_cases()]:
        if case and case.operators() & DYNAMIC:
            made = cases.make_dynamic(case).model.SerializeToString()
            if len(made) <= MOST_BYTES:
                (folder / f"{case.name}_dynamic.onnx").write_bytes(made)
        if not case or case.operators() <= seen:
            continue
        made = cases.make_constant(case, cases.parameters(case)).model.SerializeToString()
        if len(made) <= MOST_BYTES:
            seen |= case.operators()
            (folder / f"{case.name}.onnx").write_bytes(made)


if __name__ == "__main__":
    main()
