#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes reports of runs that were never made: make_reports.py FOLDER ROWS [DEPTH SCHEDULE MS]...: each product takes 10 ms, one of a depth
with a schedule MS. A second report of each artifact is of a run that took twice as long."""
import json
import pathlib
import sys

folder, rows = pathlib.Path(sys.argv[1]), int(sys.argv[2])
words = sys.argv[3:]
given = {(int(depth), schedule): float(ms) for depth, schedule, ms in zip(words[::3], words[1::3], words[2::3])}
for trial in json.loads((folder / "trials.json").read_text())["trials"]:
    steps, ran = [], set()
    for step in trial["steps"]:
        known = step or {"node": "other", "depth": 0, "columns": 0}
        isTaken = known["node"] not in ran  # the first of those for some numbers of rows
        ran.add(known["node"])
        steps.append({"kernel": "any", "node": known["node"], "flops": isTaken * 2.0 * rows * known["depth"] * known["columns"],
                      "seconds": isTaken * given.get((known["depth"], trial["schedule"]), 10) * 1e-3})
    for number, factor in ((0, 1), (1, 2)):
        slower = [step | {"seconds": step["seconds"] * factor} for step in steps]
        (folder / f"{trial['artifact']}.{number}.json").write_text(json.dumps({"steps": slower}))
