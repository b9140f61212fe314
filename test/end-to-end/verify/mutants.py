# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mutants.py TRANSFOLD MODELS COUNT SEED OUT NAME...: verify --exact finds wrong folded equations.

For each of COUNT mutants, one place of the folded equations of a model is changed as an error of a pass would
change it: a factor, a sign, an exponent, ε, a mask, an operand, a stride, an operation. Then verify --exact must
name an unequal result, or the module must be refused. Prints how many of each kind were found, and each mutant
that was not.
"""

import collections
import pathlib
import random
import re
import subprocess
import sys

transfold, models, count, seed, out, *names = sys.argv[1:]
models, out = pathlib.Path(models), pathlib.Path(out)
generator = random.Random(int(seed))
EXACT = re.compile(r'<"([^"]+)">')
VALUE = re.compile(r"%\w+")


def scalars(line):
    """Other factors, where the line has an exact number."""
    for at in EXACT.finditer(line):
        if " from " in line[at.end():] or "xf.folded" in line or "xf.moved" in line:
            continue
        number = at.group(1)
        other = {"a factor": f"2*{number}", "a sign": f"-{number}",
                 "a part in 10^17": f"100000000000000001/100000000000000000*{number}"}
        if "epsilon" in line[:at.start()]:
            other = {"ε": "1/999999"}
        for kind, text in other.items():
            yield kind, line[:at.start(1)] + text + line[at.end(1):]
        if "*" not in number and "/" in number and "(" not in number:
            above, below = number.lstrip("-").split("/", 1)
            yield "an inverse", line[:at.start(1)] + f"{below}/{above}" + line[at.end(1):]


def masks(line):
    for old, new in (("j <= i", "j < i + 2"), ("j <= i", "j < i"), ("i - j <", "i - j <=")):
        if "where [" in line and old in line:
            yield "a mask", line.replace(old, new, 1)


def tables(line):
    """Other definitions by index."""
    if "xf.tabulate" not in line:
        return
    for old, new in (("sin(", "cos("), ("cos(", "sin("), ("10000^", "10001^"), ("-2 * c", "2 * c"), ("t *", "(t + 1) *"),
                     ("j - i", "i - j")):
        if old in line:
            yield "a table", line.replace(old, new, 1)


OTHERS = {"xf.add": "xf.subtract", "xf.subtract": "xf.add", "xf.multiply": "xf.divide", "xf.unit_rms": "xf.standardize",
          "xf.standardize": "xf.unit_rms", "xf.sigmoid": "xf.tanh", "xf.tanh": "xf.sigmoid", "xf.relu": "xf.abs",
          "xf.gelu": "xf.relu", "xf.maximum": "xf.add"}


def operations(line):
    for old, new in OTHERS.items():
        if re.search(rf"{old}\b", line) and not (old == "xf.gelu" and "argument" in line):
            yield "an operation", re.sub(rf"{old}\b", new, line, count=1)


def strides(line):
    """Two axes of a weight that are swapped in the checkpoint."""
    at = re.search(r"as <\((\[\d+:\d+\](?:, \[\d+:\d+\])+)\)>", line)
    if not at:
        return
    axes = re.findall(r"\[(\d+):(\d+)\]", at.group(1))
    sizes = [size for size, _ in axes]
    for a in range(len(axes)):
        for b in range(a):
            if sizes[a] == sizes[b] != "1":
                changed = [list(axis) for axis in axes]
                changed[a][1], changed[b][1] = changed[b][1], changed[a][1]
                text = ", ".join(f"[{size}:{stride}]" for size, stride in changed)
                yield "a stride", line[:at.start(1)] + text + line[at.end(1):]


def operands(lines, number):
    """Another value of the same type, defined before at the same depth."""
    line = lines[number]
    if "=" not in line or "->" not in line or not re.search(r"xf\.(add|subtract|multiply|contract)\b", line):
        return
    types = dict(zip(VALUE.findall(line.split("=", 1)[1]), re.findall(r"<[^<>\"]*>", line.rsplit(" : ", 1)[1])))
    depth = len(line) - len(line.lstrip())
    for before in range(number - 1, 0, -1):
        other = lines[before]
        if len(other) - len(other.lstrip()) < depth:
            return
        if len(other) - len(other.lstrip()) != depth or "=" not in other or " : " not in other:
            continue
        name, kind = other.split("=")[0].strip(), re.findall(r"<[^<>\"]*>", other.rsplit(" : ", 1)[1])
        for operand, own in types.items():
            if VALUE.fullmatch(name) and kind and "->" not in other and kind == [own] and operand != name:
                head, tail = line.split("=", 1)
                yield "an operand", head + "=" + re.sub(rf"{operand}\b", name, tail, count=1)


def mutants(text):
    """(kind, line number, changed line)"""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        # What the ledger and observed layers need does not change results.
        if "xf.folded" in line or "xf.moved" in line or "gauges = " in line:
            continue
        for make in (scalars, masks, tables, operations, strides):
            for kind, changed in make(line):
                yield kind, number, changed
        for kind, changed in operands(lines, number):
            yield kind, number, changed


def main():
    found, refused, missed = collections.Counter(), collections.Counter(), []
    choices = []
    for name in names:
        text = subprocess.run([transfold, "compile", models / name, "-q", "--emit=folded"], check=True,
                              capture_output=True, text=True).stdout
        by_kind = collections.defaultdict(list)
        for kind, number, changed in mutants(text):
            by_kind[kind].append((number, changed))
        choices.append((name, text.split("\n"), by_kind))
    for _ in range(int(count)):
        name, lines, by_kind = generator.choice(choices)
        kind = generator.choice(sorted(by_kind))
        number, changed = generator.choice(by_kind[kind])
        file = out / "mutant.mlir"
        file.write_text("\n".join(lines[:number] + [changed] + lines[number + 1:]), encoding="utf-8")
        ran = subprocess.run([transfold, "verify", models / name, "--exact", "--folded", file],
                             capture_output=True, text=True)
        if ran.returncode == 0:
            missed.append(f"{name}: {kind}\n  {lines[number].strip()}\n  {changed.strip()}")
        elif "unequal" in ran.stderr:
            found[kind] += 1
        else:
            assert ran.returncode == 1, ran.stderr
            refused[kind] += 1
    for kind in sorted({*found, *refused}):
        print(f"{kind}: {found[kind]} unequal, {refused[kind]} refused")
    print(f"{found.total()} unequal, {refused.total()} refused, {len(missed)} missed")
    print("\n".join(missed))
    return bool(missed)


sys.exit(main())
