# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# One-node cases about what implementers of ONNX get wrong and its own node tests leave out.
import trap_attention
import trap_compact
import trap_contrib
import trap_control
import trap_errors
import trap_movement
import trap_numbers
import trap_pools
import trap_quantize
import trap_recurrence
import trap_run_sizes


def make_cases():
    """All of them, the same at every call."""
    families = [*trap_movement.FAMILIES, *trap_numbers.FAMILIES, *trap_errors.FAMILIES, *trap_quantize.FAMILIES, *trap_attention.FAMILIES, *trap_contrib.FAMILIES, *trap_control.FAMILIES, *trap_run_sizes.FAMILIES, *trap_pools.FAMILIES, *trap_recurrence.FAMILIES, *trap_compact.FAMILIES]
    return [case for family in families for case in family()]
