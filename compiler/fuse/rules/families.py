# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Families as one wide product, views of stored tensors, axes of heads, and sums member by member."""

from rules import rule
from terms import number

FILE = "compiler/fuse/families/MergeFamilies.cpp"


@rule(of=("xf-merge-families", "MergeContraction"))
def merged_columns(t):
    """Σ_k x[n, k] W'[k, join(i, c)] = Σ_k x[n, k] W[i, k, c], where W'[k, h] = W[high(h), k, low(h)]."""
    x, = t.tensors("x", 2)
    W, = t.tensors("W", 3)
    n, i_axis, c_axis, k = t.axes("n i c k")
    columns = t.merged(i_axis, c_axis)
    row, i, c, other = t.index(n), t.index(i_axis), t.index(c_axis), t.index(c_axis, "other")
    column = columns.join(i, t.either(c, other))

    def merged(p):
        return x(row, p) * W(columns.high(column), p, columns.low(column))
    t.same(k, merged, lambda p: x(row, p) * W(i, p, c))
    t.claim(t.sum(k, merged) == t.sum(k, lambda p: x(row, p) * W(i, p, c)))


@rule(of="OrderMembers")
def ordered_members(t):
    """Σ_k x[n, e, k] W[k, e, c] = Σ_k W'[e, k, c] x[n, e, k], where W' has the axes of W in another order."""
    x, W, ordered = t.tensors("x W ordered", 3)
    n, e, c, k = t.axes("n e c k")
    i, member, other, j = t.index(n), t.index(e), t.index(e, "other"), t.index(c)
    read = t.either(member, other)
    t.assume(t.each(k, lambda p: ordered(read, p, j) == W(p, read, j)))
    t.same(k, lambda p: ordered(read, p, j) * x(i, member, p), lambda p: W(p, read, j) * x(i, member, p))
    t.claim(t.sum(k, lambda p: x(i, member, p) * W(p, member, j))
            == t.sum(k, lambda p: ordered(read, p, j) * x(i, member, p)))


@rule(of="SinkThroughPointwise")
def pointwise_before_split(t):
    """f(y[n, join(i, c)]) = (f y)[n, join(i, c)]: entry by entry, before or after axes are split."""
    y, done = t.tensors("y done", 2)
    f, = t.functions("f")
    join = t.function("join", ["Int", "Int"], "Int")
    n, i, c = t.integers("n i c")
    t.condition(done(n, join(i, c)) == f(y(n, join(i, c))))
    t.claim(f(y(n, join(i, c))) == done(n, join(i, c)))


@rule(of=("SinkThroughBinary", "SinkThroughBinary<xf::AddOp>", "SinkThroughBinary<xf::SubtractOp>",
          "SinkThroughBinary<xf::MultiplyOp>", "SinkThroughBinary<xf::DivideOp>", "SinkThroughBinary<xf::MaximumOp>"))
def weight_before_split(t):
    """y[n, join(i, c)] ∘ b[i, c] = (y ∘ b')[n, join(i, c)] for every ∘, where b'[h] = b[high(h), low(h)]."""
    y, b = t.tensors("y b", 2)
    of = t.function("of", ["Real", "Real"], "Real")
    i_axis, c_axis = t.axes("i c")
    columns = t.merged(i_axis, c_axis)
    n, = t.integers("n")
    i, c = t.index(i_axis), t.index(c_axis)
    h = columns.join(i, c)
    high = t.either(columns.high(h), columns.low(h))
    t.claim(of(y(n, h), b(high, columns.low(h))) == of(y(n, h), b(i, c)))


@rule(of="CancelRearrangements")
def split_and_merged(t):
    """Axes that are split and merged again, or merged and split, are as before: join(high(h), low(h)) = h."""
    x, = t.tensors("x", 1)
    a, b = t.axes("a b")
    merged = t.merged(a, b)
    h, i, j = t.index(merged), t.index(a), t.index(b)
    low = t.either(merged.low(h), merged.high(h))
    t.claim(x(merged.join(merged.high(h), low)) == x(h))
    t.claim(merged.high(merged.join(i, j)) == i, merged.low(merged.join(i, j)) == j)


@rule(of="SumOfProducts", file="compiler/fuse/families/SumsOfProducts.cpp")
def sum_of_products(t):
    """Σ_e (Σ_k A[e, n, k] B[e, k, c]) is one contraction over e and k."""
    A, B = t.tensors("A B", 3)
    e, n, k, c = t.axes("e n k c")
    i, j = t.index(n), t.index(c)
    sign = t.either(1, -1)
    t.claim(t.sum(e, lambda p: t.sum(k, lambda q: A(p, i, q) * B(p, q, j)))
            == t.sum(k, lambda q: t.sum(e, lambda p: sign * A(p, i, q) * B(p, q, j))))


@rule(of="MergeSummed", file="compiler/fuse/families/SumsOfProducts.cpp")
def merged_sum(t):
    """Σ_e Σ_k A[e, k] B[e, k] = Σ_h A'[h] B'[h] over h = join(e, k)."""
    A, B = t.tensors("A B", 2)
    e, k = t.axes("e k")
    both = t.merged(e, k)
    sign = t.either(1, -1)

    def product(h):
        return A(both.high(h), both.low(h)) * (sign * B(both.high(h), both.low(h)))
    t.by_pairs(both, e, k, product)
    t.same_pairs(e, k, lambda p, q: product(both.join(p, q)), lambda p, q: A(p, q) * B(p, q))
    t.claim(t.sum(both, product) == t.sum(e, lambda r: t.sum(k, lambda q: A(r, q) * B(r, q))))


VIEWS = "compiler/fuse/StoredViews.cpp"


@rule(of=("RearrangeStored", "cutFastest"), file=VIEWS)
def view_of_split_axis(t):
    """Entry (i b + j) of an axis with the stride s is entry i, j of axes with the strides b s and s."""
    i, j, b, s = t.integers("i j b s")
    stride = t.either(b * s, s)
    t.claim((i * b + j) * s == i * stride + j * s)


@rule(of=("SliceStored", "SelectStored", "cutRange"), file=VIEWS)
def view_of_some_positions(t):
    """Position first + i of an axis with the stride s is position i of a view that begins first s elements later."""
    first, i, s, offset = t.integers("first i s offset")
    begin = t.either(first * s, first)
    t.claim(offset + (first + i) * s == (offset + begin) + i * s)


@rule(of="first % inner == 0 && count % inner == 0", file=VIEWS)
def view_of_whole_factors(t):
    """(q b + i) div b = q + i div b, and the remainder is that of i: positions from a multiple of b on, two factors."""
    q, high, low, b, outer, inner = t.integers("q high low b outer inner")
    # i = high b + low, and q b + i = outer b + inner
    t.assume((b > 0) & (low >= 0) & (low < b) & (inner >= 0) & (q * b + (high * b + low) == outer * b + inner))
    t.condition(inner < b)
    t.claim((outer - q - high) * b == low - inner)
    t.claim((outer - q - high < 1) & (outer - q - high > -1))
    t.claim(outer == q + high, inner == low)


@rule(of="RepeatStored", file=VIEWS)
def view_of_repeated_positions(t):
    """Position i r + j of a repeated axis is position i: a factor of size r with the stride 0."""
    i, j, s = t.integers("i j s")
    stride = t.either(0, 1)
    t.claim(i * s == i * s + j * stride)


HEADS = "compiler/fuse/families/MergeHeads.cpp"


@rule(of=("xf-merge-heads", "K'[h] = K[h div g]"), file=HEADS)
def merged_heads(t):
    """Σ_k Q'[h, r, k] K[high(h), c, k] at h = join(a, b) is Σ_k Q[a, b, r, k] K[a, c, k]; and so for the values."""
    Q, = t.tensors("Q", 4)
    K, = t.tensors("K", 3)
    a_axis, b_axis, k = t.axes("a b k")
    heads = t.merged(a_axis, b_axis)
    a, b = t.index(a_axis), t.index(b_axis)
    r, c = t.integers("r c")
    h = heads.join(a, b)
    of_keys = t.either(heads.high(h), heads.low(h))

    def merged(p):
        return Q(heads.high(h), heads.low(h), r, p) * K(of_keys, c, p)
    t.same(k, merged, lambda p: Q(a, b, r, p) * K(a, c, p))
    t.claim(t.sum(k, merged) == t.sum(k, lambda p: Q(a, b, r, p) * K(a, c, p)))


@rule(of=("memberOf", "mergedTable"), file=HEADS)
def merged_table(t):
    """B[a, b, i, j] = B'[h, i, j] at h = (a n_b + b): a is h div n_b, and b is the remainder."""
    B, = t.tensors("B", 4)
    a_axis, b_axis = t.axes("a b")
    heads = t.merged(a_axis, b_axis)
    a, b, i, j = t.index(a_axis), t.index(b_axis), *t.integers("i j")
    h = heads.join(a, b)
    t.claim(B(t.either(heads.high(h), heads.low(h)), heads.low(h), i, j) == B(a, b, i, j))


@rule(of=("xf-unroll-families", "Σ_e G[e]"), file="compiler/fuse/families/UnrollFamilies.cpp")
def unrolled_sum(t):
    """Σ over e + 1 members is Σ over the first e, plus the last: a chain of additions, member by member."""
    G, = t.tensors("G", 2)
    y, = t.tensors("y", 3)
    first, last = t.axis("e"), t.axis("last", exactly=1)
    n, c = t.integers("n c")
    sign = t.either(1, -1)

    def term(e):
        return G(e, n) * y(e, n, c)
    t.split(first, last, term)
    t.only(last, number(0, "Int"), lambda k: term(first.size + k))
    t.claim(t.sum(t.appended(first, last), term) == t.sum(first, term) + sign * term(first.size + number(0, "Int")))


@rule(of="A member of a weight is a view", file="compiler/fuse/families/UnrollFamilies.cpp")
def one_member(t):
    """(Σ_k x[n, k] W[e, k, c]) at e is Σ_k x[n, k] W_e[k, c]: an axis that is not summed over can be fixed."""
    x, member = t.tensors("x member", 2)
    W, = t.tensors("W", 3)
    k = t.axis("k")
    n, e, other, c = t.integers("n e other c")
    read = t.either(e, other)
    t.assume(t.each(k, lambda p: member(p, c) == W(read, p, c)))
    t.same(k, lambda p: x(n, p) * member(p, c), lambda p: x(n, p) * W(read, p, c))
    t.claim(t.sum(k, lambda p: x(n, p) * W(e, p, c)) == t.sum(k, lambda p: x(n, p) * member(p, c)))
