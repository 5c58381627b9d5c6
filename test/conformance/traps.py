# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# One-node cases about what implementers of ONNX get wrong and its own node tests leave out.
import numpy
import trap_attention
import trap_compact
import trap_contrib
import trap_control
import trap_data_sizes
import trap_errors
import trap_hybrid
import trap_movement
import trap_numbers
import trap_pools
import trap_qlinear
import trap_quantize
import trap_recurrence
import trap_resize
import trap_run_sizes
import trap_sampling
import trap_signals
from one_node import RANDOM


def make_cases():
    """All of them, the same at every call, and each family's whatever the others draw."""
    modules = [trap_movement, trap_numbers, trap_errors, trap_quantize, trap_attention, trap_contrib, trap_qlinear, trap_control,
               trap_run_sizes, trap_data_sizes, trap_pools, trap_recurrence, trap_compact, trap_hybrid, trap_resize, trap_sampling, trap_signals]  # fmt: skip
    cases = []
    for family in (family for module in modules for family in module.FAMILIES):
        RANDOM.bit_generator.state = numpy.random.default_rng(1).bit_generator.state
        cases += family()
    return cases
