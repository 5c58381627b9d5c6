#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention that a mask leaves little of, beside the same attention in full: a causal mask, a window of 256 keys that ends
at the query (as Mistral's), a window of 128 keys on either side that is computed over chunks, as Longformer's exports
have it, and eight blocks of 64 keys for each block of queries, gathered by a table as BigBird's are. How many times as long the full one takes, and the memory of each."""
import pathlib
import statistics
import tempfile

import numpy
from comparison import compile_model, make_parser, measure
from model_writer import Writer
from onnx import TensorProto

HEADS, WIDTH, WINDOW, BLOCK = 12, 64, 256, 64


def causal(writer, length, window=None):
    """True where a query of places 0, 1, ... sees a key of these."""
    places = numpy.arange(length)
    rows, columns = writer.constant(places[:, None]), writer.constant(places)
    sees = writer.node("LessOrEqual", columns, rows)
    if window:
        near = writer.node("Less", writer.node("Sub", rows, columns), writer.constant(numpy.array(window)))
        sees = writer.node("And", sees, near)
    return sees


def masked(length, window=None, full=False):
    """Scores of all queries and keys, and a mask that is computed from places."""
    writer = Writer(seed=0)
    keys = writer.node("Transpose", "k", perm=[0, 1, 3, 2])
    scores = writer.node("Mul", writer.node("MatMul", "q", keys), writer.number(WIDTH**-0.5))
    if not full:
        scores = writer.node("Where", causal(writer, length, window), scores, writer.number(numpy.finfo(numpy.float32).min))
    return writer, writer.attend(scores, "v")


def chunks(writer, x, size, step, count):
    """[heads, length, ...] as [heads, count, size, ...]."""
    cut = [writer.slice(x, writer.ints(i * step), writer.ints(i * step + size), 1) for i in range(count)]
    return writer.node("Concat", *[writer.unsqueeze(part, 1) for part in cut], axis=1)


def chunked(length, side):
    """Chunks of 2 * side queries and as many keys, every side; a pad and a reshape make columns of their diagonals, [heads,
    length, 2 * side + 1]. (transformers' LongformerSelfAttention.)"""
    writer, count, columns = Writer(seed=0), length // side - 1, 2 * side + 1

    def part(x, *bounds):
        starts, ends, axes = zip(*[(start, end, axis) for axis, (start, end) in enumerate(bounds, 4 - len(bounds))])
        return writer.node("Slice", x, writer.ints(*starts), writer.ints(*ends), writer.ints(*axes))

    def pad(x, *pads, value=0.0):
        return writer.node("Pad", x, writer.ints(*pads), writer.number(value))

    def reshape(x, *shape):
        return writer.node("Reshape", x, writer.ints(*shape))

    q, k, v = (reshape(x, HEADS, length, WIDTH) for x in "qkv")
    q, k = (chunks(writer, x, 2 * side, side, count) for x in (writer.node("Mul", q, writer.number(WIDTH**-0.5)), k))
    scores = writer.node("MatMul", q, writer.node("Transpose", k, perm=[0, 1, 3, 2]))
    scores = reshape(pad(scores, 0, 0, 0, 0, 0, 0, 1, 0), HEADS, count, 2 * side, columns)
    end = 1 << 40
    right = [part(scores, (0, side), (0, side + 1)), part(scores, (count - 1, end), (side, end), (0, side + 1))]
    left = [part(scores, (0, 1), (0, side - 1), (side + 2, end)), part(scores, (side - 1, 2 * side - 1), (side + 1, end))]
    left[0] = pad(left[0], 0, 0, 1, 1, 0, 0, 0, 0)
    scores = writer.node("Concat", *(writer.node("Concat", *halves, axis=1) for halves in (left, right)), axis=3)
    scores = reshape(scores, HEADS, length, columns)
    keys = numpy.arange(length)[:, None] + numpy.arange(-side, side + 1)
    outside = writer.constant((keys < 0) | (keys >= length))
    weights = writer.node("Softmax", writer.node("Where", outside, writer.number(-numpy.inf), scores), axis=-1)
    weights = pad(reshape(weights, HEADS, count + 1, side, columns), 0, 0, 0, 0, 0, 0, 0, side + 1)
    weights = writer.slice(reshape(weights, HEADS, count + 1, -1), writer.ints(0), writer.ints(-side), 2)
    weights = part(reshape(weights, HEADS, count + 1, side, 3 * side + 1), (0, -1))
    values = chunks(writer, pad(v, 0, side, 0, 0, side, 0, value=-1.0), 3 * side, side, count + 1)
    return writer, reshape(writer.node("MatMul", weights, values), 1, HEADS, length, WIDTH)


def make_table(length):
    """For each block of queries the first block, the last one, its own and its neighbours, and three that are drawn."""
    count = length // BLOCK
    random, blocks = numpy.random.default_rng(0), numpy.arange(count)[:, None]
    return numpy.concatenate([0 * blocks, (blocks + [-1, 0, 1]) % count, random.integers(0, count, (count, 3)), 0 * blocks - 1], 1)


def gathered(length):
    writer, table, count = Writer(seed=0), make_table(length), length // BLOCK

    def reshape(x, *shape):
        return writer.node("Reshape", x, writer.ints(*shape))

    q, k, v = (reshape(x, 1, HEADS, count, BLOCK, WIDTH) for x in "qkv")
    k, v = (writer.node("Gather", x, writer.constant(table), axis=2) for x in (k, v))
    k, v = (reshape(x, 1, HEADS, count, table.shape[1] * BLOCK, WIDTH) for x in (k, v))
    scores = writer.node("MatMul", q, writer.node("Transpose", k, perm=[0, 1, 2, 4, 3]))
    scores = writer.node("Mul", scores, writer.number(WIDTH**-0.5))
    return writer, reshape(writer.attend(scores, v), 1, HEADS, length, WIDTH)


def expected(q, k, v, rows, find_keys):
    """Of some rows, over the keys that are found for each."""
    results = []
    for row in rows:
        near = find_keys(row)
        scores = numpy.einsum("hd,hkd->hk", q[0, :, row], k[0][:, near].astype(float)) * WIDTH**-0.5
        powers = numpy.exp(scores - scores.max(-1, keepdims=True))
        results.append(numpy.einsum("hk,hkd->hd", powers / powers.sum(-1, keepdims=True), v[0][:, near]))
    return numpy.array(results)


def make_cases(length):
    """What makes a graph, and the keys that count for a query."""
    side, places, table = WINDOW // 2, numpy.arange(length), make_table(length)

    def near(low, high):
        return lambda row: places[max(row + low, 0) : row + high + 1]

    return {"full": (lambda: masked(length, full=True), lambda row: places), "causal": (lambda: masked(length), near(-length, 0)),
            "window": (lambda: masked(length, WINDOW), near(1 - WINDOW, 0)), "chunks": (lambda: chunked(length, side), near(-side, side)),
            "blocks": (lambda: gathered(length), lambda row: places.reshape(-1, BLOCK)[table[row // BLOCK]].ravel())}  # fmt: skip


def make_session(options, work, name, length, threads):
    make, find_keys = make_cases(length)[name]
    writer, result = make()
    tensors = [(x, TensorProto.FLOAT, [1, HEADS, length, WIDTH]) for x in "qkv"]
    path = work / f"{name}-{length}.onnx"
    writer.save(path, name, tensors, [(result, TensorProto.FLOAT, [1, HEADS, length, WIDTH])])
    session = compile_model(options.build, path, path.with_suffix(".weft"), "--require-fusion=all")(threads)
    random = numpy.random.default_rng(0)
    inputs = {x: random.standard_normal((1, HEADS, length, WIDTH), numpy.float32) for x in "qkv"}
    session.bind(inputs)
    rows = [0, 1, length // 3, length - 1]
    found = session.outputs()[result][0].swapaxes(0, 1)[rows]
    error = numpy.abs(found - expected(*inputs.values(), rows, find_keys)).max()
    if not error < 1e-4:
        raise SystemExit(f"{name}, {length}: off by {error:.3g}")
    return session


def main():
    parser = make_parser(__doc__, runs=20)
    parser.add_argument("--lengths", type=int, nargs="*", default=[2048, 4096, 8192])
    options = parser.parse_args()
    print(f"{'':16}{'threads':>8}{'ms':>10}{'full / it':>11}{'arena':>12}")
    with tempfile.TemporaryDirectory() as folder:
        for threads in options.threads:
            for length in options.lengths:
                names = list(make_cases(length))
                sessions = {name: make_session(options, pathlib.Path(folder), name, length, threads) for name in names}
                seconds, _ = measure(sessions, options.runs, lambda: None)
                for name in names:
                    ratio = statistics.median(a / b for a, b in zip(seconds["full"], seconds[name]))
                    print(f"{name:10}{length:6}{threads:8}{statistics.median(seconds[name]) * 1e3:10.1f}{ratio:10.2f}x"
                          f"{sessions[name].arena_bytes() / 1e6:9.1f} MB", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
