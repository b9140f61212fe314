# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ledger-schema.py SCHEMA < LEDGER: checks that the ledger conforms to its schema exactly,
without missing or additional keys. Implements the part of JSON Schema that this schema uses."""

import json
import pathlib
import sys

TYPES = {"array": list, "object": dict, "string": str, "integer": int, "null": type(None),
         "number": (int, float)}


def check(value, schema, at):
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    assert not kinds or any(isinstance(value, TYPES[kind]) for kind in kinds), f"{at}: no {kinds}"
    assert value in schema.get("enum", [value]), f"{at}: {value} is none of {schema['enum']}"
    for name in schema.get("required", []):
        assert name in value, f"{at}: no {name}"
    for name, part in schema.get("properties", {}).items():
        check(value[name], part, f"{at}.{name}")
    if schema.get("additionalProperties") is False:
        assert set(value) == set(schema["properties"]), f"{at}: {set(value)}"
    for number, item in enumerate(value if isinstance(value, list) else []):
        check(item, schema["items"], f"{at}[{number}]")


ledger = json.load(sys.stdin)
assert ledger, "an empty ledger shows nothing"
check(ledger, json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")), "ledger")
