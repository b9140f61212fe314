# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where time jumps. Points are of one series, from the smallest size on:
{"size", "tokens", "milliseconds", "operations" or None}."""


def default_lengths(longest):
    """16 and on, each √2 times the last, and the longest itself."""
    lengths, length = [], 16.0
    while round(length) < longest:
        lengths.append(round(length))
        length *= 2 ** 0.5
    return [*lengths, longest]


def work(point, other):
    """What time should grow with at most: multiplications, which attention has more of
    with each token; tokens where the program does not tell them."""
    key = "operations" if point["operations"] and other["operations"] else "tokens"
    return point[key] / other[key]


def cliffs(points, most):
    """Neighbours where the time for the same work rises by more than `most`, or where
    more tokens take less time: then the fewer ones take too long."""
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
