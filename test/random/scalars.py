# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random scalars: static numbers, lengths as numbers, and definitions by index."""

import math
import re

from declarations import Constant, IndexFunction, Numbers
from originals import Remarks, names
from trees import ADD, AND, COMPARE, IF, NOT, ROOT, Node, call, choice, infix, negated

NUMBER, LENGTH = ("number",), ("length",)
INTEGER, REAL, TRUTH = ("integer",), ("real",), ("truth",)

NUMBER_FUNCTIONS = (
    "log log2 exp sin cos sqrt floor ceil f32 f16 bf16 round abs sign max min clamp"
).split()
ROUNDINGS = {"f32": "float32", "f16": "float16", "bf16": "bfloat16"}


def literal(text, type=NUMBER):
    if text.startswith("-"):
        return negated(literal(text[1:], type))
    return Node(type, text, text)


def between(x, low, high):
    """clamp(x, low, high)"""
    return call("clamp", INTEGER, x, literal(str(low)), literal(str(high)), code="clip")


def root(x):
    """√x"""
    return Node(NUMBER, f"√{{0:{ROOT}}}", "math.sqrt({0})", [x], ROOT)


def linear(text):
    """Comparisons of sums; chained comparisons in Python do not work with NumPy."""
    parts = []
    for conjunct in text.split(" and "):
        words = re.split("(<=|<|>=|>|==)", conjunct)
        parts += ["".join(words[k : k + 3]).strip() for k in range(0, len(words) - 2, 2)]
    code = " & ".join(f"({part})" for part in parts)
    return Node(TRUTH, text, f"({code})", binding=AND if " and " in text else COMPARE)


def static_choice(type, condition, yes, no):
    """`yes if condition else no`, with a condition from the configuration."""
    return choice(type, condition, yes, no, code="({1} if {0} else {2})")


class Scalars:
    """`random` is Python's; `lengths`: lengths may be used as numbers; `division`: `mod` and
    `div` may be used in definitions by index; `zero`: numbers may be 0; `extreme`: numbers may
    be 1e-30 or 1e30."""

    def __init__(self, random, sizes, *, lengths, division, zero, extreme):
        self.random, self.sizes = random, sizes
        self.lengths, self.division, self.zero, self.extreme = lengths, division, zero, extreme
        self.counts = {}
        self.generates = self.hides = self.choices = False

    def fresh(self, prefix):
        self.counts[prefix] = self.counts.get(prefix, -1) + 1
        return f"{prefix}_{self.counts[prefix]}"

    def chance(self, probability):
        return self.random.random() < probability

    def size(self, name):
        """A size, as a number or as a part of one."""
        return Node(NUMBER, name, name)

    # --- Static numbers -----------------------------------------------------------------

    def value_of(self, node):
        """The value; None if equations cannot use it."""
        scope = names(float, Remarks()) | self.sizes
        for each in node.walk():
            scope |= {c.name: c.default_value if c.value is None else c.value for c in each.uses}
        try:
            value = eval(node.python(), scope)
        except (ArithmeticError, ValueError):
            return None
        except TypeError as error:  # a root of a negative number is compared
            if "complex" not in str(error):
                raise
            return None
        most = 1e36 if self.extreme else 1e4
        if isinstance(value, complex) or not abs(value) <= most or 0 < abs(value) < 1 / most:
            return None
        return value

    def number(self, depth=2, *, positive=False, nonzero=False):
        for _ in range(20):
            node = self.any_number(depth)
            value = self.value_of(node)
            if value is None or value <= 0 and positive or value == 0 and nonzero:
                continue
            if value == 0 and not self.zero:
                continue
            return node
        return literal("0.75")

    def constant(self):
        value = self.random.choice([0, 1, -1, 0.0, 1.0, 2, -0.25, 0.37, 3.0, 1.5, -1.7, 1e-3])
        if self.extreme and self.chance(0.3):
            value = self.random.choice([1e30, 1e-30, -1e20, 1e-12])
        if value == 0 and not self.zero:
            value = 0.5
        constant = Constant(self.fresh("s"), value)
        constant.way = self.random.choice(["plain"] * 7 + ["path", "key", "either"])
        if self.chance(0.2):  # absent or null in config.json
            constant.default = self.random.choice(["1", "0.5", "√2", "1 / 3"])
            constant.default_value = {"1": 1, "0.5": 0.5, "√2": math.sqrt(2), "1 / 3": 1 / 3}[
                constant.default
            ]
            constant.value = self.random.choice([value, None])
        return constant.node()

    def flag(self):
        """A static boolean."""
        return Constant(self.fresh("is"), self.chance(0.5)).node()

    def any_number(self, depth):
        if depth <= 0 or self.chance(0.5):
            return self.short_number()
        r = self.random
        a, b = self.any_number(depth - 1), self.any_number(depth - 1)
        kind = r.choice(["+", "-", "*", "*", "/", "power", "neg", "if", "function", "mod", "div"])
        if kind == "neg":
            return negated(a)
        if kind == "if":
            return static_choice(NUMBER, self.flag(), a, b)
        if kind == "function":
            return self.number_function(a, b)
        if kind in ("mod", "div"):
            size = self.size(r.choice(list(self.sizes)))
            return infix(kind, NUMBER, size, literal(str(r.randint(1, 5))))
        if kind == "power":
            return infix("^", NUMBER, a, literal(r.choice(["2", "0.5", "-1"])))
        return infix(kind, NUMBER, a, b)

    def number_function(self, a, b):
        one = self.random.choice(NUMBER_FUNCTIONS)
        if one in ("f32", "f16", "bf16"):
            return Node(NUMBER, f"{one}({{0}})", f"to({{0}}, '{ROUNDINGS[one]}')", [a])
        if one == "round":
            return self.rounded(NUMBER, a, "to")
        if one == "sign":
            return Node(NUMBER, "sign({0})", "float(numpy.sign({0}))", [a])
        if one in ("max", "min"):
            return call(one, NUMBER, a, b)
        if one == "clamp":
            return Node(NUMBER, "clamp({0}, -1, {1})", "min(max({0}, -1), {1})", [a, literal("2")])
        return call(one, NUMBER, a, code="math.f" + one if one == "abs" else "math." + one)

    def rounded(self, type, x, code):
        to = self.random.choice(list(ROUNDINGS.values()))
        return Node(type, f'round({{0}}, "{to}")', f"{code}({{0}}, '{to}')", [x])

    def short_number(self):
        r = self.random
        size = self.size(r.choice(list(self.sizes)))
        kind = r.randrange(10)
        if kind < 2:
            some = ["1", "-1", "2", "0.5", "3", "0.1", "1.702", "-0.3", "0", "1e-5"]
            return literal(r.choice(some))
        if kind == 2:
            return infix("/", NUMBER, literal("1"), root(size))
        if kind == 3:
            return root(r.choice([size, literal("2"), literal("3"), literal("0.5")]))
        if kind == 4:
            return r.choice(
                [size, Node(NUMBER, "π", "pi"), call("sqrt", NUMBER, size, code="math.sqrt")]
            )
        if kind == 5:
            return infix(
                "/", NUMBER, literal(r.choice(["1", "2", "-5"])), literal(r.choice(["3", "7"]))
            )
        if self.extreme and kind == 6:
            return literal(r.choice(["1e30", "1e-30", "1e15", "-1e-20"]))
        return self.constant()

    # --- Lengths as numbers -------------------------------------------------------------

    def length(self, *, positive=False):
        """A number that depends on the sequence's length; never 0 if `positive`."""
        r = self.random
        n = Node(LENGTH, "n", "n")
        one = literal("1")
        two, by = literal(r.choice(["2", "3"])), r.choice(["<", ">=", "=="])
        some = [
            n,
            infix("+", LENGTH, infix("*", LENGTH, two, n), literal("3")),
            infix("/", LENGTH, one, n),
            infix("*", LENGTH, n, n),
            infix("/", LENGTH, n, literal("4")),
            infix("+", LENGTH, n, literal("0.5")),
            Node(LENGTH, f"√{{0:{ROOT}}}", "math.sqrt({0})", [n], ROOT),
            Node(LENGTH, "log({0})", "math.log({0})", [infix("+", LENGTH, n, one)]),
            Node(LENGTH, "min({0}, {1})", "min({0}, {1})", [n, literal("4")]),
            infix("/", LENGTH, one, Node(LENGTH, f"√{{0:{ROOT}}}", "math.sqrt({0})", [n], ROOT)),
            infix("^", LENGTH, n, literal("0.5")),
            Node(LENGTH, f"1 if n {by} 4 else 2.5", f"(1 if n {by} 4 else 2.5)", binding=IF),
            Node(LENGTH, "max({0}, {1})", "max({0}, {1})", [n, literal("5")]),
        ]
        if not positive:
            some += [
                infix("-", LENGTH, n, one),
                infix("*", LENGTH, n, infix("-", LENGTH, n, one)),
                infix("div", LENGTH, n, two),
                infix("mod", LENGTH, n, two),
                infix("-", LENGTH, two, n),
                negated(n),
                infix("-", LENGTH, n, n),
            ]
        return r.choice(some)

    # --- Definitions by index -----------------------------------------------------------

    def integer(self, indices, depth):
        """An integer expression of the index names `indices`."""
        r = self.random
        if depth <= 0 or self.chance(0.2):
            some = indices * 3 + [r.choice(list(self.sizes))] + ["n", "n - 1"] * self.lengths
            name = r.choice(some + [str(r.randint(0, 7)), str(-r.randint(1, 5))])
            if name == "n - 1":
                return infix("-", INTEGER, Node(INTEGER, "n", "n"), literal("1", INTEGER))
            return literal(name, INTEGER)
        a, b = self.integer(indices, depth - 1), self.integer(indices, depth - 1)
        kinds = ["+", "-", "-", "*", "neg", "abs", "min", "max", "clamp", "if", "sign"]
        if self.division:
            kinds += ["mod", "div"] * 4
        kind = r.choice(kinds)
        if kind in ("+", "-"):
            return infix(kind, INTEGER, a, b)
        if kind == "*":
            return infix("*", INTEGER, a, r.choice([b, literal(str(r.randint(2, 5)), INTEGER)]))
        if kind in ("mod", "div"):
            by = literal(str(r.choice([2, 3, 4, 5, 7, 9, 10, 12])), INTEGER)
            if self.chance(0.1):
                by = negated(by)
            return infix(kind, INTEGER, a, by)
        if kind == "neg":
            return negated(a)
        if kind == "if":
            return choice(INTEGER, self.condition(indices, depth - 1), a, b)
        if kind == "clamp":
            low = r.randint(-4, 2)
            return between(a, low, low + r.randint(0, 6))
        if kind in ("min", "max"):
            return call(kind, INTEGER, a, b, code=kind + "imum")
        return call(kind, INTEGER, a)

    def condition(self, indices, depth):
        r = self.random
        kind = r.random()
        if depth > 0 and kind < 0.3:
            other = self.condition(indices, depth - 1)
            return infix(r.choice(["and", "or"]), TRUTH, self.condition(indices, depth - 1), other)
        if depth > 0 and kind < 0.4:
            inner = self.condition(indices, depth - 1)
            return Node(TRUTH, f"not {{0:{COMPARE}}}", "logical_not({0})", [inner], NOT)
        a, b = self.integer(indices, depth), self.integer(indices, 0)
        if kind < 0.55:  # a chained comparison
            code = "logical_and({1} <= {0}, {0} < {2})"
            chain = f"{{1:{ADD}}} <= {{0:{ADD}}} < {{2:{ADD}}}"
            return Node(TRUTH, chain, code, [a, b, literal(str(r.randint(2, 8)))], COMPARE)
        return infix(r.choice(["==", "!=", "<", "<=", ">", ">="]), TRUTH, a, b)

    def real(self, indices, depth):
        """A real expression of the indices of moderate magnitude."""
        r = self.random
        x = infix(
            "/", REAL, self.integer(indices, depth), literal(r.choice(["3", "10", "64"]), REAL)
        )
        if depth <= 0:
            return x
        far, one = call("abs", REAL, x), literal("1", REAL)
        kind = r.choice(
            "sum scaled sin cos exp sqrt log log2 if angle f32 f16 bf16 round floor ceil sign "
            "relu power max clamp read listed plain plain".split()
        )
        if kind == "sum":
            other = self.real(indices, depth - 1)
            return infix(r.choice(["+", "-"]), REAL, self.real(indices, depth - 1), other)
        if kind == "scaled":
            return infix("*", REAL, self.number(1), self.real(indices, depth - 1))
        if kind == "if":
            yes, no = self.real(indices, depth - 1), self.real(indices, depth - 1)
            return choice(REAL, self.condition(indices, 1), yes, no)
        if kind == "angle":
            return self.angle(indices)
        if kind == "read":
            return self.read(indices)
        if kind == "listed":
            return self.listed(indices)
        if kind == "round":
            return self.rounded(REAL, x, "number_to")
        if kind == "power":
            return infix("^", REAL, far, literal(r.choice(["2", "0.5", "1.5", "3"]), REAL))
        if kind == "max":
            one = r.choice(["max", "min"])
            return call(one, REAL, x, self.real(indices, depth - 1), code=one + "imum")
        if kind == "clamp":
            return Node(REAL, "clamp({0}, -1, 2)", "clip({0}, -1, 2)", [x])
        argument = {"exp": negated(far), "sqrt": far, "log": infix("+", REAL, far, one)}
        argument["log2"] = argument["log"]
        return x if kind == "plain" else call(kind, REAL, argument.get(kind, x))

    def angle(self, indices):
        """A position times a power determined by the last index."""
        base = literal(self.random.choice(["10000", "2", "100"]), REAL)
        power = infix("/", REAL, self.integer(indices[-1:], 0), literal("16", REAL))
        frequency = infix("^", REAL, base, negated(call("abs", REAL, power)))
        return infix("*", REAL, Node(INTEGER, indices[0], indices[0]), frequency)

    def read(self, indices):
        """A table of weights by index."""
        r = self.random
        size = r.randint(3, 8)
        where = self.integer(indices, 1)
        if self.division and self.chance(0.6):
            where = infix("mod", INTEGER, where, literal(str(size), INTEGER))
        else:
            where = between(where, 0, size - 1)
        table = self.weight([str(size)])
        return Node(
            REAL, f"{table.name}[{{0}}]", f"read({table.read()}, {{0}})", [where], uses=[table]
        )

    def listed(self, indices):
        """An element of a list of numbers, from the configuration or from the spec."""
        r = self.random
        some = [r.choice([1, 2, -3, 0.5, 7, 0.25]) for _ in range(r.randint(1, 6))]
        where = between(self.integer(indices, 1), 0, len(some) - 1)
        if r.random() < 0.5:
            declared = Numbers(self.fresh("list"), some)
        else:
            declared = Constant(self.fresh("list"), some)
        return Node(
            REAL,
            f"{declared.name}[{{0}}]",
            f"read({declared.name}, {{0}})",
            [where],
            uses=[declared],
        )

    def definition(self, indices, depth=2):
        """An index function: its declaration, and its use in both languages."""
        names, where = list(indices), {}
        if self.chance(0.2):
            where["k"] = self.integer(names, 1)
        body = self.real(names + list(where), depth)
        declared = IndexFunction(self.fresh("f"), names, body, where)
        if self.chance(0.15):
            declared.parameter = "s"
            declared.body = infix("*", REAL, Node(NUMBER, "s", "s"), body)
            spec, code, given = (
                f"{declared.name}({{0}})",
                f"{declared.name}({{0}}, ",
                [self.number(1)],
            )
        else:
            spec, code, given = declared.name, f"{declared.name}(", []
        return declared, Node(("function",), spec, code, given, uses=[declared])

    # --- Masks --------------------------------------------------------------------------

    def comparison(self, causal, square):
        """Linear comparisons of i and j that hide no whole row."""
        w = self.random.choice([1, 2, 3, 4, 7])
        if not square:
            some = [f"j < {w}", f"j <= i + {w}", "j >= 0", "j <= 2 * i"]
        else:
            some = [
                "j <= i",
                "i >= j",
                "j < i + 1",
                f"0 <= i - j < {w}",
                f"i - j < {w} and j <= i",
                f"j + {w} > i and i - j >= 0",
                "2 * j <= 2 * i",
                "3 * j <= 2 * i",
                "j == i",
                "j <= i * 2 - i",
                f"-{w} < j - i <= 0",
                "0 < i - j + 1",
                f"j <= i and j < {w}",
            ]
        if square and not causal:
            some += [
                f"-{w} <= j - i <= {w}",
                "j >= i",
                f"j <= i + {w}",
                f"j - i < {w}",
                "j >= 0",
                f"i - j <= {w}",
                f"j < {w}",
                "j * 2 >= i",
                "0 <= j",
            ]
            if self.lengths:
                some += [
                    "j < n - i",
                    "i + j <= n - 1",
                    "j <= n - 1",
                    "j >= i - n + 1",
                    "n - j > 0",
                    "j <= i and j < n",
                ]
        return linear(self.random.choice(some))

    def mask(self, *, causal=False, square=True):
        body = self.comparison(causal, square)
        if not causal and self.chance(0.1):
            body = infix("and", TRUTH, body, Node(TRUTH, "true", "True"))
        if square and self.chance(0.1):
            body = static_choice(TRUTH, self.flag(), body, self.comparison(causal, square))
        if square and self.hides and self.chance(0.5):
            body = linear(self.random.choice(["j < i", "i - j >= 2", "j > i + 1", "j < i - 3"]))
        return IndexFunction(self.fresh("M"), ["i", "j"], body)
