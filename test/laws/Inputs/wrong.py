# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules that prove.py must refuse."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import prove  # noqa: E402
import rules  # noqa: E402
from rules import rule  # noqa: E402
from terms import ite, number  # noqa: E402

FILE = "test/laws/Inputs/wrong.py"


@rule(of="wrong")
def forgotten_sign(t):
    """max(s x, 0) = s max(x, 0) for every s."""
    s, x = t.numbers("s x")
    zero = t.either(0, 1)
    t.claim(ite(s * x >= 0, s * x, zero) == s * ite(x >= 0, x, zero))


@rule(of="wrong")
def needless(t):
    """s x = x s, for s > 0."""
    s, x = t.numbers("s x")
    t.condition(s > 0)
    t.claim(s * x == x * s)


@rule(of="wrong")
def contradiction(t):
    """Everything follows from s > 0 and s < 0."""
    s, = t.numbers("s")
    t.condition(s > 0)
    t.assume(s < 0)
    t.claim(s == 1)


@rule(of="wrong")
def alone(t):
    """x + 0 = x."""
    x, = t.numbers("x")
    t.claim(x + number(0) == x)


@rule(of="wrong")
def term_by_term(t):
    """Σ f g = Σ f Σ g."""
    f, g = t.tensors("f g", 1)
    k = t.axis("k")
    one = t.either(1, 2)
    t.claim(t.sum(k, lambda p: f(p) * g(p)) == one * t.sum(k, f) * t.sum(k, g))


@rule(of="wrong")
def one_variable_for_two_sums(t):
    """Σ_i Σ_j f[i, j] = Σ_i Σ_j f[i, i], over the same axis twice."""
    f, = t.tensors("f", 2)
    k = t.axis("k")
    one = t.either(1, 2)
    t.claim(t.sum(k, lambda p: t.sum(k, lambda q: f(p, q))) == one * t.sum(k, lambda p: t.sum(k, lambda q: f(p, p))))


@rule(of="wrong")
def terms_equal_on_the_diagonal(t):
    """Σ_i Σ_j f[i, j] = Σ_i Σ_j g[i, j] if f[i, i] = g[i, i]."""
    f, g = t.tensors("f g", 2)
    k = t.axis("k")
    one = t.either(1, 2)
    t.assume(t.each(k, lambda p: f(p, p) == g(p, p)))
    t.same_pairs(k, k, f, g)
    t.claim(t.sum(k, lambda p: t.sum(k, lambda q: f(p, q))) == one * t.sum(k, lambda p: t.sum(k, lambda q: g(p, q))))


prove.load = lambda: [each for each in rules.RULES if each.file == FILE]
prove.main()
