# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Attention under every kind of mask that exporters write, each an output. They agree where a row keeps something, and
# differ where it is masked everywhere: NaN, the mean of the values, attention as if nothing were masked, or 0.
import torch
from torch import nn

import saving

LEAST = torch.finfo(torch.float32).min


def hidden(mask, number):
    """0 where the mask keeps, `number` elsewhere."""
    return torch.zeros_like(mask, dtype=torch.float32).masked_fill(~mask, number)


def later(mask, diagonal):
    """The least number in every column from row + `diagonal` on."""
    return torch.full(mask.shape[-2:], LEAST).triu(diagonal)


# What each makes of the scores before the softmax.
STYLES = {
    "infinity_added": lambda s, mask: s + hidden(mask, float("-inf")),  # NaN
    "infinity_filled": lambda s, mask: s.masked_fill(~mask, float("-inf")),  # NaN
    "least_filled": lambda s, mask: s.masked_fill(~mask, LEAST),  # the mean
    "least_added": lambda s, mask: s + (1 - mask.float()) * LEAST,  # the mean: what is added swallows the score
    "billion_filled": lambda s, mask: s.masked_fill(~mask, -1e9),  # the mean
    "ten_thousand_added": lambda s, mask: s + (1 - mask.float()) * -10000.0,  # as if nothing were masked
    # Twice the least number is minus infinity: the mean of what only one of the two masks hides.
    "least_twice": lambda s, mask: s + later(mask, 1) + hidden(mask, LEAST),
    # The first row, of which the causal mask hides everything, is NaN if the other mask does, too.
    "least_summed": lambda s, mask: s + (later(mask, 0) + hidden(mask, LEAST)),
}


class MaskedRows(nn.Module):
    """Every product of query and key has a scale of its own, so that none is shared."""

    def attend(self, scores, value):
        return torch.softmax(scores, dim=-1) @ value

    def forward(self, query, key, value, mask):
        def scores(place):
            return (query * (0.125 * (2 + place))) @ key.transpose(-1, -2)

        results = [self.attend(style(scores(place), mask), value) for place, style in enumerate(STYLES.values())]
        # scaled_dot_product_attention's guard: 0.
        guarded = torch.softmax(scores(len(STYLES)) + hidden(mask, float("-inf")), dim=-1)
        guarded = torch.where(torch.isnan(guarded), torch.zeros_like(guarded), guarded)
        # The weights that are masked are cleared, too: 0.
        cleared = torch.softmax(scores(len(STYLES) + 1).masked_fill(~mask, LEAST), dim=-1).masked_fill(~mask, 0.0)
        return (*results, guarded @ value, guarded, cleared @ value)


def draw_mask(generator, batch, rows, columns, kind):
    """Rows that keep some; with `row` one of them, and the last of the batch's entries, keep nothing; with `all` none does."""
    mask = torch.rand(batch, 1, rows, columns, generator=generator) > 0.4
    mask.scatter_(3, torch.randint(0, columns, (batch, 1, rows, 1), generator=generator), True)
    if kind == "row":
        mask[0, 0, rows // 2] = False
        mask[batch - 1, 0, -1] = False
    return mask & (kind != "all")


def export():
    inputs = {"query": ["batch", 2, "rows", 8], "key": ["batch", 2, "columns", 8], "value": ["batch", 2, "columns", 5],
              "mask": ["batch", 1, "rows", "columns"]}
    result = ["batch", 2, "rows", 5]
    outputs = {**{name: result for name in STYLES}, "guarded": result,
               "guarded_weights": ["batch", 2, "rows", "columns"], "cleared": result}
    generator = torch.Generator().manual_seed(41)

    def quarters(*shape):
        """So coarse that a score plus -10000 is exact in f32."""
        return torch.randint(-6, 7, shape, generator=generator) / 4

    cases = {}
    for kind, batch, rows, columns in (("some", 2, 5, 7), ("row", 2, 5, 7), ("all", 2, 5, 7), ("row", 3, 1, 1),
                                       ("all", 1, 1, 1), ("row", 1, 33, 65), ("all", 1, 33, 65), ("some", 1, 66, 245),
                                       ("row", 1, 66, 245)):
        cases[f"{kind}_b{batch}_n{rows}_m{columns}"] = {
            "query": quarters(batch, 2, rows, 8), "key": quarters(batch, 2, columns, 8),
            "value": quarters(batch, 2, columns, 5), "mask": draw_mask(generator, batch, rows, columns, kind)}
    saving.save_model("masked_rows", MaskedRows(), inputs, outputs, cases, "some_b2_n5_m7", (17,), finite=False)
