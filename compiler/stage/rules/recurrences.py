# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is computed in the region of a recurrence, and the order of a state's axes."""

from rules import rule

FILE = "compiler/stage/MoveIntoScans.cpp"


@rule(of=("xf-move-into-scans", "moveProducers"))
def producer_at_one_position(t):
    """(k[t] v[t])[a, b] at position t is k[t, a] v[t, b]: what is added to a state is computed for one position."""
    k, v = t.tensors("k v", 2)
    k_now, v_now = t.tensors("k_now v_now", 1)
    a_axis, b_axis = t.axes("a b")
    p, (a, b) = t.integers("p")[0], (t.index(a_axis), t.index(b_axis))
    t.assume(t.each(a_axis, lambda q: k_now(q) == k(p, q)))
    t.condition(t.each(b_axis, lambda q: v_now(q) == v(p, q)))
    t.claim(k_now(a) * v_now(b) == k(p, a) * v(p, b))


@rule(of="moveReaders")
def reader_at_one_position(t):
    """Σ_a q[t, a] S[t, a, b] at position t reads the state of position t only."""
    q, now = t.tensors("q now", 2)
    S, = t.tensors("S", 3)
    a_axis = t.axis("a")
    p, b = t.integers("p b")
    t.condition(t.each(a_axis, lambda a: now(a, b) == S(p, a, b)))
    t.same(a_axis, lambda a: q(p, a) * now(a, b), lambda a: q(p, a) * S(p, a, b))
    t.claim(t.sum(a_axis, lambda a: q(p, a) * now(a, b)) == t.sum(a_axis, lambda a: q(p, a) * S(p, a, b)))


@rule(of=("xf-order-states", "only the order of axes"), file="compiler/stage/OrderStates.cpp")
def ordered_state(t):
    """S'[n, p] = S[p, n] before a position implies it after, for S[p, n] = α S[p, n] + x[p] B[n], by induction."""
    S, ordered, later, ordered_later = t.tensors("S ordered later ordered_later", 2)
    x, B = t.tensors("x B", 1)
    decay, = t.numbers("decay")
    p, n = t.integers("p n")
    t.condition(ordered(n, p) == S(p, n))
    t.assume(later(p, n) == decay * S(p, n) + x(p) * B(n))
    t.assume(ordered_later(n, p) == decay * ordered(n, p) + x(p) * B(n))
    t.claim(ordered_later(n, p) == later(p, n))


@rule(of="States that are read as a", file="compiler/stage/OrderStates.cpp")
def sum_over_ordered_state(t):
    """Σ_n S'[n, p] C[n] = Σ_n S[p, n] C[n]."""
    S, ordered = t.tensors("S ordered", 2)
    C, = t.tensors("C", 1)
    n = t.axis("n")
    p, = t.integers("p")
    t.condition(t.each(n, lambda k: ordered(k, p) == S(p, k)))
    t.same(n, lambda k: ordered(k, p) * C(k), lambda k: S(p, k) * C(k))
    t.claim(t.sum(n, lambda k: ordered(k, p) * C(k)) == t.sum(n, lambda k: S(p, k) * C(k)))
