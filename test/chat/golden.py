# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""golden.py TEMPLATES GOLDENS: what Python's jinja2 makes of each template.

Needs jinja2 (`pip install jinja2==3.1.6` in an environment of its own). For each
TEMPLATES/NAME.jinja it writes GOLDENS/NAME.json: the template, the texts of its tokens, and
conversations with what transformers' `apply_chat_template` would give for them, or with why
jinja2 fails. The environment is the one of transformers 4.56 (utils/chat_template_utils.py),
except for the clock.
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
    """{% generation %}: what the assistant said. Only training asks where that is."""

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


def environment():
    made = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True,
        extensions=[Generation, jinja2.ext.loopcontrols])
    made.filters["tojson"] = tojson
    made.globals["raise_exception"] = raise_exception
    made.globals["strftime_now"] = THEN.strftime
    return made


def rendered(template, case):
    result = dict(case)
    try:
        result["text"] = environment().from_string(template).render(
            **{"messages": case["messages"], "tools": case.get("tools"), "documents": None,
               "add_generation_prompt": case["add_generation_prompt"],
               **TOKENS, **case.get("variables", {})})
    except Raised as error:
        result["error"] = "raised"
        result["raised"] = str(error)
    except Exception as error:  # whatever Python says of the conversation
        result["error"] = f"{type(error).__name__}: {error}"
    return result


templates, goldens = map(pathlib.Path, sys.argv[1:3])
goldens.mkdir(exist_ok=True)
for path in sorted(templates.glob("*.jinja")):
    text = path.read_bytes().decode()
    golden = {"name": path.name, "template": text, "tokens": TOKENS,
              "cases": [rendered(text, case) for case in CASES]}
    (goldens / f"{path.stem}.json").write_text(
        json.dumps(golden, ensure_ascii=False, indent=1) + "\n")
