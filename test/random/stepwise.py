# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Declarations of values by position, and of states, which read themselves at the position before.

In NumPy these are computed position by position, as the equations say.
"""

import re

from declarations import Declaration, Function
from trees import ADD, COMPARE, POSTFIX, Node


class Place:
    """Where an expression for one position stands: `indices` are the families' names and numbers of
    members, `position` the name of the index along `rows`. In a function of the spec, `given` is
    the only matrix that the expression may read."""

    def __init__(self, rows, indices=(), given=None):
        self.rows, self.indices, self.given = rows, list(indices), given
        self.position = "t"
        self.states = []  # that are defined already, of the same families
        self.families = {}  # by columns: families that are read here

    def parameters(self):
        return ", ".join([index for index, _ in self.indices] + [self.position])

    def read(self, type, declared, back="", first=None):
        """Reads the member here of a definition by position, or of a family of matrices. `back` is
        what is subtracted from the position, `first` another first index."""
        places = [index for index, _ in self.indices]
        if first:
            places[0] = first
        code = declared.name + "".join(
            f"[{place.replace('div', '//').replace('mod', '%')}]" for place in places
        )
        when = f"{self.position} - {back}" if back else self.position
        code = f"earlier({code}, {when})" if back else f"{code}[{when}]"
        order = [when] + places if getattr(declared, "turned", False) else places + [when]
        return Node(type, f"{declared.name}[{', '.join(order)}]", code, uses=[declared])


class ByPosition(Declaration):
    """name[i, t] = body, perhaps `where P = local`. The body is a number, a row or a matrix."""

    turned = False  # name[t, i]

    def __init__(self, name, place, body, scope, local=None, written=False):
        self.name, self.place, self.body, self.scope = name, place, body, scope
        self.local, self.written = local, written

    def nodes(self):
        return ([self.local] if self.local else []) + [self.body]

    def implied(self):
        """The indices whose ranges follow from the body: where a name with them is a row. In a
        recurrence also where it is a number; elsewhere numbers by several indices have no range."""
        found, always = set(), isinstance(self, State)
        for node in self.body.walk():
            read = re.fullmatch(r"(\w+)\[([^\[\]]+)\]", format(node))
            if not read or read.group(1) == self.name or node.code.startswith("real("):
                continue  # not a value: index functions have no range either
            places = read.group(2).split(", ")
            isRow = node.type[0] != "value"
            if isRow or always or len(places) == 1 == 1 + len(self.place.indices):
                found.update(places)
                if isRow and places[-1].startswith(self.place.position + " "):
                    found.add(self.place.position)
        return found

    def head(self):
        """The indices, with ranges that nothing implies."""
        said, implied = [], set() if self.written else self.implied()
        for index, range in [*self.place.indices, (self.place.position, self.place.rows)]:
            said.append(index if index in implied else f"{index} < {range}")
        return ", ".join(said[-1:] + said[:-1] if self.turned else said)

    def spec(self):
        where = [f"  where P = {self.local}"] if self.local else []
        return [f"{self.name}[{self.head()}] = {self.body}", *where]

    def function(self, parameters):
        local = [f"    P = {self.local.python()}"] if self.local else []
        return [
            f"def {self.name}_at({', '.join(parameters + [self.place.parameters()])}):",
            *local,
            f"    return {self.body.python()}",
        ]

    def ranges(self):
        """In Python: the numbers of members, and that of positions."""
        return f"({''.join(m + ', ' for _, m in self.place.indices)}), {self.place.rows}"

    def python(self):
        return [
            *self.function([]),
            f"{self.name} = each({self.ranges()}, {self.name}_at)",
            *self.lists(),
        ]

    def lists(self):
        two = len(self.place.indices) == 2
        return [f"{self.name} = [list(some) for some in {self.name}]"] if two else []

    def whole(self):
        """The value for all positions, without families or of numbers."""
        kind = {"value": "row", "vector": "matrix", "grid": "states"}[self.body.type[0]]
        type = (kind, self.place.rows, *self.body.type[1:])
        if self.place.indices:
            type = ("matrix", self.place.indices[0][1], self.place.rows)
        return Node(type, self.name, self.name, uses=[self])

    # As a family of matrices, which other forms join (families.py, members.py).

    @property
    def members(self):
        ranges = [members for _, members in self.place.indices]
        return ranges[0] if len(ranges) == 1 else ranges

    @property
    def member(self):
        return Node(("matrix", self.place.rows, *self.body.type[1:]), "", "")

    def at(self, *places):
        type = self.member.type
        if len(places) < len(self.place.indices):
            type = ("family", self.place.indices[-1][1]) + type
        code = self.name + "".join(f"[{place}]" for place in places)
        return Node(type, f"{self.name}[{', '.join(places)}]", code, uses=[self])

    def all(self):
        ranges = [members for _, members in self.place.indices]
        return Node(("family", *ranges) + self.member.type, self.name, self.name, uses=[self])


class State(ByPosition):
    """name[i, t] = body, which contains `before`: name[i, t - 1], or that with another beginning
    than zero, `name[i, t - 1] ?? number`."""

    def __init__(self, name, place, type, initial, scope):
        super().__init__(name, place, None, scope)
        self.type, self.turned = type, False
        self.before = place.read(type, self, "1")
        self.before.uses, self.before.code = [], "before"
        if initial:
            self.before.spec += f" ?? {{0:{ADD}}}"
            self.before.operands, self.before.binding = [initial], COMPARE

    def turn(self):
        """Puts the position first: name[t, i]."""
        self.turned = True
        own = self.place.read(self.type, self, "1").spec
        self.before.spec = own + self.before.spec[len(own) :]

    def nodes(self):
        return super().nodes() + [self.before]

    def python(self):
        begin = self.before.operands[0].python() if self.before.operands else "0"
        shape = "".join(axis + ", " for axis in self.type[1:])
        return [
            *self.function(["before"]),
            f"{self.name} = states({self.ranges()}, ({shape}), {begin}, {self.name}_at)",
            *self.lists(),
        ]


class Replaced(ByPosition):
    """name = first, then name[t] = body, which reads earlier rows of that value."""

    def __init__(self, name, first, place, scope):
        super().__init__(name, place, None, scope)
        self.first = first

    def nodes(self):
        return [self.first] + super().nodes()

    def old(self):
        """The name before it is replaced."""
        return Node(self.first.type, self.name, self.name)

    def spec(self):
        return [f"{self.name} = {self.first}", *super().spec()]

    def python(self):
        return [f"{self.name} = {self.first.python()}", *super().python()]


class OfPositions(Function):
    """name(x, K)[t] = body, or name(x, K) = h where h[t] = body, which is a state."""

    def __init__(self, name, parameters, defined, isState, stated=()):
        super().__init__(name, parameters, None, (), stated)
        self.defined, self.isState = defined, isState

    def nodes(self):
        return self.defined.nodes()

    def spec(self):
        said = f"{self.name}({', '.join(map(self.parameter, self.parameters))})"
        if not self.isState:
            return [f"{said}[{self.defined.head()}] = {self.defined.body}"]
        return [f"{said} = {self.defined.name}", f"  where {self.defined.spec()[0]}"]

    def python(self):
        return [
            f"def {self.name}({', '.join(self.parameters)}):",
            "    n = m = len(x)",
            *("    " + line for line in self.defined.python()),
            f"    return {self.defined.name}",
        ]


def column(x):
    """x', as an operand of a product."""
    return Node(("column", *x.type[1:]), f"{{0:{POSTFIX}}}'", "{0}", [x])
