# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps: row r of a step is row first + r of the entry over the whole sequence."""

from rules import rule
from terms import implies, ite, number

FILE = "compiler/stage/DeriveSteps.cpp"


@rule(of=("xf-derive-steps", "buildRows"))
def rows_of_a_step(t):
    """f(x')[r] = f(x)[first + r] if x'[r] = x[first + r] and f has the batch law Rows (see there)."""
    x, step = t.tensors("x step", 2)
    f, = t.functions("f")
    first, r, c = t.integers("first r c")
    t.condition(step(r, c) == x(first + r, c))
    t.claim(f(step(r, c)) == f(x(first + r, c)))


class Step:
    """Keys of all n positions, of which a step has seen the first m; the query is at position i = first + r."""

    def __init__(self, t):
        self.n, self.seen = t.axis("n", in_mutants=3), t.axis("m")
        self.first, self.r = t.integers("first r")
        self.i = self.first + self.r
        t.assume((self.first >= 0) & (self.r >= 0) & (self.i < self.seen.size) & (self.seen.size <= self.n.size))
        self.shows, = t.masks("shows")
        t.condition(t.each(self.n, lambda p: implies(self.shows(self.i, p), p <= self.i)))


@rule(of=("buildSoftmax", "all of them are in `n.seen`"))
def softmax_of_a_step(t):
    """A causal softmax over the keys seen so far is that over all keys: later keys are hidden from row first + r."""
    step = Step(t)
    S, = t.tensors("S", 2)
    j = t.index(step.seen, "j")

    def entry(p):
        return ite(step.shows(step.i, p), t.exp(S(step.i, p)), number(0))
    t.without_tail(step.n, step.seen, entry)
    t.claim(entry(j) / t.sum(step.n, entry) == entry(j) / t.sum(step.seen, entry))


@rule(of="Builds a softmax: over the keys of a causal mask")
def softmax_of_other_rows(t):
    """A mask over rows that are not those of the sequence shows row r of a step what it shows row r of the entry."""
    S, = t.tensors("S", 2)
    shows, = t.masks("shows")
    first, r = t.integers("first r")
    k = t.axis("k")
    j = t.index(k, "j")
    position = t.either(r, first + r)
    t.assume((first >= 0) & shows(r, j))

    def entry(at):
        return lambda p: ite(shows(at, p), t.exp(S(r, p)), number(0))
    t.claim(entry(position)(j) / t.sum(k, entry(position)) == entry(r)(j) / t.sum(k, entry(r)))


@rule(of="buildContraction")
def mixture_of_a_step(t):
    """Σ_j P[i, j] V[j, c] over the keys seen so far is that over all keys, since P is 0 for later ones."""
    step = Step(t)
    P, V = t.tensors("P V", 2)
    c, = t.integers("c")

    def term(p):
        return ite(step.shows(step.i, p), P(step.i, p), number(0)) * V(p, c)
    t.without_tail(step.n, step.seen, term)
    t.claim(t.sum(step.n, term) == t.sum(step.seen, term))


@rule(of="cache_write %K in @decode.0 from %first")
def cached_rows(t):
    """A cache holds row t of the entry at t, by induction: a step writes x'[r] = x[first + r] at first + r."""
    x, step, before, after = t.tensors("x step before after", 2)
    first, count, p, c = t.integers("first count p c")
    t.assume((first >= 0) & (count >= 1) & (p >= 0) & (p < first + count))
    t.assume(implies(p < first, before(p, c) == x(p, c)))
    t.assume(step(p - first, c) == x(first + (p - first), c))
    t.condition(after(p, c) == ite(p >= first, step(p - first, c), before(p, c)))
    t.claim(after(p, c) == x(p, c))


@rule(of="buildTable(xf::TabulateOp op)")
def table_of_a_step(t):
    """T'[r] = f(first + r) is row first + r of T[t] = f(t); a slice of a table from first on is alike."""
    f, table = t.tensors("f table", 1)
    first, r, offset = t.integers("first r offset")
    begin = t.either(first, 0)
    t.claim(f(begin + r) == f(first + r), table((begin + offset) + r) == table((first + r) + offset))


@rule(of=("buildTableOfRows", "inStep"))
def table_of_rows_of_a_step(t):
    """T'[r] = f(x'[r], first + r) is row first + r of T[t] = f(x[t], t), and y[j] is read from all rows so far."""
    x, step, y = t.tensors("x step y", 1)
    f = t.function("f", ["Real", "Real", "Int", "Int"], "Real")
    first, r, j = t.integers("first r j")
    t.assume(step(r) == x(first + r))
    place = t.either(first + r, r)
    t.claim(f(step(r), y(j), place, j) == f(x(first + r), y(j), first + r, j))


@rule(of="buildDelay")
def delay_of_a_step(t):
    """all[first + r - k], or 0 before the first row, is row first + r of x[t - k], if all rows so far are those of x.
    """
    x, all_rows = t.tensors("x all_rows", 1)
    first, r, k = t.integers("first r k")
    i = first + r
    t.condition(implies(i - k >= 0, all_rows(i - k) == x(i - k)))
    t.claim(ite(i >= k, all_rows(i - k), number(0)) == ite(i >= k, x(i - k), number(0)))


@rule(of=("buildScan", "stateBefore"))
def continued_recurrence(t):
    """From the state after position first, r more positions have the states of the whole sequence, by induction over r.
    """
    S, step, x, row = t.tensors("S step x row", 1)
    f = t.function("f", ["Real", "Real"], "Real")
    first, r = t.integers("first r")
    kept, init = t.numbers("kept init")
    t.assume((first >= 0) & (r >= 0) & (S(0) == init) & implies(first > 0, kept == S(first)))
    begin = ite(first == 0, init, kept)
    t.claim(begin == S(first))  # the base
    t.assume((step(r) == S(first + r)) & (row(r) == x(first + r)))
    t.assume((S(first + r + 1) == f(S(first + r), x(first + r))) & (step(r + 1) == f(step(r), row(t.either(r, r + 1)))))
    t.claim(step(r + 1) == S(first + r + 1))


@rule(of=("buildLayers",), tested="test/stage/derive-steps.mlir")
def layers_of_a_step(t):
    """The loop of a step runs the same layers on the rows of the step."""


@rule(of=("static bool isTable", "Such rows are recomputed"))
def tables_are_recomputed(t):
    """Rows that depend on positions and weights alone are those of position 0 on: no cache is needed."""
    f, = t.tensors("f", 1)
    p, first = t.integers("p first")
    t.condition(first == 0)
    t.claim(f(first + p) == f(p))


@rule(of="stage::cheapestCut", file="compiler/stage/Caches.cpp")
def cache_before_repetition(t):
    """K'[h, t] = K[h div g, t] is repeated from the rows of K that a cache keeps."""
    K, kept = t.tensors("K kept", 2)
    heads = t.axis("heads")
    h, g, p = t.integers("h g p")
    t.assume((g >= 1) & (h >= 0) & (h // g < heads.size))
    t.condition(t.each(heads, lambda q: kept(q, p) == K(q, p)))
    t.claim(kept(h // g, p) == K(h // g, p))


@rule(of=("buildBegin", "A value of the request"))
def values_of_the_request(t):
    """A value that depends on no token is the same in each step: f(m) for the memory m."""
    m, kept, = t.numbers("m kept")
    f, = t.functions("f")
    t.condition(kept == m)
    t.claim(f(kept) == f(m))


@rule(of="BindingTimes::visit", file="compiler/stage/BindingTimes.cpp", tested="test/stage/derive-steps.mlir")
def moments(t):
    """A value is as late as its latest operand: a monotone analysis over weights < request < step."""


@rule(of=("stage::selectWantedRows", "gathering rows before or after"), file="compiler/stage/WantedRows.cpp")
def wanted_rows(t):
    """Σ_k f(x[w(r), k]) W[k, c] is row w(r) of Σ_k f(x[n, k]) W[k, c]: rows are selected before or after.

    Rows must be the first axis of the result, too.
    """
    x, W = t.tensors("x W", 2)
    f, = t.functions("f")
    w = t.function("wanted", ["Int"], "Int")
    k = t.axis("k")
    r, n, c = t.integers("r n c")
    t.condition(w(r) == n)
    t.same(k, lambda p: f(x(w(r), p)) * W(p, c), lambda p: f(x(n, p)) * W(p, c))
    t.claim(t.sum(k, lambda p: f(x(w(r), p)) * W(p, c)) == t.sum(k, lambda p: f(x(n, p)) * W(p, c)))
