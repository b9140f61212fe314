# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that are little more than an index function, in one of the places where one is allowed:
added to scores or as their factor, by head, a table, an operand of a product, the gates and weights
of experts, angles, reads by index, pairs of positions, and families.

The functions are steep: powers, poles and logarithms whose domain ends past the longest sequence,
so that a loop that continues past the end of a sequence gets values that no position has.
"""

from declarations import Family, IndexFunction, Ranged
from recurrences import Recurrences
from scalars import INTEGER, NUMBER, REAL, TRUTH, literal
from trees import COMPARE, MULTIPLY, Node, call, choice, infix, negated
from values import matrix, transposed

# No sequence is this long (models.py), and blocks of keys extend past it.
BEHIND = [67, 68, 70, 80, 95, 96, 127]


class Indexed(Recurrences):
    """`indexed` returns a matrix [n, d] that contains an index function."""

    steep = False
    places = (
        "bias bias bias factor of_heads of_heads of_pairs table table ranged "
        "gates weights angles angles family read squares"
    ).split()

    def indexed(self):
        """Chooses a place for the index function, and returns the matrix with it."""
        self.steep = self.division = True
        while True:
            place = self.random.choice(self.places)
            node = getattr(self, f"in_{place}")()
            if node:
                return node

    # --- Functions ----------------------------------------------------------------------

    def real(self, indices, depth):
        if not self.steep or self.chance(0.15):
            return super().real(indices, depth)
        kind = self.random.choice(
            "power power power mixed negative_base zero_power exponential sign inverse behind "
            "behind guarded wave remainder bounds condition".split()
        )
        return getattr(self, f"a_{kind}")(indices, depth)

    def raised(self, x, by):
        """x^by: NumPy has no negative powers of integers."""
        node = infix("^", REAL, x, by)
        node.code = "((1.0 * {0}) ** {1})"
        return node

    def over(self, x, some="1 1 1 2 7 10 64 1000"):
        by = self.random.choice(some.split())
        return x if by == "1" else infix("/", REAL, x, literal(by, REAL))

    def index(self, indices):
        name = self.random.choice(indices)
        return Node(INTEGER, name, name)

    def distance(self, indices):
        """A distance between two indices, or from a constant."""
        other = literal(str(self.random.choice([1, 3, 5, 40])), INTEGER)
        if len(indices) > 1 and self.chance(0.6):
            one, two = self.random.sample(indices, 2)
            return infix("-", INTEGER, Node(INTEGER, one, one), Node(INTEGER, two, two))
        return infix("-", INTEGER, self.index(indices), other)

    def a_power(self, indices, depth):
        x = self.random.choice([self.index(indices), self.integer(indices, min(depth, 1))])
        power = self.random.choice(["2", "2", "3", "1.5", "0.5", "4"])
        if "." in power:
            x = call("abs", INTEGER, x)
        return self.over(self.raised(x, literal(power, REAL)))

    def a_mixed(self, indices, depth):
        """i^2 * j, i * j"""
        a, b = self.index(indices), self.index(indices)
        if self.chance(0.5):
            a = self.raised(a, literal("2", REAL))
        kind = self.random.choice(["*", "+", "-"])
        return self.over(infix(kind, REAL, a, b))

    def a_negative_base(self, indices, depth):
        power = literal(self.random.choice(["2", "3", "5", "0"]), REAL)
        return self.over(self.raised(self.distance(indices), power))

    def a_zero_power(self, indices, depth):
        two = literal(self.random.choice(["2", "3"]), INTEGER)
        base = infix("mod", INTEGER, self.index(indices), two)
        return self.raised(base, infix("mod", INTEGER, self.index(indices), two))

    def a_exponential(self, indices, depth):
        base = literal(self.random.choice(["2", "0.5", "1.1", "3", "10000"]), REAL)
        x = self.index(indices)
        by = infix("/", REAL, x, literal(self.random.choice(["8", "-4", "-1", "-2"]), REAL))
        return self.raised(base, by)

    def a_sign(self, indices, depth):
        """(-1)^i"""
        base = negated(literal("1", REAL))
        return self.raised(base, self.random.choice([self.index, self.distance])(indices))

    def a_inverse(self, indices, depth):
        one = infix("+", INTEGER, call("abs", INTEGER, self.distance(indices)), literal("1"))
        power = literal(self.random.choice(["-1", "-2", "-0.5"]), REAL)
        return infix("*", REAL, self.number(1), self.raised(one, power))

    def a_behind(self, indices, depth):
        """A value that is not finite, or huge, just past the longest sequence."""
        end = literal(str(self.random.choice(BEHIND)), INTEGER)
        rest = infix("-", INTEGER, end, self.index(indices))
        kind = self.random.choice(["inverse", "log", "root", "power", "squares"])
        if kind == "log":
            return call("log", REAL, rest)
        if kind == "root":
            return call("sqrt", REAL, rest)
        if kind == "power":
            return self.raised(rest, literal(self.random.choice(["-2", "0.5", "-1"]), REAL))
        if kind == "squares":
            return negated(self.over(self.raised(rest, literal("2", REAL)), "1 10"))
        return infix("/", REAL, literal("1", REAL), rest)

    def a_guarded(self, indices, depth):
        x = self.index(indices)
        some = [
            infix("/", REAL, literal("1", REAL), x),
            call("log", REAL, x),
            self.raised(x, literal("-1", REAL)),
            infix("mod", REAL, literal("7", INTEGER), x),
            infix("div", REAL, literal("-7", INTEGER), x),
        ]
        truth = infix(">", TRUTH, x, literal("0", INTEGER))
        return choice(REAL, truth, self.random.choice(some), self.real(indices, 0))

    def a_wave(self, indices, depth):
        x = infix("*", INTEGER, self.index(indices), self.index(indices))
        kind = self.random.choice(["sin", "cos", "exp"])
        if kind == "exp":
            square = self.raised(self.distance(indices), literal("2", REAL))
            return call("exp", REAL, negated(self.over(square, "1 10 100")))
        return call(kind, REAL, self.over(x))

    def a_remainder(self, indices, depth):
        kind, by = self.random.choice(["mod", "div"]), self.random.choice([2, 3, 7, -2, -5])
        divisor = negated(literal(str(-by), INTEGER)) if by < 0 else literal(str(by), INTEGER)
        return self.over(infix(kind, INTEGER, self.integer(indices, 1), divisor))

    def a_bounds(self, indices, depth):
        kind = self.random.choice(["min", "max"])
        a, b = self.real(indices, depth - 1), self.real(indices, depth - 1)
        return call(kind, REAL, a, b, code=kind + "imum") if depth > 0 else a

    def a_condition(self, indices, depth):
        if depth <= 0:
            return self.a_power(indices, depth)
        a, b = self.real(indices, depth - 1), self.real(indices, depth - 1)
        return choice(REAL, self.condition(indices, 1), a, b)

    # --- Places -------------------------------------------------------------------------

    def start(self):
        return self.leaf("n", "d")

    def attended(self, scores_of):
        """softmax(scores | …) @ V, with scores that `scores_of` computes from a product."""
        x, keys = self.start(), self.keys("n")
        source = x if keys == "n" else self.leaf(keys, "d")
        a = infix("@", matrix("n", "e"), x, self.kernel("d", "e"))
        b = infix("@", matrix(keys, "e"), source, self.kernel("d", "e"))
        v = infix("@", matrix(keys, "d"), source, self.kernel("d", "d"))
        s = infix("@", matrix("n", keys), a, transposed(b))
        return infix("@", matrix("n", "d"), self.seen(scores_of(s)), v)

    def in_bias(self):
        def biased(s):
            kind = self.random.choice(["+", "+", "-"])
            s = infix(kind, s.type, s, self.tabulated(*s.type[1:]))
            if self.chance(0.15):
                five = literal("5")
                s = infix("*", s.type, five, call("tanh", s.type, infix("/", s.type, s, five)))
            if self.chance(0.2):
                s = infix("+", s.type, s, self.tabulated(*s.type[1:]))
            return s

        return self.attended(biased)

    def in_factor(self):
        return self.attended(lambda s: infix("*", s.type, s, self.tabulated(*s.type[1:])))

    def in_of_heads(self):
        self.share_of_biases = 1.0
        return self.heads("n", "d", 1)

    def in_of_pairs(self):
        return self.pairs("n", "d", 1)

    def in_table(self):
        return self.positions("n", "d", 1)

    def in_ranged(self):
        """With stated ranges: an operand of a product."""
        inner = self.random.choice(self.widths)
        body = self.real(["p", "c"], 2)
        rows = "n" if self.chance(0.5) or self.generates else inner
        declared = Ranged(self.fresh("R"), ["p", "c"], [rows, "d"], body, self.scope)
        node = declared.node()
        if rows == "n":
            product = infix("@", matrix("n", "d"), node, self.kernel("d", "d"))
            return infix("+", product.type, self.start(), product)
        x = infix("@", matrix("n", inner), self.start(), self.kernel("d", inner))
        return infix("@", matrix("n", "d"), x, node)

    def in_gates(self):
        """In the gates of experts: added before the choice, or a factor after it."""
        self.choices = self.gates_have_tables = True
        return self.experts("n", "d", 1)

    def gate(self, x):
        gate = super().gate(x)
        if not getattr(self, "gates_have_tables", False):
            return gate
        return infix("*", gate.type, gate, self.tabulated(x.type[1], "h"))

    def in_weights(self):
        """A table of two sizes, times weights."""
        inner = self.random.choice(self.widths)
        one, two = self.kernel("d", inner), self.kernel(inner, "d")
        two = infix("*", two.type, two, self.tabulated(inner, "d"))
        return infix("@", matrix("n", "d"), infix("@", matrix("n", inner), self.start(), one), two)

    def in_angles(self):
        return self.rotated("n", "d", 1)

    def in_family(self):
        """F[i] = g[i] * (x @ W[i])"""
        x = self.start()
        g = IndexFunction(self.fresh("f"), ["a"], self.real(["a"], 1))
        weight = self.kernels(["h", "d", "e"])
        member = infix("@", matrix("n", "e"), x, weight.node("i"))
        factor = Node(NUMBER, f"{g.name}[i]", f"{g.name}(n, m, numpy.float64(i))", uses=[g])
        member = infix("*", member.type, factor, member)
        return self.joined(Family(self.fresh("F"), "i", "h", member, self.scope), "n", "d")

    def in_read(self):
        """A table of weights by a function of both indices."""
        self.steep = False
        where = self.integer(["i", "j"], 2)
        size = self.random.randint(3, 8)
        table = self.weight([str(size)])
        body = Node(
            REAL,
            f"{table.name}[{{0}}]",
            f"read({table.read()}, {{0}})",
            [infix("mod", INTEGER, where, literal(str(size), INTEGER))],
            uses=[table],
        )
        name = self.fresh("f")
        declared = IndexFunction(name, ["i", "j"], body)

        def biased(s):
            rows, keys = s.type[1:]
            code = f"table(lambda *at: {name}(n, m, *at), {rows}, {keys})"
            bias = Node(("positions", rows, keys), name, code, uses=[declared])
            return infix("+", s.type, s, bias)

        return self.attended(biased)

    def in_squares(self):
        """Pairs of positions that are not scores: R @ x, with all ranges stated."""
        if self.generates or self.plain:
            return None
        body = self.real(["i", "j"], 2)
        declared = Ranged(self.fresh("R"), ["i", "j"], ["n", "n"], body, self.scope)
        return infix("@", matrix("n", "d"), declared.node(), self.start())
