# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a rule is stated with: names.py, sums of normal_form.py, laws of sums that have a condition, and functions.

The laws are proven in sums.py. A method claims the condition, and uses what the law says.
"""

from __future__ import annotations

from names import Axis, Merged, Obligation
from normal_form import Sums
from terms import Function, Term, Value, forall, implies, ite, number, real, substituted


class World(Sums):
    """The names, assumptions and claims of one rule."""

    # --- Laws of sums ----------------------------------------------------------------------------------------------

    def same(self, axis: Axis, one: Function, other: Function) -> None:
        """Sums are equal whose terms are: claims the latter, and uses the former."""
        if not self.bounded:
            self.everywhere(axis, lambda k: real(one(k)) == real(other(k)))
            self.assume(self.sum(axis, one) == self.sum(axis, other))

    def same_pairs(self, outer: Axis, inner: Axis, one: Function, other: Function) -> None:
        """The same for sums of sums, whose terms are one(i, j) and other(i, j)."""
        if self.bounded:
            return

        def inner_sums(i: Term) -> tuple[Term, Term]:
            return self.sum(inner, lambda j: one(i, j)), self.sum(inner, lambda j: other(i, j))

        def equal(i: Term) -> Term:
            self.same(inner, lambda j: one(i, j), lambda j: other(i, j))
            sums = inner_sums(i)
            return sums[0] == sums[1]
        before = list(self.assumptions)
        _, inside, _ = self.positions(outer, lambda i: number(0))
        self.assume(inside)
        self.positions(outer, equal)  # claims the inner terms, at any position of the outer axis
        equality = implies(inside, self.assumptions.pop())
        self.assumptions = [*before, equality]
        self.same(outer, lambda i: inner_sums(i)[0], lambda i: inner_sums(i)[1])

    def positive(self, axis: Axis, body: Function) -> Term:
        """Σ body, which is positive since each term is."""
        total = self.sum(axis, body)
        if not self.bounded:
            self.everywhere(axis, lambda k: real(body(k)) > 0)
            self.assume(total > 0)
        return total

    def at_least(self, axis: Axis, body: Function, place: Term) -> Term:
        """Σ body, which is at least the term at `place`, since no term is negative."""
        total = self.sum(axis, body)
        if not self.bounded:
            self.everywhere(axis, lambda k: real(body(k)) >= 0)
            self.obligations.append(Obligation(list(self.assumptions), (place >= 0) & (place < axis.size)))
            self.assume(total >= real(body(place)))
        return total

    def not_negative(self, axis: Axis, body: Function) -> Term:
        """Σ body, which is not negative since no term is."""
        total = self.sum(axis, body)
        if not self.bounded:
            self.everywhere(axis, lambda k: real(body(k)) >= 0)
            self.assume(total >= 0)
        return total

    def sum_of_squares(self, axis: Axis, body: Function) -> Term:
        """Σ body², which is not negative."""
        total = self.sum(axis, lambda k: real(body(k)) * real(body(k)))
        self.assume(total >= 0)
        return total

    def split(self, one: Axis, other: Axis, body: Function) -> None:
        """A sum over appended axes is the sum over one and that over the other."""
        if not self.bounded:
            whole = self.sum(self.appended(one, other), body)
            self.assume(whole == self.sum(one, body) + self.sum(other, lambda k: body(one.size + k)))

    def by_pairs(self, axis: Merged, one: Axis, other: Axis, body: Function) -> None:
        """A sum over a merged axis is the sum over both axes."""
        if not self.bounded:
            pairs = self.sum(one, lambda i: self.sum(other, lambda j: body(axis.join(i, j))))
            self.assume(self.sum(axis, body) == pairs)

    def without_tail(self, axis: Axis, shorter: Axis, body: Function) -> None:
        """A sum whose terms past the end of a shorter axis are 0 is that over the shorter axis."""
        if not self.bounded:
            self.everywhere(axis, lambda k: implies(k >= shorter.size, real(body(k)) == 0))
            self.obligations.append(Obligation(list(self.assumptions), shorter.size <= axis.size))
            self.assume(self.sum(axis, body) == self.sum(shorter, body))

    def only(self, axis: Axis, place: Term, body: Function) -> None:
        """A sum of which one term may differ from 0 is that term."""
        if not self.bounded:
            self.everywhere(axis, lambda k: implies(k != place, real(body(k)) == 0))
            self.obligations.append(Obligation(list(self.assumptions), (place >= 0) & (place < axis.size)))
            self.assume(self.sum(axis, body) == real(body(place)))

    # --- Functions -------------------------------------------------------------------------------------------------

    def claim_quotients(self, one: tuple[Term, Term], other: tuple[Term, Term]) -> None:
        """Claims a / b = c / d, by way of a d = c b."""
        (a, b), (c, d) = one, other
        self.claim(b != 0, d != 0, a * d == c * b)
        inverse, inverse_of_other = 1 / b, 1 / d
        self.claim(b * inverse == 1, d * inverse_of_other == 1)
        # a b' = a (d d') b' = c (b b') d'
        self.claim(a * inverse == (a * d) * inverse_of_other * inverse)
        self.claim((c * b) * inverse_of_other * inverse == c * inverse_of_other, a / b == c / d)

    def exp(self, argument: Value) -> Term:
        """e to the power of the argument: positive, and a quotient for a difference."""
        argument = real(argument)
        if argument.operator == "-" and len(argument.operands) == 2:
            return self.exp(argument.operands[0]) / self.exp(argument.operands[1])
        power = self.function("power_of_e", ["Real"], "Real")(argument)
        self.assume(power > 0)
        return power

    def inverse_root(self, of: Term) -> Term:
        """1/√of, for a positive number: y > 0 with y² of = 1."""
        name = self.known.setdefault("root " + of.text, f"root{len(self.known)}")
        root = self.constant(name, "Real")
        self.assume((root > 0) & (root * root * of == 1))
        return root

    def roots(self, one: Term, other: Term, by: Term) -> tuple[Term, Term]:
        """1/√one and 1/√other; if one = by² other, |by|/√one = 1/√other."""
        root, root_of_other = self.inverse_root(one), self.inverse_root(other)
        self.assume(implies(one == by * by * other, root * ite(by > 0, by, -by) == root_of_other))
        return root, root_of_other

    def maximum(self, axis: Axis, body: Function) -> Term:
        """The largest term: one of them, and at least each of them."""
        if self.bounded:
            largest = real(body(number(0, "Int")))
            for k in range(1, axis.count):
                other = real(body(number(k, "Int")))
                largest = ite(largest >= other, largest, other)
            return largest
        variable, inside, term = self.positions(axis, lambda k: real(body(k)))
        name = self.known.setdefault(f"max {axis.name} {term.text}", f"max{len(self.known)}")
        largest, place = self.constant(name, "Real"), self.constant(f"place_{name}", "Int")
        self.assume((place >= 0) & (place < axis.size) & (largest == substituted(term, {variable.operator: place})))
        self.assume(forall([variable], implies(inside, largest >= term)))
        return largest
