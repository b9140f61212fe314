# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The trait ZeroPreserving: f(0) = 0, so that what is multiplied by 0 need not be computed."""

from rules import rule
from terms import ite, number

FILE = "dialect/ops/XfArithmetic.td"


@rule(of=("Xf_MultiplyOp", "Xf_DivideOp", "Xf_ScaleOp", "Xf_NegateOp"))
def product(t):
    """0 y = x 0 = 0, 0 / y = 0 and -0 = 0."""
    x, y = t.numbers("x y")
    zero = t.either(0, 1)
    t.claim(zero * y == 0, x * zero == 0, zero / y == 0, -zero == 0)


@rule(of="Xf_ContractOp")
def contraction(t):
    """Σ_k A[n, e, k] B[n, k] = 0 where A[n, e, k] = 0 for all k."""
    A, = t.tensors("A", 3)
    B, = t.tensors("B", 2)
    n, e, k = t.axes("n e k")
    i, j = t.index(n), t.index(e)
    zero = t.either(0, 1)
    t.assume(t.each(k, lambda p: A(i, j, p) == zero))
    t.same(k, lambda p: A(i, j, p) * B(i, p), lambda p: number(0))
    t.claim(t.sum(k, lambda p: A(i, j, p) * B(i, p)) == 0)


@rule(of=("Xf_ReluOp", "Xf_AbsOp"))
def relu(t):
    """max(0, 0) = 0 and |0| = 0."""
    zero = t.either(0, 1)
    t.claim(ite(zero >= 0, zero, number(0)) == 0, ite(zero >= 0, zero, -zero) == 0)


@rule(of=("Xf_GeluOp", "Xf_TanhOp", "Xf_Log1pOp"))
def function(t):
    """0 Φ(β 0) = 0 for any Φ, and b f(a 0) = 0 for an f with f(0) = 0: tanh and ln(1 + x)."""
    a, b, beta = t.numbers("a b beta")
    phi, f = t.functions("Phi f")
    t.condition(f(number(0)) == 0)
    t.claim(0 * phi(beta * 0) == 0, b * f(a * 0) == 0)


@rule(of=("Xf_RoundOp", "Xf_QuantizeOp"))
def rounding(t):
    """0 is in every format, so the nearest number to 0 is 0: y = 0 if |y - x| <= |0 - x| and x = 0."""
    x, y = t.numbers("x y")

    def distance(a, b):
        return ite(a >= b, a - b, b - a)
    t.assume(x == 0)
    t.condition(distance(y, x) <= distance(number(0), x))
    t.claim(y == 0)


@rule(of=("Xf_SliceOp", "Xf_SelectOp", "Xf_RearrangeOp", "Xf_RepeatOp"), file="dialect/ops/XfSelection.td")
def moved_entries(t):
    """y[n, i] = x[n, g(i)] is 0 in a row n in which all of x is 0."""
    x, = t.tensors("x", 2)
    g = t.function("g", ["Int"], "Int")
    k = t.axis("k")
    n, i = t.integers("n i")
    t.assume(t.each(k, lambda p: x(n, p) == 0))
    t.condition((g(i) >= 0) & (g(i) < k.size))
    t.claim(x(n, g(i)) == 0)
