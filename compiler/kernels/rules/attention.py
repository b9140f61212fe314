# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An attention by parts of its keys (Milakov and Gimelshein 2018; Dao et al. 2022)."""

from rules import rule
from terms import number

FILE = "compiler/kernels/algorithm/attention/AttentionOnline.cpp"


@rule(of="weights(n, m)   = 2^(exponent (scores - maximum))")
def subtracted_maximum(t):
    """e^(x_j - m) / Σ_k e^(x_k - m) = e^(x_j) / Σ_k e^(x_k) for every number m."""
    x, = t.tensors("x", 1)
    m, other = t.numbers("m other")
    k = t.axis("k")
    j = t.index(k)
    subtracted = t.either(m, other)
    factor = t.exp(m)
    total = t.positive(k, lambda p: t.exp(x(p)))
    t.claim(factor / factor == 1)
    of_shifted = t.sum(k, lambda p: t.exp(x(p) - m))
    t.claim(total == of_shifted * factor, t.exp(x(j)) == t.exp(x(j) - m) * factor)
    t.claim_quotients((t.exp(x(j) - subtracted), of_shifted), (t.exp(x(j)), total))


@rule(of="S' = a S + b sum")
def joined_parts(t):
    """e^(M - M') S + e^(m - M') s is the sum for the maximum M' if S and s are those for M and m; and so for mixtures.
    """
    x, v = t.tensors("x v", 1)
    M, m, new = t.numbers("M m new")
    one, other = t.axes("k l")
    of_part = t.either(m, M)

    of_one, of_other = t.exp(M), t.exp(m)
    t.claim(of_one / of_one == 1, of_other / of_other == 1)
    for value in (lambda p: number(1), v):
        def weighted(maximum, value=value):
            return lambda p: t.exp(x(p) - maximum) * value(p)

        def later(maximum, value=value):
            return lambda p: t.exp(x(one.size + p) - maximum) * value(one.size + p)
        t.split(one, other, weighted(new))
        t.claim(t.exp(M - new) * t.sum(one, weighted(M)) + t.exp(of_part - new) * t.sum(other, later(m))
                == t.sum(t.appended(one, other), weighted(new)))
