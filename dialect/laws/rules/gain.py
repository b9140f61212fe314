# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gain laws: what a result lacks if an operand lacks a factor for each column.

The program has x where the equations have x g; g may depend on the column only. Each rule has the operation of the
program, times what it lacks, on the left, and the operation of the equations on the right.
"""

from rules import rule
from terms import ite

FILE = "dialect/laws/GainLaws.cpp"


@rule(of="ContractOp::gainLaw")
def contraction_absorbs(t):
    """Σ_k x[n, k] (g[k] W[k, c]) = Σ_k (x[n, k] g[k]) W[k, c]: a gain along the sum is absorbed by a weight."""
    x, W = t.tensors("x W", 2)
    g, = t.tensors("g", 1)
    n, k, c = t.axes("n k c")
    i, j = t.index(n), t.index(c)
    sign = t.either(1, -1)
    t.claim(t.sum(k, lambda p: x(i, p) * (sign * g(p) * W(p, j)))
            == t.sum(k, lambda p: (x(i, p) * g(p)) * W(p, j)))


@rule(of="if (auto passed = byLabels(gain.channels, own, getLabels()))")
def contraction_passes(t):
    """g[n] Σ_k x[n, k] W[k, c] = Σ_k (g[n] x[n, k]) W[k, c]: a gain along an axis of the result passes."""
    x, W = t.tensors("x W", 2)
    g, = t.tensors("g", 1)
    n, k, c = t.axes("n k c")
    i, j = t.index(n), t.index(c)
    place = t.either(i, j)
    t.claim(g(place) * t.sum(k, lambda p: x(i, p) * W(p, j)) == t.sum(k, lambda p: (g(i) * x(i, p)) * W(p, j)))


@rule(of=("isAnySeen",))
def contraction_of_merged_axes(t):
    """A gain over two summed axes is absorbed: Σ_h Σ_k x[h, k] (g[h, k] W[h, k, c]) = Σ_h Σ_k (x[h, k] g[h, k]) W[h, k,
    c].
    """
    x, g = t.tensors("x g", 2)
    W, = t.tensors("W", 3)
    h, k, c = t.axes("h k c")
    j = t.index(c)
    sign = t.either(1, -1)
    t.claim(t.sum(h, lambda p: t.sum(k, lambda q: x(p, q) * (sign * g(p, q) * W(p, q, j))))
            == t.sum(k, lambda q: t.sum(h, lambda p: (x(p, q) * g(p, q)) * W(p, q, j))))


@rule(of=("MultiplyOp::gainLaw", "DivideOp::gainLaw", "productLaw"))
def product(t):
    """g (x y) = (g x) y and g (x / y) = (g x) / y, if the other operand lacks nothing."""
    x, y, g, other = t.numbers("x y g other")
    t.condition(other == 1)
    t.claim(g * (x * y) == (g * x) * (other * y), g * (x / y) == (g * x) / (other * y))


@rule(of=("NegateOp::gainLaw", "ScaleOp::gainLaw"))
def factor(t):
    """g (c x) = c (g x), and g (-x) = -(g x)."""
    x, c, g = t.numbers("x c g")
    lacks = t.either(g, -g)
    t.claim(lacks * (c * x) == c * (g * x), lacks * -x == -(g * x))


@rule(of=("MeanOp::gainLaw", "SumOp::gainLaw"))
def reduction(t):
    """g[c] Σ_n x[n, c] = Σ_n g[c] x[n, c], along another axis than that of the gain; and the same for a mean."""
    x, = t.tensors("x", 2)
    g, = t.tensors("g", 1)
    n, c = t.axes("n c")
    j, other = t.index(c), t.index(c, "other")
    place = t.either(j, other)
    t.claim(g(place) * t.sum(n, lambda p: x(p, j)) == t.sum(n, lambda p: g(j) * x(p, j)))
    t.claim(g(place) * t.mean(n, lambda p: x(p, j)) == t.mean(n, lambda p: g(j) * x(p, j)))


@rule(of=("SelectOp::gainLaw", "SliceOp::gainLaw", "DelayOp::gainLaw"))
def other_positions(t):
    """g[c] x[f(n), c] = (g x)[f(n), c], and g[c] 0 = 0, along another axis than that of the gain."""
    x, = t.tensors("x", 2)
    g, = t.tensors("g", 1)
    f = t.function("f", ["Int"], "Int")
    i, j, by = t.integers("i j by")
    outside = t.either(0, 1)
    t.claim(ite(i < by, g(j) * outside, g(j) * x(f(i), j)) == ite(i < by, outside, g(j) * x(f(i), j)))


@rule(of="RepeatOp::gainLaw")
def repetition(t):
    """Repeated positions have the index of the position that they repeat: g[num[i div r]] x[i div r] = (g x)[i div r].
    """
    x, g = t.tensors("x g", 1)
    numbers = t.function("num", ["Int"], "Int")
    i, r = t.integers("i r")
    t.assume(r >= 1)
    place = t.either(i // r, i)
    t.claim(g(numbers(place)) * x(i // r) == g(numbers(i // r)) * x(i // r))


@rule(of=("RearrangeOp::gainLaw", "readAlong"))
def rearrangement(t):
    """A merged axis has the indices of all its positions: g[join(i, c)] of x[i, c] at h = join(i, c) is g[h]."""
    x, g = t.tensors("x g", 2)
    one, other = t.axes("a b")
    merged = t.merged(one, other)
    h = t.index(merged)
    high = t.either(merged.high(h), merged.low(h))
    t.claim(g(high, merged.low(h)) * x(merged.high(h), merged.low(h))
            == g(merged.high(h), merged.low(h)) * x(merged.high(h), merged.low(h)))
