# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trees of equations that can be written twice: as a spec and as NumPy.

A node has a template for each language, with places for its operands. In a spec it is written
without redundant brackets, in Python with all of them: a wrong precedence, for example of `-x^2`,
is found.
"""

# The precedence of operators in specs, weakest first (docs/language.md).
IF, OR, AND, NOT, COMPARE, ADD, MULTIPLY, NEGATE, POWER, ROOT, POSTFIX = range(11)


class Node:
    """`type` is a tuple: a kind, then axes. `uses` are the declarations that it names."""

    def __init__(self, type, spec, code, operands=(), binding=POSTFIX, uses=()):
        self.type, self.spec, self.code = type, spec, code
        self.operands, self.binding, self.uses = list(operands), binding, list(uses)

    def __format__(self, least):
        """The node in a spec; in brackets if it binds weaker than `least`."""
        text = self.spec.format(*self.operands)
        return f"({text})" if self.binding < int(least or 0) else text

    def python(self):
        return self.code.format(*(operand.python() for operand in self.operands))

    def walk(self):
        yield self
        for operand in self.operands:
            yield from operand.walk()


def infix(operator, type, left, right, code=None):
    """left operator right; all but `^` are left-associative."""
    binding = {
        "+": ADD,
        "-": ADD,
        "*": MULTIPLY,
        "/": MULTIPLY,
        "@": MULTIPLY,
        "div": MULTIPLY,
        "mod": MULTIPLY,
        "^": POWER,
        "and": AND,
        "or": OR,
    }.get(operator, COMPARE)
    first, second = binding, binding + 1
    if operator == "^":
        first, second = ROOT, ROOT
    elif binding == COMPARE:
        first = ADD
    code = code or {"^": "**", "div": "//", "mod": "%"}.get(operator, operator)
    if code in ("and", "or"):
        template = f"logical_{code}({{0}}, {{1}})"
    else:
        template = f"({{0}} {code} {{1}})"
    return Node(type, f"{{0:{first}}} {operator} {{1:{second}}}", template, [left, right], binding)


def negated(x):
    return Node(x.type, f"-{{0:{POWER}}}", "(-{0})", [x], NEGATE)


def call(function, type, *operands, code=None):
    places = ", ".join(f"{{{k}}}" for k in range(len(operands)))
    return Node(type, f"{function}({places})", f"{code or function}({places})", operands)


def choice(type, condition, yes, no, code="where({0}, {1}, {2})"):
    """`yes if condition else no`, by element."""
    spec = f"{{1:{OR}}} if {{0:{OR}}} else {{2:{IF}}}"
    return Node(type, spec, code, [condition, yes, no], IF)


def reachable(roots):
    """All declarations that `roots` need, each after those that it needs itself."""
    found = []

    def visit(node):
        for each in node.walk():
            for declaration in each.uses:
                if declaration not in found:
                    for inner in declaration.nodes():
                        visit(inner)
                    found.append(declaration)

    for root in roots:
        visit(root)
    return found
