# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Exports the generation model in both forms and writes their reference cases, and PyTorch's continuations of prompts.
import os
import sys

import torch

import model

HERE = os.path.dirname(os.path.abspath(__file__))
MODELS = os.path.dirname(HERE)
sys.path.insert(0, MODELS)
import saving  # noqa: E402  (it lies one folder up)

# (batch, length)
SIZES = [(1, 1), (3, 7), (2, 33), (1, 128), (1, 150)]
# (batch, past length, length); a past of 0 is how a generation starts.
CACHED_SIZES = [(1, 0, 1), (2, 0, 7), (3, 7, 1), (2, 33, 7), (1, 127, 1), (1, 23, 127)]
# The likeliest tokens that top_k.tsv lists for a prompt.
TOP = 5
# Width and length penalty of beam.tsv.
BEAM = (4, 0.6)
LONGEST_CONTINUATION = 60
CLEAR_LEAD = 1e-3


def past_names():
    return [f"past_{part}_{layer}" for layer in range(model.LAYERS) for part in ("key", "value")]


def cached_inputs():
    return {"ids": ["batch", "seq"], **{name: ["batch", model.HEADS, "past", model.HEAD_WIDTH] for name in past_names()}}


def outputs(vocabulary):
    return {"logits": ["batch", "seq", vocabulary]}


def cached_outputs(vocabulary):
    present = {name.replace("past", "present"): ["batch", model.HEADS, "total", model.HEAD_WIDTH]
               for name in past_names()}
    return {**outputs(vocabulary), **present}


def random_ids(generator, batch, length, vocabulary):
    return torch.randint(0, vocabulary, (batch, length), generator=generator)


def with_past(generator, batch, past, length, vocabulary):
    inputs = {"ids": random_ids(generator, batch, length, vocabulary)}
    for name in past_names():
        inputs[name] = torch.randn(batch, model.HEADS, past, model.HEAD_WIDTH, generator=generator)
    return inputs


def export(generator_model, vocabulary):
    saving.export(generator_model, os.path.join(HERE, "generation.onnx"), {"ids": ["batch", "seq"]}, outputs(vocabulary),
                  {"ids": torch.tensor([[4, 5, 6], [7, 8, 9]])})
    example = with_past(torch.Generator().manual_seed(1), 2, 4, 3, vocabulary)
    saving.export(generator_model, os.path.join(MODELS, "generation_cached", "generation_cached.onnx"), cached_inputs(),
                  cached_outputs(vocabulary), example)


def save_cases(generator_model, vocabulary):
    generator = torch.Generator().manual_seed(12)
    for batch, length in SIZES:
        saving.save_case(HERE, f"b{batch}_n{length}", generator_model, outputs(vocabulary),
                         {"ids": random_ids(generator, batch, length, vocabulary)})
    for batch, past, length in CACHED_SIZES:
        saving.save_case(os.path.join(MODELS, "generation_cached"), f"b{batch}_p{past}_n{length}", generator_model,
                         cached_outputs(vocabulary), with_past(generator, batch, past, length, vocabulary))


def continuations(prompts, decode):
    """Lines of the prompt's ids, a tab, and the ids that decode(prompt) appends; but for prompts where others are all
    but as good, so that rounding would decide."""
    for prompt in prompts:
        chosen, lead = decode(prompt)
        if lead >= CLEAR_LEAD:
            yield " ".join(map(str, prompt)) + "\t" + " ".join(map(str, chosen))
        else:
            print(f"left out, since something else is as likely: {prompt}")


def greedy_lines(generator_model, prompts):
    return continuations(prompts, lambda prompt: model.greedy(generator_model, prompt, LONGEST_CONTINUATION))


def beam_lines(generator_model, prompts):
    return continuations(prompts, lambda prompt: model.beam(generator_model, prompt, LONGEST_CONTINUATION, *BEAM))


def top_sets(generator_model, prompts):
    """Lines of the prompt's ids, a tab, and the likeliest next ids, likeliest first."""
    for prompt in prompts:
        likeliest = model.next_scores(generator_model, prompt, [[]])[0].topk(TOP).indices.tolist()
        yield " ".join(map(str, prompt)) + "\t" + " ".join(map(str, likeliest))
