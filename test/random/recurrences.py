# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random recurrences as matrices: one or more states, and what reads them."""

from earlier import VALUE, beside, vector
from scalars import literal
from states import States
from stepwise import ByPosition, OfPositions, Place, column
from trees import MULTIPLY, NEGATE, POSTFIX, Node, call, infix
from values import matrix


class Recurrences(States):
    """Matrices that are computed from states."""

    growers = States.growers + [("recurrent", 0.08)]

    def recurrent(self, rows, columns, depth):
        """One to three states, and a matrix that is computed from them."""
        if self.family or rows not in ("n", "m") or columns in ("n", "m"):
            return None
        if rows == "n" and columns == "d" and self.chance(0.08):
            return self.recurrent_function()
        at = self.here(rows)
        for _ in range(self.random.choice([1, 1, 1, 2, 2, 3])):
            at.states.append(self.state(at))
        if not at.indices and self.chance(0.25):
            node = self.without_reader(at.states[-1], rows, columns)
            if node:
                return node
        width = "e" if len(at.indices) == 2 else self.random.choice(self.widths)
        body = self.reader(at, at.states[-1], width)
        if len(at.states) > 1 and self.chance(0.6):
            other = self.reader(at, self.random.choice(at.states), width)
            body = infix(self.random.choice(["+", "-", "*"]), body.type, body, other)
        if self.chance(0.3):
            body = infix("+", body.type, body, self.row_here(at, width))
        readers = [ByPosition(self.fresh("r"), at, body, self.scope)]
        if self.chance(0.2):  # the states are read twice
            other = self.reader(at, at.states[-1], width)
            readers.append(ByPosition(self.fresh("r"), at, other, self.scope))
        nodes = [self.joined_here(each, rows, columns) for each in readers]
        node = nodes[0] if len(nodes) == 1 else infix("+", nodes[0].type, *nodes)
        return self.attended_by_itself(self.beside_states(at, node))

    def attended_by_itself(self, node):
        """Sometimes softmax(S @ S' | M) @ S, without projections."""
        rows = node.type[1]
        if not self.chance(0.08) or self.keys(rows) != rows:
            return node
        node = self.let(node)
        return infix("@", node.type, self.seen(self.scores(node, node)), node)

    def joined_here(self, declared, rows, columns):
        """The values of all positions and members as one matrix."""
        count = len(declared.place.indices)
        if count == 2:
            return self.joined_of_two(declared, rows, columns)
        if count == 1:
            return self.joined(declared, rows, columns)
        whole = declared.whole()
        return whole if whole.type[2] == columns else self.linear_of(whole, columns)

    def linear_of(self, x, columns):
        type = matrix(x.type[1], columns)
        return infix("@", type, x, self.kernel(x.type[2], columns))

    def without_reader(self, state, rows, columns):
        """The states themselves, or the last of them."""
        whole, type = state.whole(), matrix(rows, columns)
        if state.type[0] == "vector":
            whole = self.attended_by_itself(self.remember(whole))
            return whole if whole.type[2] == columns else self.linear_of(whole, columns)
        if state.type[0] == "value":
            text = f"diag({{0}}) @ {{1:{NEGATE}}}"
            operands = [whole, self.matrix(rows, columns, 0)]
            return Node(type, text, "(diag({0}) * {1})", operands, MULTIPLY)
        if not self.whole:
            return None
        text, code = self.random.choice(
            [("{0}[-1]", "{0}[-1]"), ("{0}[N - 1]", "{0}[N - 1]"), ("sum({0})", "rows_sum({0})")]
        )
        text, code = text.replace("N", rows), code.replace("N", rows)
        last = Node(matrix(*state.type[1:]), text, code, [whole])
        x = infix("@", matrix(rows, last.type[2]), self.matrix(rows, last.type[1], 0), last)
        return x if x.type[2] == columns else self.linear_of(x, columns)

    def beside_states(self, at, node):
        """Sometimes a state of rows is used elsewhere, too: as a matrix."""
        some = [s for s in at.states if s.type == vector(node.type[2])]
        if some and not at.indices and self.chance(0.4):
            return infix("+", node.type, node, call("tanh", node.type, some[0].whole()))
        return node

    def recurrent_function(self):
        """g(x) = h where h[t] = …"""
        x, kept, self.scope = self.source("n", "d"), self.scope, None
        at = Place("n", given=Node(matrix("n", "d"), "x", "x"))
        state = self.state(at, vector("d"))
        self.scope, local = kept, state.local
        if local:  # a `where` of its own does not fit into one
            return self.recurrent("n", "d", 1)
        declared = OfPositions(self.fresh("g"), ["x"], state, True)
        code = f"{declared.name}({{0}})"
        return Node(x.type, code, code, [x], uses=[declared])

    # --- What reads a state -------------------------------------------------------------------

    def reader(self, at, state, columns):
        """A row with these columns, of the state at the same position, or at an earlier one."""
        r = self.random
        back = r.choice(["", "", "", "", "", "", "1", "1", "2", "64"])
        S = at.read(state.type, state, back)
        if back and self.chance(0.15):
            S = Node(S.type, f"({S.spec} ?? 0)", S.code, uses=S.uses)
        node = getattr(self, f"of_{state.type[0]}")(at, S)
        if node.type == VALUE:
            pair = [node, self.row_here(at, columns)]
            return infix("*", vector(columns), *(pair if self.chance(0.6) else reversed(pair)))
        if self.chance(0.15):
            node = self.unary(node) if self.chance(0.5) else self.unit_vector(node)
        if node.type[1] == columns:
            return node
        return infix("@", vector(columns), node, self.kernel(node.type[1], columns))

    def of_value(self, at, S):
        return self.unary(S) if self.chance(0.3) else S

    def of_vector(self, at, S):
        kind = self.random.choice("whole whole product dot sum norm".split())
        if kind == "product":
            return infix("*", S.type, S, self.row_here(at, S.type[1]))
        if kind == "dot":
            return infix("@", VALUE, self.row_here(at, S.type[1]), column(S))
        if kind == "sum":
            one = self.random.choice(["sum", "mean", "max"])
            return call(one, VALUE, S, code=f"rows_{one}")
        return self.unit_vector(S) if kind == "norm" else S

    def of_grid(self, at, S):
        a, b = S.type[1:]
        kind = self.random.choice(
            "row row row row column column sum entries number first normal twice all".split()
        )
        if kind == "row":
            return infix("@", vector(b), self.vector(at, a, 1), S)
        if kind == "column":
            return beside(S, self.vector(at, b, 1))
        if kind == "sum":
            one = self.random.choice(["sum", "mean", "max"])
            return call(one, vector(b), S, code=f"rows_{one}")
        if kind == "entries":
            x = self.unary(S) if self.chance(0.5) else infix("*", S.type, S, self.grid(at, a, b, 0))
            return call("sum", vector(b), x, code="rows_sum")
        if kind == "all":
            return call("max", VALUE, call("max", vector(b), S, code="rows_max"), code="rows_max")
        if kind == "first":
            k = self.random.choice(["0", "1", "-1"])
            return Node(vector(b), f"{{0:{POSTFIX}}}[{k}]", f"{{0}}[{k}]", [S])
        q = self.row_here(at, a)
        answer = infix("@", vector(b), q, S)
        if kind == "number":
            return infix("@", VALUE, answer, column(self.row_here(at, b)))
        if kind == "twice":  # q @ S @ M + k @ S
            return infix("+", answer.type, answer, infix("@", answer.type, self.row_here(at, a), S))
        size = call("abs", VALUE, infix("@", VALUE, answer, column(self.row_here(at, b))))
        return infix("/", answer.type, answer, infix("+", VALUE, literal("1"), size))
