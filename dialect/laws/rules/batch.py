# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Batch laws: an operation whose law is Rows computes a row of its result from the same row of its operands.

Then rows may be of several sequences, one after another, of a step, or of a selection. So each rule is: if row i of X
is row r of x, at every column, then row i of the result for X is row r of the result for x. An operation whose law is
Sequences gets whole sequences, and needs no rule.
"""

from rules import rule
from terms import ite, number

FILE = "dialect/laws/BatchLaws.cpp"


class Rows:
    """Row i of X, which is row r of x."""

    def __init__(self, t):
        self.t = t
        self.all, self.one = t.tensors("X x", 2)
        self.n, self.m, self.k = t.axes("n m k")
        self.i, self.r = t.index(self.n, "i"), t.index(self.m, "r")
        read = t.either(self.i, self.i + 1)  # a mutant reads the next row
        t.assume(t.each(self.k, lambda p: self.all(self.i, p) == self.one(self.r, p)))
        self.row, self.own = (lambda p: self.all(read, p)), (lambda p: self.one(self.r, p))

    def sums(self, term):
        """Σ over the columns, for both: term(entry, column)."""
        self.t.same(self.k, lambda p: term(self.row(p), p), lambda p: term(self.own(p), p))
        return tuple(self.t.sum(self.k, lambda p, v=value: term(v(p), p)) for value in (self.row, self.own))


@rule(of=("sequencesIf", "BatchLaw::Rows"))
def pointwise(t):
    """f(x[n, c], w[c]): operations entry by entry; a table without a length, and a constant, are the same in each row.
    """
    rows = Rows(t)
    f = t.function("f", ["Real", "Real"], "Real")
    w, = t.tensors("w", 1)
    c = t.index(rows.k, "c")
    t.claim(f(rows.row(c), w(c)) == f(rows.own(c), w(c)))


@rule(of=("ContractOp::getBatchLaw", "ContractOp::sumsOverLength"))
def contraction(t):
    """Σ_k x[n, k] W[k, c], if only one operand has rows and the sum is not over them."""
    rows = Rows(t)
    W, = t.tensors("W", 2)
    c, = t.integers("c")
    one, other = rows.sums(lambda x, k: x * W(k, c))
    t.claim(one == other)


@rule(of="SoftmaxOp::getBatchLaw")
def softmax(t):
    """e^(x_j) / Σ_k e^(x_k) over the keys that a mask shows, if the mask does not compare them with the row."""
    rows = Rows(t)
    shows, = t.masks("shows")
    j = t.index(rows.k, "j")
    t.condition(t.each(rows.k, lambda p: shows(rows.i, p) == shows(rows.r, p)))

    def entry(value, row):
        return lambda p: ite(shows(row, p), t.exp(value(p)), number(0))
    one, other = entry(rows.row, rows.i), entry(rows.own, rows.r)
    t.same(rows.k, one, other)
    t.claim(one(j) / t.sum(rows.k, one) == other(j) / t.sum(rows.k, other))


@rule(of=("UnitOp::getBatchLaw", "StandardizeOp::getBatchLaw", "UnitRmsOp::getBatchLaw", "lawOfLastAxis"))
def norm(t):
    """(x_j - mean) / √(mean of squares + ε) of a row; any function of the row's sums."""
    rows = Rows(t)
    f = t.function("f", ["Real", "Real", "Real"], "Real")
    j = t.index(rows.k, "j")
    one, other = rows.sums(lambda x, k: x)
    squares, other_squares = rows.sums(lambda x, k: x * x)
    t.claim(f(rows.row(j), one, squares) == f(rows.own(j), other, other_squares))


@rule(of=("SumOp::getBatchLaw", "MeanOp::getBatchLaw"))
def reduction(t):
    """Σ_k x[n, k], or a mean, along an axis of fixed size."""
    rows = Rows(t)
    one, other = rows.sums(lambda x, k: x)
    t.claim(one == other, one / rows.k.size == other / rows.k.size)


@rule(of=("MaxOp::getBatchLaw", "lawOfAxis"))
def largest(t):
    """max_k x[n, k] along an axis of fixed size."""
    rows = Rows(t)
    one, other = t.maximum(rows.k, rows.row), t.maximum(rows.k, rows.own)
    if not t.bounded:
        for place in ("place_" + one.text, "place_" + other.text):
            at = t.constant(place, "Int")
            t.claim(one >= rows.own(at), other >= rows.own(at))
    t.claim(one == other)


@rule(of="GatherOp::getBatchLaw")
def gather(t):
    """E[tokens[n]], for a table that is the same for all sequences."""
    E, = t.tensors("E", 2)
    all_tokens, tokens = (t.function(name, ["Int"], "Int") for name in ("Tokens", "tokens"))
    i, r, c = t.integers("i r c")
    t.condition(all_tokens(i) == tokens(r))
    t.claim(E(all_tokens(i), c) == E(tokens(r), c))


@rule(of=("SliceOp::getBatchLaw", "SelectOp::getBatchLaw", "RepeatOp::getBatchLaw", "AppendOp::getBatchLaw"))
def columns(t):
    """x[n, g(c)], or w[c] in an appended column: positions of other axes than the rows'."""
    rows = Rows(t)
    g = t.function("g", ["Int"], "Int")
    w, = t.tensors("w", 1)
    is_first, = t.masks("is_first", 1)
    c = t.index(rows.k, "c")
    t.assume((g(c) >= 0) & (g(c) < rows.k.size))
    t.claim(ite(is_first(c), rows.row(g(c)), w(c)) == ite(is_first(c), rows.own(g(c)), w(c)))


@rule(of=("UnfoldOp::getBatchLaw", "DelayOp::getBatchLaw"), file="dialect/positions/Positions.cpp")
def windows(t):
    """x[n, c + j], or 0 beyond the ends, along an axis of fixed size."""
    rows = Rows(t)
    c, offset = t.integers("c offset")
    inside = (c + offset >= 0) & (c + offset < rows.k.size)
    t.claim(ite(inside, rows.row(c + offset), number(0)) == ite(inside, rows.own(c + offset), number(0)))


@rule(of="TabulateOp::getBatchLaw", file="dialect/positions/Positions.cpp")
def table(t):
    """A definition without a length has the same values for all sequences, if its arrays have."""
    f = t.function("f", ["Int", "Real"], "Real")
    one, other = t.tensors("one other", 1)
    i, j = t.integers("i j")
    t.condition(one(j) == other(j))
    t.claim(f(i, one(j)) == f(i, other(j)))


@rule(of=("Xf_RearrangeOp", "Xf_PatchesOp"), file="dialect/ops/XfSelection.td")
def rearranged(t):
    """y[i, n, c] = x[n, join(i, c)]: columns are split and merged; rows stay rows, since a length is never merged."""
    rows = Rows(t)
    join = t.function("join", ["Int", "Int"], "Int")
    i, c = t.integers("family c")
    t.assume((join(i, c) >= 0) & (join(i, c) < rows.k.size))
    t.claim(rows.row(join(i, c)) == rows.own(join(i, c)))


@rule(of="the last axis", file="dialect/ops/XfArithmetic.td")
def within_a_row(t):
    """A result that depends on two entries of a row, as rotations, groups with a scale and top-k masks do."""
    rows = Rows(t)
    f = t.function("f", ["Real", "Real"], "Real")
    c, d = t.index(rows.k, "c"), t.index(rows.k, "d")
    t.claim(f(rows.row(c), rows.row(d)) == f(rows.own(c), rows.own(d)))
