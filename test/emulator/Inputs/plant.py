#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plants bugs in the kernels that Weft makes for GPUs, one at a time, and runs each on the emulator, which has to notice: by a
report, or by other results than the evaluator's; some do not verify.

    plant.py WHAT MODEL.mlir SCRATCH INPUT...      WHAT is one of PLACES; INPUTs as weft run takes them,
                                                   and before them flags for weft compile
"""
import pathlib
import re
import subprocess
import sys

KERNELS = "builtin.module(weft-emit-cta-kernels{{gpus={}}},cta.kernel(weft-distribute-lanes,canonicalize,cse))"


WORDS = (
    (r"cta\.wait_copies 1", "cta.wait_copies 2"),  # groups of copies that may still be on their way
    (r"of f16(?= :)", "of bf16"),  # what words hold
    (r"load_matrices transposed", "load_matrices"),
    (r"load_matrices(?= %)", "load_matrices transposed"),
)
PLACES = {
    "products": (
        *WORDS,
        (r"arith\.constant 16 : i32", "arith.constant 8 : i32"),  # threads that a reduction hears of
        (r"(?<=, )%c17(?= : index)", "%c16"),  # where rows of an operand begin in shared memory
        (r"(?<=, )%c25(?= : index)", "%c24"),
        (r"cta\.shuffle from", "cta.shuffle xor"),
        (r"(?<=, )%c40(?= : index\n *%\w+ = arith.addi)", "%c32"),  # not where it is a bound
        (r"(?<=, )%c136(?= : index)", "%c128"),  # rows of copied operands
        (r"(?<=, )%c4352(?= : index)", "%c128"),  # where the next stage of them begins
    ),
    "bytes": (
        (r"cta\.wait_copies 1", "cta.wait_copies 2"),
        (r"(?<=, )%c80(?= : index)", "%c64"),  # rows of copied operands
        (r"(?<=, )%c544(?= : index)", "%c128"),
        (r"(?<=, )%c8704(?= : index)", "%c128"),  # where the next stage of them begins
        (r"(?<=, )%c4(?= : index)", "%c2"),  # how far it is from quad to quad, and what of a group a thread has
        (r"(?<=, )%c1152(?= : index)", "%c128"),  # the same of words of 4 bits
    ),
    "few-rows": WORDS,
    "hopper": (
        (r"cta\.mbarrier_wait .*", ""),
        (r"cta\.mbarrier_arrive %\w+\[%\w+\](?: of block %\w+)? :.*", ""),  # of those who have multiplied
        (r" of block %\w+", ""),
        (r" to_cluster", ""),
        (r"cta\.cluster_barrier", ""),
        (r"cta\.cluster_barrier", "cta.barrier"),
        (r", [24] : memref", ", 1 : memref"),  # arrivals
        (r"expecting \d+", "expecting 4096"),
        (r"cta\.wait_products 1", "cta.wait_products 2"),
        (r"cta\.commit_products", ""),
        (r"cta\.fence_async", ""),
        (r"cta\.group_barrier", "cta.warp_barrier"),
        (r"cta\.wait_stores 0", ""),
        (r"cta\.commit_stores", ""),
        (r"128, 64\]", "64, 64]"),  # a box
        (r" transposed", ""),
        (r"arith\.constant 46\d+ : i64", "arith.constant 4611686018427387904 : i64"),  # a descriptor without strides
        (r"arith\.constant 46\d+ : i64", "arith.constant 0 : i64"),
        (r"arith\.xori %c[1-7]_?\w*, %(\w+) : index", r"arith.addi %c0, %\1 : index"),  # where pieces of a line are
    ),
    "attention": (
        *WORDS,
        (r"arith\.constant 2 : i32", "arith.constant 4 : i32"),  # threads that have columns of a row
        (r"\[0, 2\]", "[0, 1]"),  # which words of four matrices are a fragment
        (r"(?<=, )%c56(?= : index)", "%c48"),  # rows of keys, and of values
        (r"(?<=, )%c72(?= : index)", "%c64"),
        (r"(?<=, )%c3584(?= : index)", "%c1792"),  # where the next stage of keys begins
        (r"cta\.pack (%\w+), (%\w+)", r"cta.pack \2, \1"),
    ),
}


def weft(*arguments, program="weft"):
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False)


def must(done):
    if done.returncode:
        sys.exit(f"{' '.join(done.args)}\n{done.stderr}")


def occurrences(text, pattern):
    return list(re.finditer(pattern, text))


def replaced(text, found, by):
    return text[: found.start()] + by + text[found.end() :]


def kernel_of(text, position):
    return re.findall(r"cta\.kernel @(\w+)", text[:position])[-1]


def plants(what, text):
    """(what is done, the kernels with it)."""
    for name, others in (("cta.barrier", ["", "cta.warp_barrier"]), ("cta.warp_barrier", [""])):
        for found in occurrences(text, rf"\b{re.escape(name)}\b"):
            for other in others:
                done = f"{other} in place of {name}" if other else f"no {name}"
                yield f"{done} in {kernel_of(text, found.start())}", replaced(text, found, other)
    for name in ("cta.wait_copies 1", "cta.wait_copies 0", "cta.commit_copies"):
        for found in occurrences(text, rf"\b{re.escape(name)}\b"):
            yield f"no {name} in {kernel_of(text, found.start())}", replaced(text, found, "")
    for pattern, by in PLACES[what]:
        for found in occurrences(text, pattern)[:2]:
            other = found.expand(by)
            yield f"{other} in place of {found[0]} in {kernel_of(text, found.start())}", replaced(text, found, other)
    sizes = {int(found[1]) for found in occurrences(text, r"memref<(\d+)x\w+, 3>")}  # of buffers
    less = 64 if what == "bytes" else 16
    for size in sorted(size for size in sizes if size > less):
        yield f"{size - less} elements in place of {size}", text.replace(f"memref<{size}x", f"memref<{size - less}x")


def noticed(kernels, scratch, inputs, expected):
    """What the emulator says, or nothing. A wrong result counts."""
    source, target, artifact = scratch / "planted.mlir", scratch / "target.mlir", scratch / "planted.weft"
    source.write_text(kernels)
    lowered = weft(source, "--weft-cta-to-emulator", "-o", target, program="weft-opt")
    if "undeclared SSA value" in lowered.stderr:  # no bug, but a mistake here
        sys.exit(lowered.stderr)
    if lowered.returncode:  # it does not even verify
        return re.search(r"error: .*", lowered.stderr)[0]
    must(weft("compile", "--quiet", "--from=target", target, "-o", artifact))
    done = weft("run", artifact, *inputs, f"--expect={expected}", "--rtol=1e-3", "--atol=1e-2", "--guard-arena")
    said = done.stderr.strip().splitlines() or [f"ended with {done.returncode}"]  # a guard page says nothing
    return said[0] if done.returncode else ""


def main():
    what, model, scratch, *words = sys.argv[1:]
    scratch = pathlib.Path(scratch)
    scratch.mkdir(parents=True, exist_ok=True)
    flags = [word for word in words if word.startswith("--")]
    inputs = [f"--input={word}" for word in words[len(flags) :]]
    buffers, kernels, expected = scratch / "buffer.mlir", scratch / "kernels.mlir", scratch / "expected.npz"
    level = [flag for flag in flags if flag.startswith("--from")]
    must(weft("run", *level, model, *inputs, "--evaluate", f"--outputs={expected}"))
    must(weft("compile", "--target=emulator", "--to=buffer", *flags, model, "-o", buffers))
    must(weft(buffers, f"--pass-pipeline={KERNELS.format('sm_90a' if what == 'hopper' else 'sm_80')}", "-o", kernels, program="weft-opt"))
    text = kernels.read_text()
    if said := noticed(text, scratch, inputs, expected):
        sys.exit(f"without a plant: {said}")
    count, missed = 0, 0
    for done, planted in plants(what, text):
        count += 1
        said = noticed(planted, scratch, inputs, expected)
        missed += not said
        print(f"{done}: {said or 'MISSED'}")
    print(f"{count} bugs planted, {missed} missed")


main()
