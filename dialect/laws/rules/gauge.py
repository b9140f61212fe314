# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gauge laws: what an operation computes from operands that are stored times a constant.

Each rule has the operation of the equations on the right, and on the left that of the program, whose operands have the
gauges a, b and s and whose parameters are changed as the law says. Gauges are not 0.
"""

from rules import rule
from terms import implies, ite, number

FILE = "dialect/laws/GaugeLaws.cpp"


def gauges(t, names):
    found = t.numbers(names)
    for gauge in found:
        t.assume(gauge != 0)
    return found


def maximum(x, y):
    return ite(x >= y, x, y)


@rule(of=("ReluOp::gaugeLaw", "positiveGaugesAgree"))
def relu(t):
    """max(s x, 0) = s max(x, 0) for s > 0."""
    s, = gauges(t, "s")
    x, = t.numbers("x")
    t.condition(s > 0)
    t.claim(maximum(s * x, number(0)) == s * maximum(x, number(0)))


@rule(of="AbsOp::gaugeLaw")
def absolute(t):
    """|s x| = s |x| for s > 0."""
    s, = gauges(t, "s")
    x, = t.numbers("x")
    t.condition(s > 0)
    t.claim(maximum(s * x, -(s * x)) == s * maximum(x, -x))


@rule(of="MaxOp::gaugeLaw")
def largest(t):
    """max_k s x[k] = s max_k x[k] for s > 0."""
    s, = gauges(t, "s")
    x, = t.tensors("x", 1)
    k = t.axis("k")
    t.condition(s > 0)
    one, other = t.maximum(k, lambda i: s * x(i)), t.maximum(k, x)
    if not t.bounded:  # each is at least the terms at both places
        for place in ("place_" + one.text, "place_" + other.text):
            at = t.constant(place, "Int")
            t.claim(one >= s * x(at), other >= x(at))
    t.claim(one == s * other)


@rule(of="MaximumOp::gaugeLaw")
def larger(t):
    """max(s x, s y) = s max(x, y) for s > 0."""
    s, = gauges(t, "s")
    x, y = t.numbers("x y")
    t.condition(s > 0)
    t.claim(maximum(s * x, s * y) == s * maximum(x, y))


@rule(of="ContractOp::gaugeLaw")
def contraction(t):
    """Σ_k (a x[n, k]) (b W[k, c]) = a b Σ_k x[n, k] W[k, c]: the gauge of a product is the product of the gauges."""
    a, b = gauges(t, "a b")
    x, W = t.tensors("x W", 2)
    n, k, c = t.axes("n k c")
    i, j = t.index(n), t.index(c)
    by = t.either(a * b, a / b)
    t.claim(t.sum(k, lambda p: (a * x(i, p)) * (b * W(p, j))) == by * t.sum(k, lambda p: x(i, p) * W(p, j)))


@rule(of="law.multiplication(getLhsMutable())")
def contraction_with_factors(t):
    """Σ_k (m a x[n, k]) (b W[k, c]) r = (m r a b) Σ_k x[n, k] W[k, c], with multiplications by m and r that are left.
    """
    a, b, m, r = gauges(t, "a b m r")
    x, W = t.tensors("x W", 2)
    n, k, c = t.axes("n k c")
    i, j = t.index(n), t.index(c)
    by = t.either(m * r * a * b, r * a * b)
    t.claim(t.sum(k, lambda p: (m * (a * x(i, p))) * (b * W(p, j))) * r == by * t.sum(k, lambda p: x(i, p) * W(p, j)))


@rule(of="MultiplyOp::gaugeLaw")
def product(t):
    """(a x) (b y) = a b (x y)."""
    a, b = gauges(t, "a b")
    x, y = t.numbers("x y")
    t.claim((a * x) * (b * y) == t.either(a * b, a) * (x * y))


@rule(of="DivideOp::gaugeLaw")
def quotient(t):
    """(a x) / (b y) = (a / b) (x / y)."""
    a, b = gauges(t, "a b")
    x, y = t.numbers("x y")
    t.assume(y != 0)
    t.claim((a * x) / (b * y) == t.either(a / b, a * b) * (x / y))


@rule(of="ScaleOp::gaugeLaw")
def scale(t):
    """m (a x) = r (c x) if r c = m a: a constant disappears where m is 1, and m is a multiplication that is left."""
    a, m, r, c = gauges(t, "a m r c")
    x, = t.numbers("x")
    t.condition(r * c == m * a)
    t.claim(m * (a * x) == r * (c * x))


@rule(of="getFactor().getValue().isZero()")
def scale_by_zero(t):
    """0 (a x) = r (0 x) for all gauges a and r."""
    a, r = gauges(t, "a r")
    x, = t.numbers("x")
    zero = t.either(0, 1)
    t.claim(zero * (a * x) == r * (zero * x))


@rule(of="GatherOp::gaugeLaw")
def gather(t):
    """(a E)[tokens] m = (a m) E[tokens]."""
    a, m = gauges(t, "a m")
    table, = t.tensors("E", 2)
    tokens, = [t.function("tokens", ["Int"], "Int")]
    n, c = t.axes("n c")
    i, j = t.index(n), t.index(c)
    t.claim((a * table(tokens(i), j)) * m == t.either(a * m, a) * table(tokens(i), j))


@rule(of="PowerOp::gaugeLaw")
def power_of_integer(t):
    """(s x)^q = s^q x^q for an integer q, by induction: from q to q + 1, and to q - 1 where x is not 0."""
    s, x, power_s, power_x, power_both = t.numbers("s x power_s power_x power_both")
    t.assume((s != 0) & (x != 0))
    t.condition(power_both == power_s * power_x)
    t.claim(power_both * (s * x) == (power_s * s) * (power_x * x))
    t.claim(power_both / (s * x) == (power_s / s) * (power_x / x))


@rule(of="law.positive(law[getInput()]);\n    law.positive(law[getResult()])")
def power_of_fraction(t):
    """(s x)^(1/2) = s^(1/2) x^(1/2) for s > 0, where y = x^(1/2) is the positive number with y² = x."""
    s, x, root_s, root_x, root_both = t.numbers("s x root_s root_x root_both")
    t.assume((s != 0) & (x > 0) & (s * x > 0) & (root_x > 0) & (root_both > 0) & (root_x * root_x == x)
             & (root_both * root_both == s * x) & (root_s * root_s == s))
    t.condition(root_s > 0)
    t.claim(root_both == root_s * root_x)


@rule(of="RotateOp::gaugeLaw")
def rotation(t):
    """(a x) (b cos) - (a y) (b sin) = a b (x cos - y sin), and so for the other half of a row."""
    a, b, x, y, cosine, sine = t.numbers("a b x y cosine sine")
    other = t.either(b, -b)  # the gauge of the sines must be that of the cosines
    t.claim((a * x) * (b * cosine) - (a * y) * (other * sine) == (a * b) * (x * cosine - y * sine))
    t.claim((a * y) * (b * cosine) + (a * x) * (other * sine) == (a * b) * (y * cosine + x * sine))


@rule(of="GeluOp::gaugeLaw")
def gelu(t):
    """(s x) Φ(β' (s x)) = s (x Φ(β x)) if β' s = β, for any function Φ."""
    s, x, beta, changed = t.numbers("s x beta changed")
    phi, = t.functions("Phi")
    t.assume(s > 0)
    t.condition(changed * s == beta)
    t.claim((s * x) * phi(changed * (s * x)) == s * (x * phi(beta * x)))


@rule(of=("scaledFunction", "SigmoidOp::gaugeLaw", "TanhOp::gaugeLaw", "Log2Op::gaugeLaw", "Log1pOp::gaugeLaw"))
def scaled_function(t):
    """b f(α' (s x)) = b f(α x) if α' s = α, for any function f: the result has the gauge b."""
    s, x, b, alpha, changed = t.numbers("s x b alpha changed")
    f, = t.functions("f")
    t.assume((s != 0) & (b != 0))
    t.condition(changed * s == alpha)
    t.claim(b * f(changed * (s * x)) == b * f(alpha * x))


@rule(of=("ExpOp::gaugeLaw", "ClampOp::gaugeLaw", "RoundOp::gaugeLaw", "QuantizeOp::gaugeLaw"))
def pinned(t):
    """A function without a law is applied to the value of the equations: with gauges of 1, f(1 x) = 1 f(x)."""
    s, x = t.numbers("s x")
    f, = t.functions("f")
    t.condition(s == 1)
    t.claim(f(s * x) == s * f(x))


@rule(of="TopKMaskOp::gaugeLaw")
def selection_of_largest(t):
    """s x >= s y if and only if x >= y, for s > 0: the largest entries stay the largest, and equal ones equal."""
    s, x, y = t.numbers("s x y")
    t.condition(s > 0)
    t.claim((s * x >= s * y) == (x >= y))
    t.claim((s * x == s * y) == (x == y))


@rule(of="RunningCountOp::gaugeLaw")
def count_of_nonzero(t):
    """s x = 0 if and only if x = 0: a gauge changes no count of entries that are not 0."""
    s, x = t.numbers("s x")
    t.condition(s != 0)
    t.claim((s * x != 0) == (x != 0))


@rule(of=("CompressOp::gaugeLaw", "ExpandOp::gaugeLaw"))
def chosen_rows(t):
    """Rows that are taken, or put back between rows of zeros, have the gauge of their source."""
    s, = gauges(t, "s")
    x, = t.tensors("x", 2)
    taken = t.function("taken", ["Int"], "Int")
    is_chosen, = t.masks("is_chosen", 1)
    n, c = t.axes("n c")
    i, j = t.index(n), t.index(c)
    gauge = t.either(s, 1)
    t.claim(s * x(taken(i), j) == gauge * x(taken(i), j))
    t.claim(ite(is_chosen(i), s * x(taken(i), j), number(0)) == gauge * ite(is_chosen(i), x(taken(i), j), number(0)))


@rule(of="SoftmaxOp::gaugeLaw")
def softmax(t):
    """f 2^(γ (s x_j - m')) / Σ_k 2^(γ (s x_k - m')) = f e^(x_j - m) / Σ_k e^(x_k - m) if γ s = log2 e.

    With a mask; m' = s m is the largest score. f is the gauge of the result.
    """
    s, f, gamma, log2e = gauges(t, "s f gamma log2e")
    x, = t.tensors("x", 2)
    shows, = t.masks("shows")
    m, = t.numbers("m")
    n, k = t.axes("n k")
    i, j = t.index(n), t.index(k)
    t.assume(shows(i, j))
    t.condition(gamma * s == log2e)
    two, = t.functions("two")  # 2 to a power, where e^y is 2^(log2e y)

    def changed(p):
        return ite(shows(i, p), two(gamma * (s * x(i, p) - s * m)), number(0))

    def original(p):
        return ite(shows(i, p), two(log2e * (x(i, p) - m)), number(0))
    for p in (j, *([] if not t.bounded else [0, 1])):
        t.assume((two(gamma * (s * x(i, p) - s * m)) > 0) & (two(log2e * (x(i, p) - m)) > 0))
    t.same(k, changed, original)
    t.claim(f * changed(j) / t.sum(k, changed) == f * (original(j) / t.sum(k, original)))


@rule(of="law[getSink()], law[getInput()]")
def softmax_with_sink(t):
    """A sink is one more score, so it has the gauge of the scores: 2^(γ (s z)) = e^z if γ s = log2 e."""
    s, gamma, log2e, z = t.numbers("s gamma log2e z")
    two, = t.functions("two")
    t.condition(gamma * s == log2e)
    t.claim(two(gamma * (s * z)) == two(log2e * z))


@rule(of=("law.positive(law[getAmong()])", "law.positive(law[getInput()])"))
def softmax_among(t):
    """s t > 0 if and only if t > 0, and the largest score stays the largest, for s > 0."""
    s, u, x, y = t.numbers("s t x y")
    t.condition(s > 0)
    t.claim((s * u > 0) == (u > 0))
    t.claim(implies(x >= y, s * x >= s * y))


def norm(t, is_centered):
    """f (s x)_j / √(mean((s x)²) + ε') and f ± x_j / √(mean(x²) + ε), where ε' = s² ε."""
    s, f = gauges(t, "s f")
    epsilon, = t.numbers("epsilon")
    x, = t.tensors("x", 1)
    k = t.axis("k")
    j = t.index(k)
    t.assume(epsilon > 0)
    center, center_of_gauged, one, other = t.numbers("center center_of_gauged one other")
    t.assume(center == (t.mean(k, x) if is_centered else number(0)))
    t.assume(center_of_gauged == (t.mean(k, lambda p: s * x(p)) if is_centered else number(0)))
    t.claim(center_of_gauged == s * center)
    for total, value, mean in ((one, lambda p: s * x(p), center_of_gauged), (other, x, center)):
        t.assume(total == t.sum_of_squares(k, lambda p: value(p) - mean))
    t.claim(one == s * s * other, one >= 0, other >= 0)
    with_epsilon = one / k.size + t.either(s * s, s) * epsilon, other / k.size + epsilon
    t.claim(with_epsilon[0] == s * s * with_epsilon[1])
    root_of_gauged, root = t.roots(*with_epsilon, s)
    sign = ite(s > 0, number(1), number(-1))
    t.claim(s * root_of_gauged == sign * root)
    t.claim(f * (s * x(j) - center_of_gauged) * root_of_gauged == f * sign * ((x(j) - center) * root))


@rule(of=("UnitRmsOp::gaugeLaw", "epsilonLaw", "normLaw"))
def root_mean_square(t):
    """f (s x) / √(mean((s x)²) + s² ε) = f sign(s) x / √(mean(x²) + ε)."""
    norm(t, False)


@rule(of="StandardizeOp::gaugeLaw")
def standardization(t):
    """The same after the mean is subtracted: mean(s x) = s mean(x)."""
    norm(t, True)


@rule(of="UnitOp::gaugeLaw")
def unit_length(t):
    """f (s x) / √(Σ (s x)²) = f sign(s) x / √(Σ x²)."""
    s, f = gauges(t, "s f")
    x, = t.tensors("x", 1)
    k = t.axis("k")
    j = t.index(k)
    one, other = t.sum(k, lambda p: (s * x(p)) * (s * x(p))), t.sum(k, lambda p: x(p) * x(p))
    t.assume((one > 0) & (other > 0))
    root_of_gauged, root = t.roots(one, other, s)
    sign = t.either(ite(s > 0, number(1), number(-1)), 1)
    t.claim(s * root_of_gauged == sign * root)
    t.claim(f * (s * x(j)) * root_of_gauged == f * sign * (x(j) * root))


@rule(of="An ε of 0 is invariant under scaling")
def epsilon_of_zero(t):
    """s² 0 = 0: an ε of 0 is the same for all gauges."""
    s, = gauges(t, "s")
    epsilon = t.either(0, 1)
    t.claim(s * s * epsilon == epsilon)


@rule(of="ConstantOp::gaugeLaw")
def constant(t):
    """A constant that is stored as c' = s c has the gauge s; 0 has every gauge."""
    s, c, changed = t.numbers("s c changed")
    t.condition(changed == s * c)
    t.claim(changed == s * c, s * number(0) == 0)


@rule(of="TabulateOp::gaugeLaw")
def table(t):
    """T[t, c] = s f(t, c) has the gauge s; T[t] = (s A)[g(t)], which only reads an array, has that of the array."""
    s, = gauges(t, "s")
    array, = t.tensors("A", 1)
    f, = t.tensors("f", 2)
    g = t.function("g", ["Int"], "Int")
    i, j = t.integers("i j")
    gauge = t.either(s, s * s)
    t.claim(f(i, j) * s == gauge * f(i, j), s * array(g(i)) == gauge * array(g(i)))


@rule(of="LengthOp::gaugeLaw")
def length(t):
    """A count is that of the equations: its gauge is 1."""
    s, n = t.numbers("s n")
    t.condition(s == 1)
    t.claim(n == s * n)


@rule(of="WeightOp::gaugeLaw")
def stored_weight(t):
    """A tensor whose values are multiplied by s when the program is made has the gauge s."""
    s, written = gauges(t, "s written")
    w, = t.tensors("W", 2)
    i, j = t.integers("i j")
    t.claim(w(i, j) * (written * s) == t.either(s, 1 / s) * (w(i, j) * written))


AGREE = "dialect/ops/XfArithmetic.td"


@rule(of=("Xf_AddOp", "Xf_SubtractOp"), file=AGREE)
def sum_of_two(t):
    """s x + s y = s (x + y), and the same for a difference: all gauges agree."""
    s, x, y = t.numbers("s x y")
    other = t.either(s, s * s)
    t.claim(s * x + other * y == s * (x + y), s * x - other * y == s * (x - y))


@rule(of="Xf_NegateOp", file=AGREE)
def negation(t):
    """-(s x) = s (-x)."""
    s, x = t.numbers("s x")
    t.claim(-(s * x) == t.either(s, -s) * (-x))


@rule(of=("Xf_SumOp", "Xf_MeanOp"), file=AGREE)
def reduction(t):
    """Σ s x = s Σ x, and mean(s x) = s mean(x)."""
    s, = t.numbers("s")
    x, = t.tensors("x", 1)
    k = t.axis("k")
    by = t.either(s, s / k.size)
    t.claim(t.sum(k, lambda p: s * x(p)) == by * t.sum(k, x))
    t.claim(t.mean(k, lambda p: s * x(p)) == by * t.mean(k, x))


@rule(of=("Xf_SliceOp", "Xf_SelectOp", "Xf_RearrangeOp", "Xf_RepeatOp", "Xf_AppendOp", "Xf_PatchesOp"),
      file="dialect/ops/XfSelection.td")
def moved_entries(t):
    """An operation that only moves entries, y[i] = x[g(i)] or z[g(i)], passes a gauge on that all operands have."""
    s, = gauges(t, "s")
    x, z = t.tensors("x z", 1)
    g = t.function("g", ["Int"], "Int")
    is_first, = t.masks("is_first", 1)
    i, = t.integers("i")
    other = t.either(s, s * s)
    t.claim(ite(is_first(i), s * x(g(i)), other * z(g(i))) == s * ite(is_first(i), x(g(i)), z(g(i))))


@rule(of="Xf_StackOp", file="dialect/ops/XfFamilies.td")
def stacked_members(t):
    """[s A, s B] = s [A, B]: members of a family have one gauge."""
    s, = gauges(t, "s")
    a, b = t.tensors("A B", 1)
    e, i = t.integers("e i")
    other = t.either(s, s + 1)
    t.claim(ite(e == 0, s * a(i), other * b(i)) == s * ite(e == 0, a(i), b(i)))


@rule(of=("Xf_UnfoldOp", "Xf_DelayOp"), file="dialect/ops/XfPositions.td")
def earlier_rows(t):
    """Rows at other positions, and zeros beyond the ends: 0 = s 0."""
    s, = gauges(t, "s")
    x, = t.tensors("x", 2)
    n, c = t.axes("n c")
    i, j = t.index(n), t.index(c)
    by, = t.integers("by")
    beyond = t.either(0, 1)
    t.claim(ite(i >= by, s * x(i - by, j), beyond) == s * ite(i >= by, x(i - by, j), beyond))
