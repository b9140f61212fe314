# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random attentions and heads, the main use of families."""

from declarations import Declaration, Family, IndexFunction
from scalars import NUMBER, REAL, literal
from matrices import Matrices
from trees import ROOT, Node, call, choice, infix, negated
from values import matrix, transposed


class LookUp(Declaration):
    """name[a, i, j] = family[a][i, place], of a value computed in a body."""

    def __init__(self, name, family, place, scope):
        self.name, self.family, self.place, self.scope = name, family, place, scope

    def nodes(self):
        return [self.family.all()]

    def spec(self):
        return [f"{self.name}[a, i, j] = {self.family.name}[a][i, {self.place}]"]

    def python(self):
        place = self.place.replace("clamp", "clip")
        return [
            f"{self.name} = [real([[member[i, {place}] for j in range(len(member))]",
            f"    for i in range(len(member))]) for member in {self.family.name}]",
        ]


class Families(Matrices):
    """Families of heads."""

    growers = Matrices.growers + [("attention", 0.8), ("heads", 0.8), ("pairs", 0.4)]
    share_of_biases = 0.4

    # --- Attention and other families ---------------------------------------------------

    def attention(self, rows, columns, depth):
        """softmax(A @ B' + … | M) @ V."""
        if rows not in ("n", "m") or columns in ("n", "m"):
            return None
        keys = self.keys(rows)
        inner = self.random.choice(self.widths)
        source = self.named(self.matrix(keys, "d", depth - 1))
        a = self.matrix(rows, inner, depth - 1)
        b = infix("@", matrix(keys, inner), source, self.kernel("d", inner))
        v = infix("@", matrix(keys, columns), source, self.kernel("d", columns))
        return infix("@", matrix(rows, columns), self.seen(self.scores(a, b)), v)

    def scores(self, a, b):
        """A @ B', scaled and biased at random."""
        type = matrix(a.type[1], b.type[1])
        s = infix("@", type, a, transposed(b))
        kind = self.random.randrange(6)
        if kind == 0:
            s = infix("*", type, self.number(1), s)
        elif kind == 1:
            s = infix("/", type, s, literal("2"))
        elif kind == 2:
            s = infix(
                "/",
                type,
                s,
                Node(
                    NUMBER,
                    f"√{a.type[2]}" if a.type[2].isalnum() else f"√({a.type[2]})",
                    f"math.sqrt({a.type[2]})",
                    binding=ROOT,
                ),
            )
        elif kind == 3:
            s = infix("@", type, infix("*", a.type, self.number(1), a), transposed(b))
        if self.chance(0.12):  # of two products
            inner = self.random.choice(["d", "e"])
            u = infix("@", matrix(type[1], inner), a, self.kernel(a.type[2], inner))
            t = infix("@", matrix(type[2], inner), b, self.kernel(b.type[2], inner))
            s = infix("+", type, s, infix("@", type, u, transposed(t)))
        if self.chance(0.3) and not self.family:
            s = infix("+", type, s, self.tabulated(*type[1:]))
        if self.chance(0.04) and self.whole and not self.family:
            return infix("+", type, s, self.infinite(*type[1:]))
        if self.chance(0.1):
            s = infix(
                "*", type, literal("5"), call("tanh", type, infix("/", type, s, literal("5")))
            )
        return s

    def infinite(self, rows, keys):
        """0 if a row sees a key, and -∞ if it does not."""
        seen = self.comparison(False, rows == keys)
        body = choice(REAL, seen, literal("0"), negated(Node(REAL, "∞", "numpy.inf")))
        mask = IndexFunction(self.fresh("f"), ["i", "j"], body)
        code = f"table(lambda *at: {mask.name}(n, m, *at), {rows}, {keys})"
        return Node(("positions", rows, keys), mask.name, code, uses=[mask])

    @staticmethod
    def hides_some(scores):
        """Whether the scores already have a mask."""
        uses = [each for node in scores.walk() for each in node.uses]
        return any("∞" in format(each.body) for each in uses if hasattr(each, "body"))

    def seen(self, s):
        """softmax(S | M, sink = s), with or without a mask and a sink."""
        rows, keys = s.type[1:]
        free = self.chance(0.4) if self.whole else rows != keys
        masks = []
        if not free and not self.hides_some(s):
            masks = [self.mask(causal=not self.whole, square=rows == keys)]
        operands, text, code = [s], "{0}", "{0}"
        for mask in masks:
            text += f" | {mask.name}"
            code += f", mask(lambda *at: {mask.name}(n, m, *at), {rows}, {keys})"
        if self.chance(0.15) and not self.hides_some(s):
            operands.append(self.sink())
            text, code = text + ", sink = {1}", code + ", sink={1}"
        return Node(s.type, f"softmax({text})", f"softmax({code})", operands, uses=masks)

    def sink(self):
        """A number, or an element of a weight; in a family often that of its member."""
        if self.chance(0.3):
            return self.number(1)
        if self.family and self.chance(0.8):
            index, members = self.family
            return self.weight([members], scope=self.scope, scale=2.0).node(index)
        return self.weight(["d"], scope=self.scope, scale=2.0).node("0")

    def pairs(self, rows, columns, depth):
        """Scores that are summed over heads before they are multiplied by values: sum(P) @ x."""
        if self.family or not self.whole or self.plain or rows not in ("n", "m"):
            return None
        keys = self.keys(rows)
        x = self.named(self.matrix(rows, "d", depth - 1))
        y = x if keys == rows else self.named(self.matrix(keys, "d", depth - 1))
        query, key = self.projected(x, "h", "e"), self.projected(y, "h", "e")
        weights = self.scores(query.at("i"), key.at("i"))
        if self.chance(0.8) or self.hides_some(weights):
            weights = self.seen(weights)
        weights = Family(self.fresh("F"), "i", "h", weights, self.scope)
        kind = self.random.choice(["sum", "sum", "mean", "max", "member"])
        if kind == "member":
            node = weights.at(str(self.random.randrange(self.sizes["h"])))
        else:
            node = self.over_members(kind, weights)
        if columns == keys:
            return node
        return infix("@", matrix(rows, columns), node, self.matrix(keys, columns, depth - 1))

    def heads(self, rows, columns, depth):
        """Several heads: families of queries, keys and values."""
        if self.family or rows not in ("n", "m") or columns in ("n", "m"):
            return None
        keys = self.keys(rows)
        x = self.named(self.matrix(rows, "d", depth - 1))
        y = x if keys == rows else self.named(self.matrix(keys, "d", depth - 1))
        groups = self.sizes["h"] % 2 == 0 and self.chance(0.4)
        query = self.projected(x, "h", "e")
        few = "h_kv" if groups else "h"
        key, value = self.projected(y, few, "e"), self.projected(y, few, "e")
        place = f"i div {self.sizes['h'] // self.sizes['h_kv']}" if groups else "i"
        s = self.scores(query.at("i"), key.at(place))
        if self.chance(self.share_of_biases):
            s = infix("+", s.type, s, self.bias_of_heads(*s.type[1:]))
        member = infix("@", matrix(rows, "e"), self.seen(s), value.at(place))
        head = Family(self.fresh("F"), "i", "h", member, self.scope)
        if self.chance(0.1) and self.whole and keys == rows and not self.plain:
            self.look_up(head, query, rows)
        return self.joined(head, rows, columns)

    def look_up(self, head, query, rows):
        """Scores by distance, of computed values: R[a][i, clamp(j - i + 2, 0, 4)]."""
        self.family = ("i", "h")
        table = self.weights_of(["5", "e"])
        by_distance = Family(
            self.fresh("F"),
            "i",
            "h",
            infix("@", matrix(rows, "5"), query.at("i"), transposed(table)),
            self.scope,
        )
        self.family = None
        place = "clamp(j - i + 2, 0, 4)"
        f = self.fresh("f")
        lookup = LookUp(f, by_distance, place, self.scope)
        scores = head.member.operands[0].operands[0]
        bias = Node(("positions", rows, rows), f"{f}[i]", f"{f}[i]", uses=[lookup])
        head.member.operands[0].operands[0] = infix("+", scores.type, scores, bias)

    def projected(self, x, members, columns):
        """Q[i] = x @ W[i] + …"""
        self.family = ("i", members)
        rows, inner = x.type[1:]
        type, scale = matrix(rows, columns), 1.2 / self.extent(inner) ** 0.5
        weight = self.weight([members, inner, columns], scale=scale, scope=self.scope)
        node = infix("@", type, x, weight.node("i"))
        kind = self.random.randrange(8)
        if kind == 0:
            node = self.biased(node, columns)
        elif kind == 1:
            node = infix("*", type, self.number(1), node)
        elif kind == 2 and self.extent(columns) % 2 == 0:
            node = self.turned(node)
        elif kind == 3:
            node = infix(
                "*", type, call("unit_rms", type, node, literal("1e-6")), self.gain(columns)
            )
        elif kind == 4:
            node = infix("+", type, node, self.weights_of([columns]))
        elif kind == 5:
            node = call(self.random.choice(["tanh", "gelu", "relu"]), type, node)
        self.family = None
        return Family(self.fresh("F"), "i", members, node, self.scope)

    def bias_of_heads(self, rows, columns):
        """B[a, i, j], combined with a member."""
        name = self.definition(["a", "i", "j"])[1]
        return Node(
            ("positions", rows, columns),
            "{0}[i]",
            f"table(lambda *at: {{0}}n, m, numpy.float64(i), *at), {rows}, {columns})",
            [name],
        )

    def joined(self, head, rows, columns):
        """Joins a family of matrices into one matrix with these columns."""
        type, width = matrix(rows, columns), head.member.type[2]
        kind = self.random.choice(["concat"] * 3 + ["sum", "mean", "max", "member", "each"])
        if kind == "concat":
            wide = f"{head.members} * {f'({width})' if ' ' in width else width}"
            joined = call("concat", matrix(rows, wide), head.all())
            return self.biased(infix("@", type, joined, self.kernel(wide, columns)), columns)
        if kind == "each":  # a projection for each, and their sum
            weight = self.weight([head.members, width, columns], scale=0.6, scope=self.scope)
            member = infix("@", type, head.at("i"), weight.node("i"))
            return self.over_members(
                "sum", Family(self.fresh("F"), "i", head.members, member, self.scope)
            )
        if kind == "member":
            one = head.at(str(self.random.randrange(self.extent(head.members))))
        else:
            one = self.over_members(kind, head)
        return one if width == columns else infix("@", type, one, self.kernel(width, columns))

    @staticmethod
    def over_members(kind, family):
        whole = family.all()
        return Node(family.member.type, f"{kind}({{0}})", f"rows_{kind}(members({{0}}))", [whole])
