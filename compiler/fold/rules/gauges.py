# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the laws of operations are combined: the system of their equations, loops, and what a solution changes."""

from rules import rule
from terms import implies, ite, number

FILE = "compiler/fold/FoldGauges.cpp"


@rule(of=("xf-fold-gauges", "arguments and results have the factor 1"))
def composition(t):
    """g(f(x)) is computed exactly if f maps s x to u f(x), g maps u y to v g(y), and s = v = 1."""
    s, u, v, x = t.numbers("s u v x")
    f, g, changed_f, changed_g = t.functions("f g changed_f changed_g")
    t.assume(changed_f(s * x) == u * f(x))
    t.assume(changed_g(u * f(x)) == v * g(f(x)))
    t.condition(s == 1)
    t.condition(v == 1)
    t.claim(changed_g(changed_f(x)) == g(f(x)))


@rule(of="(s x) W + s b")
def beside_a_bias(t):
    """Σ_k (s x[n, k]) W[k, c] + s b[c] = s (Σ_k x[n, k] W[k, c] + b[c])."""
    s, = t.numbers("s")
    x, W = t.tensors("x W", 2)
    b, = t.tensors("b", 1)
    n, k, c = t.axes("n k c")
    i, j = t.index(n), t.index(c)
    of_bias = t.either(s, s * s)
    t.claim(t.sum(k, lambda p: (s * x(i, p)) * W(p, j)) + of_bias * b(j)
            == s * (t.sum(k, lambda p: x(i, p) * W(p, j)) + b(j)))


@rule(of="System::add", file="compiler/fold/solve/System.cpp")
def elimination(t):
    """a u + r = 0 and b u + q = 0 have the solutions of u = -r / a and q - (b / a) r = 0, if a is not 0."""
    a, b, u, r, q = t.numbers("a b u r q")
    t.condition(a != 0)
    inverse = 1 / a
    system = (a * u + r == 0) & (b * u + q == 0)
    solved = (u == -(r * inverse)) & (q - b * inverse * r == 0)
    t.claim(implies(system, solved), implies(solved, system))


@rule(of="System::settled", file="compiler/fold/solve/System.cpp")
def signs(t):
    """The sign of a product is the product of the signs, and that of a square is positive: a system modulo 2."""
    a, b = t.numbers("a b")
    t.condition((a != 0) & (b != 0))

    def sign(x):
        return ite(x > 0, number(1), number(-1))
    t.claim(sign(a * b) == sign(a) * sign(b), sign(a * a) == 1)


@rule(of="System::product", file="compiler/fold/solve/System.cpp")
def exponents(t):
    """(c^(1/q))^p c^(r/q) = c^((p + r)/q): exponents add, here for p = r = 1 and q = 2, with y > 0 and y² = c."""
    c, y, z = t.numbers("c y z")
    t.assume((y > 0) & (y * y == c) & (z * z == c))
    t.condition(z > 0)
    t.claim(y == z, y * z == c)


@rule(of="void visit(xf::ScanOp scan)", file="compiler/fold/solve/Problem.cpp")
def recurrence(t):
    """If the region maps g S[t] and x'[t] to g S[t + 1], all states have the gauge g, by induction over positions."""
    g, = t.numbers("g")
    S, stored, x, changed_x = t.tensors("S stored x changed_x", 1)
    f, changed = (t.function(name, ["Real", "Real"], "Real") for name in ("f", "changed_f"))
    n, = t.integers("n")
    t.assume((n >= 0) & (S(n + 1) == f(S(n), x(n))) & (stored(n + 1) == changed(stored(n), changed_x(n))))
    t.assume(changed(g * S(n), changed_x(n)) == g * f(S(n), x(n)))
    t.condition(stored(n) == g * S(n))
    t.claim(stored(n + 1) == g * S(n + 1))


@rule(of="isZeroTable(init)", file="compiler/fold/solve/Problem.cpp")
def first_state(t):
    """A state that begins with 0 begins with g 0, whatever its gauge is."""
    g, = t.numbers("g")
    begin = t.either(0, 1)
    t.claim(begin == g * begin)


@rule(of="void visit(xf::LayersOp layers)", file="compiler/fold/solve/Problem.cpp")
def layers(t):
    """If layer l maps g[l] x[l] to g[l + 1] x[l + 1], each carried value has the gauge of its layer, by induction."""
    x, stored, g = t.tensors("x stored g", 1)
    f, changed = (t.function(name, ["Int", "Real"], "Real") for name in ("f", "changed_f"))
    layer, = t.integers("layer")
    t.assume((layer >= 0) & (x(layer + 1) == f(layer, x(layer))) & (stored(layer + 1) == changed(layer, stored(layer))))
    t.assume(changed(layer, g(layer) * x(layer)) == g(layer + 1) * f(layer, x(layer)))
    t.condition(stored(layer) == g(layer) * x(layer))
    t.claim(stored(layer + 1) == g(layer + 1) * x(layer + 1))


@rule(of=("GaugeSum literal", "GaugeSum definition", "applyTo"), file="compiler/fold/Apply.cpp")
def factors_on_top(t):
    """A value that is stored times f, and then times g, is stored times f g; the same for a scalar and a table."""
    w, f, g = t.numbers("w f g")
    t.claim((w * f) * g == w * t.either(f * g, f + g))


@rule(of=("GaugeSum multiplication(OpResult result)", "keep.contains(scale.getWritten())"),
      file="compiler/fold/Apply.cpp")
def remaining_scale(t):
    """A scale by c becomes one by m; one that is kept has the factor m c, and is left out if that is 1."""
    x, c, m = t.numbers("x c m")
    t.claim((x * c) * m == x * t.either(m * c, m))
    t.assume(m * c == 1)
    t.claim((x * c) * m == x)


@rule(of=("xf-tap-layers", "ExactScalar() / gauge"), file="compiler/fold/TapLayers.cpp")
def tapped_layer(t):
    """(g x) (1 / g) = x: what a layer yields is divided by its gauge."""
    g, x = t.numbers("g x")
    t.condition(g != 0)
    t.claim((g * x) * (1 / g) == x)


@rule(of="Replaces a loop by one loop per layer", file="compiler/fold/TapLayers.cpp")
def cut_loop(t):
    """Layers b + 1 … n after layers 1 … b yield what layers 1 … n yield, by induction over the later layers."""
    whole, later = t.tensors("whole later", 1)
    f = t.function("f", ["Int", "Real"], "Real")
    b, n = t.integers("b n")
    t.assume((b >= 0) & (n >= 0) & (later(0) == whole(b)))
    start = t.either(b, 0)
    t.assume((whole(b + n + 1) == f(b + n, whole(b + n))) & (later(n + 1) == f(start + n, later(n))))
    t.claim(later(0) == whole(b + 0))
    t.assume(later(n) == whole(b + n))
    t.claim(later(n + 1) == whole(b + n + 1))


@rule(of="xf-select-results", file="compiler/fold/SelectResults.cpp", tested="test/fold/select-results.mlir")
def fewer_results(t):
    """The remaining results are computed by the same operations."""
