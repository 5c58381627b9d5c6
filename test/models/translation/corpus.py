# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Reads the corpus and the vocabularies. Needs nothing but Python.
import os

HERE = os.path.dirname(os.path.abspath(__file__))
SPECIAL = ["<pad>", "<sos>", "<eos>", "<unk>"]


def read_lines(path):
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()


def read_corpus():
    """A list of (source tokens, target tokens)."""
    pairs = []
    for number, line in enumerate(read_lines(os.path.join(HERE, "corpus.tsv")), 1):
        fields = line.split("\t")
        if len(fields) != 2:
            raise ValueError(f"corpus.tsv:{number}: expected a source and a target, got {len(fields)} fields")
        pairs.append((fields[0].split(), fields[1].split()))
    return pairs


def make_vocabulary(sentences):
    """The special tokens, then every word in the order in which it first appears."""
    return SPECIAL + list(dict.fromkeys(word for sentence in sentences for word in sentence))


def read_vocabulary(name):
    return read_lines(os.path.join(HERE, name))
