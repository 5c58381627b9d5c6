# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compiles the models here, and compares what they compute with what PyTorch did. Needs numpy, and weft in PATH.
"""usage: check_transformers.py SCRATCH [NAME...]; all models without"""

import glob
import os
import subprocess
import sys

import numpy

HERE = os.path.dirname(os.path.abspath(__file__))
# weft.attention of a model; two layers have two, of an encoder and a decoder six, and of blocks five each: of the first two rows of
# blocks, the last two, and those between. SegFormer has four layers. RT-DETR has one in its encoder and two in its decoder. SAM has two in its encoder, three in
# each layer of its decoder, and one after these. VITS has two, which are there twice: it computes its sizes from what they make.
ATTENTIONS = {"rwkv": 0, "bigbird": 10, "t5": 6, "bart": 6, "m2m_100": 6, "whisper": 6, "speecht5": 6, "segformer": 4, "rt_detr": 3, "sam": 9, "vits": 4,
              "encodec": 0, "fnet": 0, "yoso": 0}  # fmt: skip
# The export does not say that a mask is as long as past and text, and adds what may be of another length.
FLAGS = {"opt_script": ["--dim=total=past+length"]}


def largest_error(result, reference):
    """The greatest |result - reference| in units of the allowed 1e-5 + 1e-4 |reference|; infinity for what is no number."""
    if result.shape != reference.shape or not numpy.isfinite(result).all():
        return numpy.inf
    return float((numpy.abs(result - reference) / (1e-5 + 1e-4 * numpy.abs(reference))).max(initial=0))


def check_continuation(model, cases):
    """What is wrong with what weft generate says, if the model is a decoder."""
    if "prompt" not in cases:
        return []
    expected = " ".join(map(str, cases["continuation"]))
    command = ["weft", "generate", "--ids", "--kv-capacity=64", f"--longest={len(cases['continuation'])}", model]
    done = subprocess.run([*command, " ".join(map(str, cases["prompt"]))], capture_output=True, text=True)
    return [] if done.stdout.strip() == expected else [f"{model}: continues with {done.stdout}, expected {expected} {done.stderr}"]


def check(model, scratch):
    """What is wrong with a model, a line each, and how many cases it has."""
    file = os.path.splitext(os.path.basename(model))[0]
    work = os.path.join(scratch, file)
    os.makedirs(work, exist_ok=True)
    artifact = os.path.join(work, "model.weft")
    done = subprocess.run(["weft", "compile", "--quiet", model, "-o", artifact, f"--dump-levels={work}/levels", *FLAGS.get(file, [])], capture_output=True, text=True)
    if done.returncode:
        return [f"{file}: {done.stderr}"], 0
    problems = []
    with open(glob.glob(f"{work}/levels/*graph*.mlir")[0], encoding="utf-8") as stream:
        found = stream.read().count(" weft.attention ")
    name = os.path.basename(os.path.dirname(model))
    expected = ATTENTIONS.get(name, 2)
    if found != expected:
        problems.append(f"{file}: {found} attentions, expected {expected}")
    listed = subprocess.run(["weft", "inspect", artifact], capture_output=True, text=True).stdout
    cases = numpy.load(os.path.join(HERE, name, "cases.npz"))
    names = sorted({key.split("/")[0] for key in cases.files if "/" in key})
    for case in names:
        inputs = {key.split("/")[2]: cases[key] for key in cases.files if key.startswith(f"{case}/in/")}
        inputs = {key: value for key, value in inputs.items() if key in listed}
        numpy.savez(f"{work}/in.npz", **inputs)
        done = subprocess.run(["weft", "run", artifact, f"--inputs={work}/in.npz", f"--outputs={work}/out.npz"], capture_output=True, text=True)
        if done.returncode:
            problems.append(f"{file}, {case}: {done.stderr}")
            continue
        results = numpy.load(f"{work}/out.npz")
        for output in results.files:
            error = largest_error(results[output], cases[f"{case}/ref/{output}"])
            if error > 1:
                problems.append(f"{file}, {case}: {output} is off by {error:.3g} times the tolerance")
    if file == name:
        problems += check_continuation(model, cases)
    return problems, len(names)


def main(scratch, names):
    count = bad = 0
    models = [path for name in names or ["*"] for path in sorted(glob.glob(os.path.join(HERE, name, "*.onnx")))]
    for model in models:
        problems, cases = check(model, scratch)
        count, bad = count + cases, bad + len(problems)
        for problem in problems:
            print(problem)
    print(f"{len(models)} models, {count} cases, {bad} problems")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
