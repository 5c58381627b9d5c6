# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Decoders as ONNX Runtime GenAI's model builder writes them: GroupQueryAttention with a rotary cache, SkipSimplifiedLayerNormalization, an
# attention_mask that says how long sequences are. What they continue a prompt with comes from NumPy, without a cache, in f64.
"""usage: genai.py WORK; expects weft in PATH"""

import pathlib
import subprocess
import sys

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

VOCABULARY, WIDTH, HEADS, KEY_HEADS, HEAD, LAYERS, LONGEST, EPSILON = 61, 48, 6, 2, 8, 2, 64, 1e-5
PROMPTS = [[5, 6, 7], [60], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17]]
NEW = 12


def make_weights(random):
    angles = numpy.arange(LONGEST)[:, None] / 10000 ** (2 * numpy.arange(HEAD // 2) / HEAD)
    weights = {"cos_cache": numpy.cos(angles), "sin_cache": numpy.sin(angles), "embedding": random.normal(0, 1, (VOCABULARY, WIDTH)),
               "norm": random.uniform(0.5, 1.5, WIDTH), "head": random.normal(0, 0.3, (WIDTH, VOCABULARY))}  # fmt: skip
    for layer in range(LAYERS):
        weights |= {f"qkv.{layer}": random.normal(0, 0.3, (WIDTH, (HEADS + 2 * KEY_HEADS) * HEAD)),
                    f"o.{layer}": random.normal(0, 0.3, (HEADS * HEAD, WIDTH)), f"norm.{layer}": random.uniform(0.5, 1.5, WIDTH),
                    f"post.{layer}": random.uniform(0.5, 1.5, WIDTH), f"up.{layer}": random.normal(0, 0.3, (WIDTH, 2 * WIDTH)),
                    f"down.{layer}": random.normal(0, 0.3, (2 * WIDTH, WIDTH))}  # fmt: skip
    return {name: value.astype(numpy.float32) for name, value in weights.items()}


def make_model(weights, window):
    nodes, contrib = [], {"domain": "com.microsoft"}

    def add(operator, inputs, outputs, **attributes):
        nodes.append(helper.make_node(operator, inputs, outputs, name=f"/{operator}.{len(nodes)}", **attributes))
        return outputs[0]

    add("ReduceSum", ["attention_mask", "one"], ["counts"], keepdims=0)
    add("Sub", ["counts", "one"], ["last"])
    add("Cast", ["last"], ["seqlens_k"], to=TensorProto.INT32)
    add("Shape", ["attention_mask"], ["mask_shape"])
    add("Gather", ["mask_shape", "second"], ["total"], axis=0)
    add("Cast", ["total"], ["total_sequence_length"], to=TensorProto.INT32)
    stream = add("Gather", ["embedding", "input_ids"], ["embedded"])
    normal = add("SimplifiedLayerNormalization", [stream, "norm.0"], ["first"], epsilon=EPSILON, axis=-1, stash_type=1)
    for i in range(LAYERS):
        qkv = add("MatMul", [normal, f"qkv.{i}"], [f"projected.{i}"])
        past = [f"past_key_values.{i}.key", f"past_key_values.{i}.value"]
        inputs = [qkv, "", "", *past, "seqlens_k", "total_sequence_length", "cos_cache", "sin_cache"]
        outputs = [f"attended.{i}", f"present.{i}.key", f"present.{i}.value"]
        attributes = {"num_heads": HEADS, "kv_num_heads": KEY_HEADS, "do_rotary": 1, "local_window_size": window, **contrib}
        attended = add("MatMul", [add("GroupQueryAttention", inputs, outputs, **attributes), f"o.{i}"], [f"output.{i}"])
        skip = {"epsilon": EPSILON, **contrib}
        normal = add("SkipSimplifiedLayerNormalization", [stream, attended, f"post.{i}"], [f"posted.{i}", "", "", f"middle.{i}"], **skip)
        up = add("MatMul", [normal, f"up.{i}"], [f"raised.{i}"])
        down = add("MatMul", [add("QuickGelu", [up], [f"activated.{i}"], alpha=1.0, **contrib), f"down.{i}"], [f"lowered.{i}"])
        scale = f"norm.{i + 1}" if i + 1 < LAYERS else "norm"
        normal = add("SkipSimplifiedLayerNormalization", [f"middle.{i}", down, scale], [f"normal.{i}", "", "", f"stream.{i}"], **skip)
        stream = f"stream.{i}"
    add("MatMul", [normal, "head"], ["logits"])

    def info(name, dims, kind=TensorProto.FLOAT):
        return helper.make_tensor_value_info(name, kind, dims)

    pasts = [f"{i}.{what}" for what in ("key", "value") for i in range(LAYERS)]
    inputs = [info("input_ids", ["batch", "length"], TensorProto.INT64), info("attention_mask", ["batch", "total"], TensorProto.INT64)]
    inputs += [info(f"past_key_values.{name}", ["batch", KEY_HEADS, "past", HEAD]) for name in pasts]
    outputs = [info("logits", ["batch", "length", VOCABULARY])]
    outputs += [info(f"present.{name}", ["batch", KEY_HEADS, "total", HEAD]) for name in pasts]
    constants = {**weights, "one": numpy.array([1]), "second": numpy.array(1)}
    graph = helper.make_graph(nodes, "decoder", inputs, outputs, [numpy_helper.from_array(value, name) for name, value in constants.items()])
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def normalise(x, scale):
    return x / numpy.sqrt((x**2).mean(axis=-1, keepdims=True) + EPSILON) * scale


def rotate(x, weights):
    left, right = numpy.split(x, 2, axis=-1)
    cosine, sine = (weights[f"{name}_cache"][: x.shape[-2]] for name in ("cos", "sin"))
    return numpy.concatenate([left * cosine - right * sine, right * cosine + left * sine], axis=-1)


def attend(qkv, weights, window):
    length = len(qkv)
    heads = qkv.reshape(length, -1, HEAD).swapaxes(0, 1)
    q, k, v = heads[:HEADS], heads[HEADS : HEADS + KEY_HEADS], heads[HEADS + KEY_HEADS :]
    k, v = (numpy.repeat(x, HEADS // KEY_HEADS, axis=0) for x in (rotate(k, weights), v))
    scores = rotate(q, weights) @ k.swapaxes(1, 2) / numpy.sqrt(HEAD)
    row, column = numpy.arange(length)[:, None], numpy.arange(length)
    keep = (column <= row) & ((window < 0) | (column > row - window))
    e = numpy.exp(numpy.where(keep, scores, -numpy.inf))
    return (e / e.sum(axis=-1, keepdims=True) @ v).swapaxes(0, 1).reshape(length, -1)


def continue_prompt(weights, prompt, window):
    ids = list(prompt)
    for _ in range(NEW):
        x = weights["embedding"][ids]
        for i in range(LAYERS):
            x = x + attend(normalise(x, weights[f"norm.{i}"]) @ weights[f"qkv.{i}"], weights, window) @ weights[f"o.{i}"]
            raised = normalise(x, weights[f"post.{i}"]) @ weights[f"up.{i}"]
            x = x + raised / (1 + numpy.exp(-raised)) @ weights[f"down.{i}"]
        ids.append(int((normalise(x[-1], weights["norm"]) @ weights["head"]).argmax()))
    return ids[len(prompt) :]


def main(work):
    work.mkdir(exist_ok=True)
    count = problems = 0
    for window in (-1, 4):
        weights = make_weights(numpy.random.default_rng(7))
        onnx.save(make_model(weights, window), work / f"window{window}.onnx")
        exact = {name: value.astype(float) for name, value in weights.items()}
        expected = [continue_prompt(exact, prompt, window) for prompt in PROMPTS]
        prompts = [" ".join(map(str, prompt)) for prompt in PROMPTS]
        for flags in ([], ["--kv-capacity=48"], ["--kv-capacity=48", "--dim=batch=1"]):
            command = ["weft", "generate", "--require-fusion=all", "--ids", f"--longest={NEW}", *flags, str(work / f"window{window}.onnx")]
            done = subprocess.run([*command, *prompts], capture_output=True, text=True)
            found = [[int(token) for token in line.split()] for line in done.stdout.splitlines()]
            count += 1
            if found != expected:
                problems += 1
                print(f"{' '.join(command)}: {found}, expected {expected} {done.stderr}")
    print(f"{count} runs, {problems} problems")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
