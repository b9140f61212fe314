# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums over axes, in a normal form.

A sum over an axis is a number that depends on the indices outside of it. Sums are brought into a normal form by laws
that sums.py proves by induction: Σ c f = c Σ f, Σ (f + g) = Σ f + Σ g, Σ 1 = n, and the exchange of two sums. So

  Σ_k (a x[k] + b) Σ_j y[k, j]   becomes   a Σ_j Σ_k x[k] y[k, j] + b Σ_j Σ_k y[k, j],

where each Σ is an unknown number or, inside of another sum, a function of its index. Equal sums have equal names.
That the terms of a sum are those of its normal form is an obligation, at any index. The rest of this file is trusted.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from names import Axis, Names, Obligation
from terms import Function, Term, bound_variable, expand, number, product_of, real, substituted, sum_of


@dataclass
class Summed:
    """A sum of products in its normal form: its axes with the variables of their positions, and the factors."""

    axes: list[tuple[Axis, Term]]
    factors: list[Term]
    parameters: list[str]


class Sums(Names):
    """The sums of a rule."""

    def __init__(self, mutant: int | None = None, bounded: bool = False):
        super().__init__(mutant, bounded)
        self.known: dict[str, str] = {}  # the names of normal forms
        self.sums: dict[str, Summed] = {}
        self.fresh = 0  # the number of renamed variables

    def sum(self, axis: Axis, body: Function) -> Term:
        """Σ body(k) over the positions k of the axis."""
        if self.bounded:
            return sum_of([real(body(number(k, "Int"))) for k in range(axis.count)])
        variable, inside, term = self.positions(axis, lambda k: real(body(k)))
        atoms: dict[str, Term] = {}
        polynomial = expand(term, atoms)
        addends = [(coefficient, [atoms[text] for text in key]) for key, coefficient in sorted(polynomial.items())]
        form = sum_of([product_of(factors if x == 1 and factors else [number(x), *factors]) for x, factors in addends])
        if form.text != term.text:
            self.obligations.append(Obligation([*self.assumptions, inside], term == form))
        return sum_of([self.addend(number(x), factors, axis, variable) for x, factors in addends])

    def addend(self, coefficient: Term, factors: Sequence[Term], axis: Axis, variable: Term) -> Term:
        """Σ of one product: factors that do not depend on the position come out of the sum."""
        outside = [term for term in factors if variable.operator not in term.bound]
        inside = [term for term in factors if variable.operator in term.bound]
        return product_of([coefficient, *outside, self.normal([(axis, variable)], inside)])

    def normal(self, axes: list[tuple[Axis, Term]], factors: list[Term]) -> Term:
        """The number that stands for a sum of products over axes, which include those of sums among the factors."""
        if not factors:
            return product_of([real(axis.size) for axis, _ in axes])
        plain = []
        for factor in factors:
            inner = self.sums.get(factor.operator)
            if inner is None:
                plain.append(factor)
                continue
            by = dict(zip(inner.parameters, factor.operands, strict=True))
            for axis, variable in inner.axes:
                self.fresh += 1
                name = f"{axis.name}?{self.fresh}"
                by[variable.operator] = bound_variable(name)
                axes = [*axes, (axis, by[variable.operator])]
            plain += [substituted(term, by) for term in inner.factors]
        return self.named(axes, plain)

    def named(self, axes: list[tuple[Axis, Term]], factors: list[Term]) -> Term:
        own = {variable.operator for _, variable in axes}
        outer = sorted(set().union(*(term.bound for term in factors)) - own)
        parameters = {name: bound_variable(f"p!{k}") for k, name in enumerate(outer)}
        best = None
        for order in itertools.permutations(axes):
            if [axis.name for axis, _ in order] != sorted(axis.name for axis, _ in order):
                continue
            by = dict(parameters)
            renamed = []
            for k, (axis, variable) in enumerate(order):
                name = f"{axis.name}*{k}"
                by[variable.operator] = bound_variable(name)
                renamed.append((axis, by[variable.operator]))
            own_factors = sorted((substituted(term, by) for term in factors), key=lambda term: term.text)
            key = " ".join([*(f"{axis.name}:{axis.size.text}" for axis, _ in order), *(t.text for t in own_factors)])
            if best is None or key < best[0]:
                best = key, renamed, own_factors
        assert best
        key, renamed, own_factors = best
        name = self.known.setdefault(key, f"sum{len(self.known)}")
        self.sums[name] = Summed(renamed, own_factors, [f"p!{k}" for k in range(len(outer))])
        self.declare(name, ["Int"] * len(outer), "Real")
        return Term(name, [bound_variable(text) for text in outer])

    def mean(self, axis: Axis, body: Function) -> Term:
        return self.sum(axis, body) / real(axis.size)
