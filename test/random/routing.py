# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random experts: a few of them for each row, with gates that are written in several ways."""

from declarations import Family, Let
from members import Members
from scalars import literal
from trees import MULTIPLY, NEGATE, POSTFIX, Node, call, infix, negated
from values import matrix


class Equations(Members):
    """All forms of a matrix."""

    growers = Members.growers + [("experts", 0.8)]

    def experts(self, rows, columns, depth):
        """Σ over experts of a gate times the expert's result."""
        if self.family or rows not in ("n", "m") or columns != "d" or not self.choices:
            return None
        x = self.named(self.matrix(rows, "d", depth - 1))
        gate = self.gate(x)
        if self.chance(0.4):  # the gates of an expert are a row
            gate = self.let(Node(matrix("h", rows), f"{{0:{POSTFIX}}}'", "{0}.T", [gate]))
            chosen = Node(("row", rows), "{0}[i]", "{0}[i]", [gate])
        else:
            chosen = Node(("row", rows), f"{{0:{POSTFIX}}}'[i]", "{0}.T[i]", [self.let(gate)])
        member = Node(
            matrix(rows, columns),
            f"diag({{0}}) @ {{1:{NEGATE}}}",
            "(diag({0}) * {1})",
            [chosen, self.expert(x)],
            MULTIPLY,
        )
        out = Family(self.fresh("F"), "i", "h", member, self.scope)
        return self.over_members("sum", out)

    def let(self, node):
        return Let(self.fresh("x"), node, self.scope).node()

    def gate(self, x):
        """The gates: the weight of each expert for each row."""
        type = matrix(x.type[1], "h")
        z = self.let(infix("@", type, x, self.kernel("d", "h")))
        k = str(self.random.randint(1, self.sizes["h"]))
        by = self.random.choice([z, z, negated(z), infix("+", type, z, self.weights_of(["h"]))])
        kind = self.random.choice(["softmax", "softmax", "scaled", "weights", "sum", "all"])
        if kind == "softmax":
            code = f"softmax({{0}}, top({{1}}, {k}))"
            return Node(type, f"softmax({{0}} | top({{1}}, {k}))", code, [z, by])
        z = self.let(call(self.random.choice(["sigmoid", "softmax"]), type, z))
        if kind == "all":  # without a choice
            return z
        by = self.random.choice([z, by])
        top = Node(type, f"top({{0}}, {k})", f"real(top({{0}}, {k}))", [by])
        if kind == "scaled":
            s = literal(self.random.choice(["2.5", "1", "0.5"]))
            return infix("*", type, infix("*", type, s, top), z)
        pair = [z, top] if self.chance(0.5) else [top, z]
        y = self.let(infix("*", type, *pair))
        if kind == "weights":
            one = self.weight(["h"], scale=0.2, away=1.0, positive=True, scope=self.scope).node()
            total = infix("@", ("row", type[1]), y, one)
        else:
            flipped = Node(matrix("h", type[1]), f"{{0:{POSTFIX}}}'", "{0}.T", [y])
            total = call("sum", ("row", type[1]), flipped, code="rows_sum")
        over = infix("/", total.type, literal("1"), total)
        return Node(type, f"diag({{0}}) @ {{1:{NEGATE}}}", "(diag({0}) * {1})", [over, y], MULTIPLY)

    def expert(self, x):
        """The result of expert i."""
        rows = x.type[1]
        kind = self.random.choice(["plain", "plain", "sliced", "scaled", "rows"])
        if kind == "sliced":
            return self.sliced(x)
        inner = self.projected(x, "h", "e").at("i")
        self.family = ("i", "h")
        if kind == "rows":  # one matrix for all, with a row of its own for each
            w = self.weight(["e", "d"], scale=0.6, scope=self.scope).node()
            r = self.weight(["h", "d"], scope=self.scope).node("i")
            kernel = infix("*", w.type, w, r)
        elif kind == "scaled":
            kernel = infix("*", matrix("e", "d"), self.number(1), self.weights_of(["e", "d"]))
        else:
            kernel = self.kernel("e", "d")
        self.family = None
        return infix("@", matrix(rows, "d"), inner, kernel)

    def sliced(self, x):
        """(relu(H[i][:, :e]) * H[i][:, e +: e]) @ B[i]"""
        rows = x.type[1]
        both = self.weight(["h", "d", "2 * e"], scale=0.4, scope=self.scope)
        wide = infix("@", matrix(rows, "2 * e"), x, both.node("i"))
        wide = Family(self.fresh("F"), "i", "h", wide, self.scope).at("i")
        type = matrix(rows, "e")
        first = Node(type, "{0}[:, :e]", "{0}[:, :e]", [wide])
        second = Node(type, "{0}[:, e +: e]", "{0}[:, e:e + e]", [wide])
        act = self.random.choice(["relu", "gelu", "tanh", "sigmoid"])
        hidden = infix("*", type, call(act, type, first), second)
        down = self.weight(["h", "e", "d"], scale=0.6, scope=self.scope).node("i")
        return infix("@", matrix(rows, "d"), hidden, down)
