# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows and matrices: their leaves.

Axes are texts that are valid in both languages: `n`, `d`, `h * e`, `3`.
"""

from declarations import Block, Branch, Declaration, Let, Weight
from scalars import Scalars, literal
from trees import POSTFIX, Node, call, infix


def matrix(rows, columns):
    return ("matrix", rows, columns)


def row(columns):
    return ("row", columns)


# The sizes of families.
MEMBERS = ("h", "h_kv")

# Of the entry.
PARAMETERS = {
    "source": "source[m]",
    "tokens": "tokens[n]",
    "segments": "segments[n] = 0",
    "features": "features[n, e]",
}


def transposed(x):
    rows, columns = x.type[1:]
    return Node(matrix(columns, rows), f"{{0:{POSTFIX}}}'", "{0}.T", [x])


class Parameter(Declaration):
    """One of them."""

    def __init__(self, name, spec):
        self.name, self.spec = name, spec


class Memory(Parameter):
    """A parameter of the generating entry: the value that another entry computes from the
    source."""

    def __init__(self):
        super().__init__("memory", "memory[m, d]")
        self.made = None  # set when it is generated

    def nodes(self):
        return [self.made]

    def node(self):
        return Node(matrix("m", "d"), self.name, self.name, uses=[self])


class Values(Scalars):
    """`whole` is false if row i may depend on the first i rows only; `plain` excludes constructs
    that programs are known to refuse: scores outside of an attention."""

    def __init__(self, random, sizes, *, whole, plain, **options):
        super().__init__(random, sizes, **options)
        self.whole, self.plain = whole, plain
        self.scope = None  # the block or memory being generated, or None for the entry
        self.memory = None
        self.paired = {}  # by block: whether its columns e are stored as pairs
        self.known = {}  # by scope: nodes that can be reused as a value
        self.family = None  # the index and range of the family being generated
        self.parameters = {name: Parameter(name, spec) for name, spec in PARAMETERS.items()}
        self.type = "F32"  # of the weights
        self.widths, self.lengths_there = ["d", "e", "f"], ["n"]

    # --- Declarations -------------------------------------------------------------------

    def weight(self, dims, **options):
        if self.chance(0.05):
            options["added"] = 1
        weight = Weight(self.fresh("W"), dims, **options)
        weight.apart = len(dims) > 1 and dims[0] in MEMBERS and self.chance(0.25)
        weight.other = self.chance(0.03)
        axes = dims[1:] if weight.apart else dims
        if all(axis.isidentifier() for axis in axes) and len(set(axes)) == len(axes) > 1:
            self.store(weight, axes)
        return weight

    def store(self, weight, axes):
        """Chooses the order of its axes in the file."""
        r, kind = self.random, self.random.random()
        if kind < 0.3:
            weight.stored = r.sample(axes, len(axes))
        elif kind < 0.4:  # [h, d, e] as [h * e, d]
            some = r.sample(axes, len(axes))
            weight.stored = [some[:2], *some[2:]]
        if weight.block not in self.paired:
            self.paired[weight.block] = self.sizes["e"] % 2 == 0 and self.chance(0.1)
        if "e" in axes and self.paired[weight.block]:
            weight.pairs = bool(weight.stored)
        elif 0.4 < kind < 0.75 and not (weight.added or weight.apart or weight.other):
            weight.joins = r.random()

    def weights_of(self, dims, **options):
        """A weight of this body: inside of a family, a member of a family of weights."""
        if self.family and self.chance(0.7):
            index, members = self.family
            return self.weight([members] + dims, scope=self.scope, **options).node(index)
        return self.weight(dims, scope=self.scope, **options).node()

    def kernel(self, inner, columns):
        """A matrix of weights after an `@`; sometimes one computed from others."""
        scale = 1.2 / self.extent(inner) ** 0.5
        if self.extreme and self.chance(0.2):
            scale *= self.random.choice([1e-15, 1e-8, 1e8, 1e15]) if self.type == "F32" else 1
        kind = self.random.random()
        if kind < 0.05:
            return transposed(self.weights_of([columns, inner], scale=scale))
        if kind < 0.15 and not self.family:
            return self.piece(inner, columns, scale)
        w = self.weights_of([inner, columns], scale=scale)
        kind -= 0.1
        if kind < 0.1:
            return infix("*", w.type, self.number(1), w)
        if kind < 0.13:
            return infix("*", w.type, w, self.weights_of([columns]))
        if kind < 0.16:
            return infix("+", w.type, w, self.weights_of([inner, columns], scale=scale))
        return w

    def piece(self, inner, columns, scale):
        """A slice of a larger weight, or a product of weights."""
        type, k = matrix(inner, columns), self.random.randint(0, 3)
        rows, wide = f"{inner} + {k + 2}", f"{columns} + {k + 2}"
        kind = self.random.choice(["columns", "rows", "first", "member", "members", "product"])
        if kind == "product":
            middle = self.random.choice(self.widths)
            w = self.weights_of([inner, middle], scale=scale)
            return infix("@", type, w, self.kernel(middle, columns))
        if kind == "member":
            w = self.weight(["h", inner, columns], scale=scale, scope=self.scope)
            return w.node(str(self.random.randrange(self.sizes["h"])))
        if kind == "members":
            w = self.weight(["h", "2", inner, columns], scale=scale, scope=self.scope)
            return w.node(str(self.random.randrange(self.sizes["h"])), self.random.choice("01"))
        if kind == "rows":
            w = self.weight([rows, columns], scale=scale, scope=self.scope)
            place, code = f"{k} +: {inner}", f"{k}:{k} + {inner}"
        elif kind == "first":
            w = self.weight([inner, wide], scale=scale, scope=self.scope)
            place = code = f":, :{columns}"
        else:
            w = self.weight([inner, wide], scale=scale, scope=self.scope)
            place, code = f":, {k} +: {columns}", f":, {k}:{k} + {columns}"
        return Node(type, f"{w.name}[{place}]", f"{w.read()}[{code}]", uses=[w])

    def extent(self, axis):
        return max(1, eval(axis, {"n": 6, "m": 6}, self.sizes))

    def remember(self, node):
        if not self.family:
            self.known.setdefault(self.scope, []).append(node)
        return node

    def named(self, node, probability=1.0):
        """Sometimes gives the node a name, so that others can use it too."""
        if self.family or not self.chance(probability):
            return node
        if self.chance(0.15) and not self.generates:
            other = self.again(node.type) or node
            name, both = self.fresh("x"), self.chance(0.5)
            return self.remember(
                Branch(name, self.flag(), node, other, self.scope, both).node()
            )
        return self.remember(Let(self.fresh("x"), node, self.scope).node())

    def again(self, type):
        some = [node for node in self.known.get(self.scope, []) if node.type == type]
        return self.random.choice(some) if some else None

    def keys(self, rows):
        """The length of the sequence that rows may attend to."""
        if self.whole:
            return self.random.choice(self.lengths_there)
        return "m" if self.memory and self.scope is None and self.chance(0.4) else rows

    def square(self, rows, columns):
        """A matrix of pairs of positions."""
        return rows in ("n", "m") and columns in ("n", "m")

    # --- Leaves -------------------------------------------------------------------------

    def leaf(self, rows, columns):
        some = self.again(matrix(rows, columns))
        if some and self.chance(0.7):
            return some
        if rows in ("n", "m") and columns in ("n", "m"):
            inner = self.random.choice(["d", "e"])
            return infix(
                "@",
                matrix(rows, columns),
                self.leaf(rows, inner),
                transposed(self.leaf(columns, inner)),
            )
        if rows in ("n", "m"):
            remembers = rows == "m" and self.memory and self.scope is None
            if isinstance(self.scope, Block) or remembers:
                other = self.memory.node() if remembers else self.again(matrix(rows, "d"))
                if columns == "d":
                    return other
                return infix("@", matrix(rows, columns), other, self.kernel("d", columns))
            return self.embedding(rows, columns)
        if columns in ("n", "m"):
            return transposed(self.leaf(columns, rows))
        return self.weights_of([rows, columns])

    def embedding(self, rows, columns):
        """Rows of a table by tokens, and common additions to them."""
        type = matrix(rows, columns)
        node = self.looked_up(type, "tokens" if rows == "n" else "source", "v")
        if self.chance(0.2):
            table = self.weight(["n_max", columns])
            first = Node(type, f"{table.name}[:{rows}]", f"{table.read()}[:{rows}]", uses=[table])
            node = infix("+", type, node, first)
        if rows == "n" and self.chance(0.1):
            node = infix("+", type, node, self.looked_up(type, "segments", "2"))
        if rows == "n" and self.chance(0.05):
            given = self.parameters["features"]
            features = Node(matrix("n", "e"), given.name, given.name, uses=[given])
            node = infix("+", type, node, infix("@", type, features, self.kernel("e", columns)))
        return node if self.family else self.remember(Let(self.fresh("x"), node, self.scope).node())

    def looked_up(self, type, name, count):
        table = self.weight([count, type[2]])
        uses = [table, self.parameters[name]]
        return Node(type, f"{table.name}[{name}]", f"{table.read()}[{name}]", uses=uses)

    def gain(self, columns):
        return self.weights_of([columns], scale=0.3, away=0.7)

    # --- Rows and scalars ---------------------------------------------------------------

    def row(self, columns, depth):
        type = row(columns)
        free = self.whole and not self.family and not (self.plain and columns in ("n", "m"))
        if columns in ("n", "m"):
            x = self.matrix(columns, self.random.choice(self.widths), max(depth, 0))
            if self.chance(0.4):  # x @ c
                return infix("@", type, x, self.weights_of([x.type[2]], scale=0.5))
            return self.over_rows(type, transposed(x))
        if depth <= 0 or not free and self.chance(0.6):
            return self.gain(columns) if self.chance(0.3) else self.weights_of([columns])
        kind = self.random.choice(
            ["reduce", "pick", "sum", "scale", "unary", "product", "norm", "table", "wide"]
            if free
            else ["sum", "scale", "unary", "norm", "table"]
        )
        if kind == "reduce":
            x = self.matrix("n", columns, depth - 1)
            if self.chance(0.1):  # of some rows
                place, code = self.random.choice([(":1", ":1"), ("0 +: 1", "0:1")])
                x = Node(matrix("1", columns), f"{{0:{POSTFIX}}}[{place}]", f"{{0}}[{code}]", [x])
            return self.over_rows(type, x)
        if kind == "pick":
            x = self.matrix("n", columns, depth - 1)
            where = self.random.choice(
                ["0", "-1"] + (["n - 1", "n - 1", "n div 2"] if self.lengths else [])
            )
            return Node(
                type, f"{{0:{POSTFIX}}}[{where}]", f"{{0}}[{where.replace('div', '//')}]", [x]
            )
        if kind == "table":
            return self.of_a_table(columns)
        if kind == "wide":  # p of [n] times a matrix
            x = self.matrix("n", columns, depth - 1)
            return infix("@", type, self.row("n", depth - 2), x)
        if kind == "sum":
            return infix(
                self.random.choice(["+", "-", "*"]),
                type,
                self.row(columns, depth - 1),
                self.row(columns, depth - 1),
            )
        if kind == "scale":
            s = self.length() if self.lengths and self.chance(0.5) else self.number(1)
            return infix("*", type, s, self.row(columns, depth - 1))
        if kind == "unary":
            return call(
                self.random.choice(["tanh", "relu", "gelu", "sigmoid"]),
                type,
                self.row(columns, depth - 1),
            )
        if kind == "norm":
            return call("standardize", type, self.row(columns, depth - 1), literal("1e-3"))
        inner = self.random.choice(self.widths)
        return infix("@", type, self.row(inner, depth - 1), self.kernel(inner, columns))

    def of_a_table(self, columns):
        """A row of weights, or a row computed from weights alone."""
        kind = self.random.choice(["row", "mean", "conv", "patches", "patches"])
        if kind == "row":
            k = self.random.randint(1, 4)
            return self.weight([str(k + 1), columns], scope=self.scope).node(str(k))
        if kind == "patches":
            image = self.weight(["2", "4", "6"], scope=self.scope)
            patches = Node(
                matrix("6", "8"),
                f"patches({image.name}, 2)",
                f"patches({image.read()}, 2)",
                uses=[image],
            )
            mean = call("mean", row("8"), patches, code="rows_mean")
            return infix("@", row(columns), mean, self.weights_of(["8", columns], scale=0.4))
        of_row = kind == "conv" and self.chance(0.3)
        x = self.weight(["9"] if of_row else ["9", "e"], scope=self.scope).node()
        if kind == "conv":
            axes = ["3", columns] if of_row else ["3", "e", columns]
            kernel = self.weight(axes, scale=0.5, scope=self.scope)
            stride, pad = self.random.choice([(2, 1), (2, 0), (3, 1), (1, 2)])
            reflects = self.chance(0.5)
            border = ', border = "reflect"' if reflects else ""
            x = Node(
                matrix(str((9 + 2 * pad - 3) // stride + 1), columns),
                f"conv({{0}}, {kernel.name}, stride = {stride}, pad = {pad}{border})",
                f"conv({{0}}, {kernel.read()}, {stride}, {pad}, {reflects})",
                [x],
                uses=[kernel],
            )
        else:
            x = infix("@", matrix("9", columns), x, self.weights_of(["e", columns], scale=0.6))
        kind = self.random.choice(["sum", "mean", "max"])
        return call(kind, row(columns), x, code=f"rows_{kind}")

    def over_rows(self, type, x):
        kind = self.random.choice(["sum", "mean", "max", "length"])
        if kind == "length":
            n = x.type[1] if x.type[1] in ("n", "m") else None
            if n == "n" and self.lengths:
                return infix(
                    "/", type, call("sum", type, x, code="rows_sum"), Node(("length",), "n", "n")
                )
            kind = "mean"
        return call(kind, type, x, code=f"rows_{kind}")
