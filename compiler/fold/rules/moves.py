# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Biases, gains and factors of channels at other places."""

from rules import rule

FILE = "compiler/fold/move/MoveBiases.cpp"


@rule(of=("xf-move-biases", "(x + b) W + c"))
def bias_after_product(t):
    """Σ_k (x[n, k] + b[k]) W[k, c] + d[c] = Σ_k x[n, k] W[k, c] + (Σ_k b[k] W[k, c] + d[c])."""
    x, W = t.tensors("x W", 2)
    b, d = t.tensors("b d", 1)
    n, k, c = t.axes("n k c")
    i, j = t.index(n), t.index(c)
    sign = t.either(1, -1)
    t.claim(t.sum(k, lambda p: (x(i, p) + b(p)) * W(p, j)) + d(j)
            == t.sum(k, lambda p: x(i, p) * W(p, j)) + (sign * t.sum(k, lambda p: b(p) * W(p, j)) + d(j)))


@rule(of="P (V + b)")
def bias_of_values(t):
    """Σ_m P[n, m] (V[m, c] + b[c]) = Σ_m P[n, m] V[m, c] + b[c] if the rows of P sum to 1."""
    P, V = t.tensors("P V", 2)
    b, = t.tensors("b", 1)
    n, m, c = t.axes("n m c")
    i, j = t.index(n), t.index(c)
    t.condition(t.sum(m, lambda p: P(i, p)) == 1)
    t.claim(t.sum(m, lambda p: P(i, p) * (V(p, j) + b(j))) == t.sum(m, lambda p: P(i, p) * V(p, j)) + b(j))


@rule(of="softmax(Q (K + b)')")
def bias_of_keys(t):
    """Σ_c q[n, c] (K[m, c] + b[c]) = Σ_c q[n, c] K[m, c] + r[n], where r[n] is the same for all keys m."""
    q, K = t.tensors("q K", 2)
    b, other = t.tensors("b other", 1)
    n, m, c = t.axes("n m c")
    i, one, two = t.index(n), t.index(m, "one"), t.index(m, "two")
    t.condition(t.each(c, lambda p: b(p) == other(p)))
    t.same(c, lambda p: q(i, p) * b(p), lambda p: q(i, p) * other(p))

    def score(key, bias):
        return t.sum(c, lambda p: q(i, p) * (K(key, p) + bias(p)))

    def without(key):
        return t.sum(c, lambda p: q(i, p) * K(key, p))
    t.claim(score(one, b) - without(one) == score(two, other) - without(two))


@rule(of=("ShiftMove::absorbInto", "ShiftMove::absorb", "ShiftMove::compensate"), file="compiler/fold/solve/Shifts.cpp")
def absorbed_row(t):
    """(x - r) + (b + r) = x + b, also if the bias is added to another addend: ((x - r) + y) + (b + r) = (x + y) + b."""
    x, y, b, r = t.numbers("x y b r")
    row = t.either(r, -r)
    t.claim((x - r) + (b + row) == x + b, ((x - r) + y) + (b + row) == (x + y) + b)


@rule(of="ShiftMove::both", file="compiler/fold/solve/Shifts.cpp")
def two_rows(t):
    """(x - r) + (y - s) lacks r + s."""
    x, y, r, s = t.numbers("x y r s")
    t.claim((x - r) + (y - s) + t.either(r + s, r - s) == x + y)


@rule(of=("ShiftMove::visit", "ShiftMove::sweep"), file="compiler/fold/solve/Shifts.cpp")
def chain_of_shifts(t):
    """If f lacks s for an operand that lacks r, and g lacks nothing for one that lacks s, then g(f(x - r)) = g(f(x)).
    """
    x, r, s = t.numbers("x r s")
    f, g = t.functions("f g")
    t.condition(f(x - r) == f(x) - s)
    t.assume(g(f(x) - s) == g(f(x)))
    t.claim(g(f(x - r)) == g(f(x)))


@rule(of=("ShiftMove::enter", "ShiftMove::leave", "ShiftMove::zeros"), file="compiler/fold/solve/Shifts.cpp")
def rows_of_layers(t):
    """A layer that is compensated for the row r[l] of its input, r and then zeros, yields the value of the equations.
    """
    x, stored, r = t.tensors("x stored r", 1)
    f, changed = t.function("f", ["Int", "Real"], "Real"), t.function("changed_f", ["Int", "Real", "Real"], "Real")
    layer, = t.integers("layer")
    t.assume((layer >= 0) & (x(layer + 1) == f(layer, x(layer)))
             & (stored(layer + 1) == changed(layer, stored(layer), r(layer))))
    t.assume(changed(layer, x(layer) - r(layer), r(layer)) == f(layer, x(layer)))
    t.assume(stored(layer) == x(layer) - r(layer))
    t.condition(r(layer + 1) == 0)
    t.claim(stored(layer + 1) == x(layer + 1) - r(layer + 1))


@rule(of=("xf-move-gains", "(x diag(g)) W"), file="compiler/fold/move/MoveGains.cpp")
def gain_into_rows(t):
    """Σ_k (x[n, k] g[k]) W[k, c] = Σ_k x[n, k] (g[k] W[k, c])."""
    x, W = t.tensors("x W", 2)
    g, = t.tensors("g", 1)
    n, k, c = t.axes("n k c")
    i, j = t.index(n), t.index(c)
    sign = t.either(1, 2)
    t.claim(t.sum(k, lambda p: (x(i, p) * g(p)) * W(p, j)) == t.sum(k, lambda p: x(i, p) * (sign * g(p) * W(p, j))))


@rule(of="LogicalResult GainWalk::visit", file="compiler/fold/move/GainWalk.cpp")
def chain_of_gains(t):
    """If f(x) lacks h where x lacks g, and a weight absorbs h, then w'(f(x)) = w(f(g x))."""
    x, g, h, y = t.numbers("x g h y")
    f, = t.functions("f")
    w, changed = t.functions("w changed")
    t.condition(h * f(x) == f(g * x))
    t.assume(changed(f(x)) == w(h * f(x)))
    t.claim(changed(f(x)) == w(f(g * x)))


@rule(of=("xf-equalize-channels", "for every g > 0"), file="compiler/fold/move/EqualizeChannels.cpp")
def factors_of_channels(t):
    """Σ_k (x[n, k] (γ[k] / g[k])) (g[k] W[k, c]) = Σ_k (x[n, k] γ[k]) W[k, c] if no g[k] is 0."""
    x, W = t.tensors("x W", 2)
    gain, g = t.tensors("gain g", 1)
    n, k, c = t.axes("n k c")
    i, j = t.index(n), t.index(c)
    t.condition(t.each(k, lambda p: g(p) != 0))

    def changed(p):
        return (x(i, p) * (gain(p) / g(p))) * (g(p) * W(p, j))

    def original(p):
        return (x(i, p) * gain(p)) * W(p, j)
    t.same(k, changed, original)
    t.claim(t.sum(k, changed) == t.sum(k, original))


@rule(of="passes those of the values on", file="compiler/fold/move/EqualizeChannels.cpp")
def factors_of_values(t):
    """Σ_d (Σ_m P[n, m] V[m, d] / g[d]) (g[d] W[d, c]) = Σ_d (Σ_m P[n, m] V[m, d]) W[d, c]: an average passes factors.
    """
    P, V, W = t.tensors("P V W", 2)
    g, = t.tensors("g", 1)
    n, m, d, c = t.axes("n m d c")
    i, j = t.index(n), t.index(c)
    t.condition(t.each(d, lambda p: g(p) != 0))

    def changed(p):
        return t.sum(m, lambda q: P(i, q) * (V(q, p) * (1 / g(p)))) * (g(p) * W(p, j))

    def original(p):
        return t.sum(m, lambda q: P(i, q) * V(q, p)) * W(p, j)
    t.same(d, changed, original)
    t.claim(t.sum(d, changed) == t.sum(d, original))
