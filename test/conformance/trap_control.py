# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# If, Loop, Scan and sequences whose course constants and shapes decide, as models in ONNX's text form.
import numpy
from numpy import stack
from one_node import f32, i64, normal, text_model


def written(title, *parts):
    return text_model(f"control {title}", *parts)


def branches():
    """The condition is made of constants and shapes; a branch sees what is around it."""
    x, wide = normal(4, 3), normal(4, 1)
    squeeze = """
        shape = Shape(x0) last = Constant <value_int: int = -1> () one = Constant <value_int: int = 1> ()
        width = Gather(shape, last) narrow = Equal(width, one)
        y0 = If (narrow) <
          then_branch = a () => (float[N] t) { axes = Constant <value_ints: ints = [-1]> () t = Squeeze(x0, axes) },
          else_branch = b () => (float[N, M] e) { e = Neg(x0) }>"""
    yield written("If ranks then", squeeze, [wide], [wide[:, 0]])
    yield written("If ranks else", squeeze, [x], [-x])
    nested = """
        rank = Size(x0) five = Constant <value_int: int = 5> () twelve = Constant <value_int: int = 12> ()
        many = Greater(rank, five) all = Equal(rank, twelve) twice = Add(x0, x0)
        y0, y1 = If (many) <
          then_branch = a () => (float[N, M] t, float[N, M] u) {
            t = If (all) <then_branch = c () => (float[N, M] p) { p = Add(twice, x0) },
                          else_branch = d () => (float[N, M] q) { q = Neg(twice) }>
            u = Identity(twice) },
          else_branch = b () => (float[N, M] e, float[N, M] f) { e = Neg(x0) f = Neg(x0) }>"""
    yield written("If nested", nested, [x], [3 * x, 2 * x])
    direct = """
        yes = Constant <value: tensor = bool[1] {1}> ()
        twice = Add(x0, x0)
        y0 = If (yes) <then_branch = a () => (float[N, M] twice) { },
                       else_branch = b () => (float[N, M] e) { e = Neg(x0) }>"""
    yield written("If of an outer value", direct, [x], [2 * x])


def selections():
    """Only a run knows the condition: both branches are computed."""
    x = normal(4, 3)
    either = """
        none = Constant <value: tensor = float {0}> () total = ReduceSum <keepdims: int = 0> (x0) chosen = Less(none, total)
        y0, y1 = If (chosen) <
          then_branch = a () => (float[N, M] t, int64[1] u) { t = Add(x0, x0) u = Constant <value_ints: ints = [1]> () },
          else_branch = b () => (float[N, M] e, int64[1] f) { e = Neg(x0) f = Constant <value_ints: ints = [2]> () }>"""
    for data in (abs(x), -abs(x)):
        chosen = bool(data.sum() > 0)
        yield written(f"If by data {chosen}", either, [data], [2 * data if chosen else -data, i64(1 if chosen else 2)])
    unlike = either.replace("t = Add(x0, x0)", "t = Concat <axis: int = 0> (x0, x0)")
    yield written("If by data of unlike shapes", unlike, [x], None)


def batches():
    """Scan as opset 8 has it: each row of a batch by itself."""
    states, rows = normal(2, 3), normal(2, 4, 3)
    scan = """y0, y1 = Scan <num_scan_inputs: int = 1, directions: ints = [{direction}],
                body = b (float[3] h, float[3] r) => (float[3] g, float[3] s) {{ g = Add(h, r) s = Mul(g, h) }}> ({lengths}, x0, x1)"""
    for direction in (0, 1):
        state, stacked = states, []
        for step in range(4)[:: -1 if direction else 1]:
            following = state + rows[:, step]
            stacked.append(following * state)
            state = following
        text = scan.format(direction=direction, lengths="")
        yield text_model(f"control Scan of a batch {direction}", text, [states, rows], [state, stack(stacked, 1)], opset=8)
    yield text_model("control Scan of lengths", scan.format(direction=0, lengths="x2"), [states, rows, i64(4, 2)], None, opset=8)


def loops():
    """A body in the graph as often as it is run."""
    x = normal(2, 3)
    body = "body = b (int64 i, bool c, float[N, M] h) => (bool d, float[N, M] g, float[N, M] s)"
    fixed = body.replace("float[N, M] s", "float[2, 3] s")
    yes = "yes = Constant <value: tensor = bool {1}> () three = Constant <value: tensor = int64 {3}> ()"
    step = "k = Cast <to: int = 1> (i) hk = Add(h, k) g = Mul(hk, x0) s = Identity(hk)"

    def expected(count):
        states, state = [], x
        for i in range(count):
            states.append(state + f32(i))
            state = states[-1] * x
        return [state, stack(states)]

    yield written("Loop trips", f"{yes} y0, y1 = Loop (three, yes, x0) <{body} {{ d = Identity(c) {step} }}>", [x], expected(3))
    early = "two = Constant <value: tensor = int64 {1}> () d = Less(i, two)"
    yield written("Loop ends early", f"{yes} y0, y1 = Loop (three, yes, x0) <{body} {{ {early} {step} }}>", [x], expected(2))
    yield written("Loop while", f"{yes} y0, y1 = Loop (, yes, x0) <{body} {{ {early} {step} }}>", [x], expected(2))
    yield written("Loop without condition", f"{yes} y0, y1 = Loop (three, , x0) <{body} {{ d = Identity(c) {step} }}>", [x], expected(3))
    # After the last iteration nobody reads the condition, which data decides.
    by_data = "zero = Constant <value: tensor = float {0}> () total = ReduceSum <keepdims: int = 0> (h) d = Less(total, zero)"
    once = "yes = Constant <value: tensor = bool {1}> () one = Constant <value: tensor = int64 {1}> ()"
    yield written("Loop once", f"{once} y0, y1 = Loop (one, yes, x0) <{body} {{ {by_data} {step} }}>", [x], expected(1))
    never = "zero = Constant <value: tensor = int64 {0}> () no = Constant <value: tensor = bool {0}> ()"
    for title, given in (("zero trips", "zero, "), ("false", ", no")):
        yield written(f"Loop {title}", f"{never} y0, y1 = Loop ({given}, x0) <{fixed} {{ d = Identity(c) {step} }}>", [x],
                      [x, numpy.zeros((0, 2, 3), numpy.float32)])  # fmt: skip
    yield written("Loop none of unknown", f"{never} h, y0 = Loop (zero, , x0) <{body} {{ d = Identity(c) {step} }}>", [x], None)
    listed = body.replace("int64 i, bool c", "int64[1] i, bool[1] c").replace("bool d", "bool[1] d")
    yield written("Loop of a list", f"{yes} y0, y1 = Loop (three, yes, x0) <{listed} {{ d = Identity(c) {step} }}>", [x], expected(3))
    trips = "shape = Shape(x0) one = Constant <value_int: int = 1> () rows = Gather(shape, one)"
    yield written("Loop by a shape", f"{trips} y0, y1 = Loop (rows, , x0) <{body} {{ d = Identity(c) {step} }}>", [x], expected(3))
    # What only a run knows: how often, and whether at all. An iteration leaves behind what was there before it.
    before = f"{fixed} {{ d = Identity(c) g = Add(h, x0) s = Identity(h) }}"
    for title, count, go, states in (("some", 3, True, [x, 2 * x, 3 * x]), ("one", 1, True, [x]), ("none", 0, True, []),
                                     ("less than none", -2, True, []), ("not", 3, False, [])):  # fmt: skip
        left = stack(states) if states else numpy.zeros((0, 2, 3), numpy.float32)
        yield written(f"Loop of a run {title}", f"y0, y1 = Loop (x1, x2, x0) <{before}>", [x, i64(count).reshape(()), numpy.array(go)],
                      [(len(states) + 1) * x, left])  # fmt: skip
    swaps = "body = b (int64 i, bool c, float[N, M] p, float[N, M] q) => (bool d, float[N, M] r, float[N, M] s) { d = Identity(c) r = Add(q, x0) s = Identity(p) }"
    yield written("Loop swaps", f"n = Neg(x0) y0, y1 = Loop (x1, , x0, n) <{swaps}>", [x, i64(3).reshape(())], [x, 2 * x])
    inner = """s = Loop (three, c, h) <body = e (int64 j, bool k, float[N, M] p) => (bool l, float[N, M] q) {
                 l = Identity(k) q = Add(p, x0) }> d = Identity(c) g = Neg(s)"""
    yield written("Loop nested", f"{yes} y0, y1 = Loop (three, yes, x0) <{body} {{ {inner} }}>", [x],
                  [-4 * x, stack([4 * x, -x, 4 * x])])  # fmt: skip
    endless = "one = Constant <value_int: int = 1> () d = Identity(c) g = Neg(h) s = Neg(h)"
    yield written("Loop forever", f"{yes} h, y0 = Loop (, yes, x0) <{body} {{ {endless} }}>", [x], None)


def scans():
    """Axes and directions of what is taken apart and put together."""
    x, start = normal(3, 4, 2), normal(3, 2)
    body = "body = b (float[N, M] h, float[N, M] e) => (float[N, M] g, float[N, M] s) { g = Add(h, e) s = Mul(g, x1) }"

    def expected(order, axis, reverse):
        states, state = [], start
        for i in order:
            state = state + x[:, i]
            states.append(state * start)
        return [state, stack(states[::-1] if reverse else states, axis)]

    for title, attributes, order, axis, reverse in (
        ("forward", "scan_input_axes: ints = [1]", range(4), 0, False),
        ("negative axes", "scan_input_axes: ints = [-2], scan_output_axes: ints = [-1]", range(4), 2, False),
        ("backward", "scan_input_axes: ints = [1], scan_input_directions: ints = [1]", range(3, -1, -1), 0, False),
        ("put in front", "scan_input_axes: ints = [1], scan_output_axes: ints = [1], scan_output_directions: ints = [1]",
         range(4), 1, True),
    ):  # fmt: skip
        yield written(f"Scan {title}", f"y0, y1 = Scan (x1, x0) <num_scan_inputs: int = 1, {attributes}, {body}>", [x, start],
                      expected(order, axis, reverse))  # fmt: skip
    both = "body = b (float[N] e, float[N] f) => (float[N] s, float[N] t) { s = Add(e, f) t = Sub(e, f) }"
    a, b = normal(3, 2), normal(3, 2)
    yield written("Scan without states", f"y0, y1 = Scan (x0, x1) <num_scan_inputs: int = 2, {both}>", [a, b], [a + b, a - b])
    yield written("Scan unlike", f"y0, z = Scan (x0, x1) <num_scan_inputs: int = 2, {both}>", [a, normal(2, 2)], None)


def sequences():
    """Places from either end; parts of all sizes."""
    x, y = normal(2, 3), normal(2, 3)
    ints = "zero = Constant <value_int: int = 0> () one = Constant <value_int: int = 1> () last = Constant <value_int: int = -1> ()"
    built = f"{ints} n = Neg(x0) a = SequenceConstruct (x0, x1) b = SequenceInsert (a, n, last) c = SequenceInsert (b, n)"
    yield written("Sequence insert", f"{built} y0 = ConcatFromSequence <axis: int = 0> (c) y1 = SequenceLength (c)", [x, y],
                  [numpy.concatenate([x, -x, y, -x]), i64(4).reshape(())])  # fmt: skip
    yield written("Sequence erase", f"{built} d = SequenceErase (c) e = SequenceErase (d, zero) "
                  "y0 = ConcatFromSequence <axis: int = -1, new_axis: int = 1> (e)", [x, y], [stack([-x, y], -1)])  # fmt: skip
    yield written("Sequence at", f"{built} y0 = SequenceAt (c, last) y1 = SequenceAt (c, one) d = Identity (c) y2 = SequenceAt (d, zero)",
                  [x, y], [-x, -x, x])  # fmt: skip
    yield written("Sequence at outside", f"{built} four = Constant <value_int: int = 4> () y0 = SequenceAt (c, four)", [x, y], None)
    yield written("Sequence at of nothing", f"{ints} c = SequenceEmpty () y0 = SequenceAt (c, zero)", [x], None)
    yield written("Sequence erase of nothing", f"c = SequenceEmpty () d = SequenceErase (c) y0 = ConcatFromSequence <axis: int = 0> (d)", [x], None)
    yield written("Sequence concat of nothing", "c = SequenceEmpty () y0 = ConcatFromSequence <axis: int = 0> (c)", [x], None)
    yield written("Sequence is no tensor", "c = SequenceConstruct (x0) y0 = Neg (c)", [x], None)
    yield written("Sequence is no output", "y0 = SequenceConstruct (x0)", [x], None)
    yield written("Sequence is no place", f"{built} y0 = SequenceAt (c, c)", [x, y], None)
    yield written("Sequence is no number of trips", """c = SequenceConstruct (x0)
        y0 = Loop (c, , x0) <body = b (int64 i, bool d, float[N, M] h) => (bool e, float[N, M] g) { e = Identity(d) g = Neg(h) }>""",
                  [x], None)  # fmt: skip
    yield written("Tensor is no sequence", "y0 = SequenceLength (x0)", [x], None)

    z = normal(5, 3)
    split = "s = SplitToSequence <axis: int = 0> (x0, n) y0 = SequenceAt (s, zero) y1 = SequenceAt (s, last) y2 = SequenceLength (s)"
    two = f"{ints} n = Constant <value_int: int = 2> ()"
    yield written("SplitToSequence uneven", f"{two} {split}", [z], [z[:2], z[4:], i64(3).reshape(())])
    sizes = f"{ints} n = Constant <value_ints: ints = [1, 0, 4]> ()"
    yield written("SplitToSequence sizes", f"{sizes} {split}", [z], [z[:1], z[1:], i64(3).reshape(())])
    for title, n in (("too little", "[1, 2]"), ("too much", "[3, 3]"), ("negative", "[6, -1]")):
        bad = f"{ints} n = Constant <value_ints: ints = {n}> () s = SplitToSequence (x0, n) y0 = SequenceAt (s, zero)"
        yield written(f"SplitToSequence {title}", bad, [z], None)
    for keep, part in ((0, z[:, 2]), (1, z[:, 2:])):
        yield written(f"SplitToSequence keepdims {keep}", f"{ints} s = SplitToSequence <axis: int = 1, keepdims: int = {keep}> (x0) "
                      "y0 = SequenceAt (s, last)", [z], [part])  # fmt: skip

    grown = f"""e = SequenceEmpty () three = Constant <value: tensor = int64 {{3}}> ()
        h, s = Loop (three, , x0, e) <body = b (int64 i, bool c, float[N, M] p, seq(float[N, M]) q) => (bool d, float[N, M] g, seq(float[N, M]) r) {{
          d = Identity(c) g = Add(p, x0) r = SequenceInsert (q, g) }}>
        y0 = ConcatFromSequence <axis: int = 1, new_axis: int = 1> (s)"""
    yield written("Sequence grown in a Loop", grown, [x], [stack([2 * x, 3 * x, 4 * x], 1)])
    # As often as a run says: what a loop appends to is a stack behind what was there.
    first, last, count = "zero = Constant <value_int: int = 0> ()", "last = Constant <value_int: int = -1> ()", i64(3).reshape(())
    adds = """<body = b (int64 i, bool c, float[N, M] p, seq(float[N, M]) q) => (bool d, float[N, M] g, seq(float[N, M]) r) {
          d = Identity(c) g = Add(p, x0) s = SequenceInsert (q, p) r = Identity(s) }>"""
    for title, begin, before in (("nothing", "e = SequenceEmpty ()", []), ("something", "e = SequenceConstruct (x0, x2)", [x, y])):
        rows = [*before, x, 2 * x, 3 * x]
        text = f"""{first} {last} {begin} h, s = Loop (x1, , x0, e) {adds}
            y0 = ConcatFromSequence <axis: int = -1> (s) y1 = ConcatFromSequence <axis: int = -1, new_axis: int = 1> (s)
            y2 = SequenceLength (s) y3 = SequenceAt (s, zero) y4 = Add (h, x2)"""
        yield written(f"Sequence grown from {title} as a run says", text, [x, count, y],
                      [numpy.concatenate(rows, 1), stack(rows, -1), i64(len(rows)).reshape(()), rows[0], 4 * x + y])  # fmt: skip
    text = f"e = SequenceEmpty () h, s = Loop (x1, , x0, e) {adds} y0 = SequenceAt (s, x2) y1 = ConcatFromSequence <axis: int = 0> (s)"
    yield written("Sequence of a run at", text, [x, count, i64(-2).reshape(())], [2 * x, numpy.concatenate([x, 2 * x, 3 * x])])
    yield written("Sequence of a run at outside", text.replace("y1", "z"), [x, count, i64(3).reshape(())], None)
    mapped = """a = SequenceConstruct (x0, x1)
        b = SequenceMap (a, a, x0) <body = m (float[N, M] p, float[N, M] q, float[N, M] r) => (float[N, M] s) { t = Mul(p, q) s = Sub(t, r) }>
        y0 = ConcatFromSequence <axis: int = 0> (b)"""
    yield written("SequenceMap", mapped, [x, y], [numpy.concatenate([x * x - x, y * y - x])])


FAMILIES = [branches, selections, loops, batches, scans, sequences]
