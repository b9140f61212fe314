# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights that share a tensor of the file: as blocks of one of its axes, or interleaved by head.

The sharing follows from the declarations, so that a smaller model has smaller tensors.
"""

import numpy


class Joint:
    """Weights of one shape: `W_1, W_2 = "W_1" as [2 * d, e]`, or `… at 0`, `… at 1`."""

    def __init__(self, weights):
        self.weights = weights
        self.name, self.dims = f"joint.{weights[0].name}", weights[0].dims
        chosen = int(weights[0].joins * 1000)
        self.at = chosen % 2 == 1
        self.axis = chosen // 2 % len(self.dims)
        self.turns = len(self.dims) == 3 and chosen // 6 % 2 == 1

    @staticmethod
    def of(weights):
        """The groups of declared weights that share a tensor."""
        groups = {}
        for weight in weights:
            if weight.joins is not None and weight.there is None:
                key = (weight.block, tuple(weight.dims), weight.joins < 0.5)
                groups.setdefault(key, []).append(weight)
        return [
            Joint(some[k : k + 3])
            for some in groups.values()
            for k in range(0, len(some) - 1, 3)
            if len(some[k : k + 3]) > 1
        ]

    def places(self):
        """In `names`."""
        count, axes = len(self.weights), list(self.dims)
        if self.turns:  # [h, d, e] as [h * 3 * e, d]
            axes = [f"{axes[0]} * {count} * {axes[2]}", axes[1]]
        else:
            axes[self.axis] = f"{count} * {axes[self.axis]}"
        layout = f'"{self.name}" as [{", ".join(axes)}]'
        if self.at:
            return [f"{w.name} = {layout} at {k}" for k, w in enumerate(self.weights)]
        return [f"{', '.join(w.name for w in self.weights)} = {layout}"]

    def stored(self, arrays):
        if not self.turns:
            return numpy.concatenate(arrays, self.axis)
        heads = numpy.stack([array.transpose(0, 2, 1) for array in arrays], 1)
        return heads.reshape(-1, heads.shape[-1])


def places(weights):
    """The lines of `names` for these."""
    joint = Joint.of(weights)
    held = [weight for each in joint for weight in each.weights]
    pairs = ["axis e = 2 * p"] if any(w.pairs for w in weights if w not in held) else []
    return pairs + [w.place() for w in weights if w not in held] + [
        line for each in joint for line in each.places()
    ]
