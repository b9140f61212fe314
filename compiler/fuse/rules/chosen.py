# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows that chose an expert, and what is 0 for all other rows."""

from rules import rule
from terms import implies, ite, number

FILE = "compiler/fuse/Zeros.cpp"


@rule(of=("fuse::isZeroUnlessChosen", "fuse::isChosenAlong", "zeroing"))
def zero_of_a_product(t):
    """t x = 0 where t = 0; f(t) = 0 for an f with f(0) = 0: gates stay 0 where an expert was not chosen."""
    chosen, x = t.numbers("chosen x")
    f, = t.functions("f")
    t.assume(f(number(0)) == 0)
    t.condition(chosen == 0)
    t.claim(chosen * x == 0, f(chosen) == 0)


@rule(of="softmax among chosen entries")
def zero_of_a_softmax(t):
    """A softmax among the entries with t > 0 is 0 for the others: t = 0."""
    among, x, total = t.numbers("among x total")
    t.condition(among == 0)
    t.claim(ite(among > 0, t.exp(x) / total, number(0)) == 0)


CHOSEN = "compiler/fuse/ComputeChosen.cpp"


@rule(of="xf-compute-chosen", file=CHOSEN)
def rows_not_chosen(t):
    """g y' = g y where y' is y for all rows with a g other than 0, whatever it is for the others."""
    g, y, spread = t.numbers("g y spread")
    t.condition(implies(g != 0, spread == y))
    t.claim(g * spread == g * y)


@rule(of="xf::RunningCountOp::create", file=CHOSEN)
def ranks(t):
    """The ranks of chosen rows differ: r(n) >= r(m) + 1 for a chosen row n after m, by induction over n."""
    rank = t.function("rank", ["Int"], "Int")
    is_chosen, = t.masks("is_chosen", 1)
    m, n = t.integers("m n")
    t.assume((n >= m) & (rank(n + 1) == rank(n) + ite(is_chosen(n + 1), number(1, "Int"), number(0, "Int"))))
    t.assume(rank(n) >= rank(m))
    t.condition(is_chosen(n + 1))
    t.claim(rank(n + 1) >= rank(m))
    t.claim(rank(n + 1) >= rank(m) + 1)


@rule(of=("xf::CompressOp::create", "xf::ExpandOp::create"), file=CHOSEN)
def picked_and_spread(t):
    """f(x[place(q)]) at the rank q of a chosen row n is f(x[n]): place and rank are inverse to each other."""
    x, = t.tensors("x", 2)
    f, = t.functions("f")
    rank, place = (t.function(name, ["Int"], "Int") for name in ("rank", "place"))
    is_chosen, = t.masks("is_chosen", 1)
    n, c = t.integers("n c")
    # A place is that of a chosen row with its rank, and ranks of chosen rows differ (see above).
    t.assume(is_chosen(place(rank(n))) & (rank(place(rank(n))) == rank(n)))
    t.assume(implies(is_chosen(n) & is_chosen(place(rank(n))) & (n != place(rank(n))), rank(n) != rank(place(rank(n)))))
    t.condition(is_chosen(n))
    t.claim(place(rank(n)) == n, f(x(place(rank(n)), c)) == f(x(n, c)))


LISTS = "compiler/fuse/ListChosen.cpp"


@rule(of=("xf-list-chosen", "xf::ScatterAddOp::create", "xf::BuildRowIndexOp::create"), file=LISTS)
def sum_over_lists(t):
    """Σ_e G[n, e] z[e, rank(n, e)] over the chosen e is Σ_e G[n, e] f(e, n), if z at the rank of a chosen n is f(e, n).
    """
    G, z, f = t.tensors("G z f", 2)
    rank = t.function("rank", ["Int", "Int"], "Int")
    e = t.axis("e")
    n, = t.integers("n")
    t.condition(t.each(e, lambda p: implies(G(n, p) != 0, z(p, rank(n, p)) == f(p, n))))

    def listed(p):
        return ite(G(n, p) != 0, z(p, rank(n, p)) * G(n, p), number(0))
    t.same(e, listed, lambda p: G(n, p) * f(p, n))
    t.claim(t.sum(e, listed) == t.sum(e, lambda p: G(n, p) * f(p, n)))


@rule(of=("Value taken(OpBuilder", "multiplyListed"), file=LISTS)
def product_of_listed_rows(t):
    """Σ_k x[list(e, q), k] W[e, k, c] is row list(e, q) of Σ_k x[n, k] W[e, k, c]; a rounding before is one after."""
    x, = t.tensors("x", 2)
    W, = t.tensors("W", 3)
    round_, = t.functions("round")
    rows = t.function("list", ["Int", "Int"], "Int")
    k = t.axis("k")
    e, q, n, c = t.integers("e q n c")
    t.condition(rows(e, q) == n)

    def term(row):
        return lambda p: round_(x(row, p)) * W(e, p, c)
    t.same(k, term(rows(e, q)), term(n))
    t.claim(t.sum(k, term(rows(e, q))) == t.sum(k, term(n)))


@rule(of="addEarly", file=CHOSEN, tested="test/fuse/compute-chosen.mlir")
def earlier_addition(t):
    """An addition moves up to where its operands are available: the same operations in another order."""
