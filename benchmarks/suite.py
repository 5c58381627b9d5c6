#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole models, with random weights, compiled by weft, beside what others make of the same ONNX files: one table in
Markdown. A peer's cell is its median time and how many times weft's that is."""
import dataclasses
import functools
import json
import pathlib
import tempfile
import types

import bert_model
import gpt2_model
import llama_model
import t5_model
import transformer_model
import vit_model
import whisper_model
from comparison import Table, compare, compile_kept, compile_model, make_parser
from machine import Machine
from peers import PEERS, OnnxRuntime, installed

OURS = "weft"


@dataclasses.dataclass
class Model:
    """A module with save(path, **sizes) and make_inputs(sizes, *case), and what to run of it."""

    module: types.ModuleType
    sizes: dict
    case: str  # what a case is called, of its numbers
    cases: list
    small: dict  # sizes that differ in a smoke run
    small_cases: list
    keeps: bool = False  # whether cases are (past, length), and what came before may stay with Weft


TEXT, CACHE = "batch {}, length {}", "{1} after {0}"
MODELS = {
    "transformer": Model(transformer_model, {"layers": 3, "width": 512, "heads": 8, "hidden": 512, "source": 128,
                                             "target": 64, "longest": 1024, "tutorial": True},
                         TEXT, [(4, 1024)], {"layers": 1, "width": 128, "hidden": 128}, [(2, 33)]),
    "transformer-base": Model(transformer_model, {"layers": 6, "width": 512, "heads": 8, "hidden": 2048,
                                                  "source": 32000, "target": 32000, "longest": 512},
                              TEXT, [(1, 64), (1, 256)], {"layers": 1, "width": 128, "source": 99, "target": 99},
                              [(1, 16)]),
    "bert-base": Model(bert_model, {"layers": 12, "width": 768, "hidden": 3072, "vocabulary": 30522, "longest": 512},
                       TEXT, [(1, 128), (1, 512), (8, 128), (1, 17)],
                       {"layers": 2, "width": 128, "hidden": 256, "vocabulary": 99}, [(1, 17), (2, 32)]),
    "gpt2": Model(gpt2_model, {"layers": 12, "width": 768, "vocabulary": 50257, "longest": 1024},
                  CACHE, [(0, 512), (64, 1), (512, 1)], {"layers": 2, "width": 128, "vocabulary": 99},
                  [(0, 16), (16, 1)], keeps=True),
    "vit-b16": Model(vit_model, {"layers": 12, "width": 768, "side": 224, "patch": 16, "classes": 1000},
                     "batch {}", [(1,), (8,)], {"layers": 2, "width": 128, "side": 64}, [(2,)]),
    "t5-small": Model(t5_model, {"layers": 6, "width": 512, "hidden": 2048, "vocabulary": 32128},
                      TEXT, [(1, 128)], {"layers": 1, "width": 128, "hidden": 256, "vocabulary": 99}, [(1, 33)]),
    "whisper-tiny": Model(whisper_model, {"layers": 4, "width": 384, "mels": 80, "frames": 3000},
                          "batch {}", [(1,)], {"layers": 1, "width": 128, "frames": 60}, [(2,)]),
    "llama-1.1b": Model(llama_model, {"layers": 22, "width": 2048, "groups": 4, "hidden": 5632, "vocabulary": 32000},
                        CACHE, [(128, 1)], {"layers": 2, "width": 256, "groups": 2, "hidden": 512, "vocabulary": 99},
                        [(16, 1)], keeps=True),
}  # fmt: skip
LARGE = {"llama-1.1b"}  # gigabytes for each peer


def parse():
    parser = make_parser(__doc__, runs=20)
    parser.add_argument("--models", nargs="*", choices=list(MODELS), help="default: all but " + ", ".join(LARGE))
    parser.add_argument("--large", action="store_true", help="these, too")
    parser.add_argument("--peers", nargs="*", choices=list(PEERS), default=list(PEERS), help="default: all")
    parser.add_argument("--baseline", type=pathlib.Path, help="the build folder of another weft, as one more peer")
    parser.add_argument("--json", type=pathlib.Path, help="a file for everything that was measured")
    parser.add_argument("--small", action="store_true", help="reduced sizes, to see that all works")
    options = parser.parse_args()
    if options.models is None:
        options.models = [name for name in MODELS if options.large or options.small or name not in LARGE]
    return options


def run_model(options, name, peers, machine, folder):
    """Yields the case, the number of threads and the result of each."""
    model = MODELS[name]
    sizes = model.sizes | (model.small if options.small else {})
    onnx = folder / f"{name}.onnx"
    model.module.save(onnx, **sizes)
    makers = {OURS: compile_model(options.build, onnx, folder / "weft.weft", "--require-fusion=all")}
    if options.baseline:
        makers["baseline"] = compile_model(options.baseline, onnx, folder / "baseline.weft")
    cases = model.small_cases if options.small else model.cases
    kept_makers = {}
    if model.keeps:
        longest = max(past for past, _ in cases)
        builds = {OURS: options.build} | ({"baseline": options.baseline} if options.baseline else {})
        kept_makers = {title: compile_kept(build, onnx, folder / f"kept-{title}.weft", longest)
                       for title, build in builds.items()}  # fmt: skip
    for threads in options.threads:
        programs = {title: make(threads) for title, make in makers.items()}
        programs |= {title: peer(onnx, threads) for title, peer in peers.items()}
        reference = programs.get(OnnxRuntime.title) or OnnxRuntime(onnx, threads)
        measure = functools.partial(compare, reference=reference, runs=options.runs,
                                    measure_machine=lambda: machine.measure(threads))  # fmt: skip
        kept = {title: make(threads) for title, make in kept_makers.items()}
        for case in cases:
            title, inputs = model.case.format(*case), model.module.make_inputs(sizes, *case)
            if not (model.keeps and case[0] > 0):
                yield title, threads, measure(programs, inputs=inputs)
                continue
            prompt = model.module.make_inputs(sizes, 0, case[0])
            inputs |= presents(reference, prompt)
            yield title, threads, measure(programs, inputs=inputs)
            for program in kept.values():
                program.remember(prompt, case[0])
            yield f"{title}, kept", threads, measure(programs | kept, inputs=inputs)
        del programs, reference, kept, measure  # before others take as much memory


def presents(program, prompt):
    """What a prompt leaves behind, as the inputs of a run that follows it: the model lists both in the same order."""
    program.bind(prompt)
    pasts = [name for name in prompt if name.startswith("past_")]
    arrays = program.outputs()
    return dict(zip(pasts, [arrays[name] for name in program.names[-len(pasts):]]))


def main():
    options = parse()
    peers = installed(options.peers)
    print(f"medians of {options.runs} interleaved runs\n")
    table = Table(OURS, [*(["baseline"] if options.baseline else []), *peers])
    rows = []
    with tempfile.TemporaryDirectory() as path:
        machine = Machine(pathlib.Path(path))
        for name in options.models:
            with tempfile.TemporaryDirectory() as folder:
                for case, threads, result in run_model(options, name, peers, machine, pathlib.Path(folder)):
                    table.add(name, case, threads, result)
                    rows.append({"model": name, "case": case, "threads": threads, "result": result})
                    if options.json:
                        options.json.write_text(json.dumps(rows, default=dataclasses.asdict, indent=1))
    for threads in options.threads:
        table.add_means(threads, [row["result"] for row in rows if row["threads"] == threads])


if __name__ == "__main__":
    main()
