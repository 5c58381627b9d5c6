# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Continues prompts with `weft generate`, without and with a cache. Greedy decoding and beam search must give the
# tokens that PyTorch gave (greedy.tsv, beam.tsv); what is drawn must be among the likeliest (top_k.tsv) and follow from
# the seed; cache and threads must change nothing. Needs nothing but Python.
#   python3 check_generate.py --weft build/bin/weft --model generation.weft --cached generation_cached.weft
import argparse
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
VOCABULARY = os.path.join(HERE, "vocabulary.txt")
END = "--end=2"
SEEDS = 30
FEW = 3  # prompts that are tried with more threads
# How what is drawn, and what else has no reference, is decoded.
OTHERS = ["--temperature=1.3 --seed=5", "--top-k=4 --seed=6", "--top-p=0.9 --seed=7",
          "--top-k=9 --top-p=0.9 --temperature=2 --seed=8", "--beam=3 --length-penalty=0", "--beam=7 --length-penalty=2"]


def read_table(name):
    """The prompts and what belongs to each."""
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        prompts, results = zip(*(line.rstrip("\n").split("\t") for line in file))
    return list(prompts), list(results)


class Generator:
    def __init__(self, program, model):
        self.program, self.model = program, model

    def run(self, flags, prompts, threads=1):
        """The line that is printed for each prompt."""
        command = [self.program, "generate", *flags.split(), f"--threads={threads}", self.model]
        done = subprocess.run(command, input="".join(line + "\n" for line in prompts), capture_output=True, encoding="utf-8")
        if done.returncode != 0:
            raise RuntimeError(f"weft generate {flags} ended with {done.returncode}: {done.stderr.strip()}")
        return done.stdout.splitlines()


def check_references(generator):
    for name, flags in (("greedy.tsv", ""), ("greedy.tsv", "--beam=1"), ("greedy.tsv", "--temperature=0"),
                        ("greedy.tsv", "--top-k=1"), ("beam.tsv", "--beam=4 --length-penalty=0.6")):
        prompts, expected = read_table(name)
        results = generator.run(f"{flags} {END}", prompts)
        for prompt, ours, theirs in zip(prompts, results, expected):
            if ours != theirs:
                yield f"{generator.model} {flags}: [{prompt}]: expected [{theirs}], got [{ours}]"
        if len(results) != len(expected):
            yield f"{generator.model} {flags}: expected {len(expected)} lines, got {len(results)}"


def check_draws(generator):
    prompts, expected = read_table("top_k.tsv")
    drawn = [set() for _ in prompts]
    for seed in range(SEEDS):
        # So hot that all of the likeliest are drawn now and then.
        flags = f"--top-k=3 --temperature=1000 --longest=1 --seed={seed}"
        for tokens, token in zip(drawn, generator.run(flags, prompts)):
            tokens.add(token)
    for prompt, ours, theirs in zip(prompts, drawn, expected):
        if ours != set(theirs.split()[:3]):
            yield f"{generator.model}: [{prompt}]: expected draws from [{theirs}], got {sorted(ours)}"


def check_same(plain, cached):
    prompts, _ = read_table("top_k.tsv")
    for flags in OTHERS:
        lines = plain.run(f"{flags} {END}", prompts)
        if len(lines) != len(prompts):
            yield f"{flags}: expected {len(prompts)} lines, got {len(lines)}"
        if plain.run(f"{flags} {END}", prompts) != lines:
            yield f"{flags}: two runs differ"
        if cached.run(f"{flags} {END}", prompts) != lines:
            yield f"{flags}: the cache changes something"


def check_threads(generator):
    prompts = read_table("top_k.tsv")[0][:FEW]
    for flags in (OTHERS[0], OTHERS[-1]):
        lines = generator.run(f"{flags} {END}", prompts)
        for threads in (2, 3):
            if generator.run(f"{flags} {END}", prompts, threads) != lines:
                yield f"{generator.model} {flags}: {threads} threads give something else than 1"


def check_text(generator):
    """Letters go in and come out as ids do."""
    with open(VOCABULARY, encoding="utf-8") as file:
        pieces = file.read().split("\n")
    prompts, expected = read_table("greedy.tsv")

    def spell(ids):
        return "".join(pieces[int(field)] for field in ids.split())

    texts = [spell(prompt.partition(" ")[2]) for prompt in prompts]
    if generator.run(f"--vocabulary={VOCABULARY}", texts) != [spell(ids) for ids in expected]:
        yield f"{generator.model}: text is not continued as token ids are"
    if generator.run(f"--vocabulary={VOCABULARY} --ids", texts) != expected:
        yield f"{generator.model}: text is not read as the token ids that it stands for"


def main():
    parser = argparse.ArgumentParser(description="Checks weft generate.")
    parser.add_argument("--weft", required=True, help="the weft program")
    parser.add_argument("--model", required=True, help="generation.onnx, compiled by weft")
    parser.add_argument("--cached", required=True, help="generation_cached.onnx, compiled by weft")
    options = parser.parse_args()
    plain, cached = (Generator(options.weft, model) for model in (options.model, options.cached))
    try:
        problems = [problem for generator in (plain, cached)
                    for check in (check_references, check_draws, check_text, check_threads) for problem in check(generator)]
        problems += check_same(plain, cached)
    except (OSError, RuntimeError, ValueError) as error:
        print(f"check_generate.py: {error}", file=sys.stderr)
        return 1
    prompts, _ = read_table("greedy.tsv")
    print("\n".join([*problems, f"{len(prompts)} prompts, {len(problems)} problems"]))
    return 3 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
