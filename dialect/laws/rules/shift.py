# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shift laws: what a result lacks if an operand lacks a row.

The program has x - r where the equations have x; r is the same at every position. Each rule has the operation of the
program plus what it lacks on the left, and the operation of the equations on the right.
"""

from rules import rule
from terms import ite, number

FILE = "dialect/laws/ShiftLaws.cpp"


@rule(of=("MultiplyOp::shiftLaw", "DivideOp::shiftLaw", "productLaw", "applied"))
def product(t):
    """(x - r) w + r w = x w, and the same for a quotient."""
    x, r, w = t.numbers("x r w")
    lacks = t.either(r, -r)
    t.claim((x - r) * w + lacks * w == x * w, (x - r) / w + lacks / w == x / w)


@rule(of=("ContractOp::shiftLaw", "sumsAllOfRow", "unknown"))
def contraction(t):
    """Σ_k (x[n, k] - r[k]) W[k, c] + Σ_k r[k] W[k, c] = Σ_k x[n, k] W[k, c], also if W is not a weight."""
    x, W = t.tensors("x W", 2)
    r, = t.tensors("r", 1)
    n, k, c = t.axes("n k c")
    i, j = t.index(n), t.index(c)
    sign = t.either(1, -1)
    t.claim(t.sum(k, lambda p: (x(i, p) - r(p)) * W(p, j)) + sign * t.sum(k, lambda p: r(p) * W(p, j))
            == t.sum(k, lambda p: x(i, p) * W(p, j)))


@rule(of=("isAverage", "sumsNoneOfRow"))
def average(t):
    """Σ_m P[n, m] (V[m, c] - r[c]) + r[c] = Σ_m P[n, m] V[m, c] if the rows of P sum to 1."""
    P, V = t.tensors("P V", 2)
    r, = t.tensors("r", 1)
    n, m, c = t.axes("n m c")
    i, j = t.index(n), t.index(c)
    t.condition(t.sum(m, lambda p: P(i, p)) == 1)
    t.claim(t.sum(m, lambda p: P(i, p) * (V(p, j) - r(j))) + r(j) == t.sum(m, lambda p: P(i, p) * V(p, j)))


@rule(of="SoftmaxOp::rowsSumToOne")
def rows_sum_to_one(t):
    """Σ_j e^(x_j) / Σ_k e^(x_k) = 1 over the keys that a mask shows, if it shows one, without a sink."""
    x, = t.tensors("x", 2)
    shows, = t.masks("shows")
    sink, = t.numbers("sink")
    n, m = t.axes("n m")
    i, seen = t.index(n), t.index(m)
    t.condition(shows(i, seen))
    t.condition(sink == 0)
    t.assume(sink >= 0)

    def entry(p):
        return ite(shows(i, p), t.exp(x(i, p)), number(0))
    total = t.at_least(m, entry, seen) + sink
    t.claim(t.sum(m, lambda p: entry(p) / total) == 1)


@rule(of=("AddOp::shiftLaw", "SubtractOp::shiftLaw", "passed"))
def sum_of_two(t):
    """(x - r) + y lacks r, (x - r) - y lacks r, and x - (y - r) lacks -r."""
    x, y, r = t.numbers("x y r")
    lacks = t.either(-r, r)
    t.claim((x - r) + y + r == x + y, (x - r) - y + r == x - y, x - (y - r) + lacks == x - y)


@rule(of=("NegateOp::shiftLaw", "ScaleOp::shiftLaw"))
def factor(t):
    """c (x - r) + c r = c x; -(x - r) lacks -r."""
    x, c, r = t.numbers("x c r")
    lacks = t.either(-r, r)
    t.claim(c * (x - r) + c * r == c * x, -(x - r) + lacks == -x)


@rule(of=("SoftmaxOp::shiftLaw", "forgotten"))
def softmax(t):
    """e^(x_j - r) / Σ_k e^(x_k - r) = e^(x_j) / Σ_k e^(x_k) if r is the same for all keys, and there is no sink."""
    x, = t.tensors("x", 2)
    shows, = t.masks("shows")
    r, sink = t.numbers("r sink")
    n, m = t.axes("n m")
    i, j = t.index(n), t.index(m)
    t.assume(shows(i, j) & (sink >= 0))
    t.condition(sink == 0)

    def entry(p):
        return ite(shows(i, p), number(1), number(0)) * t.exp(x(i, p))

    def shifted(p):
        return ite(shows(i, p), number(1), number(0)) * t.exp(x(i, p) - r)
    factor = t.exp(r)
    t.claim(factor / factor == 1)
    total, of_shifted = t.at_least(m, entry, j), t.sum(m, shifted)
    t.claim(total == of_shifted * factor, entry(j) == shifted(j) * factor)
    t.claim_quotients((shifted(j), of_shifted + sink), (entry(j), total + sink))


@rule(of="StandardizeOp::shiftLaw")
def standardization(t):
    """(x_j - r) - mean(x - r) = x_j - mean(x) if r is the same for all columns: the norm does not depend on r."""
    x, = t.tensors("x", 1)
    r, = t.numbers("r")
    k = t.axis("k")
    j = t.index(k)
    by = t.either(1, 2)
    t.claim(k.size * (1 / k.size) == 1)
    t.claim((x(j) - r) - t.mean(k, lambda p: x(p) - by * r) == x(j) - t.mean(k, x))


@rule(of="MeanOp::shiftLaw")
def mean(t):
    """mean(x - r) + r = mean(x) for a number r; if r varies along the axis, mean(x - r) + mean(r) = mean(x)."""
    x, r = t.tensors("x r", 1)
    one, = t.numbers("one")
    k = t.axis("k")
    sign = t.either(1, -1)
    t.claim(k.size * (1 / k.size) == 1)
    t.claim(t.mean(k, lambda p: x(p) - one) + one == t.mean(k, x))
    t.claim(t.mean(k, lambda p: x(p) - r(p)) + sign * t.mean(k, r) == t.mean(k, x))


@rule(of="SumOp::shiftLaw")
def total(t):
    """Σ (x - r) + Σ r = Σ x for an r that varies along the axis."""
    x, r = t.tensors("x r", 1)
    k = t.axis("k")
    sign = t.either(1, -1)
    t.claim(t.sum(k, lambda p: x(p) - r(p)) + sign * t.sum(k, r) == t.sum(k, x))


@rule(of=("SelectOp::shiftLaw", "RepeatOp::shiftLaw", "SliceOp::shiftLaw", "RearrangeOp::shiftLaw"))
def moved_entries(t):
    """(x - r)[g(i)] + r[g(i)] = x[g(i)]: entries and row move alike, by the same positions."""
    x, r = t.tensors("x r", 1)
    g, h = (t.function(name, ["Int"], "Int") for name in "gh")
    i, = t.integers("i")
    t.condition(h(i) == g(i))
    t.claim(x(g(i)) - r(g(i)) + r(h(i)) == x(g(i)))
