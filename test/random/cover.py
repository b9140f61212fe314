# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which productions of the language random models contain.

A node's production is its template with the kinds of its operands, so that none has to be named
explicitly: `matrix @ row`, `softmax(matrix | M)`, `F[i]`. Numbers and counters in names are left
out.
"""

import collections
import re

from declarations import Constant, Weight
from layouts import Joint
from trees import reachable

SIZES = re.compile(r"\b(d|e|f|h|h_kv|v|n_max|L)\b(?! *=)")


def general(text):
    """The text without the parts that differ in every model."""
    text = re.sub(r"\b([A-Za-z]+)_\d+\b", r"\1", text)
    text = re.sub(r"(?<![A-Za-z_\d])\d+(\.\d+)?(e-?\d+)?(?![A-Za-z_\d])", "1", text)
    return SIZES.sub("k", text)


def of_node(node):
    def kind(place):
        return node.operands[int(place.group(1))].type[0]

    text = re.sub(r"\{(\d)(?::\d+)?\}", kind, node.spec).replace("{{", "{").replace("}}", "}")
    text = general(text)
    return text if re.search(r"\W", text) else f"{node.type[0]}: a name or number"


def of_declaration(declaration):
    """The productions of the tables, and of the beginnings of statements."""
    if isinstance(declaration, Weight):
        yield "names: " + general(declaration.place())
        if declaration.there is not None:
            yield "weights: " + general(declaration.spec()).split("[")[0] + (
                "[…] if c" if declaration.condition else "[…]?"
            )
        return
    if isinstance(declaration, Constant):
        yield "config: " + general(declaration.spec())
    yield f"declared: {type(declaration).__name__}"


def productions(model):
    """The number of times that a model has each production."""
    found = collections.Counter()
    declared = reachable(model.roots)
    nodes = list(model.roots) + [node for each in declared for node in each.nodes()]
    for top in nodes:
        for node in top.walk():
            found[of_node(node)] += 1
    for declaration in declared:
        found.update(of_declaration(declaration))
    for joint in Joint.of(model.declared(Weight)):
        found.update("names: " + general(line) for line in joint.places())
    return found



# The constructs of docs/language.md with numeric values, as patterns of productions; `.` also
# matches characters that would need escapes. README.md lists what is left out.
NUMBERS = "log log2 exp sin cos sqrt floor ceil f32 f16 bf16 abs sign".split()
WANTED = [
    # Families and members.
    *("F.i.", "F.1.", "F.1, 1.", "F.a, 1.", "F.a.", "F.i div 1.", "F.i mod 1."),
    *("W.i.", "W.1.", "W.1, 1.", "W.a, b.", "W.i, 1.", "W.i div 1.", "W.i mod 1."),
    *("concat.family.", "sum.family.", "mean.family.", "max.family."),
    *("matrix'.i.", r"part_B_0.i..matrix.", r"part_B_0.l..matrix.", r"part_B_0.matrix."),
    r"matrix\[:, i \* k \+: k\]",
    r"matrix\[:, i \* \(k \+ 1\) \+: k\]",
    r"matrix\[:, i \* .* \+ 1 \+: k - 1\]",
    *("declared: " + kind for kind in "Family FamilyOfTwo LookUp Loop Branch Block Let".split()),
    *("declared: " + kind for kind in "Function IndexFunction Local Numbers Memory".split()),
    # Earlier positions and recurrences.
    *("S.t - 1.", "S.i, t - 1.", "S.i, a, t - 1.", "S.t - 1. .. number", "S.i, t - 1. .. number"),
    *("S.t.", "S.i, t.", "S.i, a, t.", "matrix.t.", "matrix.t - 1.", r"\(matrix.t - 1. .. 1\)"),
    *(rf"{sign} W.j. \* matrix.t - j." for sign in ("Σ_j", "sum_j")),
    *(r"Σ_j matrix.t - j. @ W.j.", r"vector \+ Σ_j .*", r"Σ_j W.j. \* matrix.t \+ j - 1."),
    *("vector' @ vector", "value \\* vector' @ vector", r"\(grid @ vector'\)'", "vector @ grid"),
    *(r"diag.vector. @ grid", r"value \* grid", r"grid \* vector", r"grid \* grid", "grid'"),
    *(r"value \* vector", r"value \* value", "vector @ column", "vector @ vector", "vector @ matrix"),
    *(rf"{one}.{kind}." for one in ("tanh", "sum", "max") for kind in ("vector", "grid")),
    *("g.grid, vector, vector, value.", "max.value, value.", "max.grid, grid."),
    *("declared: " + kind for kind in "ByPosition State Replaced OfPositions".split()),
    # Slices and concatenations.
    *(r"W\[:n\]", r"W\[1 \+: k\]", r"W\[:, 1 \+: k\]", r"W\[:, :k\]"),
    *(r"matrix\[:, :1\]", r"matrix\[:, 1:\]", r"matrix\[:, 1 \+: 1\]", r"matrix\[:, k \+: k\]"),
    *(r"matrix\[1\]", r"matrix\[-1\]", r"matrix\[n - 1\]"),
    *(r"\[matrix, matrix\]", r"\[row; matrix\].*"),
    # Operators, by the kinds of their operands.
    *(f"matrix {op} matrix" for op in ("\\+", "-", "\\*", "/", "@")),
    *(f"matrix {op} row" for op in ("\\+", "-", "\\*", "/", "@")),
    *(f"matrix {op} number" for op in ("\\+", "-", "\\*", "/", "\\^")),
    *(f"row {op} matrix" for op in ("\\+", "-", "\\*", "@")),
    *(f"number {op} matrix" for op in ("\\+", "-", "\\*", "/")),
    *(f"scalar {op} matrix" for op in ("\\+", "-", "\\*")),
    *(f"matrix {op} positions" for op in ("\\+", "-", "\\*")),
    *(f"length {op} number" for op in ("\\+", "-", "/", "\\^", "div", "mod")),
    *("row @ row", r"matrix\^\(.*\)", "√matrix", "-matrix", "matrix'", r"length \* matrix"),
    *("matrix if number else matrix", "truth and truth", "truth or truth", "not truth"),
    # Functions of tensors.
    *(f"{f}.matrix." for f in "relu gelu sigmoid tanh exp log log2 log1p softmax unit sum mean max".split()),
    *(f"{f}.matrix, {other}." for f in ("max", "min") for other in ("matrix", "scalar", "number", "length")),
    *("standardize.matrix, number.", "unit_rms.matrix, number.", "rotate.matrix, function."),
    *("softmax.matrix, sink = .*", "softmax.matrix . M, sink = .*"),
    *("softmax.matrix . M.", "softmax.matrix . top.*", "top.matrix, 1.", r"diag.row. @ matrix"),
    *("conv.matrix, W, stride = 1, pad = 1.", "patches.W, 1.", "W.tokens.", "W.segments."),
    *("f32.matrix.", "f16.matrix.", "bf16.matrix.", "round.matrix, .*"),
    *("sum.row.", "mean.row.", "max.row."),
    # Functions of numbers, and of indices.
    *(f"{f}.number." for f in NUMBERS),
    *(f"{f}.real." for f in NUMBERS + ["relu"]),
    *(f"{f}.{kind}, {kind}." for f in ("min", "max") for kind in ("number", "integer", "real")),
    *("clamp.number, .*", "clamp.integer, .*", "clamp.real, .*", "round.number, .*"),
    *("round.real, .*", "W.integer.", "list.integer.", "function.i.", r"real \^ real"),
    *("tokens.i.", "tokens.j.", r"tokens.i. == tokens.j."),
    *("real if truth else real", "integer div integer", "integer mod integer"),
    *("config: s = .s .. .*", "config: s = .more.s", "config: s = config..s.."),
    "config: s = either.*",
    # Functions of a spec, tables of names.
    *("g.matrix, number.", "g.matrix."),
    *(r"weights: W\[…\]\?", r"weights: W\[…\] if c"),
    *("names: W = 1 . .W.", "names: W = .other.W. or .*", "names: W.i. = .W.*"),
    r"names: W = .* as \[.*p \* 1.*\]",
    *(r"names: W = .* as \[k \* k, k\]", r"names: W = .* as \[k, k\]"),
    *(r"names: W, W = .* as \[k, 1 \* k\]", r"names: W, W = .* as \[1 \* k, k\]"),
    *(r"names: W, W = .* as \[k \* 1 \* k, k\]", r"names: W = .* at 1"),
]


def missing(used):
    return [name for name in WANTED if not any(re.fullmatch(name, each) for each in used)]
