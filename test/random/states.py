# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random states: definitions by position that read themselves at the position before.

States are numbers, rows or matrices, of no, one or two families. What a state keeps of itself is a
number, a row or a matrix of numbers from 0 to 1, which are often exactly 0 or 1, or nearly 0.
"""

from declarations import Function
from earlier import VALUE, Earlier, beside, diagonal, grid, outer, vector
from scalars import NUMBER, literal
from stepwise import State, column
from trees import MULTIPLY, NEGATE, POSTFIX, Node, call, infix, negated


class States(Earlier):
    """Each form of a state returns its equation, which contains `before`, the state."""

    of_grids = (
        "linear linear linear linear delta delta delta rank_one other_side sum mixed gates "
        "bounded largest flipped register two_inputs"
    ).split()
    of_vectors = (
        "linear linear linear sum elman gru averaged largest normed turned reflected rooted "
        "two_inputs"
    ).split()
    of_values = "linear linear sum bounded largest stabilised averaged two_inputs".split()

    def state(self, at, type=None):
        """A state, defined where others may be defined already."""
        r = self.random
        a, b = r.choice(self.widths), r.choice(self.widths)
        type = type or r.choice([VALUE, vector(b), grid(a, b), grid(a, b), grid(a, b)])
        if type[0] == "grid" and at.states and self.chance(0.5):
            type = at.states[0].type
        kinds = {"grid": self.of_grids, "vector": self.of_vectors, "value": self.of_values}
        kind = r.choice(kinds[type[0]])
        initial = None
        if kind in ("largest", "stabilised"):
            if self.chance(0.8):
                initial = literal(r.choice(["-1e30", "-1e38", "0", "0.25"]))
        elif self.chance(0.25):
            initial = r.choice([literal("1"), literal("0"), literal("-0.5"), self.number(1)])
        state = State(self.fresh("S"), at, type, initial, self.scope)
        if len(at.indices) == 1 and type[0] == "grid" and self.chance(0.06):
            state.turn()
        state.written = self.chance(0.08)
        state.body = getattr(self, f"{type[0]}_{kind}")(at, state)
        return state

    ways = {
        "value": "number number number position static all none",
        "vector": "number number number entry entry position static all none",
        "grid": "number number number row row column entry position static all none",
    }

    def keeping(self, at, x, entries=True):
        """x, of which a share is kept: by a number, by row or column, or by entry, if that is
        allowed: weights that are used right of `@` and elsewhere are not."""
        way = self.random.choice(self.ways[x.type[0]].split())
        if way == "all":
            return x
        if way == "row" or way == "entry" and x.type[0] == "grid" and not entries:
            return diagonal(self.share_of_row(at, x.type[1]), x)
        if way == "entry" and x.type[0] == "grid":
            return self.keeping_entries(at, x)
        pair = [self.share(at, x.type, way), x]
        return infix("*", x.type, *(pair if self.chance(0.7) else reversed(pair)))

    def share(self, at, type, way):
        """A factor of a state: a number, or a row of them for each row of the state."""
        if way in ("entry", "column"):
            return self.share_of_row(at, type[-1])
        if way == "none":
            return literal(self.random.choice(["0", "1", "0.5", "-0.5"]))
        if way == "static":
            share = self.own(at, [], scale=0.4)
            isLarge = share.type == NUMBER and abs(self.value_of(share)) > 1.01
            return literal("0.9") if isLarge else share
        if way == "position":
            return self.kept_by_position(at)
        if self.chance(0.3):
            return self.kept(self.value(at, 1))
        return self.value_here(at, self.kept)

    def share_of_row(self, at, columns):
        if self.chance(0.3):
            return self.kept(self.vector(at, columns, 1))
        return self.row_here(at, columns, self.kept)

    def keeping_entries(self, at, x):
        """exp(-(diag(Δ) @ exp(A))) * x, or exp(diag(Δ) @ (-exp(A))) * x"""
        a = call("exp", x.type, self.own(at, x.type[1:], scale=0.7))
        step = call("relu", vector(x.type[1]), self.row_here(at, x.type[1]))
        if self.chance(0.5):
            step = call("sigmoid", step.type, step)
        inner = diagonal(step, negated(a)) if self.chance(0.5) else negated(diagonal(step, a))
        return infix("*", x.type, call("exp", x.type, inner), x)

    def direction(self, at, columns):
        """A row whose length is about 1."""
        if self.chance(0.7):
            return self.row_here(at, columns, lambda x: call("unit", x.type, x))
        return call("unit", vector(columns), self.vector(at, columns, 1))

    # --- States that are matrices -------------------------------------------------------------

    def grid_linear(self, at, state):
        kept, taken = self.keeping(at, state.before), self.grid(at, *state.type[1:], 1)
        pair = [kept, taken] if self.chance(0.8) else [taken, kept]
        return infix("+", state.type, *pair)

    def grid_sum(self, at, state):
        return infix("+", state.type, state.before, self.grid(at, *state.type[1:], 0))

    def grid_two_inputs(self, at, state):
        one, two = self.grid(at, *state.type[1:], 0), self.grid(at, *state.type[1:], 1)
        kept = self.keeping(at, state.before)
        return infix("-", state.type, infix("+", state.type, one, kept), two)

    def grid_delta(self, at, state):
        """The delta rule: S answers the key k with k @ S, and the error is corrected."""
        a, b = state.type[1:]
        form = self.random.choice(["where", "function", "function", "plain", "plain", "matrix"])
        P = self.keeping(at, state.before, form not in ("plain", "matrix"))
        k, v = self.direction(at, a), self.vector(at, b, 0)
        β = self.value_here(at, self.kept)
        if self.chance(0.15):
            β = infix("*", VALUE, literal("2"), β)
        if form == "where":
            state.local, P = P, Node(state.type, "P", "P")
        elif form == "function":
            return self.corrected(P, k, v, β)
        if form == "matrix":  # P - β k' @ k @ P: the product of the keys comes first
            less = infix("-", state.type, P, infix("@", state.type, outer(k, k, β), P))
            return infix("+", state.type, less, outer(k, v, β))
        answer = infix("@", v.type, k, P)
        if self.chance(0.6):
            error = infix("*", v.type, β, infix("-", v.type, v, answer))
            return infix("+", state.type, P, outer(k, error))
        less = infix("-", state.type, P, outer(k, answer, β))
        return infix("+", state.type, less, outer(k, v, β))

    def corrected(self, P, k, v, β):
        """The same as a function of the spec."""
        x = [Node(e.type, n, n) for e, n in zip((P, k, v, β), ("S", "k", "v", "β"))]
        error = infix("*", v.type, x[3], infix("-", v.type, x[2], infix("@", v.type, x[1], x[0])))
        body = infix("+", P.type, x[0], outer(x[1], error))
        declared = Function(self.fresh("g"), ["S", "k", "v", "β"], body)
        text = f"{declared.name}({{0}}, {{1}}, {{2}}, {{3}})"
        return Node(P.type, text, text, [P, k, v, β], uses=[declared])

    def grid_other_side(self, at, state):
        """The same rule for a state that is multiplied by columns: (S @ k')."""
        a, b = state.type[1:]
        P, k, v = self.keeping(at, state.before), self.direction(at, b), self.vector(at, a, 0)
        β = self.value_here(at, self.kept)
        if self.chance(0.5):  # (P @ k') @ (β * k)
            text = f"({{0:{MULTIPLY}}} @ {{1:{POSTFIX}}}') @ {{2:{NEGATE}}}"
            scaled = infix("*", k.type, β, k)
            taken = Node(state.type, text, "outer({0} @ {1}, {2})", [P, k, scaled], MULTIPLY)
        else:
            taken = outer(beside(P, k), k, β)
        less = infix("-", state.type, P, taken)
        return infix("+", state.type, less, outer(v, k, β))

    def grid_rank_one(self, at, state):
        """diag(w) @ S - a' @ (b @ S) + k' @ v, as in RWKV 7."""
        a, b = state.type[1:]
        P = state.before
        kept = diagonal(self.share_of_row(at, a), P)
        one, two = self.direction(at, a), self.direction(at, a)
        less = outer(one, infix("@", vector(b), two, P), literal("0.5"))
        less = infix(self.random.choice("+-"), state.type, kept, less)
        return infix("+", state.type, less, self.grid(at, a, b, 0))

    def grid_mixed(self, at, state):
        """S @ V, W @ S"""
        a, b = state.type[1:]
        size = b if self.chance(0.5) else a
        w = self.own(at, [size, size], scale=0.5 / self.extent(size) ** 0.5)
        isRight = size == b and (a != b or self.chance(0.5))
        kept = infix("@", state.type, *([state.before, w] if isRight else [w, state.before]))
        node = infix("+", state.type, kept, self.grid(at, a, b, 0))
        return call("tanh", node.type, node) if self.chance(0.5) else node

    def grid_gates(self, at, state):
        """Gates that depend on the state."""
        a, b = state.type[1:]
        P = state.before
        g = infix("@", vector(b), self.direction(at, a), P)
        g = call("sigmoid", g.type, infix("+", g.type, g, self.row_here(at, b)))
        return infix("+", state.type, infix("*", state.type, P, g), self.grid(at, a, b, 0))

    def grid_bounded(self, at, state):
        return call("tanh", state.type, self.grid_linear(at, state))

    def grid_largest(self, at, state):
        return self.largest(at, state, self.grid(at, *state.type[1:], 0))

    def largest(self, at, state, taken):
        one, other = "max", self.keeping(at, state.before) if self.chance(0.3) else state.before
        if not state.before.operands and self.chance(0.3):
            one = "min"
        pair = [taken, other] if self.chance(0.5) else [other, taken]
        return call(one, state.type, *pair, code=f"{one}imum")

    def grid_flipped(self, at, state):
        a, b = state.type[1:]
        if a != b:
            return self.grid_linear(at, state)
        flipped = Node(state.type, f"{{0:{POSTFIX}}}'", "{0}.T", [state.before])
        kept = infix("*", state.type, literal("0.5"), flipped)
        return infix("+", state.type, kept, self.grid(at, a, b, 0))

    def grid_register(self, at, state):
        """The last rows: [S[1:]; v]"""
        a, b = state.type[1:]
        P, v = state.before, self.vector(at, b, 1)
        text, code = f"[{{0:{POSTFIX}}}[1:]; {{1}}]", "above({0}[1:], {1})"
        if self.chance(0.3):
            text, code = f"[{{1}}; {{0:{POSTFIX}}}[:{a} - 1]]", f"above({{1}}, {{0}}[:{a} - 1])"
        kept = infix("*", state.type, literal("0.5"), Node(state.type, text, code, [P, v]))
        return infix("+", state.type, kept, self.grid(at, a, b, 0))

    # --- States that are rows -----------------------------------------------------------------

    def vector_linear(self, at, state):
        taken = self.vector(at, state.type[1], 1)
        return infix("+", state.type, self.keeping(at, state.before), taken)

    def vector_sum(self, at, state):
        return infix("+", state.type, state.before, self.row_here(at, state.type[1]))

    def vector_two_inputs(self, at, state):
        c = state.type[1]
        kept = infix("+", state.type, self.vector(at, c, 1), self.keeping(at, state.before))
        other = infix("*", state.type, self.value(at, 0), self.row_here(at, c))
        return infix("-", state.type, kept, other)

    def turned_by_weights(self, at, x):
        """x @ V, with V of moderate size."""
        c = x.type[1]
        return infix("@", x.type, x, self.own(at, [c, c], scale=0.5 / self.extent(c) ** 0.5))

    def vector_elman(self, at, state):
        taken = self.vector(at, state.type[1], 1)
        node = infix("+", state.type, taken, self.turned_by_weights(at, state.before))
        return call(self.random.choice(["tanh", "tanh", "sigmoid", "relu"]), node.type, node)

    def gate_of(self, at, h):
        """sigmoid(x @ W + h @ U)"""
        x = self.row_here(at, h.type[1])
        return call("sigmoid", h.type, infix("+", h.type, x, self.turned_by_weights(at, h)))

    def vector_gru(self, at, state):
        """(1 - z) * h + z * tanh(x + (r * h) @ U)"""
        c, h = state.type[1], state.before
        z, r = (self.gate_of(at, h) for _ in range(2))
        new = self.turned_by_weights(at, infix("*", h.type, r, h))
        new = call("tanh", h.type, infix("+", h.type, self.row_here(at, c), new))
        old = infix("*", h.type, infix("-", h.type, literal("1"), z), h)
        return infix("+", h.type, old, infix("*", h.type, z, new))

    def vector_averaged(self, at, state):
        c = state.type[1]
        return self.averaged(state, self.share_of_row(at, c), self.vector(at, c, 1))

    def averaged(self, state, share, taken):
        """z * h + (1 - z) * x"""
        rest = infix("-", share.type, literal("1"), share)
        old = infix("*", state.type, share, state.before)
        return infix("+", state.type, old, infix("*", state.type, rest, taken))

    def vector_largest(self, at, state):
        return self.largest(at, state, self.vector(at, state.type[1], 1))

    def vector_normed(self, at, state):
        node = infix("+", state.type, state.before, self.vector(at, state.type[1], 1))
        return call("unit_rms", node.type, node, literal(self.random.choice(["1e-5", "0.1"])))

    def vector_turned(self, at, state):
        """[h[1:], h[:1]]: its entries in another order, or one new entry."""
        h, text = state.before, f"[{{0:{POSTFIX}}}[1:], {{0:{POSTFIX}}}[:1]]"
        turned = Node(state.type, text, "numpy.roll({0}, -1)", [h])
        kept = self.keeping(at, turned)
        return infix("+", state.type, kept, self.row_here(at, state.type[1]))

    def vector_reflected(self, at, state):
        """h - β * (h @ k') * k + x"""
        c, h = state.type[1], self.keeping(at, state.before)
        k, β = self.direction(at, c), self.value_here(at, self.kept)
        along = infix("@", VALUE, h, column(k) if self.chance(0.5) else k)
        less = infix("*", h.type, infix("*", VALUE, β, along), k)
        return infix("+", h.type, infix("-", h.type, h, less), self.row_here(at, c))

    def vector_rooted(self, at, state):
        """a * h + √(1 - a^2) * x"""
        c = state.type[1]
        a = call("sigmoid", state.type, self.row_here(at, c))
        a = infix("*", a.type, literal("0.95"), a)  # near 1 its root would be rounding error
        rest = infix("-", a.type, literal("1"), infix("^", a.type, a, literal("2")))
        rest = Node(a.type, f"√{{0:{POSTFIX}}}", "sqrt({0})", [rest], POSTFIX - 1)
        old = infix("*", a.type, a, state.before)
        return infix("+", a.type, old, infix("*", a.type, rest, self.row_here(at, c)))

    # --- States that are numbers --------------------------------------------------------------

    def value_linear(self, at, state):
        return infix("+", VALUE, self.keeping(at, state.before), self.value(at, 1))

    def value_sum(self, at, state):
        return infix("+", VALUE, state.before, self.value(at, 0))

    def value_two_inputs(self, at, state):
        kept = infix("-", VALUE, self.value(at, 1), self.keeping(at, state.before))
        return infix("+", VALUE, kept, self.value(at, 0))

    def value_bounded(self, at, state):
        return call("tanh", VALUE, self.value_linear(at, state))

    def value_largest(self, at, state):
        return self.largest(at, state, self.value(at, 1))

    def value_stabilised(self, at, state):
        """max(f + m, i)"""
        f = negated(call("relu", VALUE, self.value_here(at)))
        f = infix("+", VALUE, f, state.before)
        return call("max", VALUE, f, self.value_here(at), code="maximum")

    def value_averaged(self, at, state):
        z = infix("+", VALUE, self.value_here(at), state.before)
        return self.averaged(state, call("sigmoid", VALUE, z), self.value_here(at))
