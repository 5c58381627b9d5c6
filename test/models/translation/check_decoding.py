# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Translates the corpus with the `translate` example in every way of decoding that it has. Beam search must not score
# below greedy decoding; width 1, temperature 0 and the one likeliest token must be greedy decoding; draws must follow
# from their seed; nothing may depend on the number of threads. Needs nothing but Python.
#   python3 check_decoding.py --translate build/bin/translate --model translation.weft
import argparse
import os
import subprocess
import sys

import bleu
import corpus

FEW = 40  # sentences for what is compared with itself
GREEDY = ["--beam=1", "--beam=1 --length-penalty=3", "--temperature=0", "--temperature=0 --top-k=7 --seed=3", "--top-k=1"]
BEAMS = ["--beam=4", "--beam=4 --length-penalty=0", "--beam=4 --length-penalty=1"]
DRAWS = ["--top-k=5 --temperature=2", "--top-p=0.98 --temperature=2", "--top-k=9 --top-p=0.95 --temperature=3"]


class Translator:
    def __init__(self, program, model):
        self.program, self.model = program, model
        self.sentences = [" ".join(source) for source, _ in corpus.read_corpus()]

    def run(self, flags, count=None):
        """The lines of token ids that the example prints for the first `count` sentences."""
        command = [self.program, "--ids", *flags.split(), self.model, os.path.join(corpus.HERE, "source.txt"),
                   os.path.join(corpus.HERE, "target.txt")]
        text = "".join(sentence + "\n" for sentence in self.sentences[:count])
        done = subprocess.run(command, input=text, capture_output=True, encoding="utf-8")
        if done.returncode != 0:
            raise RuntimeError(f"{self.program} {flags} ended with {done.returncode}: {done.stderr.strip()}")
        return done.stdout.splitlines()


def check_greedy(translator, greedy):
    for flags in GREEDY:
        if translator.run(flags) != greedy:
            yield f"{flags}: is not greedy decoding"


def check_beams(translator, greedy):
    least = bleu.corpus_bleu(greedy, as_ids=True)
    for flags in BEAMS:
        score = bleu.corpus_bleu(translator.run(flags), as_ids=True)
        print(f"{flags}: BLEU {score:.4f}, greedy {least:.4f}")
        if score < least:
            yield f"{flags}: BLEU is below that of greedy decoding"


def check_draws(translator, greedy):
    for flags in DRAWS:
        lines = translator.run(f"{flags} --seed=1", FEW)
        if lines == greedy[:FEW]:
            yield f"{flags}: draws nothing but the likeliest"
        if translator.run(f"{flags} --seed=1", FEW) != lines:
            yield f"{flags}: two runs with one seed differ"
        if translator.run(f"{flags} --seed=2", FEW) == lines:
            yield f"{flags}: another seed changes nothing"


def check_threads(translator):
    for flags in BEAMS[:1] + DRAWS[-1:]:
        lines = translator.run(f"{flags} --threads=1", FEW)
        for threads in (2, 3):
            if translator.run(f"{flags} --threads={threads}", FEW) != lines:
                yield f"{flags}: {threads} threads give something else than 1"


def main():
    parser = argparse.ArgumentParser(description="Checks the translate example's ways of decoding.")
    parser.add_argument("--translate", required=True, help="the translate program")
    parser.add_argument("--model", required=True, help="translation.onnx, compiled by weft")
    options = parser.parse_args()
    try:
        translator = Translator(options.translate, options.model)
        greedy = corpus.read_lines(os.path.join(corpus.HERE, "greedy.tsv"))
        problems = [*check_greedy(translator, greedy), *check_beams(translator, greedy),
                    *check_draws(translator, greedy), *check_threads(translator)]
    except (OSError, RuntimeError, ValueError) as error:
        print(f"check_decoding.py: {error}", file=sys.stderr)
        return 1
    print("\n".join([*problems, f"{len(problems)} problems"]))
    return 3 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
