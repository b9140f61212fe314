#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/architectures.md: statistics of each spec, measured on its tiny model.

    scripts/architectures.py              rewrites the page, but keeps its times
    scripts/architectures.py --measure    measures the times too (some minutes)
    scripts/architectures.py --check      compares everything except the times

Equations are definitions, the heads of blocks and entries, and their bodies. Tables are
`config`, `names` and `interface` of the spec itself, without those of libraries. Neither
counts comments, empty lines and closing braces. All lines are those that are neither
empty nor a comment.
"""

import argparse
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "architectures.md"
MODELS = ROOT / "test" / "end-to-end" / "models"
HEAD = """<!-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception -->
<!-- Written by scripts/architectures.py; a test compares all columns but the last. -->
# Architectures

Each spec in `examples/`, measured on a tiny model of its kind (`camembert` and `xlm-roberta` are links to `roberta`).
Lines are counted in the spec: equations (definitions,
heads of blocks and entries, and the statements of their bodies), tables (configuration keys and names of weights, for
all containers that it supports), and all lines that are neither empty nor a comment. Constants are those that folding
moved; left are the multiplications that remain. A program has each kernel once per kind of processor. The time is that
of a whole compilation without the kernel cache, on two cores of a machine that had other work; `?` was not measured.

| architecture | equations | tables | all lines | constants | left | launches | kernels | seconds |
|---|---:|---:|---:|---:|---:|---:|---:|---:|
"""


def count_lines(spec):
    """The number of lines of equations, of tables, and of all lines."""
    equations = tables = total = 0
    section, depth, declares = "", 0, False
    for line in spec.read_text(encoding="utf-8").splitlines():
        code = re.sub(r"//.*", "", line).strip()
        if not code:
            continue
        total += 1
        if depth == 0:
            section = code.split()[0]
        depth += code.count("{") - code.count("}")
        continues = declares and line.startswith("      ")
        declares = continues or code.split()[0] in ("parts", "weights")
        if code.strip("{}") == "" or declares:
            continue
        if section in ("config", "names", "interface"):
            tables += 1
        elif section not in ("model", "use", "lengths", "task"):
            equations += 1
    return equations, tables, total


def passes(transfold, model):
    """The spec's name, and the counts that the passes report."""
    ran = subprocess.run([transfold, "compile", model, "--emit=kernels"], check=True,
                         capture_output=True, text=True)
    name = re.search(r"^module @\"?([\w.-]+)", ran.stdout, re.MULTILINE).group(1)
    said = re.search(r"(\d+) constants? folded, (\d+) left; (\d+) launch\w* of (\d+) kernel",
                     ran.stderr)
    return name, list(said.groups())


def seconds(transfold, model):
    with tempfile.TemporaryDirectory() as folder:
        start = time.monotonic()
        subprocess.run([transfold, "compile", model, "--quiet", "--no-cache", "-o",
                        pathlib.Path(folder) / "program"], check=True)
        return time.monotonic() - start


def shown_rows():
    """The cells of the page's table, by architecture."""
    text = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    lines = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return {line[0]: line for line in lines}


def rows(transfold, is_timed):
    specs = {re.search(r"^model \"?([\w.-]+)", spec.read_text(encoding="utf-8"), re.MULTILINE).group(1):
             spec for spec in sorted((ROOT / "examples").glob("*.xf")) if not spec.is_symlink()}
    shown, seen, lines = shown_rows(), {}, []
    for model in sorted(MODELS.iterdir()):
        if not (model / "config.json").exists():
            continue
        name, numbers = passes(transfold, model)
        # Of several models with the same spec, only the first is used.
        if name in seen:
            continue
        seen[name] = count_lines(specs[name])
        stem = specs[name].stem
        time_taken = (f"{seconds(transfold, model):.1f}" if is_timed
                      else shown[stem][-1] if stem in shown else "?")
        lines.append([stem, *map(str, seen[name]), *numbers, time_taken])
    medians = [f"{statistics.median(column):g}" for column in zip(*seen.values())]
    lines.append(["median", *medians, *[""] * 5])
    # The limit allows for tables of three containers (with two it was 60 lines), and for hybrids, which have two kinds of
    # layers.
    assert float(medians[0]) <= 20 and float(medians[2]) <= 80, "specs have grown: " + str(medians)
    return lines


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--measure", action="store_true")
    parser.add_argument("--transfold", default=ROOT / "build" / "bin" / "transfold")
    options = parser.parse_args()
    page = HEAD + "".join("| " + " | ".join(line) + " |\n"
                          for line in rows(options.transfold, options.measure))
    if not options.check:
        PAGE.write_text(page, encoding="utf-8")
        return 0
    # The times are those of the page itself.
    is_stale = page != PAGE.read_text(encoding="utf-8")
    print("docs/architectures.md is stale; run scripts/architectures.py" if is_stale else "fine")
    return is_stale


if __name__ == "__main__":
    sys.exit(main())
