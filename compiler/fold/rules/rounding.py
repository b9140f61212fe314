# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The errors of what is rounded on request: the equations change, by at most this much."""

from rules import rule
from terms import ite, number

FILE = "compiler/fold/RoundProducts.cpp"


def size(x):
    return ite(x >= 0, x, -x)


def bounded_sum(t, k, error, bound):
    """Claims |Σ error| <= Σ bound from |error| <= bound at each position."""
    above = t.not_negative(k, lambda p: bound(p) - error(p))
    below = t.not_negative(k, lambda p: bound(p) + error(p))
    t.claim(above >= 0, below >= 0, size(t.sum(k, error)) <= t.sum(k, bound))


@rule(of=("xf-round-products", "Σ r |W| / 2"))
def sum_of_integers(t):
    """|Σ_k y[k] W[k] - Σ_k x[k] W[k]| <= Σ_k r / 2 |W[k]| if each |y[k] - x[k]| <= r / 2."""
    x, y, W = t.tensors("x y W", 1)
    r, = t.numbers("r")
    k = t.axis("k")
    t.condition(t.each(k, lambda p: size(y(p) - x(p)) <= r / 2))
    bounded_sum(t, k, lambda p: y(p) * W(p) - x(p) * W(p), lambda p: r / 2 * size(W(p)))


def rounded_to_half(t, x, r, q):
    """Claims what follows from |q - x / r| <= 1/2."""
    error, value = t.numbers("error value")
    t.assume((r > 0) & (value == x) & (error == q - value / r))
    t.condition(size(error) <= number(1) / 2)
    t.claim(r * (1 / r) == 1, r * error == r * q - value)
    t.claim(r * (number(1) / 2 - error) >= 0, r * (number(1) / 2 + error) >= 0)


@rule(of="each x has an error of at most r / 2")
def element_of_integers(t):
    """|r q - x| <= r / 2 if q is an integer with |q - x / r| <= 1/2, and r > 0."""
    x, r, q = t.numbers("x r q")
    rounded_to_half(t, x, r, q)
    t.claim(size(r * q - x) <= r / 2)


@rule(of=("|δ| ≤ 2^-9", "2^-9 Σ |x W|"))
def sum_of_bfloat16(t):
    """|Σ_k y[k] W[k] - Σ_k x[k] W[k]| <= 2^-9 Σ_k |x[k] W[k]| if each |y[k] - x[k]| <= 2^-9 |x[k]|."""
    x, y, W = t.tensors("x y W", 1)
    k = t.axis("k")
    part = number(1) / 512
    t.condition(t.each(k, lambda p: size(y(p) - x(p)) <= part * size(x(p))))
    bounded_sum(t, k, lambda p: y(p) * W(p) - x(p) * W(p), lambda p: part * size(x(p) * W(p)))


@rule(of="Rounding commutes with permutations")
def rounding_of_moved_entries(t):
    """round(x)[g(i)] = round(x[g(i)])."""
    x, = t.tensors("x", 1)
    g, other = (t.function(name, ["Int"], "Int") for name in ("g", "other"))
    round_, = t.functions("round")
    i, = t.integers("i")
    t.condition(g(i) == other(i))
    t.claim(round_(x(g(i))) == round_(x(other(i))))


@rule(of=("xf-quantize-weights", "at most d / 2"), file="compiler/fold/QuantizeWeights.cpp")
def element_of_a_block(t):
    """|(d q + m) - w| <= d / 2 if q is an integer with |q - (w - m) / d| <= 1/2: d is the scale, m the minimum."""
    w, d, m, q = t.numbers("w d m q")
    rounded_to_half(t, w - m, d, q)
    t.claim(size(d * q + m - w) <= d / 2)
