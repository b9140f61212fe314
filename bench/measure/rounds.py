# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Alternation: in each round everybody has one turn, so that a machine that slows down
slows all of them; what is told are medians over rounds."""

import statistics
import time

# Threads of OpenMP and of thread pools spin a while after their work, on processors
# that the next one needs.
PAUSE = 0.25


def alternate(turns, rounds, is_late=lambda: False):
    """turns: name -> function that gives a figure. The figures by name. The order
    turns around every other round, so that nobody is always behind the same one. Where
    it is late there is one round."""
    figures = {name: [] for name in turns}
    for number in range(rounds):
        if number and is_late():
            break
        for name in (list(turns) if number % 2 == 0 else reversed(turns)):
            time.sleep(PAUSE)
            figures[name].append(turns[name]())
    return figures


def summary(figures):
    return {"median": statistics.median(figures), "low": min(figures), "high": max(figures)}
