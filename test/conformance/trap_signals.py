# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Angles next to where their functions end; DFT and STFT of lengths that do not fit, with NumPy's FFT as the answer; windows; bands
# that are heard as equally wide; RNN, GRU and LSTM with peepholes, lengths and both directions.
import itertools

import numpy
from one_node import f32, i64, normal, one_node


def angles():
    tiny, inf, nan = 1e-30, numpy.inf, numpy.nan
    unit = f32(0, -0.0, tiny, 1e-4, -0.3, 0.5, 0.99, 1 - 2**-24, -1 + 2**-24, 1, -1, 1.5, -2, inf, nan)
    whole = f32(0, -0.0, tiny, -tiny, 1e-4, -0.3, 0.99, 1, -1.01, 3, -8, 40, 88, -89, 90, 1e8, -3e15, 1e30, inf, -inf, nan)
    with numpy.errstate(all="ignore"):
        for op, function, x in (
            ("Asin", numpy.arcsin, unit), ("Acos", numpy.arccos, unit), ("Atanh", numpy.arctanh, unit),
            ("Atan", numpy.arctan, whole), ("Sinh", numpy.sinh, whole), ("Cosh", numpy.cosh, whole),
            ("Asinh", numpy.arcsinh, whole), ("Acosh", numpy.arccosh, numpy.concatenate([whole, f32(1 + 2**-23, 1.001)])),
        ):  # fmt: skip
            for kind in (numpy.float32, numpy.float64, numpy.float16):
                given = x.astype(kind)
                y = function(given.astype(numpy.float64)).astype(kind)
                yield one_node(f"{op} {numpy.dtype(kind)}", [given], y, opset=22)
    yield one_node("Asin integers", [i64(0)], None)


def halved(spectrum, onesided):
    return spectrum[..., : spectrum.shape[-1] // 2 + 1] if onesided else spectrum


def parts(z):
    return numpy.stack([z.real, z.imag], -1).astype(numpy.float32)


def transforms():
    for axis, complex_input, inverse, onesided in itertools.product((1, 2, -2), (0, 1), (0, 1), (0, 1)):
        if onesided and not inverse and complex_input:
            continue
        x = normal(2, 7, 6, 2 if complex_input else 1)
        z = x[..., 0] + (1j * x[..., 1] if complex_input else 0)
        z = numpy.moveaxis(z, axis if axis > 0 else axis + 1, -1)
        for length in (None, 4, 9) if axis == 1 else (None, 5):
            n = length or (2 * (z.shape[-1] - 1) if inverse and onesided else z.shape[-1])
            if inverse and onesided:
                y = numpy.fft.irfft(z, n)[..., None].astype(numpy.float32)
            else:
                y = parts(halved(numpy.fft.ifft(z, n) if inverse else numpy.fft.fft(z, n), onesided))
            y = numpy.moveaxis(y, -2, axis if axis > 0 else axis - 0)
            title = f"DFT {axis} {complex_input} {inverse} {onesided} {length}"
            given = {"inverse": inverse, "onesided": onesided}
            inputs = [x, numpy.array(length, numpy.int64) if length else None, numpy.array(axis, numpy.int64)]
            yield one_node(title, inputs, y, opset=20, **given)
            if axis == 1 and not (inverse and onesided):
                yield one_node(f"{title} of 17", [i for i in inputs[:2] if i is not None], y, opset=17, **given)
    double = normal(3, 8, 1).astype(numpy.float64)
    y = numpy.fft.fft(double[..., 0])
    yield one_node("DFT doubles", [double, None, i64(1).reshape(())], numpy.stack([y.real, y.imag], -1), opset=20)
    for title, x, inputs, given in (
        ("parts", normal(2, 5, 3), [None, i64(1).reshape(())], {}),
        ("axis of parts", normal(2, 5, 2), [None, i64(2).reshape(())], {}),
        ("axis", normal(2, 5, 2), [None, i64(3).reshape(())], {}),
        ("complex onesided", normal(2, 5, 2), [None, i64(1).reshape(())], {"onesided": 1}),
        ("integers", i64([[1], [2]]), [None, i64(1).reshape(())], {}),
    ):
        yield one_node(f"DFT not {title}", [x, *inputs], None, opset=20, **given)


def framed():
    for complex_input, (length, step), onesided, has_window in itertools.product((0, 1), ((8, 3), (5, 5), (16, 7)), (0, 1), (0, 1)):
        if complex_input and onesided:
            continue
        x, window = normal(2, 16, 2 if complex_input else 1), normal(length)
        z = x[..., 0] + (1j * x[..., 1] if complex_input else 0)
        frames = numpy.stack([z[:, at : at + length] for at in range(0, 16 - length + 1, step)], 1)
        y = parts(halved(numpy.fft.fft(frames * (window if has_window else 1)), onesided))
        inputs = [x, numpy.array(step, numpy.int64), window if has_window else None, numpy.array(length, numpy.int64)]
        title = f"STFT {complex_input} {length} by {step} {onesided} {has_window}"
        yield one_node(title, inputs, y, opset=17, onesided=onesided)
        if has_window:
            yield one_node(f"{title} by its window", inputs[:3], y, opset=17, onesided=onesided)
    x, step, window = normal(1, 16, 1), numpy.array(4, numpy.int64), normal(5)
    yield one_node("STFT not frames", [x, step], None, opset=17)
    yield one_node("STFT not window", [x, step, window, numpy.array(4, numpy.int64)], None, opset=17)
    yield one_node("STFT not step", [x, numpy.array(0, numpy.int64), window], None, opset=17)
    yield one_node("STFT not rank", [normal(16, 1), step, window], None, opset=17)


def windows():
    terms = {"Hann": (0.5, 0.5, 0), "Hamming": (25 / 46, 21 / 46, 0), "Blackman": (0.42, 0.5, 0.08)}
    for (name, (a, b, c)), size, periodic in itertools.product(terms.items(), (1, 2, 9, 16), (0, 1)):
        turn = 2 * numpy.pi * numpy.arange(size) / max(size if periodic else size - 1, 1)
        y = (a - b * numpy.cos(turn) + c * numpy.cos(2 * turn)).astype(numpy.float32)
        yield one_node(f"{name}Window {size} {periodic}", [numpy.array(size, numpy.int64)], y, opset=17, periodic=periodic)
    y = (0.5 - 0.5 * numpy.cos(2 * numpy.pi * numpy.arange(6) / 6)).astype(numpy.float64)
    yield one_node("HannWindow doubles", [numpy.array(6, numpy.int32)], y, opset=17, output_datatype=11)


ACTIVATIONS = {
    "Sigmoid": lambda x: 1 / (1 + numpy.exp(-x)), "Tanh": numpy.tanh, "Relu": lambda x: numpy.maximum(x, 0),
    "Softsign": lambda x: x / (1 + abs(x)), "Softplus": lambda x: numpy.log1p(numpy.exp(x)),
}  # fmt: skip


def step(cell, x, states, w, r, wb, rb, p, f, given):
    """The states behind one position, from the input's."""
    clip, size = given.get("clip", numpy.inf), r.shape[1]
    f = [lambda x, g=g: ACTIVATIONS[g](numpy.clip(x, -clip, clip)) for g in f]
    a, gate = x @ w.T + wb, lambda y, i: y[:, i * size : (i + 1) * size]
    h = states[0]
    if cell == "RNN":
        return [f[0](a + h @ r.T + rb)]
    b = h @ r.T + rb
    if cell == "GRU":
        z, reset = (f[0](gate(a, i) + gate(b, i)) for i in (0, 1))
        if given.get("linear_before_reset"):
            candidate = reset * gate(b, 2)
        else:
            candidate = (reset * h) @ r[2 * size :].T + rb[2 * size :]
        return [(1 - z) * f[1](gate(a, 2) + candidate) + z * h]
    c, p = states[1], numpy.split(p, 3)
    i = f[0](gate(a + b, 0) + p[0] * c)
    forget = 1 - i if given.get("input_forget") else f[0](gate(a + b, 2) + p[2] * c)
    new = forget * c + i * f[1](gate(a + b, 3))
    return [f[0](gate(a + b, 1) + p[1] * new) * ACTIVATIONS[given["last"]](new), new]


def layer(cell, x, w, r, bias, lengths, initial, p, given):
    """What all outputs are, in f64, of x [T, B, I]."""
    gates, size = {"RNN": 1, "GRU": 3, "LSTM": 4}[cell], r.shape[2]
    direction = given.get("direction", "forward")
    count = {"RNN": 1, "GRU": 2, "LSTM": 3}[cell]
    default = ["Tanh"] if cell == "RNN" else ["Sigmoid", "Tanh", "Tanh"][:count]
    names = given.get("activations", default * len(w))
    all_of, last = numpy.zeros((x.shape[0], len(w), x.shape[1], size)), []
    for d in range(len(w)):
        own = names[d * count : (d + 1) * count]
        states = [s[d].astype(numpy.float64) for s in initial]
        wb, rb = bias[d, : gates * size].astype(numpy.float64), bias[d, gates * size :].astype(numpy.float64)
        places = range(x.shape[0])
        for t in reversed(places) if direction == "reverse" or d else places:
            new = step(cell, x[t].astype(numpy.float64), states, w[d], r[d], wb, rb, p[d], own, {**given, "last": own[-1]})
            counts = (t < lengths)[:, None]
            all_of[t, d] = numpy.where(counts, new[0], 0)
            states = [numpy.where(counts, n, s) for n, s in zip(new, states)]
        last.append(states)
    return [y.astype(numpy.float32) for y in (all_of, *(numpy.stack(s) for s in zip(*last)))]


def recurrent():
    length, batch, width, size = 5, 3, 4, 6
    x = normal(length, batch, width)
    for cell, gates in (("RNN", 1), ("GRU", 3), ("LSTM", 4)):
        others = [{}] + {"RNN": [{"activations": ["Relu"]}], "GRU": [{"linear_before_reset": 1}, {"activations": ["Softsign", "Softplus"]}], "LSTM": [{"input_forget": 1}, {"peepholes": True}, {"activations": ["Softsign", "Relu", "Tanh"]}]}[cell]
        for direction, own, (title, parts_of) in itertools.product(("forward", "reverse", "bidirectional"), others, (("", ()), (" bias", ("bias",)), (" all", ("bias", "lengths", "initial", "clip", "layout")))):
            count = 2 if direction == "bidirectional" else 1
            own = dict(own)
            if "activations" in own:
                own["activations"] = own["activations"] * count
            w, r = normal(count, gates * size, width) / 2, normal(count, gates * size, size) / 2
            bias = normal(count, 2 * gates * size) if "bias" in parts_of else None
            lengths = numpy.array([5, 2, 0], numpy.int32) if "lengths" in parts_of else None
            states = 2 if cell == "LSTM" else 1
            initial = [normal(count, batch, size) for _ in range(states)] if "initial" in parts_of else [None] * states
            peepholes = normal(count, 3 * size) if own.pop("peepholes", False) else None
            given = {"direction": direction, **own, **({"clip": 0.5} if "clip" in parts_of else {})}
            y = layer(cell, x, w, r, bias if bias is not None else numpy.zeros((count, 2 * gates * size)),
                      lengths if lengths is not None else numpy.full(batch, length),
                      [s if s is not None else numpy.zeros((count, batch, size)) for s in initial],
                      peepholes if peepholes is not None else numpy.zeros((count, 3 * size)), given)  # fmt: skip
            inputs = [x, w, r, bias, lengths, *initial, *([peepholes] if cell == "LSTM" else [])]
            attributes = {"hidden_size": size, **given}
            if "layout" in parts_of:
                attributes["layout"] = 1
                inputs[0] = x.transpose(1, 0, 2)
                inputs[5 : 5 + states] = [s.transpose(1, 0, 2) for s in initial]
                y = [y[0].transpose(2, 0, 1, 3), *(s.transpose(1, 0, 2) for s in y[1:])]
            while inputs[-1] is None:
                inputs.pop()
            how = "_".join(k for k in own) + ("peepholes" if peepholes is not None else "")
            yield one_node(f"{cell} {direction}{title} {how}".strip(), inputs, y, opset=22, **attributes)
    w, r = normal(1, 4 * size, width), normal(1, 4 * size, size)
    for title, inputs, given in (
        ("direction", [x, w, r], {"direction": "both"}),
        ("directions", [x, w, r], {"direction": "bidirectional"}),
        ("weights", [x, w[:, :9], r], {}),
        ("width", [x, w[:, :, :3], r], {}),
        ("activations", [x, w, r], {"activations": ["Sigmoid"]}),
        ("known activation", [x, w, r], {"activations": ["Sigmoid", "Tanh", "Affine"]}),
        ("lengths", [x, w, r, None, numpy.array([1, 2], numpy.int32)], {}),
        ("states", [x, w, r, None, None, normal(1, 2, size)], {}),
        ("rank", [x[0], w, r], {}),
    ):
        yield one_node(f"LSTM not {title}", inputs, None, opset=22, hidden_size=size, **given)


def mel_weights(bands, length, rate, low, high):
    """As ONNX's reference says it, a triangle after the other."""
    mels = 2595 * numpy.log10(1 + numpy.array([low, high], numpy.float32).astype(float) / 700)
    mels = numpy.arange(bands + 2) * (mels[1] - mels[0]) / (bands + 2) + mels[0]
    edges = ((length + 1) * 700 * (10 ** (mels / 2595) - 1) // rate).astype(int)
    y = numpy.zeros((length // 2 + 1, bands))
    for i, (start, top, end) in enumerate(zip(edges, edges[1:], edges[2:])):
        y[start : top + 1, i] = (numpy.arange(start, top + 1) - start) / max(top - start, 1)
        y[top, i] = 1
        y[top:end, i] = (end - numpy.arange(top, end)) / max(end - top, 1)
    return y


def mels():
    for title, bands, length, rate, low, high in (("of speech", 80, 400, 16000, 20, 7600), ("of few places", 12, 30, 8000, 0, 4000),
                                                  ("of one band", 1, 64, 22050, 300.5, 9000), ("of none", 0, 16, 8192, 0, 4096),
                                                  ("of an odd length", 20, 513, 44100, 55, 20000)):  # fmt: skip
        inputs = [*(numpy.array(value, numpy.int64) for value in (bands, length, rate)), *(numpy.array(value, numpy.float32) for value in (low, high))]
        y = mel_weights(bands, length, rate, low, high)
        yield one_node(f"MelWeightMatrix {title}", inputs, y.astype(numpy.float32))
        yield one_node(f"MelWeightMatrix {title} f64", inputs, y, output_datatype=11)
    yield one_node("MelWeightMatrix not integers", [f32(8)[0], *inputs[1:]], None)
    yield one_node("MelWeightMatrix not frequencies", [*inputs[:4], i64(8)[0]], None)


FAMILIES = [angles, transforms, framed, windows, mels, recurrent]
