# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Look-alikes of LayerNorm, of root-mean-square norm and of GELU: each differs in one place, by much more than the tests'
# tolerance, so that a compiler that takes it for the real one gives a wrong answer. One model for each family; a twin
# has an input of its own, so that no two share an operation, and the output `y_<twin>`. Some are the real one with an
# inner value as a second output, `z_<twin>`, or with weights of another shape.
import math

import torch
from torch import nn

import saving

ROWS, WIDTH = 6, 8


def norm(x, weight, bias, axis=-1, about=None, eps=1e-5, power=2.0):
    """LayerNorm, as exporters spell it; `about` is what the variance is taken of."""
    centred = x - x.mean(axis, keepdim=True)
    other = centred if about is None else about - about.mean(axis, keepdim=True)
    return centred / torch.sqrt(other.pow(power).mean(axis, keepdim=True) + eps) * weight + bias


def rms(x, weight, axis=-1, numerator=None, eps=1e-6):
    numerator = x if numerator is None else numerator
    return weight * (numerator * torch.rsqrt(x.pow(2.0).mean(axis, keepdim=True) + eps))


class LayerNormTwins(nn.Module):
    # Their inputs have six rows, since their weights do, or the mean of a row is subtracted from a column.
    SHAPES = {"keepdims": ["batch", WIDTH, WIDTH], "square": [WIDTH, WIDTH], "weight_table": ["batch", ROWS, WIDTH],
              "weight_rows": ["batch", ROWS, WIDTH]}

    def __init__(self):
        super().__init__()
        self.norm_weight, self.norm_bias = nn.Parameter(torch.zeros(WIDTH)), nn.Parameter(torch.zeros(WIDTH))
        self.table, self.rows = nn.Parameter(torch.zeros(ROWS, WIDTH)), nn.Parameter(torch.zeros(ROWS, 1))
        self.one = nn.Parameter(torch.zeros(1))

    def norm(self, x, **options):
        return norm(x, options.pop("weight", self.norm_weight), options.pop("bias", self.norm_bias), **options)

    def keepdims(self, x):
        """Reductions without keepdims: column j is centred and scaled by what belongs to row j."""
        centred = x - x.mean(-1).unsqueeze(1)
        return centred / torch.sqrt(centred.pow(2.0).mean(-1).unsqueeze(1) + 1e-5) * self.norm_weight + self.norm_bias

    def square(self, x):
        """The same on a square matrix, where it broadcasts by itself."""
        centred = x - x.mean(-1)
        return centred / torch.sqrt(centred.pow(2.0).mean(-1) + 1e-5) * self.norm_weight + self.norm_bias

    def weight_table(self, x):
        return self.norm(x, weight=self.table)

    def weight_rows(self, x):
        return self.norm(x, weight=self.rows)

    def weight_one(self, x):
        return self.norm(x, weight=self.one)

    def bias_one(self, x):
        return self.norm(x, bias=self.one)

    def eps_outside(self, x):
        centred = x - x.mean(-1, keepdim=True)
        std = torch.sqrt(centred.pow(2.0).mean(-1, keepdim=True))
        return centred / (std + 0.1) * self.norm_weight + self.norm_bias

    def unbiased(self, x):
        centred = x - x.mean(-1, keepdim=True)
        variance = centred.pow(2.0).sum(-1, keepdim=True) / (WIDTH - 1)
        return centred / torch.sqrt(variance + 1e-5) * self.norm_weight + self.norm_bias

    def bias_first(self, x):
        centred = x - x.mean(-1, keepdim=True)
        scaled = (centred + self.norm_bias) / torch.sqrt(centred.pow(2.0).mean(-1, keepdim=True) + 1e-5)
        return scaled * self.norm_weight

    def not_centred(self, x):
        """The mean of squares of x itself."""
        centred = x - x.mean(-1, keepdim=True)
        return centred / torch.sqrt(x.pow(2.0).mean(-1, keepdim=True) + 1e-5) * self.norm_weight + self.norm_bias

    def other_variance(self, x):
        return self.norm(x, about=x * x)

    def fourth_power(self, x):
        return self.norm(x, power=4.0)

    def other_axis(self, x):
        return self.norm(x, axis=1)

    def two_axes(self, x):
        return self.norm(x, axis=(1, 2))

    def mixed_axes(self, x):
        centred = x - x.mean(-1, keepdim=True)
        return centred / torch.sqrt(centred.pow(2.0).mean(1, keepdim=True) + 1e-5) * self.norm_weight + self.norm_bias

    def not_divided(self, x):
        """Times the root."""
        centred = x - x.mean(-1, keepdim=True)
        return centred * torch.sqrt(centred.pow(2.0).mean(-1, keepdim=True) + 1e-5) * self.norm_weight + self.norm_bias

    def inner_mean(self, x):
        mean = x.mean(-1, keepdim=True)
        centred = x - mean
        return self.finish(centred, centred.pow(2.0).mean(-1, keepdim=True)), mean

    def inner_variance(self, x):
        centred = x - x.mean(-1, keepdim=True)
        variance = centred.pow(2.0).mean(-1, keepdim=True)
        return self.finish(centred, variance), variance

    def inner_centred(self, x):
        centred = x - x.mean(-1, keepdim=True)
        return self.finish(centred, centred.pow(2.0).mean(-1, keepdim=True)), centred

    def inner_scaled(self, x):
        centred = x - x.mean(-1, keepdim=True)
        scaled = centred / torch.sqrt(centred.pow(2.0).mean(-1, keepdim=True) + 1e-5)
        return scaled * self.norm_weight + self.norm_bias, scaled

    def finish(self, centred, variance):
        return centred / torch.sqrt(variance + 1e-5) * self.norm_weight + self.norm_bias


class RMSNormTwins(nn.Module):
    SHAPES = {"keepdims": ["batch", WIDTH, WIDTH], "weight_table": ["batch", ROWS, WIDTH],
              "weight_rows": ["batch", ROWS, WIDTH]}

    def __init__(self):
        super().__init__()
        self.norm_weight = nn.Parameter(torch.zeros(WIDTH))
        self.table, self.rows = nn.Parameter(torch.zeros(ROWS, WIDTH)), nn.Parameter(torch.zeros(ROWS, 1))

    def keepdims(self, x):
        return self.norm_weight * (x * torch.rsqrt(x.pow(2.0).mean(-1).unsqueeze(1) + 1e-6))

    def weight_table(self, x):
        return rms(x, self.table)

    def weight_rows(self, x):
        return rms(x, self.rows)

    def eps_outside(self, x):
        return self.norm_weight * (x / (torch.sqrt(x.pow(2.0).mean(-1, keepdim=True)) + 0.1))

    def sum_of_squares(self, x):
        return self.norm_weight * (x * torch.rsqrt(x.pow(2.0).sum(-1, keepdim=True) + 1e-6))

    def other_axis(self, x):
        return rms(x, self.norm_weight, axis=1)

    def other_numerator(self, x):
        return rms(x, self.norm_weight, numerator=torch.tanh(x))

    def third_power(self, x):
        return self.norm_weight * (x * torch.rsqrt(x.abs().pow(3.0).mean(-1, keepdim=True) + 1e-6))

    def inner_scaled(self, x):
        scaled = x * torch.rsqrt(x.pow(2.0).mean(-1, keepdim=True) + 1e-6)
        return self.norm_weight * scaled, scaled

    def inner_root(self, x):
        root = torch.rsqrt(x.pow(2.0).mean(-1, keepdim=True) + 1e-6)
        return self.norm_weight * (x * root), root


def erf_gelu(x, inner=None, root=math.sqrt(2.0), one=1.0, half=0.5):
    return x * (torch.erf((x if inner is None else inner) / root) + one) * half


def tanh_gelu(x, inner=None, cubic=0.044715, root=math.sqrt(2.0 / math.pi), one=1.0, half=0.5, power=3.0):
    inner = x if inner is None else inner
    return half * x * (one + torch.tanh(root * (inner + cubic * inner.pow(power))))


class GeluTwins(nn.Module):
    SHAPES = {}

    def erf_root(self, x):
        return erf_gelu(x, root=1.5)

    def erf_one(self, x):
        return erf_gelu(x, one=1.1)

    def erf_half(self, x):
        return erf_gelu(x, half=0.6)

    def erf_argument(self, x):
        return erf_gelu(x, inner=-x)

    def erf_inner(self, x):
        error = torch.erf(x / math.sqrt(2.0))
        return x * (error + 1.0) * 0.5, error

    def tanh_cubic(self, x):
        return tanh_gelu(x, cubic=0.05)

    def tanh_root(self, x):
        return tanh_gelu(x, root=0.7)

    def tanh_one(self, x):
        return tanh_gelu(x, one=1.1)

    def tanh_half(self, x):
        return tanh_gelu(x, half=0.6)

    def tanh_power(self, x):
        return tanh_gelu(x, power=2.0)

    def tanh_argument(self, x):
        return tanh_gelu(x, inner=x.abs())

    def tanh_inner(self, x):
        bent = torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x.pow(3.0)))
        return 0.5 * x * (1.0 + bent), bent

    def sigmoid(self, x):
        """A common approximation; another function."""
        return x * torch.sigmoid(1.702 * x)


class Family(nn.Module):
    """All twins of a class, each on its own input."""

    def __init__(self, twins):
        super().__init__()
        self.twins = twins
        self.names = [name for name, value in vars(type(twins)).items()
                      if callable(value) and name not in ("__init__", "norm", "finish")]
        assert set(twins.SHAPES) <= set(self.names)

    def forward(self, *inputs):
        results = []
        for name, x in zip(self.names, inputs):
            result = getattr(self.twins, name)(x)
            results += result if isinstance(result, tuple) else [result]
        return results


def export(name, twins, seed):
    model = saving.randomize(Family(twins), seed)
    shapes = {twin: twins.SHAPES.get(twin, ["batch", "seq", WIDTH]) for twin in model.names}
    generator = torch.Generator().manual_seed(seed)
    cases = {}
    for batch, length in ((1, 1), (3, 7), (1, 33)):
        sizes = {"batch": batch, "seq": length}
        cases[f"b{batch}_n{length}"] = {
            "x_" + twin: torch.randn([sizes.get(dim, dim) for dim in shape], generator=generator) + 0.5
            for twin, shape in shapes.items()}
    outputs = {}
    for twin, shape in shapes.items():
        outputs["y_" + twin] = shape
        if "inner" in twin:
            column = 1 if twin in ("inner_mean", "inner_variance", "inner_root") else WIDTH
            outputs["z_" + twin] = ["batch", "seq", column]
    saving.save_model(name, model, {"x_" + twin: shape for twin, shape in shapes.items()}, outputs, cases,
                      example="b3_n7")


def export_layer_norm():
    export("layer_norm_twins", LayerNormTwins(), 40)


def export_rms_norm():
    export("rms_norm_twins", RMSNormTwins(), 41)


def export_gelu():
    export("gelu_twins", GeluTwins(), 42)
