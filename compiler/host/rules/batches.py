# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Batches: the rows of several sequences, one after another."""

from rules import rule
from terms import ite

FILE = "compiler/host/plan/DeriveBatch.cpp"


@rule(of=("xf-derive-batch", "treatsRowsAlone"))
def rows_of_all_sequences(t):
    """f([A; B]) = [f(A); f(B)] for operations whose batch law is Rows, which compute row i from row i."""
    both, A, B, w = t.tensors("both A B w", 2)
    f, = t.functions("f")
    k = t.axis("k")
    first, i, c = t.integers("first i c")
    t.assume(t.each(k, lambda p: both(i, p) == ite(i < first, A(i, p), B(i - first, p))))
    start = t.either(first, 0)

    def result(x, row):
        return t.sum(k, lambda p: f(x(row, p)) * w(p, c))
    t.same(k, lambda p: f(both(i, p)) * w(p, c), lambda p: f(ite(i < first, A(i, p), B(i - start, p))) * w(p, c))
    for is_first, x, row in ((i < first, A, i), (i >= first, B, i - start)):
        assumptions = list(t.assumptions)
        t.assume(is_first)
        t.same(k, lambda p: f(both(i, p)) * w(p, c), lambda p: f(x(row, p)) * w(p, c))
        t.claim(result(both, i) == result(x, row))
        t.assumptions = assumptions
