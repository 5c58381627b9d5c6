# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Prints the corpus BLEU-4 of a file of translations, one line for each sentence of corpus.tsv. A line holds words, or,
# with --ids, token ids as in greedy.tsv. Needs nothing but Python.
#   python3 bleu.py --ids greedy.tsv
import argparse
import collections
import math
import sys

import corpus

LONGEST_NGRAM = 4


def ngrams(words, length):
    return collections.Counter(tuple(words[i:i + length]) for i in range(len(words) - length + 1))


def bleu(hypotheses, references):
    """The geometric mean of the corpus-wide clipped n-gram precisions, n = 1..4, times the brevity penalty."""
    matched, possible = [0] * LONGEST_NGRAM, [0] * LONGEST_NGRAM
    for hypothesis, reference in zip(hypotheses, references):
        for length in range(1, LONGEST_NGRAM + 1):
            ours = ngrams(hypothesis, length)
            matched[length - 1] += sum((ours & ngrams(reference, length)).values())
            possible[length - 1] += sum(ours.values())
    if 0 in matched:
        return 0.0
    precision = sum(math.log(m / p) for m, p in zip(matched, possible)) / LONGEST_NGRAM
    our_length, their_length = sum(map(len, hypotheses)), sum(map(len, references))
    brevity = min(0.0, 1.0 - their_length / our_length)
    return math.exp(precision + brevity)


def words_of_ids(line, vocabulary):
    """The words of a line of ids; an id outside the vocabulary is a word that matches nothing."""
    ids = [int(field) for field in line.split()]
    return [vocabulary[i] if 0 <= i < len(vocabulary) else f"<{i}>" for i in ids]


def corpus_bleu(lines, as_ids):
    references = [target for _, target in corpus.read_corpus()]
    if len(lines) != len(references):
        raise ValueError(f"expected {len(references)} lines, one for each sentence of corpus.tsv; got {len(lines)}")
    vocabulary = corpus.read_vocabulary("target.txt")
    return bleu([words_of_ids(line, vocabulary) if as_ids else line.split() for line in lines], references)


def main():
    parser = argparse.ArgumentParser(description="Corpus BLEU-4 against corpus.tsv.")
    parser.add_argument("file", help="translations, one a line")
    parser.add_argument("--ids", action="store_true", help="lines hold token ids, not words")
    parser.add_argument("--at-least", type=float, default=0.0, metavar="SCORE", help="exit with 3 below this score")
    options = parser.parse_args()
    try:
        score = corpus_bleu(corpus.read_lines(options.file), options.ids)
    except OSError as error:
        print(f"bleu.py: {options.file}: {error.strerror}", file=sys.stderr)
        return 4
    except ValueError as error:
        print(f"bleu.py: {options.file}: {error}", file=sys.stderr)
        return 1
    print(f"BLEU {score:.4f}")
    return 0 if score >= options.at_least else 3


if __name__ == "__main__":
    sys.exit(main())
