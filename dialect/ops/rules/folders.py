# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Folders: operations whose result is one of their operands, bit for bit."""

from rules import rule
from terms import implies

FILE = "dialect/ops/Folders.cpp"


@rule(of=("NegateOp::fold", "ScaleOp::fold"))
def negated_twice(t):
    """-(-x) = x, and x 1 = x."""
    x, = t.numbers("x")
    one = t.either(1, -1)
    t.claim(-(-x) == one * x, x * one == x)


@rule(of="RoundOp::fold")
def rounded_twice(t):
    """round(round(x)) = round(x), if round leaves the numbers of its format as they are."""
    x, = t.numbers("x")
    round_, = t.functions("round")
    is_number = t.function("is_number", ["Real"], "Bool")
    t.assume(is_number(round_(x)))
    t.condition(implies(is_number(round_(x)), round_(round_(x)) == round_(x)))
    t.claim(round_(round_(x)) == round_(x))


@rule(of="RepeatOp::fold")
def one_repetition(t):
    """x[i div 1] = x[i]."""
    x, = t.tensors("x", 1)
    i, times = t.integers("i times")
    t.condition(times == 1)
    t.claim(x(i // times) == x(i))


@rule(of="RearrangeOp::fold")
def inverse_rearrangements(t):
    """x[join(high(h), low(h))] = x[h], and the entry i, j of a merged axis that is split again is entry i, j."""
    x, = t.tensors("x", 1)
    y, = t.tensors("y", 2)
    a, b = t.axes("a b")
    merged = t.merged(a, b)
    h, i, j = t.index(merged), t.index(a), t.index(b)
    low = t.either(merged.low(h), merged.high(h))
    t.claim(x(merged.join(merged.high(h), low)) == x(h))
    pair = merged.join(i, j)
    t.claim(y(merged.high(pair), merged.low(pair)) == y(i, j))
