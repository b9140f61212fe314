# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Causality: row i of a result depends on tokens 0 to i only.

Each rule has two values, x and X, that agree for all rows up to i, and so have the results at row i.
"""

from rules import rule
from terms import implies, ite, number

FILE = "compiler/stage/ProveCausality.cpp"


class Agreeing:
    """Two values whose rows agree up to row i."""

    def __init__(self, t, columns="c"):
        self.t = t
        self.x, self.other = t.tensors("x X", 2)
        self.n, self.c = t.axis("n"), t.axis(columns)
        self.i = t.index(self.n, "i")

    def agree(self, row):
        """Assumes that they agree in this row, which must be at most i."""
        equal = self.t.each(self.c, lambda p: self.x(row, p) == self.other(row, p))
        self.t.assume(implies((row >= 0) & (row <= self.i), equal))


@rule(of=("xf-prove-causality", "Reach byRows", "Reach byLabel"))
def own_rows(t):
    """Operations on single rows, and along the label of the rows, depend on row i for row i."""
    both = Agreeing(t)
    f = t.function("f", ["Real", "Real"], "Real")
    w, = t.tensors("w", 1)
    row = t.either(both.i, both.i + 1)
    both.agree(row)
    c = t.index(both.c, "place")
    t.claim(f(both.x(row, c), w(c)) == f(both.other(row, c), w(c)))


@rule(of="Reach ofSoftmax")
def causal_softmax(t):
    """A softmax of scores S[i, j], masked by j <= i, depends on tokens up to i, if S[i, j] depends on those up to i and
    j.
    """
    S, T = t.tensors("S T", 2)
    shows, = t.masks("shows")
    n = t.axis("n")
    i, j = t.index(n, "i"), t.index(n, "j")
    t.assume(t.each(n, lambda p: implies(p <= i, S(i, p) == T(i, p))))
    t.condition(t.each(n, lambda p: implies(shows(i, p), p <= i)))

    def entry(scores):
        return lambda p: ite(shows(i, p), t.exp(scores(i, p)), number(0))
    t.same(n, entry(S), entry(T))
    t.claim(entry(S)(j) / t.sum(n, entry(S)) == entry(T)(j) / t.sum(n, entry(T)))


@rule(of=("maskedBy", "maskedSoftmaxOf"))
def causal_mixture(t):
    """Σ_j P[i, j] V[j, c] depends on rows up to i of V if P[i, j] = 0 for j > i; so does a multiple of P."""
    P, V, W = t.tensors("P V W", 2)
    n = t.axis("n")
    i, c = t.index(n, "i"), *t.integers("c")
    factor, = t.numbers("factor")
    t.assume(t.each(n, lambda p: implies(p <= i, V(p, c) == W(p, c))))
    t.condition(t.each(n, lambda p: implies(p > i, P(i, p) == 0)))
    t.same(n, lambda p: factor * P(i, p) * V(p, c), lambda p: factor * P(i, p) * W(p, c))
    t.claim(t.sum(n, lambda p: factor * P(i, p) * V(p, c)) == t.sum(n, lambda p: factor * P(i, p) * W(p, c)))


@rule(of="[&](xf::DelayOp delay) { return of(delay.getInput()); }")
def delayed_rows(t):
    """x[i - k], or 0 before the first row, depends on rows up to i for k >= 0."""
    both = Agreeing(t)
    k, = t.integers("k")
    t.condition(k >= 0)
    both.agree(both.i - k)
    c = t.index(both.c, "place")
    delayed = [ite(both.i >= k, value(both.i - k, c), number(0)) for value in (both.x, both.other)]
    t.claim(delayed[0] == delayed[1])


@rule(of="Reach ofSlice")
def sliced_rows(t):
    """x[i + offset] depends on rows up to i if the offset is 0."""
    both = Agreeing(t)
    offset, = t.integers("offset")
    t.assume(offset >= 0)
    t.condition(offset == 0)
    both.agree(both.i + offset)
    c = t.index(both.c, "place")
    t.claim(both.x(both.i + offset, c) == both.other(both.i + offset, c))


@rule(of=("Reach ofTable", "indexOfRead"))
def table_of_rows(t):
    """B[i, j] = f(x[i], y[j]) depends on tokens up to i and j, if x is read at i itself, and y at j."""
    x, X, y, Y = t.tensors("x X y Y", 1)
    f = t.function("f", ["Real", "Real", "Int", "Int"], "Real")
    read = t.function("read", ["Int"], "Int")
    i, j = t.integers("i j")
    t.assume((x(i) == X(i)) & (y(j) == Y(j)))
    t.condition(read(i) == i)
    t.claim(f(x(read(i)), y(j), i, j) == f(X(read(i)), Y(j), i, j))


@rule(of="void visitScan(xf::ScanOp scan)")
def states(t):
    """The state after position t depends on rows up to t, by induction, if the region reads the row of its position."""
    S, T, x, X = t.tensors("S T x X", 1)
    f = t.function("f", ["Real", "Real"], "Real")
    n, = t.integers("t")
    t.assume((n >= 0) & (S(n + 1) == f(S(n), x(n))) & (T(n + 1) == f(T(n), X(n))) & (S(n) == T(n)))
    t.condition(x(n) == X(n))
    t.claim(S(n + 1) == T(n + 1))


@rule(of="void visitLayers(xf::LayersOp layers)", tested="test/stage/prove-causality.mlir")
def fixed_point(t):
    """What a carried value depends on grows until it does not change: the reaches of a loop are a fixed point."""
