# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Windows: a row that no reader reads may have any finite value."""

from rules import rule
from terms import implies, ite, number

FILE = "compiler/stage/BoundWindows.cpp"


@rule(of=("xf-bound-windows", "ofScores", "ofMask"))
def hidden_keys(t):
    """A softmax replaces the scores of hidden keys, whatever they were: keys before i - w + 1 are all hidden.

    Row r of a step from position first on is at i = first + r >= first, so i - j < w implies j > first - w.
    """
    S, released = t.tensors("S released", 2)
    shows, = t.masks("shows")
    n = t.axis("n")
    j = t.index(n, "j")
    first, r, w = t.integers("first r w")
    i = first + r
    t.assume(r >= 0)
    t.assume(t.each(n, lambda p: implies(shows(i, p), i - p < w)))
    t.condition(t.each(n, lambda p: implies(p > first - w, released(i, p) == S(i, p))))

    def entry(scores):
        return lambda p: ite(shows(i, p), t.exp(scores(i, p)), number(0))
    t.same(n, entry(S), entry(released))
    t.claim(entry(S)(j) / t.sum(n, entry(S)) == entry(released)(j) / t.sum(n, entry(released)))


@rule(of="ofSum")
def hidden_values(t):
    """Σ_j P[i, j] V[j, c] does not depend on V[j] for hidden keys j, for which P is 0."""
    P, V, released = t.tensors("P V released", 2)
    shows, = t.masks("shows")
    n = t.axis("n")
    first, r, w, c = t.integers("first r w c")
    i = first + r
    t.assume(r >= 0)
    t.assume(t.each(n, lambda p: implies(shows(i, p), i - p < w)))
    t.assume(t.each(n, lambda p: implies(p > first - w, released(p, c) == V(p, c))))
    t.condition(t.each(n, lambda p: implies(~shows(i, p), P(i, p) == 0)))
    t.same(n, lambda p: P(i, p) * V(p, c), lambda p: P(i, p) * released(p, c))
    t.claim(t.sum(n, lambda p: P(i, p) * V(p, c)) == t.sum(n, lambda p: P(i, p) * released(p, c)))


@rule(of="static_cast<int64_t>(delay.getBy()) + 1")
def delayed_rows(t):
    """x[first + r - k] is a row after first - w, for w = k + 1."""
    first, r, k = t.integers("first r k")
    t.assume(r >= 0)
    w = t.either(1, 0)
    t.claim(first + r - k > first - (k + w))


@rule(of=("static Window ofUses", "std::max(*all, *window)"))
def several_readers(t):
    """A row that one reader needs is in the largest window of all readers."""
    p, first, w, other, most = t.integers("p first w other most")
    t.assume((most >= other) & (p > first - w))
    t.condition(most >= w)
    t.claim(p > first - most)


@rule(of="back + 1 positions")
def window_of_a_mask(t):
    """i - j <= back is i - j < back + 1; a mask that only shows later keys needs the query's own position."""
    i, j, back = t.integers("i j back")
    t.condition(i - j <= back)
    t.claim(i - j < ite(back >= 0, back, number(0, "Int")) + 1)
