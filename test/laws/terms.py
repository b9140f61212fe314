# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Terms of the language of rules: real numbers, indices and conditions, as SMT-LIB 2.

A term is an operator with operands. Its text is what the solvers read, and two terms with the same text are equal.
`expand` writes a term as a polynomial of the operands that it cannot take apart, which sums need (world.py).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Callable, Mapping, Sequence, Union

Value = Union["Term", int, Fraction]
Function = Callable[..., "Term"]
# The factors of a product by their texts, in order, and the number that each product is multiplied by.
Polynomial = dict[tuple[str, ...], Fraction]


class Term:
    """An SMT-LIB term of the sort Real, Int or Bool. `bound` are the variables of sums that it depends on."""

    def __init__(self, operator: str, operands: Sequence[Term] = (), sort: str = "Real",
                 bound: frozenset[str] = frozenset()):
        self.operator, self.operands, self.sort = operator, tuple(operands), sort
        self.text: str = f"({operator} {' '.join(term.text for term in operands)})" if operands else operator
        self.bound: frozenset[str] = bound.union(*(term.bound for term in operands))

    def __add__(self, other: Value) -> Term:
        return arithmetic("+", self, other)

    def __radd__(self, other: Value) -> Term:
        return arithmetic("+", other, self)

    def __sub__(self, other: Value) -> Term:
        return arithmetic("-", self, other)

    def __rsub__(self, other: Value) -> Term:
        return arithmetic("-", other, self)

    def __mul__(self, other: Value) -> Term:
        return arithmetic("*", self, other)

    def __rmul__(self, other: Value) -> Term:
        return arithmetic("*", other, self)

    def __truediv__(self, other: Value) -> Term:
        return arithmetic("/", real(self), real(other))

    def __rtruediv__(self, other: Value) -> Term:
        return arithmetic("/", real(other), real(self))

    def __floordiv__(self, other: Value) -> Term:
        return arithmetic("div", self, other)

    def __mod__(self, other: Value) -> Term:
        return arithmetic("mod", self, other)

    def __neg__(self) -> Term:
        return Term("-", [self], self.sort)

    def __lt__(self, other: Value) -> Term:
        return compared("<", self, other)

    def __le__(self, other: Value) -> Term:
        return compared("<=", self, other)

    def __gt__(self, other: Value) -> Term:
        return compared(">", self, other)

    def __ge__(self, other: Value) -> Term:
        return compared(">=", self, other)

    def __eq__(self, other: object) -> Term:  # type: ignore[override]
        assert isinstance(other, (Term, int, Fraction))
        return compared("=", self, other)

    def __ne__(self, other: object) -> Term:  # type: ignore[override]
        assert isinstance(other, (Term, int, Fraction))
        return negation(compared("=", self, other))

    def __and__(self, other: Term) -> Term:
        return Term("and", [self, other], "Bool")

    def __or__(self, other: Term) -> Term:
        return Term("or", [self, other], "Bool")

    def __invert__(self) -> Term:
        return negation(self)

    def __bool__(self) -> bool:
        raise TypeError("a term has no value in Python: compare texts, or use `ite`")


def number(value: int | Fraction, sort: str = "Real") -> Term:
    """A constant of this sort."""
    whole = Fraction(value)
    parts = abs(whole)
    if sort == "Int":
        size = Term(str(parts.numerator), (), "Int")
    elif parts.denominator == 1:
        size = Term(f"{parts.numerator}.0")
    else:
        size = Term("/", [Term(f"{parts.numerator}.0"), Term(f"{parts.denominator}.0")])
    return -size if whole < 0 else size


def real(term: Value) -> Term:
    """The term as a real number."""
    if not isinstance(term, Term):
        return number(term)
    return Term("to_real", [term]) if term.sort == "Int" else term


def matched(left: Value, right: Value) -> tuple[Term, Term]:
    """Both with the same sort: that of the one that is real, if one is."""
    sorts = {term.sort for term in (left, right) if isinstance(term, Term)}
    if sorts == {"Int"}:
        return tuple(term if isinstance(term, Term) else number(term, "Int") for term in (left, right))  # type: ignore
    if sorts == {"Bool"}:
        return left, right  # type: ignore[return-value]
    return real(left), real(right)


def arithmetic(operator: str, left: Value, right: Value) -> Term:
    pair = matched(left, right)
    return Term(operator, pair, pair[0].sort)


def compared(operator: str, left: Value, right: Value) -> Term:
    return Term(operator, matched(left, right), "Bool")


def negation(term: Term) -> Term:
    return Term("not", [term], "Bool")


def implies(condition: Term, result: Term) -> Term:
    return Term("=>", [condition, result], "Bool")


def ite(condition: Term, yes: Value, no: Value) -> Term:
    """`yes` where the condition holds, and `no` elsewhere."""
    pair = matched(yes, no)
    return Term("ite", [condition, *pair], pair[0].sort)


def substituted(term: Term, by: Mapping[str, Term]) -> Term:
    """The term with other terms for some of its variables of sums."""
    if not term.bound & by.keys():
        return term
    if not term.operands:
        return by[term.operator]
    return Term(term.operator, [substituted(operand, by) for operand in term.operands], term.sort)


def bound_variable(name: str) -> Term:
    """The variable of a sum."""
    return Term(name, (), "Int", frozenset([name]))


def forall(variables: Sequence[Term], body: Term) -> Term:
    names = " ".join(f"({variable.text} {variable.sort})" for variable in variables)
    return Term(f"forall ({names})", [body], "Bool")


def constant(term: Term) -> Fraction | None:
    """The number that a term without operands is; None for anything else."""
    if term.sort != "Real" or term.operands or not term.operator[0].isdigit():
        return None
    return Fraction(term.operator)


def expand(term: Term, atoms: dict[str, Term]) -> Polynomial:
    """The term as a polynomial of `atoms`, to which those are added that it finds."""
    def product(a: Polynomial, b: Polynomial) -> Polynomial:
        result: Polynomial = {}
        for left, x in a.items():
            for right, y in b.items():
                key = tuple(sorted(left + right))
                result[key] = result.get(key, Fraction(0)) + x * y
        return result

    def added(a: Polynomial, b: Polynomial, sign: int) -> Polynomial:
        result = dict(a)
        for key, y in b.items():
            result[key] = result.get(key, Fraction(0)) + sign * y
        return {key: x for key, x in result.items() if x}

    value = constant(term)
    if value is not None:
        return {(): value} if value else {}
    parts = term.operands
    if term.operator == "*":
        return product(expand(parts[0], atoms), expand(parts[1], atoms))
    if term.operator in ("+", "-") and term.sort == "Real":
        if len(parts) == 1:
            return added({}, expand(parts[0], atoms), -1)
        return added(expand(parts[0], atoms), expand(parts[1], atoms), 1 if term.operator == "+" else -1)
    if term.operator == "/" and constant(parts[0]) != 1:
        return product(expand(parts[0], atoms), expand(1 / parts[1], atoms))
    atoms[term.text] = term
    return {(term.text,): Fraction(1)}


def product_of(terms: Sequence[Term]) -> Term:
    result = number(1) if not terms else terms[0]
    for term in terms[1:]:
        result = result * term
    return result


def sum_of(terms: Sequence[Term]) -> Term:
    result = number(0) if not terms else terms[0]
    for term in terms[1:]:
        result = result + term
    return result
