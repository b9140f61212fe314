# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""constrained.py TRANSFOLD MODELS OUT: answers of a server, and of `generate`, that follow a constraint.

The tiny model has random weights and a tokenizer of bytes: without a constraint it writes no JSON.
"""

import json
import pathlib
import re
import subprocess
import sys

from serving import Server, compile_talk, error

transfold, models, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
program = compile_talk(transfold, models, out)
CHAT, TEXT = "/v1/chat/completions", "/v1/completions"

# Every answer ends within this many bytes.
MOST = 120
SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string", "maxLength": 6},
                   "age": {"type": "integer", "minimum": 0, "maximum": 120},
                   "tags": {"type": "array", "items": {"enum": ["a", "b\n"]}, "minItems": 1, "maxItems": 3}},
    "required": ["name", "age", "tags"], "additionalProperties": False}
GRAMMAR = 'start: pair ("," pair)~1..2\npair: /[a-c]{1,3}/ "=" "0".."9"\n'
REGEX = "(yes|no), [a-z]{3}"


def check_value(text):
    value = json.loads(text)
    assert list(value) == ["name", "age", "tags"], text
    assert isinstance(value["name"], str) and len(value["name"]) <= 6, text
    assert isinstance(value["age"], int) and 0 <= value["age"] <= 120, text
    assert 1 <= len(value["tags"]) <= 3 and set(value["tags"]) <= {"a", "b\n"}, text


def check_grammar(text):
    assert re.fullmatch("[a-c]{1,3}=[0-9](,[a-c]{1,3}=[0-9]){1,2}", text), text


def check_regex(text):
    assert re.fullmatch(REGEX, text), text


FORMATS = [({"type": "json_schema", "json_schema": {"name": "person", "strict": True, "schema": SCHEMA}}, check_value),
           ({"type": "grammar", "grammar": GRAMMAR}, check_grammar),
           ({"type": "regex", "regex": REGEX}, check_regex)]


def ask(server, form, **more):
    status, answer = server.post(CHAT, {"messages": [{"role": "user", "content": "Hello"}], "max_tokens": MOST,
                                        "response_format": form, **more})
    assert status == 200, answer
    return answer["choices"]


with Server(program, "--parallel", 4) as server:
    for form, check in FORMATS:
        for temperature in (0, 1, 5):
            for choice in ask(server, form, temperature=temperature, seed=7, n=3):
                assert choice["finish_reason"] == "stop", choice
                check(choice["message"]["content"])
        # The same bits alone and beside others.
        alone = ask(server, form, temperature=1, seed=9)[0]["message"]["content"]
        assert alone == ask(server, form, temperature=1, seed=9, n=3)[0]["message"]["content"]
        status, text = server.post(TEXT, {"prompt": "Hello", "max_tokens": MOST, "temperature": 0,
                                          "response_format": form})
        assert status == 200, text
        check(text["choices"][0]["text"])

    # An object, as far as it came.
    text = ask(server, {"type": "json_object"}, temperature=1, seed=1)[0]["message"]["content"]
    assert text.startswith("{"), text

    # What cannot be followed is refused with the place.
    refused = server.post(CHAT, {"messages": [{"role": "user", "content": "Hello"}], "response_format": {
        "type": "json_schema", "json_schema": {"name": "n", "schema": {"properties": {"a": {"not": {}}}}}}})
    assert "'not' at '#/properties/a'" in error(refused, 400)["message"], refused
    # Attacks end in their own request.
    for schema in ({"type": "string", "pattern": "(a?){999}a{999}"}, {"$ref": "#"},
                   {"type": "array", "minItems": 10**9, "items": {"enum": [10**15 + i for i in range(5000)]}}):
        server.post(CHAT, {"messages": [{"role": "user", "content": "Hello"}], "max_tokens": 4, "response_format": {
            "type": "json_schema", "json_schema": {"name": "n", "schema": schema}}})
    assert server.get("/health") == (200, {"status": "ok"})


def generate(*options, fails=False):
    ran = subprocess.run([program, "generate", "--max-new", str(MOST), *map(str, options), "Hello"],
                         capture_output=True, encoding="utf-8", check=False)
    assert (ran.returncode != 0) == fails, ran
    return ran.stderr if fails else ran.stdout.removesuffix("\n")


(out / "schema.json").write_text(json.dumps(SCHEMA))
(out / "grammar.lark").write_text(GRAMMAR)
(out / "wrong.json").write_text('{"not": {}}')
for options in ((), ("--temperature", 1, "--seed", 3)):
    check_value(generate("--json-schema", out / "schema.json", *options))
    check_grammar(generate("--grammar", out / "grammar.lark", *options))
    check_regex(generate("--regex", REGEX, *options))
assert "wrong.json: the schema's 'not' at '#' is not supported" in generate(
    "--json-schema", out / "wrong.json", fails=True)
assert "give one of them" in generate("--regex", "a", "--grammar", out / "grammar.lark", fails=True)
assert "--beams" in generate("--regex", "a", "--beams", 2, fails=True)
assert "has '(' at 1 without ')'" in generate("--regex", "(a", fails=True)
