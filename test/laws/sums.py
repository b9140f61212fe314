# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The laws that rules use (world.py): of sums, each by induction over the number of terms, and of roots.

A sum of n terms is a function S with S(0) = 0 and S(n + 1) = S(n) + f(n); nothing else is assumed. Each law has a base
and a step, and the step may use what the law says for n. Earlier laws may be used by later ones.
"""

from __future__ import annotations

from rules import rule
from terms import Function, Term, Value, implies, ite, number, real
from world import World

FILE = "test/laws/sums.py"


def partial_sums(t: World, name: str, term: Function, *counts: Value) -> Function:
    """S with S(0) = 0, and S(n + 1) = S(n) + f(n) for these n."""
    total = t.function(name, ["Int"], "Real")
    t.assume(total(0) == 0)
    for n in counts:
        t.assume(total(n + 1) == total(n) + term(n))
    return total


def count(t: World) -> Term:
    n = t.constant("n", "Int")
    t.assume(n >= 0)
    return n


def induction(t: World, holds: Function, n: Term, first: int = 0) -> None:
    """Claims the base, and the step from n to n + 1."""
    base, assumptions = holds(number(first, "Int")), list(t.assumptions)
    t.claim(base)
    t.assumptions = [*assumptions, n >= first, holds(n)]
    t.claim(holds(n + 1))


@rule(of="partial_sums")
def factor(t: World) -> None:
    """Σ c f = c Σ f."""
    c, = t.numbers("c")
    f, = t.tensors("f", 1)
    n = count(t)
    one, other = partial_sums(t, "S", lambda k: c * f(k), n), partial_sums(t, "T", f, n)
    by = t.either(c, c * c)
    induction(t, lambda k: one(k) == by * other(k), n)


@rule(of="partial_sums")
def addition(t: World) -> None:
    """Σ (f + g) = Σ f + Σ g."""
    f, g = t.tensors("f g", 1)
    n, sign = count(t), t.either(1, -1)
    both = partial_sums(t, "S", lambda k: f(k) + g(k), n)
    one, other = partial_sums(t, "T", f, n), partial_sums(t, "U", g, n)
    induction(t, lambda k: both(k) == one(k) + sign * other(k), n)


@rule(of="partial_sums")
def counting(t: World) -> None:
    """Σ 1 = n."""
    n, each = count(t), t.either(1, 2)
    ones = partial_sums(t, "S", lambda k: each, n)
    induction(t, lambda k: ones(k) == real(k), n)


@rule(of="partial_sums")
def equal_terms(t: World) -> None:
    """Σ f = Σ g if f(k) = g(k) for all k."""
    f, g = t.tensors("f g", 1)
    n = count(t)
    t.condition(f(n) == g(n))
    one, other = partial_sums(t, "S", f, n), partial_sums(t, "T", g, n)
    induction(t, lambda k: one(k) == other(k), n)


@rule(of="partial_sums")
def exchange(t: World) -> None:
    """Σ_i Σ_j f(i, j) = Σ_j Σ_i f(i, j)."""
    f, columns, g = t.tensors("f columns g", 2)
    rows, = t.tensors("rows", 1)  # Σ_j f(i, j)
    n, m = t.integers("n m")
    t.assume(n >= 0)
    by_rows = partial_sums(t, "S", rows, n)
    by_columns = t.function("T", ["Int"], "Real")  # of n: Σ_j Σ_{i < n} f(i, j)
    t.assume(by_columns(0) == 0)  # equal_terms: each inner sum is 0
    # addition: Σ_j (Σ_{i < n} f(i, j) + f(n, j)).
    t.assume(by_columns(n + 1) == by_columns(n) + t.either(1, 2) * rows(n))
    induction(t, lambda k: by_rows(k) == by_columns(k), n)


@rule(of="partial_sums")
def parts(t: World) -> None:
    """Σ of m + n terms is Σ of the first m, and Σ of f(m + k) for the following n."""
    f, = t.tensors("f", 1)
    m, = t.integers("m")
    n, start = count(t), t.either(m, m + 1)
    t.assume(m >= 0)
    whole = partial_sums(t, "S", f, m + n)
    rest = partial_sums(t, "T", lambda k: f(start + k), n)
    induction(t, lambda k: whole(m + k) == whole(m) + rest(k), n)


@rule(of="partial_sums")
def pairs(t: World) -> None:
    """Σ_{h < a b} f(h) = Σ_{i < a} Σ_{j < b} f(i b + j)."""
    inner, = t.tensors("inner", 1)  # Σ_{j < b} f(i b + j)
    a, b = t.integers("a b")
    t.assume((a >= 0) & (b >= 0))
    whole, outer = t.function("S", ["Int"], "Real"), partial_sums(t, "T", inner, a)
    t.assume(whole(0) == 0)
    # parts: Σ of a b + b terms.
    t.assume(whole(a * b + b) == whole(a * b) + t.either(1, -1) * inner(a))
    induction(t, lambda k: whole(k * b) == outer(k), a)


@rule(of="partial_sums")
def digits(t: World) -> None:
    """(i b + j) div b = i, and the remainder is j, if 0 <= j < b."""
    i, j, b, q, r = t.integers("i j b q r")
    t.assume((j >= 0) & (r >= 0) & (r < b) & (i * b + j == q * b + r))
    t.condition(j < b)
    # The definition of quotient and remainder is that of q and r; that they are unique is the claim.
    t.claim((q <= i) & (q >= i))
    t.claim(r == j)


@rule(of="partial_sums")
def positive_terms(t: World) -> None:
    """Σ f > 0 if f(k) > 0 for all k, and there is one."""
    f, = t.tensors("f", 1)
    n = count(t)
    t.condition(f(n) > 0)
    t.assume(f(0) > 0)
    total = partial_sums(t, "S", f, number(0, "Int"), n)
    induction(t, lambda k: total(k) > 0, n, first=1)


@rule(of="partial_sums")
def terms_not_negative(t: World) -> None:
    """Σ f >= f(p) for each p, if f(k) >= 0 for all k."""
    f, = t.tensors("f", 1)
    p, = t.integers("p")
    n = count(t)
    t.condition(f(n) >= 0)
    t.assume(f(p) >= 0)
    total = partial_sums(t, "S", f, n)
    induction(t, lambda k: (total(k) >= 0) & implies((p >= 0) & (p < k), total(k) >= f(p)), n)


@rule(of="partial_sums")
def squares(t: World) -> None:
    """Σ f² >= 0."""
    f, = t.tensors("f", 1)
    n, sign = count(t), t.either(1, -1)
    total = partial_sums(t, "S", lambda k: sign * (f(k) * f(k)), n)
    induction(t, lambda k: total(k) >= 0, n)


@rule(of="partial_sums")
def zeros_at_the_end(t: World) -> None:
    """Σ of m + n terms is Σ of the first m, if all others are 0."""
    f, = t.tensors("f", 1)
    m, = t.integers("m")
    n = count(t)
    t.assume(m >= 0)
    t.condition(f(m + n) == 0)
    total = partial_sums(t, "S", f, m + n)
    induction(t, lambda k: total(m + k) == total(m), n)


@rule(of="partial_sums")
def one_term(t: World) -> None:
    """Σ f = f(p) if f(k) = 0 for all other k."""
    f, = t.tensors("f", 1)
    p, = t.integers("p")
    n = count(t)
    t.assume(p >= 0)
    t.condition(implies(n != p, f(n) == 0))
    total = partial_sums(t, "S", f, n)
    induction(t, lambda k: implies(k <= p, total(k) == 0) & implies(k > p, total(k) == f(p)), n)


@rule(of="def roots", file="test/laws/world.py")
def roots_of_squares(t: World) -> None:
    """|s| / √(s² x) = 1 / √x."""
    s, x, y, root, root_of_y = t.numbers("s x y root root_of_y")
    t.assume((root > 0) & (root_of_y > 0) & (root * root * x == 1) & (root_of_y * root_of_y * y == 1) & (s != 0))
    t.condition(y == s * s * x)
    size = ite(s > 0, s, -s)
    # (u |s| - v) (u |s| + v) = 0, where the second factor is positive.
    u, v = root_of_y, root
    t.claim(x != 0, (u * u * s * s - v * v) * x == 0, u * u * s * s - v * v == 0)
    t.claim((u * size - v) * (u * size + v) == 0, u * size + v > 0, u * size - v == 0)
