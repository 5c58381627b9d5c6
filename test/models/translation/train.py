# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Trains the translation model on the corpus until it knows it by heart, which is all that a test needs of it, and
# writes translation.onnx, the vocabularies, the reference cases and greedy.tsv: PyTorch's greedy translation of every
# sentence of the corpus, as token ids. Takes a few minutes on one core. Seeded: the same PyTorch on the same
# processor trains the same weights.
#   python3 train.py
import os
import random

import torch
from torch import nn

import corpus
import model
import reference

HERE = os.path.dirname(os.path.abspath(__file__))
EPOCHS = 120
BATCH = 20
LEARNING_RATE = 7e-4
WARM_UP_STEPS = 100


def to_ids(words, vocabulary):
    ids = {word: i for i, word in enumerate(vocabulary)}
    return [ids[word] for word in words]


def train(translator, pairs):
    steps = EPOCHS * -(-len(pairs) // BATCH)
    optimizer = torch.optim.Adam(translator.parameters(), lr=LEARNING_RATE)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / WARM_UP_STEPS, 1 - step / steps))
    loss_of = nn.CrossEntropyLoss(ignore_index=model.PAD)
    order = random.Random(1)
    for epoch in range(EPOCHS):
        shuffled = order.sample(pairs, len(pairs))
        total = 0.0
        for first in range(0, len(pairs), BATCH):
            batch = shuffled[first:first + BATCH]
            logits = translator(model.pad([source for source, _ in batch]),
                                model.pad([[model.START] + target for _, target in batch]))[0]
            expected = model.pad([target + [model.END] for _, target in batch])
            loss = loss_of(logits.flatten(0, 1), expected.flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total += loss.item() * len(batch)
        if epoch % 10 == 9:
            print(f"epoch {epoch + 1}: loss {total / len(pairs):.4f}", flush=True)


def write_lines(name, lines):
    with open(os.path.join(HERE, name), "w", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in lines)


def main():
    torch.manual_seed(1)
    torch.set_num_threads(1)
    sentences = corpus.read_corpus()
    source_words = corpus.make_vocabulary(source for source, _ in sentences)
    target_words = corpus.make_vocabulary(target for _, target in sentences)
    write_lines("source.txt", source_words)
    write_lines("target.txt", target_words)
    pairs = [(to_ids(source, source_words), to_ids(target, target_words)) for source, target in sentences]

    translator = model.Translator(len(source_words), len(target_words))
    train(translator, pairs)
    translator.eval()

    decoded = [model.greedy(translator, source) for source, _ in pairs]
    write_lines("greedy.tsv", [" ".join(map(str, ids)) for ids in decoded])
    exact = sum(ids == target for ids, (_, target) in zip(decoded, pairs))
    print(f"greedy decoding reproduces {exact} of {len(pairs)} sentences")

    reference.export(translator, len(target_words))
    reference.save_cases(translator, len(source_words), len(target_words))
    reference.save_sentences(translator, pairs, len(target_words))


if __name__ == "__main__":
    main()
