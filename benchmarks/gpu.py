#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks and times models and kernels on an NVIDIA GPU, beside PyTorch where that is there.

    gpu.py prepare FOLDER    where Weft is built: compiles everything into FOLDER, which needs nothing else
    gpu.py run FOLDER        where the GPU is: checks, times, prints tables; needs Python and the driver
                             (then, with FOLDER back home: weft tune FOLDER/tune.mlir --reports=FOLDER/tune -o compiler/Tile/Schedules.json)

A kernel's time is the median of events around its launches; PyTorch's is measured the same way, in the same run, on random data.
"""
import argparse
import json
import pathlib
import shutil
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADER = "// Written by benchmarks/gpu.py.\n"
# Models of the tests whose cases are compared with PyTorch's outputs.
MODELS = ["bert", "gpt2_cache", "llama", "pre_norm", "t5", "transformer", "vit", "whisper", "xlnet"]


def tensor(shape, element):
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"


def function(operands, body, result):
    """A module of one function; operands by name."""
    arguments = ", ".join(f'%{name}: {kind} {{weft.name = "{name}"}}' for name, kind in operands.items())
    return f'{HEADER}func.func @main({arguments}) -> ({result} {{weft.name = "y"}}) {{\n{body}\n  return %y : {result}\n}}\n'


def matmul(rows, depth, columns, element):
    """`element` may be tf32, of which operands are f32."""
    stored, mark = ("f32", "{tf32} ") if element == "tf32" else (element, "")
    a, b, y = (tensor(shape, stored) for shape in ((rows, depth), (depth, columns), (rows, columns)))
    body = f"  %y = weft.matmul %a, %b {mark}: ({a}, {b}) -> {y}"
    return {"module": function({"a": a, "b": b}, body, y), "flops": 2.0 * rows * depth * columns,
            "peer": ["matmul", rows, depth, columns, element]}


def packed(rows, depth, columns, element, weight, attributes, epilogue=""):
    """A product with a weight as weft-pack-weights makes it; depth is a multiple of 128."""
    a, y = tensor((rows, depth), element), tensor((rows, columns), "f32" if element == "ui8" else element)
    b = tensor((-(-columns // 48), *weight), "i8" if weight[-1] == 4 else "i32")
    body = f"  %y = weft.matmul %a, %b {epilogue}{{{attributes}packed_columns = {columns} : i64}} : ({a}, {b}) -> {y}"
    return {"module": function({"a": a, "b": b}, body, y), "level": "graph", "flops": 2.0 * rows * depth * columns}


def matmulOfBytes(rows, depth, columns, bits=8):
    """PyTorch has no such product of few rows, nor with weights of 4 bits; beside it is one without few bits."""
    epilogue = """epilogue {
  ^bb0(%sum: i32):
    %0 = arith.sitofp %sum : i32 to f32
    weft.yield %0 : f32
  } """
    peer = ["bytes", rows, depth, columns] if rows > 16 else ["matmul", rows, depth, columns, "bf16"]
    shape, moved = ((depth // 4, 48, 4), depth) if bits == 8 else ((depth // 64, 9, 48), depth // 64 * 36)
    return packed(rows, depth, columns, "ui8", shape, "", epilogue) | {
        "bytes": (-(-columns // 48) * 48) * moved + rows * depth + 4.0 * rows * columns, "peer": peer}


def matmulOfFewBits(rows, depth, columns, bits, group, element):
    """Weights of few bits with a scale for each group. PyTorch has no such product; beside it is one without few bits."""
    groups = f"groups = #weft.weight_groups<bits = {bits}, rows = {group}, hasOffsets = false>, "
    words = 1 + group * bits // 32
    return packed(rows, depth, columns, element, (depth // group, words, 48), groups) | {
        "bytes": 4.0 * (-(-columns // 48) * 48) * (depth // group) * words, "peer": ["matmul", rows, depth, columns, element]}


def attention(heads, queries, keys, width, causal, element):
    """Causal only if there are as many queries as keys."""
    q, k = (tensor((1, heads, length, width), element) for length in (queries, keys))
    region = """score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %keep = arith.cmpi sle, %j, %i : index
    weft.yield %s, %keep : f32, i1
  } """ if causal else ""
    body = f"  %y = weft.attention %q, %k, %v scale({width**-0.5}) empty_rows(nan) {region}: ({q}, {k}, {k}) -> {q}"
    return {"module": function({"q": q, "k": k, "v": k}, body, q),
            "flops": 4.0 * heads * queries * keys * width / (2 if causal else 1),
            "bytes": (4.0 if element == "f32" else 2.0) * heads * 2 * (queries + keys) * width,
            "peer": ["attention", heads, queries, keys, width, causal, element]}


def elementwise(count):
    kind = tensor((count,), "f32")
    body = f"  %y = weft.add %a, %b : ({kind}, {kind}) -> {kind}"
    return {"module": function({"a": kind, "b": kind}, body, kind), "bytes": 12.0 * count, "peer": ["add", count]}


def softmax(rows, columns):
    kind = tensor((rows, columns), "f32")
    body = f"  %y = weft.softmax %a {{axis = 1 : i64}} : ({kind}) -> {kind}"
    return {"module": function({"a": kind}, body, kind), "bytes": 8.0 * rows * columns, "peer": ["softmax", rows, columns]}


def products(small):
    """A module of products, of which `weft tune` tries schedules."""
    shapes = [(20, 64, 64, "bf16"), (3, 64, 96, "f32")]
    if not small:
        shapes = [(rows, depth, columns, "bf16") for rows in (1, 128, 1024) for depth, columns in ((768, 3072), (3072, 768))]
        shapes += [(128, 768, 768, "bf16"), *((size, size, size, "bf16") for size in (4096, 8192)), (128, 3072, 768, "f32")]
    arguments, lines, results, kinds = [], [], [], []
    for i, (rows, depth, columns, element) in enumerate(shapes):
        a, b, y = (tensor(shape, element) for shape in ((rows, depth), (depth, columns), (rows, columns)))
        arguments += [f'%a{i}: {a} {{weft.name = "a{i}"}}', f'%b{i}: {b} {{weft.name = "b{i}"}}']
        lines.append(f'  %y{i} = weft.matmul %a{i}, %b{i} : ({a}, {b}) -> {y} loc("product {i}")')
        results.append(f'{y} {{weft.name = "y{i}"}}')
        kinds.append(y)
    returned = ", ".join(f"%y{i}" for i in range(len(shapes)))
    body = "\n".join([*lines, f"  return {returned} : {', '.join(kinds)}"])
    return f"{HEADER}func.func @main({', '.join(arguments)}) -> ({', '.join(results)}) {{\n{body}\n}}\n"


def kernels(small):
    if small:
        return {"matmul bf16 64": matmul(64, 64, 64, "bf16"), "attention 64": attention(1, 64, 64, 32, True, "f32"),
                "attention bf16": attention(2, 100, 100, 64, True, "bf16"), "attention bf16 1": attention(2, 1, 600, 64, False, "bf16"),
                "matmul int8": matmulOfBytes(20, 128, 50), "matmul bytes int4": matmulOfBytes(3, 128, 50, 4), "matmul int4 1": matmulOfFewBits(1, 256, 50, 4, 32, "bf16"),
                "matmul tf32": matmul(20, 64, 64, "tf32"), "add": elementwise(1000), "softmax": softmax(8, 100)}
    cases = {f"matmul {element} {size}": matmul(size, size, size, element)
             for element in ("bf16", "f16") for size in (4096, 8192)}
    for element in ("f32", "tf32"):
        cases[f"matmul {element} 4096"] = matmul(4096, 4096, 4096, element)
    for bits in (8, 4):
        for rows in (1, 8, 4096):
            cases[f"matmul bytes int{bits} {rows} x 4096 x 4096"] = matmulOfBytes(rows, 4096, 4096, bits)
    for rows in (1, 8, 256):
        cases[f"matmul int4 {rows} x 4096 x 4096"] = matmulOfFewBits(rows, 4096, 4096, 4, 32, "bf16")
    for rows in (1, 16):
        cases[f"matmul bf16 {rows} x 4096 x 4096"] = matmul(rows, 4096, 4096, "bf16")
    for causal in (False, True):
        kind = "causal" if causal else "full"
        cases[f"attention f32 128 {kind} 2048"] = attention(16, 2048, 2048, 128, causal, "f32")
        for width, length in ((64, 8192), (128, 8192), (128, 16384), (256, 8192)):
            cases[f"attention bf16 {width} {kind} {length}"] = attention(16, length, length, width, causal, "bf16")
    cases["attention bf16 128, 1 of 16384"] = attention(32, 1, 16384, 128, False, "bf16")
    cases["add 2^26"] = elementwise(1 << 26)
    cases["softmax 16384 x 4096"] = softmax(16384, 4096)
    for rows in (64, 128, 512):
        for depth, columns in ((768, 768), (768, 3072), (3072, 768)):
            cases[f"matmul bf16 {rows} x {depth} x {columns}"] = matmul(rows, depth, columns, "bf16")
    return cases


def prepare(folder, weft, small):
    folder.mkdir(parents=True, exist_ok=True)
    manifest = {"models": {}, "kernels": {}}

    def compileTo(model, name, *flags):
        subprocess.run([weft, "compile", "--quiet", "--target=cuda", *flags, model, "-o", folder / name], check=True)

    for model in MODELS[:2] if small else MODELS:
        source = ROOT / "test/models" / model
        compileTo(source / f"{model}.onnx", model)
        cases = sorted(path.name.removesuffix(".in.npz") for path in source.glob("*.in.npz"))
        for case in cases:
            for part in ("in", "ref"):
                shutil.copy(source / f"{case}.{part}.npz", folder / f"{model}.{case}.{part}.npz")
        manifest["models"][model] = cases
    for name, case in kernels(small).items():
        stem = name.replace(" ", "-").replace("^", "")
        (folder / f"{stem}.mlir").write_text(case.pop("module"))
        compileTo(folder / f"{stem}.mlir", stem, f"--from={case.pop('level', 'import')}")
        manifest["kernels"][name] = {"program": stem, **case}
    (folder / "tune.mlir").write_text(products(small))
    subprocess.run([weft, "tune", folder / "tune.mlir", "--target=cuda", f"--artifacts={folder / 'tune'}"], check=True, stdout=subprocess.DEVNULL)
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1))


def check(folder, models):
    """Compares every case with PyTorch's outputs, and says how many were wrong."""
    wrong = 0
    for model, cases in models.items():
        for case in cases:
            files = [f"--{flag}={folder / f'{model}.{case}.{part}.npz'}" for flag, part in (("inputs", "in"), ("expect", "ref"))]
            done = subprocess.run([folder / model, *files, "--rtol=1e-3", "--atol=1e-3"], capture_output=True, text=True)
            if done.returncode:
                wrong += 1
                print(f"{model} {case}: {done.stderr.strip()}")
        print(f"{model}: {len(cases)} cases")
    return wrong


def randomInputs(program):
    """Flags of a run for inputs of known size."""
    signature = subprocess.run([program, "--signature"], capture_output=True, text=True, check=True).stdout
    inputs = []
    for line in signature.splitlines():
        if line.startswith("input"):
            name, kind = line.removeprefix("input").strip().split(": ")
            inputs.append(f"--input={name}={kind.replace(' ', '')}=random:{len(inputs) + 1}")
    return inputs


def timeOfKernel(program, runs):
    """Median seconds of its steps, and the bytes a second that copies reach beside it."""
    report = program.with_suffix(".json")
    command = [program, *randomInputs(program), f"--profile={runs}", f"--report={report}", f"--outputs={program.with_suffix('.npz')}"]
    subprocess.run(command, capture_output=True, text=True, check=True)
    measured = json.loads(report.read_text())
    program.with_suffix(".npz").unlink(missing_ok=True)
    return sum(step["seconds"] for step in measured["steps"]), measured["machine_bytes_per_second"]


def makePeer(torch, kind, *sizes):
    """What PyTorch does of the same: names and calls."""
    def random(*shape, dtype=torch.float32):
        return (torch.rand(shape, device="cuda") * 2 - 1).to(dtype)

    if kind == "matmul":
        rows, depth, columns, element = sizes
        dtype = {"bf16": torch.bfloat16, "f16": torch.float16}.get(element, torch.float32)
        a, b = random(rows, depth, dtype=dtype), random(depth, columns, dtype=dtype)

        def multiply():
            torch.backends.cuda.matmul.allow_tf32 = element == "tf32"
            return a @ b

        return {"cuBLAS": multiply}
    if kind == "bytes":
        rows, depth, columns = sizes
        a, b = (torch.randint(-128, 128, shape, device="cuda", dtype=torch.int8) for shape in ((rows, depth), (depth, columns)))
        return {"cuBLAS": lambda: torch._int_mm(a, b)}
    if kind == "attention":
        heads, queries, keys, width, causal, element = sizes
        dtype = torch.bfloat16 if element == "bf16" else torch.float32
        q, k, v = (random(1, heads, length, width, dtype=dtype) for length in (queries, keys, keys))
        attend = torch.nn.functional.scaled_dot_product_attention
        backends = torch.nn.attention.SDPBackend

        def call(backend):
            with torch.nn.attention.sdpa_kernel(backend):
                return attend(q, k, v, is_causal=causal)

        named = {"efficient": backends.EFFICIENT_ATTENTION}
        if element == "bf16":
            named = {"flash": backends.FLASH_ATTENTION, "cudnn": backends.CUDNN_ATTENTION}
        return {name: lambda backend=backend: call(backend) for name, backend in named.items()}
    if kind == "add":
        a, b = random(*sizes), random(*sizes)
        return {"torch": lambda: a + b}
    a = random(*sizes)
    return {"torch": lambda: torch.softmax(a, 1)}


def timeOfPeer(torch, call, runs):
    for _ in range(3):
        call()
    seconds = []
    for _ in range(runs):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        call()
        end.record()
        end.synchronize()
        seconds.append(begin.elapsed_time(end) * 1e-3)
    return statistics.median(seconds)


def timeKernels(folder, cases, runs):
    try:
        import torch
    except ImportError:
        torch = None
    hasPeer = torch is not None and torch.cuda.is_available()
    print(f"{'kernel':40}{'ms':>10}{'TFLOP/s':>10}{'GB/s':>10}{'copies':>10}  beside PyTorch (how many times as fast)")
    for name, case in cases.items():
        seconds, copies = timeOfKernel(folder / case["program"], runs)
        flops, moved = case.get("flops", 0), case.get("bytes", 0)
        line = f"{name:40}{seconds * 1e3:10.3f}"
        isOfMemory = moved and (not flops or flops / moved < 100)  # far below what a GPU does for a byte
        line += f"{'':10}{moved / seconds * 1e-9:10.1f}{moved / seconds / copies:9.0%} " if isOfMemory else f"{flops / seconds * 1e-12:10.1f}{'':20}"
        for peer, call in makePeer(torch, *case["peer"]).items() if hasPeer else ():
            line += f"  {peer} {timeOfPeer(torch, call, runs) / seconds:.2f}"
        print(line, flush=True)


def runTrials(folder, runs):
    """Runs what `weft tune` compiled, in turns, there and back; reports lie beside it."""
    trials = [trial["artifact"] for trial in json.loads((folder / "trials.json").read_text())["trials"]]
    inputs = randomInputs(folder / trials[0])
    for number, order in enumerate((trials, trials[::-1])):
        for trial in order:
            command = [folder / trial, *inputs, f"--profile={runs}", f"--report={folder / f'{trial}.{number}.json'}"]
            subprocess.run(command, capture_output=True, text=True, check=True)
    print(f"{len(trials)} trials of schedules: {folder}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verb", choices=["prepare", "run"])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--weft", default=str(ROOT / "build/bin/weft"), help="the compiler (prepare)")
    parser.add_argument("--small", action="store_true", help="few models and small kernels, to try the script (prepare)")
    parser.add_argument("--runs", type=int, default=20, help="timed runs of each kernel (run; default: 20)")
    options = parser.parse_args()
    folder = options.folder.resolve()
    if options.verb == "prepare":
        return prepare(folder, options.weft, options.small)
    manifest = json.loads((folder / "manifest.json").read_text())
    wrong = check(folder, manifest["models"])
    timeKernels(folder, manifest["kernels"], options.runs)
    runTrials(folder / "tune", options.runs)
    print(f"{wrong} cases differ")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
