# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Models of sizes that are computed from data, and what one of them gives.
"""usage: sizes_of_data.py WORK [MASK]; writes the models and inputs, or compares a mask in WORK with what it should be"""

import os
import sys

import numpy
import onnx.parser

LENGTHS = numpy.arange(70) % 6
MODELS = {
    "longest": """(int64[n] lengths) => (bool[n, m] mask) {
        zero = Constant <value_int: int = 0> () one = Constant <value_int: int = 1> () last = Constant <value_ints: ints = [1]> ()
        [longest] most = ReduceMax <keepdims: int = 0> (lengths) position = Range (zero, most, one) length = Unsqueeze (lengths, last)
        mask = Less (position, length) }""",
    "filled": """(int64[n] sizes) => (float[m] y) {
        [least] least = ReduceMin <keepdims: int = 1> (sizes) y = ConstantOfShape (least) }""",
    "cached": """(float[b, past_length, 8] past, float[b, s, 8] x) => (float[b, t, 8] present, int64[3, n] found) {
        present = Concat <axis: int = 1> (past, x) found = NonZero (x) }""",
}


def main(work, mask=None):
    if mask:
        got = numpy.load(os.path.join(work, mask))["mask"]
        sys.exit(not numpy.array_equal(got, numpy.arange(5) < LENGTHS[:, None]))
    for name, text in MODELS.items():
        model = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : 17]> {name} {text}')
        onnx.save(model, os.path.join(work, f"{name}.onnx"))
    numpy.savez(os.path.join(work, "lengths.npz"), lengths=LENGTHS)


if __name__ == "__main__":
    main(*sys.argv[1:])
