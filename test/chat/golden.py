# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""golden.py TEMPLATES GOLDENS: renders each template with Python's jinja2.

Needs jinja2 (`pip install jinja2==3.1.6` in a separate environment). For each TEMPLATES/NAME.jinja
it writes GOLDENS/NAME.json: the template, the texts of its tokens, and conversations with the
result of transformers' `apply_chat_template`, or with jinja2's error. The environment and the
preparation of messages are those of transformers 5.24 (utils/chat_template_utils.py), except for
the clock.
"""

import datetime
import json
import pathlib
import sys

import jinja2
import jinja2.ext
import jinja2.sandbox

from conversations import CASES

TOKENS = {"bos_token": "<s>", "eos_token": "</s>"}
THEN = datetime.datetime(2026, 3, 3, 14, 5, 9)


class Generation(jinja2.ext.Extension):
    """{% generation %}: marks what the assistant said. Only training uses that."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method("same"), [], [], body).set_lineno(line)

    def same(self, caller):
        return caller()


class Raised(jinja2.exceptions.TemplateError):
    pass


def raise_exception(message):
    raise Raised(message)


def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators,
                      sort_keys=sort_keys)


class TemplateDict:
    def __call__(self, *args, **kwargs):
        return dict(*args, **kwargs)


class TemplateNamespace(jinja2.utils.Namespace):
    def __init__(*args, **kwargs):
        self, args = args[0], args[1:]
        attributes = dict(*args, **kwargs)
        for name in attributes:
            TemplateNamespace.check(name)
        jinja2.utils.Namespace.__init__(self, attributes)

    def __setitem__(self, name, value):
        TemplateNamespace.check(name)
        jinja2.utils.Namespace.__setitem__(self, name, value)

    @staticmethod
    def check(name):
        if isinstance(name, str) and name.startswith("_"):
            raise jinja2.exceptions.SecurityError(name)


def prepared(messages):
    """The messages without null keys, and with the reasoning under both of its names."""
    result = []
    for message in messages:
        message = {key: value for key, value in message.items() if value is not None}
        thought = next((message[key] for key in ("reasoning_content", "thinking", "reasoning")
                        if message.get(key) is not None), None)
        if thought is not None:
            message = {"thinking": thought, **message, "reasoning_content": thought}
        result.append(message)
    return result


def environment():
    made = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True,
        extensions=[Generation, jinja2.ext.loopcontrols])
    made.filters["tojson"] = tojson
    made.globals["raise_exception"] = raise_exception
    made.globals["strftime_now"] = THEN.strftime
    made.globals["dict"] = TemplateDict()
    made.globals["namespace"] = TemplateNamespace
    return made


def rendered(template, case):
    result = dict(case)
    try:
        result["text"] = environment().from_string(template).render(
            **{"messages": prepared(case["messages"]), "tools": case.get("tools"), "documents": None,
               "add_generation_prompt": case["add_generation_prompt"],
               **TOKENS, **case.get("variables", {})})
    except Raised as error:
        result["error"] = "raised"
        result["raised"] = str(error)
    except Exception as error:  # whatever Python says of the conversation
        result["error"] = f"{type(error).__name__}: {error}"
    return result


def main():
    templates, goldens = map(pathlib.Path, sys.argv[1:3])
    goldens.mkdir(exist_ok=True)
    for path in sorted(templates.glob("*.jinja")):
        text = path.read_bytes().decode()
        golden = {"name": path.name, "template": text, "tokens": TOKENS,
                  "cases": [rendered(text, case) for case in CASES]}
        (goldens / f"{path.stem}.json").write_text(
            json.dumps(golden, ensure_ascii=False, indent=1) + "\n")


if __name__ == "__main__":
    main()
