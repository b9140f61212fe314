# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The forms of matrix expressions: entry by entry, row by row or across rows."""

from declarations import Function, Let, Local
from scalars import NUMBER, REAL, ROUNDINGS, TRUTH, literal
from trees import (
    ADD,
    COMPARE,
    MULTIPLY,
    NEGATE,
    POSTFIX,
    POWER,
    ROOT,
    Node,
    call,
    choice,
    infix,
    negated,
)
from values import Values, matrix, transposed


class Matrices(Values):
    """Each grower returns a matrix with these axes, or None if its form does not apply."""

    # The forms, and the probability with which each is taken when it is drawn.
    growers = [
        ("binary", 0.7),
        ("with_row", 0.6),
        ("with_number", 1.0),
        ("with_scalar", 0.2),
        ("activation", 0.8),
        ("linear", 1.0),
        ("product", 0.5),
        ("flipped", 0.2),
        ("by_rows", 1.0),
        ("chosen", 0.7),
        ("rotated", 0.5),
        ("positions", 0.6),
        ("cut", 0.3),
        ("shifted", 0.05),
        ("convolved", 0.3),
        ("scaled_rows", 0.3),
        ("conditional", 0.2),
        ("residual", 0.8),
    ]

    def matrix(self, rows, columns, depth):
        type = matrix(rows, columns)
        if depth <= 0:
            return self.leaf(rows, columns)
        some = self.again(type)
        if some and self.chance(0.15):
            return some
        for _ in range(12):
            grow, share = self.random.choice(self.growers)
            if self.chance(share):
                node = getattr(self, grow)(rows, columns, depth - 1)
                if node:
                    assert node.type == type, (grow, node.type, type)
                    return self.named(node, 0.25)
        return self.leaf(rows, columns)

    def binary(self, rows, columns, depth):
        type = matrix(rows, columns)
        a, b = self.matrix(rows, columns, depth), self.matrix(rows, columns, depth - 1)
        kind = self.random.choice(["+", "+", "-", "*", "/", "max", "min"])
        if kind in ("max", "min"):
            return call(kind, type, a, b, code=f"{kind}imum")
        if kind == "/":
            b = infix("+", type, infix("^", type, b, literal("2")), literal("0.5"))
        return infix(kind, type, a, b)

    def with_row(self, rows, columns, depth):
        if columns in ("n", "m") and self.plain:
            return None
        type = matrix(rows, columns)
        x = self.matrix(rows, columns, depth)
        if self.random.random() < 0.3:
            return infix("/", type, x, self.gain(columns)) if columns not in ("n", "m") else None
        y = self.row(columns, depth - 1)
        pair = [x, y] if self.chance(0.7) else [y, x]
        return infix(self.random.choice(["+", "-", "*"]), type, *pair)

    def with_number(self, rows, columns, depth):
        type = matrix(rows, columns)
        x = self.matrix(rows, columns, depth)
        kind = self.random.choice(["*", "*", "*", "/", "+", "-", "neg", "over", "max", "min"])
        if kind == "neg":
            return negated(x)
        by_length = self.lengths and self.chance(0.5)
        s = self.length(positive=kind == "/") if by_length else self.number(nonzero=kind == "/")
        if kind == "over":
            square = infix("+", type, infix("^", type, x, literal("2")), literal("1"))
            return infix("/", type, s, square)
        left = kind != "/" and self.chance(0.5)
        pair = [s, x] if left else [x, s]
        if kind in ("max", "min"):
            return call(kind, type, *pair, code=f"{kind}imum")
        return infix(kind, type, *pair)

    def with_scalar(self, rows, columns, depth):
        """Combined with one computed scalar."""
        if not self.whole or self.plain or self.family:
            return None
        width, type = self.random.choice(self.widths), matrix(rows, columns)
        a = self.row(width, depth - 1)
        s = self.random.choice(
            [
                lambda: infix("@", ("scalar",), a, self.row(width, depth - 1)),
                lambda: call(
                    kind := self.random.choice(["sum", "mean", "max"]),
                    ("scalar",),
                    a,
                    code=f"rows_{kind}",
                ),
            ]
        )()
        x = self.matrix(rows, columns, depth)
        pair = self.random.choice([[s, x], [x, s]])
        kind = self.random.choice(["*", "+", "-", "max", "min"])
        if kind in ("max", "min"):
            return call(kind, type, *pair, code=f"{kind}imum")
        return infix(kind, type, *pair)

    def activation(self, rows, columns, depth):
        type = matrix(rows, columns)
        x = self.matrix(rows, columns, depth)
        kind = self.random.choice(
            [
                "relu",
                "gelu",
                "sigmoid",
                "tanh",
                "exp",
                "silu",
                "power",
                "root",
                "softcap",
                "inverse",
                "logarithm",
                "function",
                "any_power",
                "round",
            ]
        )
        if kind == "round":
            return self.narrowed(x) if self.chance(0.6) else None
        if kind == "any_power":
            x = infix("+", type, infix("^", type, x, literal("2")), literal("0.3"))
            power = self.random.choice(["1.5", "1 / 3", "-2", "4", "-0.7", "-1.5"])
            return Node(type, f"{{0:{ROOT}}}^({power})", f"({{0}} ** ({power}))", [x], POWER)
        if kind == "silu":
            x = self.named(x)
            return infix("*", type, x, call("sigmoid", type, x))
        if kind == "exp":
            return call("exp", type, call("tanh", type, x))
        if kind == "power":
            return infix("^", type, x, literal(self.random.choice(["2", "3", "1"])))
        if kind in ("root", "inverse", "logarithm"):
            x = infix("+", type, infix("^", type, x, literal("2")), literal("0.3"))
            if kind == "root":
                return Node(type, f"√{{0:{ROOT}}}", "sqrt({0})", [x], ROOT)
            if kind == "logarithm":
                return call(self.random.choice(["log", "log2", "log1p"]), type, x)
            return infix("^", type, x, literal(self.random.choice(["-0.5", "-1", "0.5"])))
        if kind == "softcap":
            s = self.number(1, positive=True)
            return infix("*", type, s, call("tanh", type, infix("/", type, x, s)))
        if kind == "function":
            return self.function(type, x)
        return call(kind, type, x)

    def narrowed(self, x):
        """Rounded on purpose."""
        kind = self.random.choice(["f32", "f16", "bf16", "round"])
        if kind == "f32":  # as wide as the programs' arithmetic
            return Node(x.type, "f32({0})", "real({0}.astype('float32'))", [x])
        if kind == "round":
            to = self.random.choice(["float16", "bfloat16"])
            return Node(x.type, f'round({{0}}, "{to}")', f"rounded({{0}}, '{to}')", [x])
        return Node(x.type, f"{kind}({{0}})", f"rounded({{0}}, '{ROUNDINGS[kind]}')", [x])

    def function(self, type, x):
        """A function defined in the spec, of a value and a number."""
        body_x, body_s = Node(type, "x", "x"), Node(NUMBER, "s", "s")
        body = self.random.choice(
            [
                lambda: infix(
                    "*", type, body_x, call("sigmoid", type, infix("*", type, body_s, body_x))
                ),
                lambda: infix(
                    "+", type, infix("*", type, body_s, body_x), call("relu", type, body_x)
                ),
                lambda: infix(
                    "-",
                    type,
                    body_x,
                    infix("*", type, self.number(1), infix("*", type, body_s, body_x)),
                ),
                lambda: infix(
                    "*", type, infix("+", type, literal("1"), call("tanh", type, body_x)), body_s
                ),
            ]
        )()
        where = {}
        if self.chance(0.3):  # y = tanh(x) and so on
            where["y"] = call(self.random.choice(["tanh", "relu", "sigmoid"]), type, body_x)
            body = infix(self.random.choice(["+", "-", "*"]), type, body, Node(type, "y", "y"))
        stated, s, given = {}, self.number(1), "{1}"
        if all(axis == "n" or axis in self.sizes for axis in type[1:]) and self.chance(0.3):
            stated["x"] = f"x[{', '.join(type[1:])}]"
        if self.chance(0.2):  # the default value
            stated["s"] = "s = 0.5"
            if self.chance(0.5):
                given, s = "", literal("0.5")
        declared = Function(self.fresh("g"), ["x", "s"], body, where, stated)
        return Node(
            type,
            f"{declared.name}({{0}}{', ' * bool(given)}{given})",
            f"{declared.name}({{0}}, {{1}})",
            [x, s],
            uses=[declared],
        )

    def linear(self, rows, columns, depth):
        if columns in ("n", "m"):
            return None
        inner = self.random.choice(self.widths)
        node = infix(
            "@", matrix(rows, columns), self.matrix(rows, inner, depth), self.kernel(inner, columns)
        )
        return self.biased(node, columns)

    def biased(self, x, columns):
        kind = self.random.random()
        if kind < 0.5:
            return x
        if kind < 0.75 or self.family:
            return infix("+", x.type, x, self.weights_of([columns]))
        weight = self.weight([columns], there=self.chance(0.5), scope=self.scope)
        if self.chance(0.4):
            weight.condition = self.flag()
            weight.there = weight.condition.uses[0].value
        code = f"({{0}} + {weight.read()})" if weight.there else "{0}"
        return Node(x.type, f"{{0:{ADD}}} + {weight.name}", code, [x], ADD, uses=[weight])

    def product(self, rows, columns, depth):
        """Of two values."""
        if self.square(rows, columns):
            if self.plain or not self.whole:
                return None
            inner = self.random.choice(self.widths)
            other = self.matrix(columns, inner, depth - 1)
            return infix(
                "@", matrix(rows, columns), self.matrix(rows, inner, depth), transposed(other)
            )
        if not self.whole or self.plain:
            return None
        inner = self.random.choice(self.lengths_there)
        scores = self.matrix(rows, inner, depth)
        kind = self.random.random()
        if kind < 0.5:
            scores = call("softmax", scores.type, scores)
        elif kind < 0.8:
            scores = infix("/", scores.type, scores, literal("8"))
        else:
            scores = self.named(call("softmax", scores.type, scores))
            scores = infix("*", scores.type, scores, scores)
        return infix("@", matrix(rows, columns), scores, self.matrix(inner, columns, depth - 1))

    def flipped(self, rows, columns, depth):
        if not self.whole or self.plain or rows not in ("n", "m"):
            return None
        return transposed(self.matrix(columns, rows, depth))

    def by_rows(self, rows, columns, depth):
        """Operations that normalize each row."""
        if not self.whole and self.square(rows, columns) or self.plain and columns in ("n", "m"):
            return None
        type = matrix(rows, columns)
        x = self.matrix(rows, columns, depth)
        kind = self.random.choice(["standardize", "unit_rms", "unit", "softmax"])
        if kind == "softmax":
            return call("softmax", type, x)
        if kind == "unit":
            node = call("unit", type, x)
        else:
            epsilon = literal(self.random.choice(["1e-5", "1e-6", "0.1", "1e-12"]))
            if self.extreme and self.chance(0.3):
                epsilon = literal("0")
            node = call(kind, type, x, epsilon)
        if self.chance(0.5) and columns not in ("n", "m"):
            node = infix("*", type, node, self.gain(columns))
            if self.chance(0.5):
                node = infix("+", type, node, self.weights_of([columns]))
        return node

    def chosen(self, rows, columns, depth):
        """softmax(Z | top(Y, k)): often Y = Z, or its negation."""
        if columns in ("n", "m") or not self.choices:
            return None
        x = self.named(self.matrix(rows, columns, depth))
        extent = self.extent(columns)
        k = literal(str(self.random.randint(1, extent)))
        y = self.random.choice(
            [lambda: x, lambda: negated(x), lambda: self.matrix(rows, columns, depth - 1)]
        )()
        scale = self.random.choice(["1", "1", "10", "60", "1000"])
        z = x if scale == "1" else infix("*", x.type, literal(scale), x)
        return Node(
            x.type, "softmax({0} | top({1}, {2}))", "softmax({0}, top({1}, {2}))", [z, y, k]
        )

    def rotated(self, rows, columns, depth):
        if (
            columns in ("n", "m")
            or self.extent(columns) % 2
            or rows not in ("n", "m")
            or self.family
        ):
            return None
        return self.turned(self.matrix(rows, columns, depth))

    def turned(self, x):
        angles, name = self.definition(["t", "c"], 1)
        if self.chance(0.6):
            base = literal(self.random.choice(["10000", "100"]))
            text = f"t * {base}^(-2 * c / {x.type[2]})"
            angles.where = {}
            angles.body = Node(
                ("real",), text, f"(t * {base} ** (-2 * c / ({x.type[2]})))", binding=MULTIPLY
            )
            angles.body = (
                infix("*", ("real",), Node(NUMBER, "s", "s"), angles.body)
                if angles.parameter
                else angles.body
            )
        return Node(x.type, "rotate({0}, {1})", "rotate({0}, lambda *at: {1}n, m, *at))", [x, name])

    def positions(self, rows, columns, depth):
        """A definition by index, combined with a matrix."""
        if self.plain and self.square(rows, columns):
            return None
        type = matrix(rows, columns)
        return infix(
            self.random.choice(["+", "+", "-", "*"]),
            type,
            self.matrix(rows, columns, depth),
            self.tabulated(rows, columns),
        )

    def by_tokens(self, rows, columns):
        """Values by position that depend on tokens."""
        r = self.random
        indices = ["i", "j"]
        some = ["i"] * (rows == "n") + ["j"] * (columns == "n")
        token = Node(("integer",), f"tokens[{(k := r.choice(some))}]", f"tokens[{k}]")
        token.uses.append(self.parameters["tokens"])
        number = literal(str(r.randrange(self.sizes["v"])))
        truth = infix(r.choice(["==", "!=", "<", ">="]), TRUTH, token, number)
        if len(some) == 2 and self.chance(0.5):
            truth = Node(TRUTH, "tokens[i] == tokens[j]", "(tokens[i] == tokens[j])")
            truth.binding = COMPARE
            truth.uses.append(self.parameters["tokens"])
        yes, no = self.real(indices, 1), self.number(1)
        body = choice(REAL, truth, yes, no) if self.chance(0.7) else infix("/", REAL, token, number)
        if body.operands[0] is token and number.spec == "0":
            body = token
        local = Local(self.fresh("t"), indices, body, self.scope)
        type = ("positions", rows, columns)
        return Node(type, local.name, f"table({local.name}, {rows}, {columns})", uses=[local])

    def tabulated(self, rows, columns):
        if "n" in (rows, columns) and self.scope is None and self.family is None:
            if self.whole and self.chance(0.12):
                return self.by_tokens(rows, columns)
        name = self.definition(["i", "j"])[1]
        node = Node(
            ("positions", rows, columns),
            "{0}",
            f"table(lambda *at: {{0}}n, m, *at), {rows}, {columns})",
            [name],
        )
        if self.chance(0.2):
            node = infix("*", node.type, self.number(1), node)
        elif self.chance(0.1):
            node = infix("+", node.type, node, self.tabulated(rows, columns))
        return node

    def cut(self, rows, columns, depth):
        """Columns of one matrix concatenated with columns of another."""
        if columns in ("n", "m") or self.extent(columns) < 2 or not columns.isalpha():
            return None
        type, k = matrix(rows, columns), self.random.randint(1, self.extent(columns) - 1)
        a, b = self.matrix(rows, columns, depth), self.matrix(rows, columns, depth - 1)
        if self.chance(0.2):  # the same, shifted
            return Node(
                type,
                f"[{{0:{POSTFIX}}}[:, {k}:], {{1:{POSTFIX}}}[:, 0 +: {k}]]",
                f"beside({{0}}[:, {k}:], {{1}}[:, 0:0 + {k}])",
                [a, b],
            )
        return Node(
            type,
            f"[{{0:{POSTFIX}}}[:, :{k}], {{1:{POSTFIX}}}[:, {k}:]]",
            f"beside({{0}}[:, :{k}], {{1}}[:, {k}:])",
            [a, b],
        )

    def shifted(self, rows, columns, depth):
        """Shifted down by one row, with a separate first row."""
        if (
            rows not in ("n", "m")
            or columns in ("n", "m")
            or self.family
            or self.plain
            and self.generates
        ):
            return None
        type = matrix(rows, columns)
        x, first = self.matrix(rows, columns, depth), self.weights_of([columns])
        if self.whole and self.chance(0.5):
            return Node(type, "[{1}; {0}][1:]", "above({1}, {0})[1:]", [x, first])
        return Node(type, f"[{{1}}; {{0}}][:{rows}]", f"above({{1}}, {{0}})[:{rows}]", [x, first])

    def convolved(self, rows, columns, depth):
        if not self.whole or rows not in ("n", "m") or columns in ("n", "m") or self.family:
            return None
        if self.chance(0.4):
            return self.of_fewer_rows(rows, columns, depth)
        inner, width = self.random.choice(self.widths), self.random.choice([1, 3, 5])
        kernel = self.weight([str(width), inner, columns], scale=0.5, scope=self.scope)
        return Node(
            matrix(rows, columns),
            f"conv({{0}}, {kernel.name}, stride = 1, pad = {width // 2})",
            f"conv({{0}}, {kernel.read()}, 1, {width // 2})",
            [self.matrix(rows, inner, depth)],
            uses=[kernel],
        )

    def of_fewer_rows(self, rows, columns, depth):
        """Rows that attend to those of a convolution with a stride, whose number is another length; or
        a convolution of even width, which gives a row more, without its last one."""
        inner = self.random.choice(self.widths)
        x = self.matrix(rows, inner, depth)
        if self.chance(0.3):
            kernel = self.weight(["4", inner, columns], scale=0.5, scope=self.scope)
            return Node(
                matrix(rows, columns),
                f"conv({{0}}, {kernel.name}, stride = 1, pad = 2)[:{rows}]",
                f"conv({{0}}, {kernel.read()}, 1, 2)[:{rows}]",
                [x],
                uses=[kernel],
            )
        stride, pad = self.random.choice([(2, 1), (2, 2), (3, 1), (3, 2)])
        alone = self.chance(0.4)  # each channel by itself
        axes = ["3", inner] if alone else ["3", inner, columns]
        kernel = self.weight(axes, scale=0.5, scope=self.scope)
        fewer = Node(
            ("matrix", "fewer", inner if alone else columns),
            f"conv({{0}}, {kernel.name}, stride = {stride}, pad = {pad})",
            f"conv({{0}}, {kernel.read()}, {stride}, {pad})",
            [x],
            uses=[kernel],
        )
        fewer = Let(self.fresh("x"), fewer, self.scope).node()
        rest = Node(
            matrix(rows, fewer.type[2]),
            f"softmax({{0:{MULTIPLY}}} @ {{1}}') @ {{1}}",
            "(softmax(({0} @ {1}.T)) @ {1})",
            [self.matrix(rows, fewer.type[2], depth - 1), fewer],
            MULTIPLY,
        )
        if not alone:
            return rest
        return infix("@", matrix(rows, columns), rest, self.weights_of([inner, columns], scale=0.4))

    def scaled_rows(self, rows, columns, depth):
        """diag(v) @ X: each row times its factor."""
        if not self.whole or self.plain or rows not in ("n", "m"):
            return None
        return Node(
            matrix(rows, columns),
            f"diag({{0}}) @ {{1:{NEGATE}}}",
            "(diag({0}) * {1})",
            [self.factors(rows, depth - 1), self.matrix(rows, columns, depth)],
            MULTIPLY,
        )

    def factors(self, rows, depth):
        """A factor for each row: computed, or by its token."""
        if rows != "n" or self.scope or self.family or self.chance(0.5):
            return self.row(rows, depth)
        token = Node(("integer",), "tokens[i]", "tokens[i]", uses=[self.parameters["tokens"]])
        number = literal(str(self.random.randrange(self.sizes["v"])))
        truth = infix(self.random.choice(["==", "!=", "<"]), TRUTH, token, number)
        body = choice(REAL, truth, self.real(["i"], 1), self.number(1))
        local = Local(self.fresh("t"), ["i"], body, self.scope)
        return Node(("positions", rows), local.name, f"table({local.name}, {rows})", uses=[local])

    def conditional(self, rows, columns, depth):
        return Node(
            matrix(rows, columns),
            "{1:1} if {0:1} else {2}",
            "({1} if {0} else {2})",
            [self.flag(), self.matrix(rows, columns, depth), self.matrix(rows, columns, depth - 1)],
            0,
        )

    def residual(self, rows, columns, depth):
        x = self.named(self.matrix(rows, columns, depth - 1))
        y = self.matrix(rows, columns, depth)
        if self.chance(0.4):
            y = infix("*", y.type, self.number(1), y)
        return infix("+", x.type, x, y)
