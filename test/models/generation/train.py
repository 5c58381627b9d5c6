# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Trains the generation model, letter by letter, on the English side of the translation corpus, and writes both ONNX
# files, vocabulary.txt, the reference cases, and for several prompts PyTorch's continuations, greedy (greedy.tsv) and by
# beam search (beam.tsv), and likeliest next letters (top_k.tsv). Takes about five minutes on one core. Seeded, as translation/train.py is.
#   python3 train.py
import os
import random

import torch
from torch import nn

import model
import reference

HERE = os.path.dirname(os.path.abspath(__file__))
CORPUS = os.path.join(os.path.dirname(HERE), "translation", "corpus.tsv")
SPECIAL = ["<pad>", "<sos>", "<eos>", "<unk>"]
STEPS = 1800
BATCH = 8
LEARNING_RATE = 4e-3
WARM_UP_STEPS = 100
# Beginnings that the corpus has, one that it lacks, and none at all.
PROMPTS = ["", "i like to", "she ", "the weather", "my younger brother is", "do you", "where", "today is",
           "a purple zebra", "how many people are there in"]


def read_sentences():
    with open(CORPUS, encoding="utf-8") as file:
        return [line.rstrip("\n").split("\t")[1] for line in file]


def windows(sentences, shuffle, length):
    """Endless rows of `length` ids: the sentences in one order after another, a row starting with a sentence."""
    while True:
        row = []
        for sentence in shuffle.sample(sentences, len(sentences)):
            row += sentence
            if len(row) >= length:
                yield row[:length]
                row = []


def train(generator, sentences):
    optimizer = torch.optim.Adam(generator.parameters(), lr=LEARNING_RATE)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / WARM_UP_STEPS, 1 - step / STEPS))
    rows = windows(sentences, random.Random(1), model.LONGEST + 1)
    loss_of = nn.CrossEntropyLoss()
    total = 0.0
    for step in range(STEPS):
        batch = torch.tensor([next(rows) for _ in range(BATCH)])
        loss = loss_of(generator(batch[:, :-1]).flatten(0, 1), batch[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(generator.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        total += loss.item()
        if step % 100 == 99:
            print(f"step {step + 1}: loss {total / 100:.4f}", flush=True)
            total = 0.0


def write_lines(name, lines):
    with open(os.path.join(HERE, name), "w", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in lines)


def main():
    torch.manual_seed(1)
    torch.set_num_threads(1)
    texts = read_sentences()
    vocabulary = SPECIAL + sorted(set("".join(texts)) | set("abcdefghijklmnopqrstuvwxyz "))
    ids = {piece: i for i, piece in enumerate(vocabulary)}
    write_lines("vocabulary.txt", vocabulary)

    generator = model.Generator(len(vocabulary))
    train(generator, [[model.START] + [ids[letter] for letter in text] + [model.END] for text in texts])
    generator.eval()

    prompts = [[model.START] + [ids[letter] for letter in prompt] for prompt in PROMPTS]
    write_lines("greedy.tsv", reference.greedy_lines(generator, prompts))
    write_lines("beam.tsv", reference.beam_lines(generator, prompts))
    write_lines("top_k.tsv", reference.top_sets(generator, prompts))
    for prompt in prompts:
        chosen, _ = model.greedy(generator, prompt, reference.LONGEST_CONTINUATION)
        print(f"[{''.join(vocabulary[i] for i in prompt[1:])}]{''.join(vocabulary[i] for i in chosen)}")
    reference.export(generator, len(vocabulary))
    reference.save_cases(generator, len(vocabulary))


if __name__ == "__main__":
    main()
