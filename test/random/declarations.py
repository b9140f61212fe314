# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The declarations that trees refer to: constants, weights, functions, blocks and statements.

Each writes itself as lines of a spec (`spec`) and of Python (`python`). `scope` is the body that
contains a statement or weight: a Block, or None for the entry.
"""

import math
import re

from trees import Node


def stored_as(type, values):
    """The bits of values in a type of safetensors, and the exact values of these bits."""
    if type == "BF16":
        bits = (values.astype("<f4").view("<u4") >> 16).astype("<u2")
        return bits, (bits.astype("<u4") << 16).view("<f4").astype("float64")
    bits = values.astype({"F32": "<f4", "F16": "<f2"}[type])
    return bits, bits.astype("float64")


class Declaration:
    scope = None

    def nodes(self):
        return []


class Constant(Declaration):
    """From config.json; if it has no value there, the spec has a default. `way`: how the spec
    reads the configuration."""

    def __init__(self, name, value, default=None, way="plain"):
        self.name, self.value, self.default, self.way = name, value, default, way

    def spec(self):
        """In `config`."""
        read = {
            "plain": f".{self.name}",
            "path": f".more.{self.name}",
            "key": f'config["{self.name}"]',
            "either": f"either(.{self.name}, .other_{self.name})",
        }[self.way]
        return f"{self.name} = {read}" + (f" ?? {self.default}" if self.default else "")

    def node(self):
        return Node(("number",), self.name, self.name, uses=[self])


class Weight(Declaration):
    """`stored` is the list of axes in `as`; `added` as in `1 + "weight"`.

    Each axis of `stored` is one of `dims`, or a list of merged ones. With `apart`, each member
    has a separate tensor; with `other`, the file may have another name; with `pairs`, columns e
    are stored as pairs (c, c + e/2), `axis e = 2 * p`; with a number `joins`, it shares a tensor
    with others of its shape (layouts.py). `there`: True, False, or None for one that is not
    optional; `condition` is a static boolean expression of the same value."""

    def __init__(
        self,
        name,
        dims,
        *,
        scope=None,
        scale=1.0,
        away=0.0,
        there=None,
        stored=None,
        added=0,
        positive=False,
    ):
        self.name, self.dims, self.scope = name, dims, scope
        self.there, self.condition = there, None
        self.scale, self.away, self.stored, self.added = scale, away, stored, added
        self.positive, self.apart, self.other, self.joins = positive, False, False, None
        self.pairs = False

    def spec(self):
        """In `weights`."""
        optional = "" if self.there is None else f" if {self.condition}" if self.condition else "?"
        return f"{self.name}[{', '.join(self.dims)}]" + optional

    def nodes(self):
        return [self.condition] if self.condition else []

    def node(self, *members):
        """Its value, or that of one member of a family."""
        place = f"[{', '.join(members)}]" if members else ""
        dims = self.dims[len(members) :]
        kind = {1: "row", 2: "matrix"}.get(len(dims), "array")
        code = place.replace("div", "//").replace("mod", "%")
        return Node((kind, *dims), self.name + place, self.read() + code, uses=[self])

    def read(self):
        """In Python: `w` has the weights of the block, `W` those of the model."""
        return f"{'w' if self.block else 'W'}('{self.name}')"

    @property
    def block(self):
        """The block that declares it; None for the model."""
        return self.scope if isinstance(self.scope, Block) else None

    def place(self):
        """In `names`."""
        index, member = ("[i]", ".{i}") if self.apart else ("", "")
        source = f'"{self.name}{member}"'
        if self.added:
            source = f"{self.added} + {source}"
        if self.other:
            source = f'"other.{self.name}{member}" or {source}'
        return f"{self.name}{index} = {source}{self.layout()}"

    def layout(self):
        if not self.stored:
            return ""
        axes = [" * ".join(axis) if isinstance(axis, list) else axis for axis in self.stored]
        if self.pairs:
            axes = [re.sub(r"\be\b", "p * 2", axis) for axis in axes]
        return f" as [{', '.join(axes)}]"

    def numbers(self, random, sizes, type):
        """The stored values in a type of safetensors, and their exact values in float64."""
        shape = [eval(dim, {}, sizes) for dim in self.dims]
        values = random.standard_normal(shape) * self.scale
        if self.away:
            values = values + self.away * (1 - 2 * (values < 0))
        if self.positive:
            values = abs(values)
        file, value = stored_as(type, values)
        return file, value + self.added

    def files(self, file, sizes):
        """The tensors of a file that `file` makes: the suffix of the name, and the array."""
        if self.apart:
            return [
                (f".{k}", self.laid_out(member, self.dims[1:], sizes))
                for k, member in enumerate(file)
            ]
        return [("", self.laid_out(file, self.dims, sizes))]

    def laid_out(self, array, dims, sizes):
        """The array with its axes in storage order."""
        if not self.stored:
            return array
        if self.pairs:
            k, e = dims.index("e"), sizes["e"]
            array = array.reshape(*array.shape[:k], 2, e // 2, *array.shape[k + 1 :])
            array = array.swapaxes(k, k + 1).reshape([eval(axis, {}, sizes) for axis in dims])
        groups = [axis if isinstance(axis, list) else [axis] for axis in self.stored]
        array = array.transpose([dims.index(axis) for group in groups for axis in group])
        return array.reshape(
            [math.prod(eval(axis, {}, sizes) for axis in group) for group in groups]
        )


class IndexFunction(Declaration):
    """name[i, j] = body where k = …, or name(s)[i, j] = …; `where` has names and nodes."""

    def __init__(self, name, indices, body, where=(), parameter=None):
        self.name, self.indices, self.body = name, indices, body
        self.where, self.parameter = dict(where), parameter

    def nodes(self):
        return [*self.where.values(), self.body]

    def spec(self):
        parameter = f"({self.parameter})" if self.parameter else ""
        return [
            f"{self.name}{parameter}[{', '.join(self.indices)}] = {self.body}",
            *where_lines(self.where),
        ]

    def python(self):
        given = [self.parameter] if self.parameter else []
        return [
            f"def {self.name}({', '.join(given + ['n', 'm'] + self.indices)}):",
            *(f"    {name} = {value.python()}" for name, value in self.where.items()),
            f"    return {self.body.python()}",
        ]


class Function(Declaration):
    """`stated` has further declarations of parameters: `x[n, d]`, `s = 2`."""

    def __init__(self, name, parameters, body, where=(), stated=()):
        self.name, self.parameters, self.body, self.where = name, parameters, body, dict(where)
        self.stated = dict(stated)

    def nodes(self):
        return [*self.where.values(), self.body]

    def spec(self):
        return [
            f"{self.name}({', '.join(map(self.parameter, self.parameters))}) = {self.body}",
            *where_lines(self.where),
        ]

    def python(self):
        return [
            f"def {self.name}({', '.join(self.parameters)}):",
            *(f"    {name} = {value.python()}" for name, value in self.where.items()),
            f"    return {self.body.python()}",
        ]

    def parameter(self, name):
        return self.stated.get(name, name)


def where_lines(where):
    said = ", ".join(f"{name} = {value}" for name, value in where.items())
    return [f"  where {said}"] if said else []


class Block(Declaration):
    """A block of x[n, d], used once as part `name`, or as `count` parts `name`[index]."""

    def __init__(self, name, type, count=None, index="l"):
        self.name, self.type, self.count, self.index = name, type, count, index
        self.result = None  # set when it is generated

    def nodes(self):
        return [self.result]

    def spec(self, weights, statements):
        """`weights` and `statements` of its body, both in order."""
        dims = ", ".join(self.type[1:])
        static = f"[{self.index}]" if self.count else ""
        lines = [f"block {self.name}{static}(x[{dims}]) -> [{dims}] {{"]
        lines += [f"  weights {weight.spec()}" for weight in weights]
        lines += ["  " + line for each in statements for line in each.spec()]
        return lines + [f"  return {self.result}", "}"]

    def python(self, statements):
        lines = [f"def {self.name}(w, x, {self.index}=None):", "    n = m = len(x)"]
        lines += ["    " + line for each in statements for line in each.python()]
        return lines + [f"    return {self.result.python()}"]


class Let(Declaration):
    def __init__(self, name, value, scope):
        self.name, self.value, self.scope = name, value, scope

    def nodes(self):
        return [self.value]

    def spec(self):
        return [f"{self.name} = {self.value}"]

    def python(self):
        return [f"{self.name} = {self.value.python()}"]

    def node(self):
        return Node(self.value.type, self.name, self.name, uses=[self])


class Family(Declaration):
    """name[i] = member, for i below `members`; with `written`, the spec states that range."""

    def __init__(self, name, index, members, member, scope, written=False):
        self.name, self.index, self.members = name, index, members
        self.member, self.scope, self.written = member, scope, written

    def nodes(self):
        return [self.member]

    def head(self):
        return f"{self.index} < {self.members}" if self.written else self.index

    def spec(self):
        return [f"{self.name}[{self.head()}] = {self.member}"]

    def python(self):
        return [f"{self.name} = [{self.member.python()} for {self.index} in range({self.members})]"]

    def at(self, place):
        return Node(
            self.member.type,
            f"{self.name}[{place}]",
            f"{self.name}[{place.replace('div', '//').replace('mod', '%')}]",
            uses=[self],
        )

    def all(self):
        return Node(("family", self.members) + self.member.type, self.name, self.name, uses=[self])


class FamilyOfTwo(Declaration):
    """name[a, b] = member, for a and b below `members`, two axes."""

    def __init__(self, name, members, member, scope):
        self.name, self.members, self.member, self.scope = name, members, member, scope

    def nodes(self):
        return [self.member]

    def spec(self):
        return [f"{self.name}[a, b] = {self.member}"]

    def python(self):
        first, second = self.members
        code = self.member.python()
        return [f"{self.name} = [[{code} for b in range({second})] for a in range({first})]"]

    def at(self, *places):
        """A member, or with one index a family of members."""
        type = self.member.type
        if len(places) == 1:
            type = ("family", self.members[1]) + type
        code = self.name + "".join(f"[{place}]" for place in places)
        return Node(type, f"{self.name}[{', '.join(places)}]", code, uses=[self])

    def all(self):
        return Node(
            ("family", *self.members) + self.member.type, self.name, self.name, uses=[self]
        )


class Numbers(Declaration):
    """name = [1, 2, 3], a list that equations read."""

    def __init__(self, name, value):
        self.name, self.value = name, value

    def spec(self):
        return [f"{self.name} = [{', '.join(map(str, self.value))}]"]

    def python(self):
        return [f"{self.name} = {self.value}"]


class Local(Declaration):
    """name[i, j] = body of tokens and positions: defined in an entry."""

    def __init__(self, name, indices, body, scope):
        self.name, self.indices, self.body, self.scope = name, indices, body, scope

    def nodes(self):
        return [self.body]

    def spec(self):
        return [f"{self.name}[{', '.join(self.indices)}] = {self.body}"]

    def python(self):
        return [f"def {self.name}({', '.join(self.indices)}):", f"    return {self.body.python()}"]


class Ranged(Local):
    """name[p < n, c < d] = body: a matrix, since all ranges are stated."""

    def __init__(self, name, indices, ranges, body, scope):
        super().__init__(name, indices, body, scope)
        self.ranges = ranges

    def spec(self):
        own = ", ".join(f"{i} < {r}" for i, r in zip(self.indices, self.ranges))
        return [f"{self.name}[{own}] = {self.body}"]

    def python(self):
        function = f"lambda {', '.join(self.indices)}: {self.body.python()}"
        return [f"{self.name} = table({function}, {', '.join(self.ranges)})"]

    def node(self):
        return Node(("matrix", *self.ranges), self.name, self.name, uses=[self])


class Branch(Declaration):
    """name = value, replaced under a static condition; or with `other`, one of two values."""

    def __init__(self, name, condition, yes, no, scope, other=False):
        self.name, self.condition, self.yes, self.no, self.scope = name, condition, yes, no, scope
        self.other = other

    def nodes(self):
        return [self.condition, self.yes, self.no]

    def spec(self):
        if self.other:
            yes, no = f"{{ {self.name} = {self.yes} }}", f"{{ {self.name} = {self.no} }}"
            return [f"if {self.condition} {yes} else {no}"]
        return [f"{self.name} = {self.no}", f"if {self.condition} {{ {self.name} = {self.yes} }}"]

    def python(self):
        return [
            f"{self.name} = {self.no.python()}",
            f"if {self.condition.python()}:",
            f"    {self.name} = {self.yes.python()}",
        ]

    def node(self):
        return Node(self.yes.type, self.name, self.name, uses=[self])


class Loop(Declaration):
    """name = first, then `count` times name = step, of name and l."""

    def __init__(self, name, count, first, scope):
        self.name, self.count, self.first, self.scope = name, count, first, scope
        self.step = None  # set when it is generated

    def nodes(self):
        return [self.first, self.step]

    def spec(self):
        return [
            f"{self.name} = {self.first}",
            f"for l < {self.count} {{ {self.name} = {self.step} }}",
        ]

    def python(self):
        return [
            f"{self.name} = {self.first.python()}",
            f"for l in range({self.count}):",
            f"    {self.name} = {self.step.python()}",
        ]

    def carried(self):
        """The name inside the loop."""
        return Node(self.first.type, self.name, self.name)

    def node(self):
        return Node(self.first.type, self.name, self.name, uses=[self])
