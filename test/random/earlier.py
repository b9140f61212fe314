# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random expressions for one position, which may read earlier ones: x[t - 1], Σ_j W[j] * x[t - j].

Their types are `value`, a number; `vector`, a row; and `grid`, a matrix, all of one position.
"""

from declarations import FamilyOfTwo, IndexFunction, Let, Local
from routing import Equations
from scalars import INTEGER, REAL, TRUTH, literal
from stepwise import ByPosition, OfPositions, Place, Replaced, column
from trees import ADD, MULTIPLY, NEGATE, POSTFIX, Node, call, choice, infix, negated
from values import matrix, row, transposed

VALUE = ("value",)


def vector(columns):
    return ("vector", columns)


def grid(rows, columns):
    return ("grid", rows, columns)


def diagonal(v, x):
    """diag(v) @ x, of one position."""
    text = f"diag({{0}}) @ {{1:{NEGATE}}}"
    return Node(x.type, text, "(diag({0}) * {1})", [v, x], MULTIPLY)


def outer(k, v, factor=None):
    """k' @ v: each entry of k times each of v; perhaps with a factor in front."""
    text, code = f"{{0:{POSTFIX}}}' @ {{1:{NEGATE}}}", "outer({0}, {1})"
    if factor:
        text, code = f"{{2:{MULTIPLY}}} * {text}", "outer({2} * {0}, {1})"
    operands = [k, v] + ([factor] if factor else [])
    return Node(grid(k.type[1], v.type[1]), text, code, operands, MULTIPLY)


def beside(x, v):
    """(x @ v')', a row."""
    text = f"({{0:{MULTIPLY}}} @ {{1:{POSTFIX}}}')'"
    return Node(vector(x.type[1]), text, "({0} @ {1})", [x, v])


class Earlier(Equations):
    """Definitions by position."""

    growers = Equations.growers + [("delayed", 0.15)]
    steady = False  # whether states may take in what is the same at all positions

    # --- What an expression for one position reads ----------------------------------------

    def here(self, rows, most=2):
        """A place, with no, one or two families."""
        count = min(most, self.random.choice([0, 0, 0, 1, 1, 2]))
        second = self.random.choice(["2", "h_kv", "3"])
        return Place(rows, [("i", "h"), ("a", second)][:count])

    def source(self, rows, columns, through=None):
        """A matrix with a name."""
        node = self.delayed(rows, columns, 1) if self.chance(0.05) else None
        node = node or self.matrix(rows, columns, self.random.choice([0, 0, 1]))
        if through:
            node = through(node)
        return node if node.spec.isidentifier() else self.let(node)

    def back(self, at):
        """A text that is subtracted from the position; often none."""
        if self.chance(0.85):
            return ""
        return self.random.choice(["1", "1", "1", "2", "3", "5", "L", "64", "100"])

    def row_here(self, at, columns, through=None):
        """x[t], x[t - 2], F[i, t] …"""
        type, back = vector(columns), self.back(at)
        if at.given:
            node = self.position_of(at, at.given, "" if columns != "d" else back)
            node = node if columns == "d" else infix("@", type, node, self.kernel("d", columns))
            return through(node) if through else node
        if at.indices and self.chance(0.8):
            return self.row_of_family(at, type, through, back)
        x = self.source(at.rows, columns, through)
        if self.chance(0.05):  # of an expression without a name
            x = infix("*", x.type, self.number(1), x)
        return self.position_of(at, x, back)

    def position_of(self, at, x, back=""):
        t, type = at.position, vector(x.type[2])
        if not back:
            return Node(type, f"{{0:{POSTFIX}}}[{t}]", f"{{0}}[{t}]", [x])
        some = [f"{t} - {back}"] * 3 + [f"-{back} + {t}", f"{t} + 1 - ({back} + 1)"]
        code = f"earlier({{0}}, {t} - {back})"
        text = f"{{0:{POSTFIX}}}[{self.random.choice(some)}]"
        return Node(type, f"({text} ?? 0)" if self.chance(0.15) else text, code, [x])

    def row_of_family(self, at, type, through, back):
        """Of a family with the same indices, or of one with fewer members."""
        columns, few = type[1], False
        known = at.families.get((columns, bool(through)))
        if known and self.chance(0.5):
            return at.read(type, known, back)
        x = self.source(at.rows, "d")
        if len(at.indices) == 2:
            weight = self.kernels([*(members for _, members in at.indices), "d", columns])
            member = infix("@", matrix(at.rows, columns), x, weight.node("a", "b"))
            family = self.two([members for _, members in at.indices], member, through)
        else:
            few = self.sizes["h"] % 2 == 0 and self.chance(0.2)
            family = self.projected(x, "h_kv" if few else "h", columns)
            if through:
                family.member = through(family.member)
        if few:
            ratio = self.sizes["h"] // self.sizes["h_kv"]
            return at.read(type, family, back, f"i div {ratio}")
        at.families[columns, bool(through)] = family
        return at.read(type, family, back)

    def two(self, members, member, through):
        member = through(member) if through else member
        return FamilyOfTwo(self.fresh("F"), members, member, self.scope)

    def own(self, at, dims, **options):
        """A weight, often one of the member that the expression belongs to."""
        types = {0: VALUE, 1: ("vector", *dims), 2: ("grid", *dims)}
        if at.indices and self.chance(0.7):
            index, members = self.random.choice(at.indices)
            node = self.weight([members, *dims], scope=self.scope, **options).node(index)
        elif not dims:
            return self.number(1)
        else:
            node = self.weight(dims, scope=self.scope, **options).node()
        node.type = types[len(dims)]
        return node

    def value_here(self, at, through=None):
        """A number for each position: a[t], α[i, t]."""
        kind = self.random.random()
        t = at.position
        if at.given:
            weight = self.own(at, ["d"], scale=0.7)
            node = infix("@", VALUE, self.position_of(at, at.given), weight)
            return through(node) if through else node
        if at.indices and kind < 0.6:
            members = at.indices[0][1]
            x = self.source(at.rows, "d")
            node = infix("@", matrix(at.rows, members), x, self.kernel("d", members))
            node = transposed(through(node) if through else node)
            node = self.let(node)
            code = f"{{0}}[{at.indices[0][0]}][{t}]"
            return Node(VALUE, f"{{0}}[{at.indices[0][0]}, {t}]", code, [node])
        x = self.source(at.rows, self.random.choice(self.widths))
        weight = self.weight([x.type[2]], scale=0.7, scope=self.scope).node()
        node = infix("@", row(at.rows), x, weight)
        node = self.let(through(node) if through else node)
        return Node(VALUE, f"{{0}}[{t}]", f"{{0}}[{t}]", [node])

    # --- Expressions for one position -----------------------------------------------------

    def value(self, at, depth):
        kind = self.random.choice("here here state product sum binary unary number".split())
        some = [s for s in at.states if s.type == VALUE]
        if kind == "state" and some:
            return at.read(VALUE, self.random.choice(some), self.random.choice(["", "", "1"]))
        if depth <= 0 or kind in ("here", "state"):
            return self.value_here(at)
        if kind == "number":
            return infix("*", VALUE, self.own(at, []), self.value_here(at))
        if kind == "product":
            columns = self.random.choice(self.widths)
            a, b = self.vector(at, columns, depth - 1), self.vector(at, columns, depth - 1)
            return infix("@", VALUE, a, column(b) if self.chance(0.5) else b)
        if kind == "sum":
            one = self.random.choice(["sum", "mean", "max"])
            x = self.vector(at, self.random.choice(self.widths), depth - 1)
            return call(one, VALUE, x, code=f"rows_{one}")
        if kind == "unary":
            return self.unary(self.value(at, depth - 1))
        return self.of_two(self.value(at, depth - 1), self.value(at, depth - 1))

    def of_two(self, a, b):
        kind = self.random.choice(["+", "+", "-", "*", "max", "min"])
        if kind in ("max", "min"):
            return call(kind, a.type, a, b, code=f"{kind}imum")
        return infix(kind, a.type, a, b)

    def unary(self, x):
        kind = self.random.choice("tanh sigmoid relu exp number silu square neg".split())
        if kind == "exp":
            return call("exp", x.type, call("tanh", x.type, x))
        if kind == "number":
            return infix(self.random.choice("*+-"), x.type, x, self.number(1))
        if kind == "silu":
            return infix("*", x.type, x, call("sigmoid", x.type, x))
        if kind == "square":
            return infix("^", x.type, x, literal("2"))
        return negated(x) if kind == "neg" else call(kind, x.type, x)

    def vector(self, at, columns, depth):
        type = vector(columns)
        kind = self.random.choice(
            "here here here state state own binary scaled unary linear norm column".split()
        )
        if kind == "state" and (node := self.of_other_state(at, columns)):
            return node
        if kind == "own" and self.steady and self.chance(0.5):
            return self.own(at, [columns])
        if depth <= 0 or kind in ("here", "state", "own"):
            return self.row_here(at, columns)
        if kind == "binary":
            return self.of_two(self.vector(at, columns, depth - 1), self.row_here(at, columns))
        if kind == "scaled":
            pair = [self.value(at, depth - 1), self.vector(at, columns, depth - 1)]
            return infix("*", type, *(pair if self.chance(0.7) else reversed(pair)))
        x = self.vector(at, columns, depth - 1)
        if kind == "unary":
            return self.unary(x)
        if kind == "norm":
            return self.unit_vector(x)
        inner = self.random.choice(self.widths)
        x = self.vector(at, inner, depth - 1)
        if kind == "column":
            scale = 1.2 / self.extent(inner) ** 0.5
            return beside(self.own(at, [columns, inner], scale=scale), x)
        return infix("@", type, x, self.kernel(inner, columns))

    def of_other_state(self, at, columns):
        """A row of a state that is defined already, at this position or the one before."""
        some = [s for s in at.states if s.type[0] != "value" and s.type[-1] == columns]
        if not some:
            return None
        state = self.random.choice(some)
        node = at.read(state.type, state, self.random.choice(["", "", "1"]))
        if node.type[0] == "vector":
            return node
        return infix("@", vector(columns), self.row_here(at, node.type[1]), node)

    def unit_vector(self, x):
        if self.chance(0.5):
            return call("unit", x.type, x)
        one = self.random.choice(["unit_rms", "standardize"])
        return call(one, x.type, x, literal(self.random.choice(["1e-5", "0.1"])))

    def grid(self, at, rows, columns, depth):
        """A matrix for each position."""
        type = grid(rows, columns)
        kind = self.random.choice("outer outer outer scaled rows columns binary own".split())
        if depth <= 0 or kind == "outer" or kind == "own" and not self.steady:
            factor = self.value(at, 0) if self.chance(0.3) else None
            return outer(self.vector(at, rows, depth), self.vector(at, columns, depth), factor)
        if kind == "own":
            return self.own(at, [rows, columns], scale=0.5)
        x = self.grid(at, rows, columns, depth - 1)
        if kind == "scaled":
            return infix("*", type, self.value(at, 0), x)
        if kind == "rows":
            return diagonal(self.vector(at, rows, 0), x)
        if kind == "columns":
            return infix(self.random.choice("+*-"), type, x, self.vector(at, columns, 0))
        return self.of_two(x, self.grid(at, rows, columns, 0))

    # --- Definitions that read earlier positions --------------------------------------------

    def delayed(self, rows, columns, depth):
        """y[t] = …, whose terms read x[t], x[t - 1] and so on."""
        if self.family or rows not in ("n", "m") or columns in ("n", "m"):
            return None
        kind = self.random.choice(["plain", "plain", "replaced", "function", "family"])
        if kind == "function" and rows == "n" and columns == "d":
            return self.by_function(rows)
        if kind == "replaced":
            first = self.let(self.matrix(rows, columns, depth - 1))
            declared = Replaced(self.fresh("r"), first, Place(rows), self.scope)
            old = self.position_of(declared.place, declared.old())
            before = self.position_of(declared.place, declared.old(), "1")
            before = infix("*", old.type, self.own(declared.place, [columns]), before)
            declared.body = infix("+", old.type, old, before)
            return declared.whole()
        at = self.here(rows) if kind == "family" else Place(rows)
        width = "e" if at.indices else columns
        body, written = self.of_earlier(at, width), self.chance(0.1)
        if at.indices:  # which differs between members
            body = infix("+", body.type, body, self.row_of_family(at, body.type, None, ""))
        declared = ByPosition(self.fresh("r"), at, body, self.scope, written=written)
        if not at.indices:
            return declared.whole()
        join = self.joined_of_two if len(at.indices) == 2 else self.joined
        return join(declared, rows, columns)

    def of_earlier(self, at, columns):
        """A sum of earlier rows, or a formula with two of them."""
        if self.chance(0.55):
            node = self.sum_of_earlier(at, columns)
            if self.chance(0.3):  # Σ takes in the product that follows it, and ends at a sum
                text, code = f"{node.spec} - {{1:{MULTIPLY}}}", f"({node.code} - {{1}})"
                if self.chance(0.5):
                    text, code = f"{{1:{ADD}}} + {node.spec}", f"({{1}} + {node.code})"
                operands = [node.operands[0], self.row_here(at, columns)]
                return Node(node.type, text, code, operands, ADD, node.uses)
            return node
        x = self.random.choice([at.given] if at.given else [self.source(at.rows, columns)])
        some = ["1", "1", "1", "2", "3", "L", "64", "65", "130"]
        before = self.position_of(at, x, self.random.choice(some))
        if x.type[2] != columns:
            before = infix("@", vector(columns), before, self.kernel(x.type[2], columns))
        kind = self.random.choice(["only", "mixed", "product", "vector"])
        if kind == "only":
            return before
        if kind == "mixed":  # x[t] + μ * (x[t - 1] - x[t])
            now = self.row_here(at, columns)
            apart = infix("-", now.type, before, now)
            return infix("+", now.type, now, infix("*", now.type, self.own(at, [columns]), apart))
        other = self.row_here(at, columns) if kind == "product" else self.vector(at, columns, 1)
        return self.of_two(other, before)

    def sum_of_earlier(self, at, columns):
        """Σ_j K[j] * x[t - j], with rows, numbers or matrices as weights."""
        r, t = self.random, at.position
        count = r.choice(["1", "2", "3", "3", "4", "5", "L"])
        kind = r.choice(["rows", "rows", "rows", "numbers", "matrices", "nonlinear"])
        inner = "d" if at.given else r.choice(self.widths) if kind == "matrices" else columns
        dims = {"numbers": [], "matrices": [inner, columns]}.get(kind, [columns])
        x = at.given or self.source(at.rows, inner)
        if inner != columns and kind != "matrices":
            kind, dims = "matrices", [inner, columns]
        index, members = at.indices[0] if at.indices and self.chance(0.7) else (None, None)
        weight = self.weight(
            ([members] if index else []) + [count, *dims],
            scope=self.scope,
            scale=0.5 / (self.extent(inner) ** 0.5 if kind == "matrices" else 1),
        )
        term = f"{weight.name}[{f'{index}, ' if index else ''}j]"
        of_term = f"{weight.read()}{f'[{index}]' if index else ''}[j]"
        last = f"({count} - 1)" if not count.isdigit() else str(int(count) - 1)
        back, code = r.choice(
            [("t - j", "t - j")] * 3
            + [(f"t + j - {last}", f"t + j - {last}"), ("t - 2 * j", "t - 2 * j")]
            + [("t - j - 1", "t - j - 1"), ("t - 30 * j", "t - 30 * j")]
        )
        read, code = f"{{0:{POSTFIX}}}[{back}]", f"earlier({{0}}, {code})"
        text, code = {
            "matrices": (f"{read} @ {term}", f"{code} @ {of_term}"),
            "nonlinear": (f"tanh({term} * {read})", f"tanh({of_term} * {code})"),
        }.get(kind, (f"{term} * {read}", f"{of_term} * {code}"))
        sign = r.choice(["Σ_j ", "Σ_j ", "sum_j "])
        if sign[0] == "Σ" and self.chance(0.15):  # sum_j (…) would be a call
            text, code = f"(j + 1) * {text}", f"(j + 1) * ({code})"
        code = f"sum({code} for j in range({count}))"
        return Node(vector(columns), sign + text, code, [x], ADD, uses=[weight])

    def by_function(self, rows):
        """g(x), where g(x)[t] = … is defined in the spec."""
        x, kept, self.scope = self.source(rows, "d"), self.scope, None
        at = Place(rows, given=Node(matrix(rows, "d"), "x", "x"))
        defined = ByPosition(self.fresh("r"), at, self.of_earlier(at, "d"), None)
        self.scope = kept
        stated = {"x": "x[n, d]"} if self.chance(0.5) else {}
        declared = OfPositions(self.fresh("g"), ["x"], defined, False, stated)
        code = f"{declared.name}({{0}})"
        return Node(matrix(rows, "d"), code, code, [x], uses=[declared])

    # --- Shares that are kept ---------------------------------------------------------------

    def kept(self, x):
        """From 0 to 1, and often exactly one of these, or nearly 0."""
        kind = self.random.choice(
            "sigmoid sigmoid steep clamp clamp power vanishing below mamba softplus ramp".split()
        )
        scaled = infix("*", x.type, literal("3"), x)
        if kind == "clamp":
            return Node(x.type, "clamp({0}, 0, 1)", "clip({0}, 0, 1)", [scaled])
        if kind == "steep":
            return call("sigmoid", x.type, infix("*", x.type, literal("20"), x))
        if kind == "ramp":
            return call("relu", x.type, call("tanh", x.type, x))
        if kind == "sigmoid":
            return call("sigmoid", x.type, x)
        positive = call("relu", x.type, x)
        if kind == "mamba":
            positive = call("exp", x.type, x)
        if kind == "softplus":
            less = call("exp", x.type, negated(call("abs", x.type, x)))
            rest = call("log", x.type, infix("+", x.type, literal("1"), less))
            positive = infix("+", x.type, positive, rest)
        by = {"power": "1", "vanishing": "90", "below": "1000"}.get(kind, "1")
        power = negated(positive) if by == "1" else infix("*", x.type, literal("-" + by), positive)
        return call("exp", x.type, power)

    def kept_by_position(self, at):
        """A number from 0 to 1 by an index function, of the position or its token."""
        t, r = at.position, self.random
        by = literal(r.choice(["2", "3", "7", "64"]), INTEGER)
        here = Node(INTEGER, t, t)
        few = [literal(text, REAL) for text in r.sample(["0", "1", "0.5", "1e-39"], 2)]
        truth = infix("==", TRUTH, infix("mod", INTEGER, here, by), literal("0", INTEGER))
        if at.rows == "n" and self.scope is None and not at.given and self.chance(0.4):
            token = Node(INTEGER, f"tokens[{t}]", f"tokens[{t}]", uses=[self.parameters["tokens"]])
            number = literal(str(r.randrange(self.sizes["v"])), INTEGER)
            truth = infix(r.choice(["==", "<", ">="]), TRUTH, token, number)
            local = Local(self.fresh("t"), [t], choice(REAL, truth, *few), self.scope)
            code = f"real({local.name}({t}))"
            return Node(VALUE, f"{local.name}[{t}]", code, uses=[local])
        f = IndexFunction(self.fresh("f"), [t], choice(REAL, truth, *few))
        return Node(VALUE, f"{f.name}[{t}]", f"real({f.name}(n, m, {t}))", uses=[f])

    def let(self, node):
        return Let(self.fresh("x"), node, self.scope).node()
