# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Translates the whole corpus with the `translate` example and compares it, token for token, with greedy.tsv, which
# PyTorch decoded; then prints the BLEU score. Needs nothing but Python.
#   python3 check_greedy.py --translate build/bin/translate --model translation.weft
import argparse
import os
import subprocess
import sys

import bleu
import corpus

LEAST_BLEU = 0.68  # what the model's description promises on its own corpus
SHOWN = 10  # differing sentences that are printed


def translate(options):
    """The lines of token ids that the example prints for the corpus."""
    command = [options.translate, "--ids", "--threads", str(options.threads), options.model,
               os.path.join(corpus.HERE, "source.txt"), os.path.join(corpus.HERE, "target.txt")]
    separator = "" if options.unsegmented else " "
    sentences = "".join(separator.join(source) + "\n" for source, _ in corpus.read_corpus())
    done = subprocess.run(command, input=sentences, capture_output=True, encoding="utf-8")
    if done.returncode != 0:
        raise RuntimeError(f"{options.translate} ended with {done.returncode}: {done.stderr.strip()}")
    return done.stdout.splitlines()


def compare(lines, expected):
    """The number of sentences that differ, after printing the first of them."""
    differing = [i for i, (ours, theirs) in enumerate(zip(lines, expected)) if ours.split() != theirs.split()]
    sentences = corpus.read_corpus()
    for i in differing[:SHOWN]:
        print(f"sentence {i + 1} ({' '.join(sentences[i][0])}): expected [{expected[i]}], got [{lines[i]}]")
    return len(differing)


def main():
    parser = argparse.ArgumentParser(description="Compares the translate example with PyTorch's greedy decoding.")
    parser.add_argument("--translate", required=True, help="the translate program")
    parser.add_argument("--model", required=True, help="translation.onnx, compiled by weft")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--unsegmented", action="store_true", help="give it the sentences without spaces")
    options = parser.parse_args()
    try:
        lines, expected = translate(options), corpus.read_lines(os.path.join(corpus.HERE, "greedy.tsv"))
        score = bleu.corpus_bleu(lines, as_ids=True)
    except (OSError, RuntimeError, ValueError) as error:
        print(f"check_greedy.py: {error}", file=sys.stderr)
        return 1
    differing = compare(lines, expected)
    print(f"{len(expected) - differing} of {len(expected)} sentences as in PyTorch, BLEU {score:.4f}")
    return 0 if differing == 0 and score >= LEAST_BLEU else 3


if __name__ == "__main__":
    sys.exit(main())
