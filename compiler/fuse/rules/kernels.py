# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Forming kernels: operations move, or are computed several times."""

from rules import rule

FILE = "compiler/fuse/form/FormKernels.cpp"


@rule(of=("growEpilogue", "nextOfEpilogue"))
def epilogue(t):
    """f(Σ_k x[n, k] W[k, c]) is computed where the sum is: an epilogue reads the entry of its own position."""
    x, W = t.tensors("x W", 2)
    f, = t.functions("f")
    k = t.axis("k")
    n, c, other = t.integers("n c other")
    read = t.either(c, other)
    t.claim(f(t.sum(k, lambda p: x(n, p) * W(p, read))) == f(t.sum(k, lambda p: x(n, p) * W(p, c))))


@rule(of=("growPrologue", "takeRows", "takeAlong", "takeTables"))
def prologue(t):
    """Σ_k f(x[g(n), k]) W[k, c] is the same if f(x[g(n), k]) is stored before, or computed where it is read."""
    x, stored, W = t.tensors("x stored W", 2)
    f, = t.functions("f")
    g = t.function("g", ["Int"], "Int")
    k = t.axis("k")
    n, c = t.integers("n c")
    t.condition(t.each(k, lambda p: stored(n, p) == f(x(g(n), p))))
    t.same(k, lambda p: stored(n, p) * W(p, c), lambda p: f(x(g(n), p)) * W(p, c))
    t.claim(t.sum(k, lambda p: stored(n, p) * W(p, c)) == t.sum(k, lambda p: f(x(g(n), p)) * W(p, c)))


@rule(of="Joins a norm to the contractions", file="compiler/fuse/form/JoinNorms.cpp")
def norm_in_each_reader(t):
    """Σ_k ((x[n, k] - m) r γ[k]) W[k, c], with the mean m and the factor r computed again for each reader."""
    x, W = t.tensors("x W", 2)
    gain, = t.tensors("gain", 1)
    m, r, again_m, again_r = t.numbers("m r again_m again_r")
    k = t.axis("k")
    n, c = t.integers("n c")
    t.condition((m == again_m) & (r == again_r))

    def term(mean, factor):
        return lambda p: (x(n, p) - mean) * factor * gain(p) * W(p, c)
    t.same(k, term(m, r), term(again_m, again_r))
    t.claim(t.sum(k, term(m, r)) == t.sum(k, term(again_m, again_r)))


@rule(of="Joins contractions of the same x", file="compiler/fuse/form/JoinProducts.cpp")
def two_products(t):
    """f(Σ_k x V) Σ_k x W from two sums in one loop, by induction: after each step they are the two partial sums."""
    one, other, of_v, of_w = t.numbers("one other of_v of_w")
    x, v, w = t.numbers("x v w")
    f, = t.functions("f")
    t.condition((one == of_v) & (other == of_w))
    t.claim(f(one + x * v) * (other + x * w) == f(of_v + x * v) * (of_w + x * w))


@rule(of=("fuse::copyWeights", "fuse::copyToUses"), file="compiler/fuse/form/ValuesOfKernels.cpp")
def copies(t):
    """1 w = w: a weight that is a result is copied; a table or a rounding that is computed for each reader is the same.
    """
    w, = t.numbers("w")
    t.claim(t.either(1, 2) * w == w)


@rule(of=("xf-form-kernels", "operations only move"), tested="test/fuse/form-kernels.mlir")
def formed_regions(t):
    """A region becomes a kernel with the same operations, in the same order."""


@rule(of="fuse::outline", file="compiler/fuse/form/Outline.cpp", tested="test/fuse/form-kernels.mlir")
def outlined_region(t):
    """Values from outside are arguments of the kernel, constants are copied into it."""
