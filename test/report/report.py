# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""report.py SCHEMA < REPORT: checks that a report conforms to its schema exactly, and that its links are complete.

Implements the part of JSON Schema that this schema uses.
"""

import json
import pathlib
import re
import sys

TYPES = {"array": list, "object": dict, "string": str, "integer": int, "null": type(None), "boolean": bool,
         "number": (int, float)}
schema = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))


def check(value, part, at):
    if "$ref" in part:
        return check(value, schema["$defs"][part["$ref"].removeprefix("#/$defs/")], at)
    kinds = part.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    assert not kinds or any(isinstance(value, TYPES[kind]) for kind in kinds), f"{at}: {value} is not {kinds}"
    assert value in part.get("enum", [value]), f"{at}: {value} is none of {part['enum']}"
    if isinstance(value, dict):
        for name in part.get("required", []):
            assert name in value, f"{at}: no {name}"
        for name, item in value.items():
            if name in part.get("properties", {}):
                check(item, part["properties"][name], f"{at}.{name}")
            else:
                assert part.get("additionalProperties") is not False, f"{at}: unknown member {name}"
    for number, item in enumerate(value if isinstance(value, list) else []):
        check(item, part.get("items", {}), f"{at}[{number}]")


report = json.load(sys.stdin)
check(report, schema, "report")

# All numbers of equations exist, and their places are in them.
equations = report["equations"]


def check_link(link, at):
    for number in link.get("equations", []) + link.get("callers", []):
        assert 0 <= number < len(equations), f"{at}: there is no equation {number}"
    for file, line, column in link.get("at", []):
        inside = [each for each in link["equations"] if equations[each]["file"] == file and
                  (equations[each]["line"], equations[each]["column"]) <= (line, column) <
                  (equations[each]["end_line"], equations[each]["end_column"])]
        assert inside, f"{at}: {file}:{line}:{column} is in none of its equations"


for stage in report["stages"]:
    lines = stage["text"].split("\n")
    linked = {}
    for link in stage["links"]:
        check_link(link, stage["name"])
        linked[link["line"]] = link
    # Every operation that computes comes from an equation; only what belongs to no equation has no link: the module,
    # ends of regions, and the ledger's log2(e), which the compiler itself writes.
    for number, line in enumerate(lines, 1):
        if re.match(r"\s*(%[\w, :%]+ = )?xf\.\w+", line) and number not in linked:
            name = re.search(r"xf\.(\w+)", line).group(1)
            assert name in ("folded", "moved", "yield", "return", "cache"), \
                f"{stage['name']}:{number}: has no equation: {line.strip()[:150]}"

# Equations of the text are what the file has there, and some are used.
for equation in equations:
    text = report["files"][equation["file"]]["text"].split("\n")[equation["line"] - 1][equation["column"] - 1:]
    assert text.startswith(equation["text"].split("\n")[0]), f"{equation['text']} is not at its place: {text}"
assert any(equation["links"] for equation in equations)
for kind in ("kernels", "caches"):
    for each in report[kind]:
        check_link(each, kind)
        assert each["equations"], f"{each['name']} has no equation"
for entry in report["memory"]:
    for value in entry["values"]:
        check_link(value, f"memory of {entry['entry']}")
        assert value["from"] <= value["to"] and 0 <= value["slot"] < len(entry["slots"])
        assert value["equations"], f"a value of {entry['entry']} has no equation"
print(f"{len(equations)} equations, {len(report['rewrites'])} rewrites, {len(report['kernels'])} kernels: as documented")
