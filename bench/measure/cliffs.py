# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds jumps of the time. Points are those of one series, ordered by size:
{"size", "tokens", "milliseconds", "operations" or None}."""


def default_lengths(longest):
    """16, then each √2 times the last, and the longest itself."""
    lengths, length = [], 16.0
    while round(length) < longest:
        lengths.append(round(length))
        length *= 2 ** 0.5
    return [*lengths, longest]


def work(point, other):
    """The factor by which the time may grow: that of operations, of which attention has more
    per token in longer sequences; that of tokens if the program does not report operations."""
    key = "operations" if point["operations"] and other["operations"] else "tokens"
    return point[key] / other[key]


def cliffs(points, most):
    """Neighboring points between which the time for the same work rises by more than `most`,
    or falls although there are more tokens: then the smaller size takes too long."""
    found = []
    for small, large in zip(points, points[1:]):
        slower = large["milliseconds"] / small["milliseconds"]
        rise = slower / work(large, small)
        if rise > most:
            found.append({"from": small["size"], "to": large["size"], "rise": rise,
                          "why": "the same work takes {:.2f} times as long".format(rise)})
        elif slower < 1 / most:
            found.append({"from": large["size"], "to": small["size"], "rise": 1 / slower,
                          "why": "fewer tokens take {:.2f} times as long".format(1 / slower)})
    return found
