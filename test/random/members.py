# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random families that are not heads: with two indices, alternating, split, of parts."""

from declarations import Block, Family, FamilyOfTwo
from families import Families
from scalars import literal
from trees import ADD, POSTFIX, Node, call, infix
from values import matrix


class Members(Families):
    """Families of all kinds."""

    growers = Families.growers + [("members", 1.0)]

    def members(self, rows, columns, depth):
        """A family of matrices, joined into one matrix."""
        if self.family or rows not in ("n", "m") or columns in ("n", "m"):
            return None
        x = self.named(self.matrix(rows, "d", depth - 1))
        kind = self.random.choice(
            "two two turns constant apart apart beside slices row product parts optional "
            "convolved".split()
        )
        family = getattr(self, f"family_of_{kind}")(x)
        if isinstance(family, FamilyOfTwo):
            return self.joined_of_two(family, rows, columns)
        if self.chance(0.25) and self.keys(rows) == rows:
            family = self.attending(family)
        return self.joined(family, rows, columns)

    def attending(self, family):
        """Self-attention of each member."""
        x = family.at("i")
        if x.type[2] == "0":
            return family
        seen = self.seen(self.scores(x, x))
        member = infix("@", x.type, seen, x)
        return Family(self.fresh("F"), "i", family.members, member, self.scope)

    def of_members(self, members, member, written=False):
        return Family(self.fresh("F"), "i", members, member, self.scope, written)

    def kernels(self, dims):
        """A family of matrices of weights."""
        return self.weight(dims, scale=1.2 / self.extent(dims[-2]) ** 0.5, scope=self.scope)

    def few(self, most=None):
        """A number of members, at most h, as text."""
        return str(self.random.randint(1, most or self.sizes["h"]))

    # --- Of two indices -----------------------------------------------------------------

    def family_of_two(self, x):
        """F[a, b] = x @ W[a, b] …"""
        rows, inner = x.type[1:]
        second = self.random.choice(["h_kv", "2", "3"])
        weight = self.kernels(["h", second, inner, "e"])
        member = infix("@", matrix(rows, "e"), x, weight.node("a", "b"))
        kind = self.random.randrange(6)
        if kind == 0:
            member = call("tanh", member.type, member)
        elif kind == 1:
            gain = self.weight(["h", second, "e"], scope=self.scope)
            member = infix("+", member.type, member, gain.node("a", "b"))
        elif kind == 2:
            gain = self.weight([second, "e"], scope=self.scope)
            member = infix("*", member.type, member, gain.node("b"))
        return FamilyOfTwo(self.fresh("F"), ["h", second], member, self.scope)

    def joined_of_two(self, family, rows, columns):
        first, second = family.members
        type, member = matrix(rows, columns), family.member.type
        kind = self.random.choice(["concat", "concat", "one", "some", "sum", "attend", "heads"])
        if kind == "heads" and self.keys(rows) == rows:
            query, shared = family.at("a", "b"), family.at("a", "0")
            key = self.random.choice([query, shared])
            heads = infix("@", member, self.seen(self.scores(query, key)), key)
            family = FamilyOfTwo(self.fresh("F"), family.members, heads, self.scope)
        if kind in ("concat", "heads"):
            wide = f"{first} * {second} * e"
            joined = call("concat", matrix(rows, wide), family.all(), code="concat_all")
            return self.biased(infix("@", type, joined, self.kernel(wide, columns)), columns)
        if kind == "one":
            places = [str(self.random.randrange(self.extent(m))) for m in (first, second)]
            return infix("@", type, family.at(*places), self.kernel("e", columns))
        count = self.extent(second)
        here, there = (family.at("a", str(self.random.randrange(count))) for _ in range(2))
        if kind == "some":
            one = infix(self.random.choice(["+", "*", "-"]), member, here, there)
        elif kind == "attend":
            one = infix("@", member, self.seen(self.scores(here, there)), there)
        else:
            over = self.random.choice(["sum", "sum", "mean", "max"])
            code = f"rows_{over}(members({{0}}))"
            one = Node(member, f"{over}({{0}})", code, [family.at("a")])
        inner = Family(self.fresh("F"), "a", first, one, self.scope)
        return self.joined(inner, rows, columns)

    # --- Of one index -------------------------------------------------------------------

    def family_of_turns(self, x):
        """X[i mod g] and X[i div g], for a stated range."""
        rows, inner = x.type[1:]
        of_weights = self.chance(0.5)
        few = self.few()
        count = self.random.choice(["h", "3", "4", "5"])
        number = self.extent(count)
        type = matrix(rows, "e")
        weight = self.kernels(["h", inner, "e"])
        member = infix("@", type, x, weight.node("i"))
        if of_weights:
            member = infix("@", type, x, weight.node(f"i mod {few}"))
        else:
            member = self.of_members("h", member).at(f"i mod {few}")
        if number % 2 == 0 and self.chance(0.5):
            other = self.kernels([str(number // 2), inner, "e"])
            other = infix("@", type, x, other.node("i div 2"))
            member = infix(self.random.choice(["+", "*"]), type, member, other)
        return self.of_members(count, member, written=True)

    def family_of_constant(self, x):
        """x @ W[i, 1]"""
        rows, inner = x.type[1:]
        weight = self.kernels(["h", "2", inner, "e"])
        node = infix("@", matrix(rows, "e"), x, weight.node("i", self.random.choice("01")))
        return self.of_members("h", node)

    def family_of_apart(self, x):
        """q[:, i * e +: e]: splits what concat joins, or takes a part of each."""
        rows = x.type[1]
        e, h = self.sizes["e"], self.sizes["h"]
        skipped, step = self.random.choice([(0, 0)] * 4 + [(1, 0), (0, 1), (0, 2), (1, 2)])
        skipped = skipped if e > 1 else 0
        by = "e" if not step else f"(e + {step})"
        wide = "h * e" if not step else f"{h * (e + step)}"
        q = infix("@", matrix(rows, wide), x, self.kernel("d", wide))
        q = self.named(self.biased(q, wide))
        first = f"i * {by}" + (f" + {skipped}" if skipped else "")
        width = f"e - {skipped}" if skipped else "e"
        member = Node(
            matrix(rows, width),
            f"{{0:{POSTFIX}}}[:, {first} +: {width}]",
            f"{{0}}[:, {first}:{first} + {width}]",
            [q],
        )
        return self.of_members("h", member, written=True)

    def family_of_beside(self, x):
        """[x @ W[i], x @ V]: a member concatenated with a part that all share."""
        rows, inner = x.type[1:]
        own = infix("@", matrix(rows, "e"), x, self.kernels(["h", inner, "e"]).node("i"))
        shared = infix("@", matrix(rows, "f"), x, self.kernel(inner, "f"))
        parts = [own, shared] if self.chance(0.6) else [shared, own]
        widths = " + ".join(part.type[2] for part in parts)
        joined = Node(matrix(rows, widths), "[{0}, {1}]", "beside({0}, {1})", parts)
        return self.of_members("h", joined)

    def family_of_slices(self, x):
        """x @ W[i][:, :k], (x @ W[i])[:, 1 +: k]"""
        rows, inner = x.type[1:]
        k = self.random.randint(1, self.sizes["f"] - 1)
        weight = self.kernels(["h", inner, "f"]).node("i")
        place, code = self.random.choice(
            [(f":, :{k}", f":, :{k}"), (f":, 1 +: {k}", f":, 1:1 + {k}"), (":, 1:", ":, 1:")]
        )
        width = "f - 1" if place == ":, 1:" else str(k)
        if self.chance(0.5):
            cut = Node(matrix(inner, width), f"{{0}}[{place}]", f"{{0}}[{code}]", [weight])
            return self.of_members("h", infix("@", matrix(rows, width), x, cut))
        node = infix("@", matrix(rows, "f"), x, weight)
        if self.chance(0.5):
            node = self.of_members("h", node).at("i")
        template = f"{{0:{POSTFIX}}}[{place}]"
        return self.of_members("h", Node(matrix(rows, width), template, f"{{0}}[{code}]", [node]))

    def family_of_row(self, x):
        """Rows of a member: W[i, 0], F[i][1]."""
        weight = self.weight(["h", "3", "d"], scope=self.scope)
        one = weight.node("i", self.random.choice("012"))
        if self.chance(0.3) and self.whole:
            rows = self.of_members("h", one, written=True)
            return self.of_members("h", infix("*", x.type, x, rows.at("i")))
        return self.of_members("h", infix(self.random.choice(["*", "+"]), x.type, x, one))

    def family_of_product(self, x):
        """x @ (W[i] @ A[i]), x @ (W[i] * r[i])"""
        rows, inner = x.type[1:]
        weight, type = self.kernels(["h", inner, "e"]).node("i"), matrix(inner, "e")
        kind = self.random.choice(["family", "family", "shared", "row", "transposed"])
        if kind == "family":
            both = infix("@", type, weight, self.kernels(["h", "e", "e"]).node("i"))
        elif kind == "shared":
            both = infix("@", type, weight, self.kernels(["e", "e"]).node())
        elif kind == "row":
            both = infix("*", type, weight, self.weight(["h", "e"], scope=self.scope).node("i"))
        else:
            other = self.kernels(["h", "e", "e"]).node("i")
            other = Node(matrix("e", "e"), "{0}'", "{0}.T", [other])
            both = infix("@", type, weight, other)
        return self.of_members("h", infix("@", matrix(rows, "e"), x, both))

    def family_of_parts(self, x):
        """F[i] = part[i](x), each with separate weights."""
        if isinstance(self.scope, Block) or x.type[1] != "n":
            return self.family_of_constant(x)
        block = Block(self.fresh("B"), x.type, "h", "i")
        inside = Node(x.type, "x", "x")
        kept, self.scope = self.scope, block
        kind = self.random.choice(["norm", "norm", "linear"])
        if kind == "norm":
            one = self.random.choice(["standardize", "unit_rms"])
            body = call(one, x.type, inside, literal("1e-5"))
            body = infix("*", x.type, body, self.gain("d"))
            body = infix("+", x.type, body, self.weight(["d"], scope=block).node())
        else:
            hidden = infix("@", matrix("n", "e"), inside, self.kernel("d", "e"))
            hidden = call("relu", hidden.type, hidden)
            body = infix("@", x.type, hidden, self.kernel("e", "d"))
        block.result = body
        self.scope = kept
        called = Node(
            x.type,
            f"part_{block.name}[i]({{0}})",
            f"{block.name}(part(w, f'{block.name}.{{{{i}}}}.'), {{0}}, i)",
            [x],
            uses=[block],
        )
        return self.of_members("h", called, written=True)

    def family_of_convolved(self, x):
        """conv(x, K[i], …): of a value that all share, or of each member's own."""
        rows, inner = x.type[1:]
        if not self.whole:
            return self.family_of_constant(x)
        if self.chance(0.5):
            weight = self.kernels(["h", inner, "e"])
            x = infix("@", matrix(rows, "e"), x, weight.node("i"))
        kernel = self.weight(["h", "3", x.type[2], "e"], scale=0.5, scope=self.scope)
        node = Node(
            matrix(rows, "e"),
            f"conv({{0}}, {kernel.name}[i], stride = 1, pad = 1)",
            f"conv({{0}}, {kernel.read()}[i], 1, 1)",
            [x],
            uses=[kernel],
        )
        return self.of_members("h", node)

    def family_of_optional(self, x):
        """F[i] = a row of weights by member, in a sum that may contain optional weights."""
        rows, inner = x.type[1:]
        node = infix("@", matrix(rows, "e"), x, self.kernels(["h", inner, "e"]).node("i"))
        weight = self.weight(["h", "e"], there=self.chance(0.5), scope=self.scope)
        code = f"({{0}} + {weight.read()}[i])" if weight.there else "{0}"
        summed = Node(
            node.type, f"{{0:{ADD}}} + {weight.name}[i]", code, [node], ADD, uses=[weight]
        )
        return self.of_members("h", summed)
