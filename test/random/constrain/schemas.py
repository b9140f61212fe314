# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""schemas.py PROGRAM [--schemas N] [--samples N] [--seed N]: random schemas, and answers that follow them.

PROGRAM (%constraint-samples) chooses the tokens of each answer at random from those that a schema allows. The package
jsonschema says whether the answers are valid: all of them must be. Random values are tried, too: one that jsonschema
refuses must not be accepted. Prints how many valid values were accepted; not all are, since the order of properties
and the white space are fixed.
"""

import argparse
import collections
import json
import random
import re
import subprocess
import sys

import jsonschema

NAMES = ["a", "b", "ab", "name", "x y", 'q"', "é", "a/b"]
PATTERNS = ["^a", "b$", "^[a-c]{1,3}$", "a|b", "^(ab|c)*$", "[0-9]+", "^.{2}$", "^\\w+$", "^x?[^a]y*$", "é"]
FORMATS = ["date", "time", "uuid", "ipv4", "int32"]


def scalar(rng):
    return rng.choice([None, True, False, 0, 1, -1, 2.5, 7, "a", "ab", "abc", "", 'q"\\', "é\n", 10**12, 1e20, -0.125])


def value(rng, depth=0):
    kind = rng.random()
    if depth > 2 or kind < 0.5:
        return scalar(rng)
    if kind < 0.7:
        return [value(rng, depth + 1) for _ in range(rng.randrange(4))]
    return {name: value(rng, depth + 1) for name in NAMES if rng.random() < 0.3}


def bound(rng):
    return rng.choice([0, 1, -1, 3, 10, -7, 2.5, 0.1, -0.05, 99, 100, 1000, 12345, 1e3, 1.5e-3])


def add_numbers(rng, schema):
    for keyword in "minimum", "exclusiveMinimum":
        if rng.random() < 0.3:
            schema[keyword] = bound(rng)
    for keyword in "maximum", "exclusiveMaximum":
        if rng.random() < 0.3:
            schema[keyword] = bound(rng) + 5
    if rng.random() < 0.1:
        schema["multipleOf"] = rng.choice([1, 2, 3, 7, 10])


def add_strings(rng, schema):
    if rng.random() < 0.3:
        schema["minLength"] = rng.randrange(4)
    if rng.random() < 0.3:
        schema["maxLength"] = rng.randrange(2, 8)
    if rng.random() < 0.3:
        schema["pattern"] = rng.choice(PATTERNS)
    elif rng.random() < 0.1:
        schema["format"] = rng.choice(FORMATS)


def add_lists(rng, schema, depth):
    if rng.random() < 0.7:
        schema["items"] = any_schema(rng, depth + 1)
    if rng.random() < 0.2:
        schema["prefixItems"] = [any_schema(rng, depth + 1) for _ in range(rng.randrange(3))]
    if rng.random() < 0.3:
        schema["minItems"] = rng.randrange(3)
    if rng.random() < 0.5:
        schema["maxItems"] = rng.randrange(1, 5)


def add_objects(rng, schema, depth):
    names = rng.sample(NAMES, rng.randrange(4))
    if names:
        schema["properties"] = {name: any_schema(rng, depth + 1) for name in names}
    if rng.random() < 0.5:
        schema["required"] = rng.sample(NAMES, rng.randrange(3)) if rng.random() < 0.2 else names[:2]
    if rng.random() < 0.6:
        schema["additionalProperties"] = rng.random() < 0.2 or (any_schema(rng, depth + 1) if rng.random() < 0.3 else False)
    if rng.random() < 0.1:
        schema["patternProperties"] = {rng.choice(["^a", "b$", "x"]): any_schema(rng, depth + 1)}
    if rng.random() < 0.1:
        schema["propertyNames"] = {"maxLength": rng.randrange(1, 5)}
    if rng.random() < 0.1:
        schema["minProperties"] = rng.randrange(3)
    if rng.random() < 0.1:
        schema["maxProperties"] = rng.randrange(1, 4)


def any_schema(rng, depth=0):
    kind = rng.random()
    if kind < 0.04:
        return rng.random() < 0.8
    if kind < 0.08:
        return {"$ref": rng.choice(["#/$defs/one", "#/$defs/two"])}
    if kind < 0.16:
        listed = [value(rng, 2) for _ in range(rng.randrange(1, 4))]
        return {"enum": listed} if rng.random() < 0.7 else {"const": listed[0]}
    schema = {}
    if rng.random() < 0.9:
        types = rng.sample(["null", "boolean", "integer", "number", "string", "array", "object"],
                           rng.choice([1, 1, 1, 2, 3]))
        schema["type"] = types[0] if len(types) == 1 else types
    else:
        types = ["integer", "string", "array", "object"]
    if "integer" in types or "number" in types:
        add_numbers(rng, schema)
    if "string" in types:
        add_strings(rng, schema)
    if "array" in types and depth < 3:
        add_lists(rng, schema, depth)
    if "object" in types and depth < 3:
        add_objects(rng, schema, depth)
    if depth < 3 and rng.random() < 0.15:
        schema[rng.choice(["anyOf", "oneOf", "allOf"])] = [any_schema(rng, depth + 1) for _ in range(rng.randrange(1, 4))]
    if rng.random() < 0.03:
        schema["enum"] = [value(rng, 2) for _ in range(3)]
    return schema


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--schemas", type=int, default=300)
    parser.add_argument("--samples", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    counts = collections.Counter()
    reasons = collections.Counter()
    slowest = 0
    with subprocess.Popen([args.program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        for number in range(args.schemas):
            schema = any_schema(rng)
            if isinstance(schema, dict):
                schema["$defs"] = {"one": any_schema(rng, 1), "two": any_schema(rng, 2)}
            values = [value(rng) for _ in range(20)]
            texts = [json.dumps(each, ensure_ascii=False) for each in values]
            program.stdin.write(json.dumps({"schema": schema, "samples": args.samples, "seed": args.seed + number,
                                            "texts": texts}) + "\n")
            program.stdin.flush()
            line = program.stdout.readline()
            if not line:
                sys.exit(f"the program ended at the schema {json.dumps(schema)}")
            answer = json.loads(line)
            if "error" in answer:
                counts["refused"] += 1
                reasons[re.sub(r"the schema's ('[^']*') at '[^']*'", r"\1", answer["error"])[:60]] += 1
                continue
            counts["compiled"] += 1
            slowest = max(slowest, answer["microseconds"])
            validator = jsonschema.Draft202012Validator(schema)
            for text in answer["samples"]:
                counts["answers"] += 1
                try:
                    is_valid = validator.is_valid(json.loads(text))
                except ValueError:
                    is_valid = False
                if not is_valid:
                    sys.exit(f"not valid: {text}\nschema: {json.dumps(schema)}\nseed: {args.seed + number}")
            for each, text, follows in zip(values, texts, answer["follows"]):
                is_valid = validator.is_valid(each)
                if follows and not is_valid:
                    sys.exit(f"wrongly accepted: {text}\nschema: {json.dumps(schema)}")
                counts["valid values"] += is_valid
                counts["valid values accepted"] += follows
        program.stdin.close()
    print(dict(counts), file=sys.stderr)
    print("refused:", dict(reasons.most_common(12)), file=sys.stderr)
    print(f"the slowest schema: {slowest:.0f} µs", file=sys.stderr)
    if counts["compiled"] < args.schemas / 3:
        sys.exit("most schemas are refused")
    print("all answers are valid")


main()
