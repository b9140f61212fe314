# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Orders of products, and the keys and values of heads that are computed from shared rows."""

from rules import rule
from terms import ite

FILE = "compiler/fold/order/Chains.cpp"


@rule(of="Exact: the same sums of the same products")
def associativity(t):
    """Σ_r (Σ_k x[n, k] A[k, r]) B[r, c] = Σ_k x[n, k] (Σ_r A[k, r] B[r, c])."""
    x, A, B = t.tensors("x A B", 2)
    n, k, r, c = t.axes("n k r c")
    i, j = t.index(n), t.index(c)
    sign = t.either(1, -1)
    t.claim(t.sum(r, lambda q: t.sum(k, lambda p: x(i, p) * A(p, q)) * B(q, j))
            == t.sum(k, lambda p: x(i, p) * t.sum(r, lambda q: sign * A(p, q) * B(q, j))))


@rule(of="a family of matrices has one more label", file="compiler/fold/order/ContractionOrder.h")
def associativity_of_families(t):
    """Σ_r (Σ_k x[n, k] A[e, k, r]) B[e, r, c] = Σ_k x[n, k] (Σ_r A[e, k, r] B[e, r, c]) for each member e."""
    x, = t.tensors("x", 2)
    A, B = t.tensors("A B", 3)
    n, e, k, r, c = t.axes("n e k r c")
    i, m, other, j = t.index(n), t.index(e), t.index(e, "other"), t.index(c)
    of_b = t.either(m, other)
    t.claim(t.sum(r, lambda q: t.sum(k, lambda p: x(i, p) * A(m, p, q)) * B(m, q, j))
            == t.sum(k, lambda p: x(i, p) * t.sum(r, lambda q: A(m, p, q) * B(of_b, q, j))))


@rule(of="as long as a label", file="compiler/fold/order/ContractionOrder.h")
def sum_when_no_factor_is_left(t):
    """Σ_k Σ_j A[i, j] B[j, k] C[k, l] D[j, l]: j is summed once no other factor has it."""
    A, B, C, D = t.tensors("A B C D", 2)
    i_axis, j, k, l_axis = t.axes("i j k l")
    i, m = t.index(i_axis), t.index(l_axis)
    power = t.either(1, 2)
    t.claim(t.sum(k, lambda q: t.sum(j, lambda p: A(i, p) * B(p, q) * D(p, m)) * C(q, m))
            == power * t.sum(j, lambda p: (A(i, p) * D(p, m)) * t.sum(k, lambda q: B(p, q) * C(q, m))))


@rule(of=("xf-reassociate", "reorder"), file="compiler/fold/order/Reassociate.cpp")
def chain_of_four(t):
    """((A B) C) D = A (B (C D)): longer chains by steps."""
    A, B, C, D = t.tensors("A B C D", 2)
    n, k, r, s, c = t.axes("n k r s c")
    i, j = t.index(n), t.index(c)
    sign = t.either(1, -1)
    t.claim(t.sum(s, lambda u: t.sum(r, lambda q: t.sum(k, lambda p: A(i, p) * B(p, q)) * C(q, u)) * D(u, j))
            == t.sum(k, lambda p: A(i, p) * t.sum(r, lambda q: B(p, q) * t.sum(s, lambda u: sign * C(q, u) * D(u, j)))))


@rule(of="Q[i] K[i]'", file="compiler/fold/order/AbsorbHeads.cpp")
def absorbed_keys(t):
    """Σ_k Q[i, n, k] (Σ_r c[m, r] W[i, r, k]) = Σ_r (Σ_k Q[i, n, k] W[i, r, k]) c[m, r]."""
    Q, W = t.tensors("Q W", 3)
    rows, = t.tensors("rows", 2)
    h, n, m, k, r = t.axes("h n m k r")
    i, x, y = t.index(h), t.index(n), t.index(m)
    sign = t.either(1, -1)
    t.claim(t.sum(k, lambda p: Q(i, x, p) * t.sum(r, lambda q: rows(y, q) * W(i, q, p)))
            == t.sum(r, lambda q: t.sum(k, lambda p: Q(i, x, p) * sign * W(i, q, p)) * rows(y, q)))


@rule(of="P[i] V[i]", file="compiler/fold/order/AbsorbHeads.cpp")
def absorbed_values(t):
    """Σ_m P[i, n, m] (Σ_r c[m, r] U[i, r, k]) = Σ_r (Σ_m P[i, n, m] c[m, r]) U[i, r, k]."""
    P, U = t.tensors("P U", 3)
    rows, = t.tensors("rows", 2)
    h, n, m, k, r = t.axes("h n m k r")
    i, x, y = t.index(h), t.index(n), t.index(k)
    sign = t.either(1, -1)
    t.claim(t.sum(m, lambda p: P(i, x, p) * t.sum(r, lambda q: rows(p, q) * U(i, q, y)))
            == t.sum(r, lambda q: t.sum(m, lambda p: P(i, x, p) * sign * rows(p, q)) * U(i, q, y)))


@rule(of="Concatenated channels are a sum", file="compiler/fold/order/AbsorbHeads.cpp")
def appended_channels(t):
    """Σ over the channels of [a, b] and [c, d] is Σ a c + Σ b d."""
    a, b, c, d = t.tensors("a b c d", 1)
    one, other = t.axes("k l")
    start = t.either(one.size, 0)

    def left(p):
        return ite(p < one.size, a(p), b(p - one.size))

    def right(p):
        return ite(p < one.size, c(p), d(p - start))
    t.split(one, other, lambda p: left(p) * right(p))
    t.same(one, lambda p: left(p) * right(p), lambda p: a(p) * c(p))
    t.same(other, lambda p: left(one.size + p) * right(one.size + p), lambda p: b(p) * d(p))
    whole = t.appended(one, other)
    t.claim(t.sum(whole, lambda p: left(p) * right(p))
            == t.sum(one, lambda p: a(p) * c(p)) + t.sum(other, lambda p: b(p) * d(p)))


@rule(of="Rows <n, c> that are repeated for all heads", file="compiler/fold/order/AbsorbHeads.cpp")
def shared_rows(t):
    """Σ_k B[i, n, k] R'[i, m, k] = Σ_k B[i, n, k] R[m, k] where R' repeats R for all heads."""
    B, repeated = t.tensors("B repeated", 3)
    R, = t.tensors("R", 2)
    h, n, m, k = t.axes("h n m k")
    i, x, y, other = t.index(h), t.index(n), t.index(m), t.index(m, "other")
    row = t.either(y, other)
    t.assume(t.each(k, lambda p: repeated(i, row, p) == R(row, p)))
    t.same(k, lambda p: B(i, x, p) * repeated(i, row, p), lambda p: B(i, x, p) * R(row, p))
    t.claim(t.sum(k, lambda p: B(i, x, p) * repeated(i, row, p)) == t.sum(k, lambda p: B(i, x, p) * R(y, p)))


@rule(of=("first = slice.getOffset()", "valuesInKeys"), file="compiler/fold/order/AbsorbHeads.cpp")
def channels_of_a_slice(t):
    """Columns first … of c W are c times these columns of W: Σ_r c[m, r] W[r, first + k]."""
    rows, W = t.tensors("rows W", 2)
    m, r = t.axes("m r")
    y = t.index(m)
    first, k = t.integers("first k")

    def product(column):
        return t.sum(r, lambda q: rows(y, q) * W(q, column))
    place = t.either(k, k + 1)
    t.claim(product(first + place) == t.sum(r, lambda q: rows(y, q) * W(q, first + k)))
