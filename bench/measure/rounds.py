# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Alternation: in each round every program has one turn, so that a machine that slows down
slows all of them; results are medians over rounds."""

import statistics
import time

# Threads of OpenMP and of thread pools spin for a while after their work, on processors
# that the next program needs.
PAUSE = 0.25


def alternate(turns, rounds, is_late=lambda: False):
    """turns: name -> function that returns a figure. Returns the figures by name. Every other
    round reverses the order, so that no program always follows the same one. When `is_late`,
    no further round begins (after the first)."""
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
