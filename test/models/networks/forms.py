# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# LayerNorm, root-mean-square norm and GELU in the spellings that exporters and authors use: the opposite of twins.py.
# Each is right; one that is not recognized is only slower.
import math

import torch
from torch import nn

from networks.twins import WIDTH, export


class NormForms(nn.Module):
    SHAPES = {}

    def __init__(self):
        super().__init__()
        self.norm_weight, self.norm_bias = nn.Parameter(torch.zeros(WIDTH)), nn.Parameter(torch.zeros(WIDTH))

    def layer_pow(self, x):
        centred = x - x.mean(-1, keepdim=True)
        return centred / torch.sqrt(centred.pow(2.0).mean(-1, keepdim=True) + 1e-5) * self.norm_weight + self.norm_bias

    def layer_two_subtractions(self, x):
        mean = x.mean(-1, keepdim=True)
        root = torch.sqrt((x - mean).pow(2.0).mean(-1, keepdim=True) + 1e-5)
        return self.norm_bias + self.norm_weight * ((x - mean) / root)

    def layer_product(self, x):
        centred = x - x.mean(-1, keepdim=True)
        root = torch.sqrt(1e-5 + (centred * centred).mean(-1, keepdim=True))
        return self.norm_weight * centred / root + self.norm_bias

    def layer_reciprocal(self, x):
        centred = x - x.mean(-1, keepdim=True)
        root = torch.sqrt((centred * centred).mean(-1, keepdim=True) + 1e-5)
        return centred * (1.0 / root) * self.norm_weight + self.norm_bias

    def layer_as_batch_norm(self, x):
        """The mean is taken off at the end."""
        mean = x.mean(-1, keepdim=True)
        centred = x - mean
        factor = torch.rsqrt((centred * centred).mean(-1, keepdim=True) + 1e-5) * self.norm_weight
        return x * factor + (self.norm_bias - mean * factor)

    def layer_without_weights(self, x):
        centred = x - x.mean(-1, keepdim=True)
        return centred / torch.sqrt(centred.pow(2.0).mean(-1, keepdim=True) + 1e-5)

    def rms_reciprocal(self, x):
        return self.norm_weight * (x * torch.rsqrt(x.pow(2.0).mean(-1, keepdim=True) + 1e-6))

    def rms_division(self, x):
        return x / torch.sqrt((x * x).mean(-1, keepdim=True) + 1e-6) * self.norm_weight

    def rms_weight_first(self, x):
        return (self.norm_weight * x) / torch.sqrt(x.pow(2.0).mean(-1, keepdim=True) + 1e-6)

    def rms_without_weight(self, x):
        return x * torch.rsqrt(x.pow(2.0).mean(-1, keepdim=True) + 1e-6)


class GeluForms(nn.Module):
    SHAPES = {}

    def erf_half_last(self, x):
        return x * (torch.erf(x / math.sqrt(2.0)) + 1.0) * 0.5

    def erf_half_first(self, x):
        return 0.5 * x * (1.0 + torch.erf(x * math.sqrt(0.5)))

    def erf_half_inside(self, x):
        return x * (0.5 * (1.0 + torch.erf(x / 1.4142135)))

    def tanh_power(self, x):
        return 0.5 * x * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x.pow(3.0))))

    def tanh_products(self, x):
        return x * 0.5 * (torch.tanh(0.7978845608 * (x + 0.044715 * x * x * x)) + 1.0)

    def tanh_factored(self, x):
        return 0.5 * x * (1.0 + torch.tanh(x * 0.7978845608 * (1.0 + 0.044715 * x * x)))


def export_norms():
    export("norm_forms", NormForms(), 43)


def export_gelus():
    export("gelu_forms", GeluForms(), 44)
