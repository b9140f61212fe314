# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""No pointer to what a temporary owns is kept.

In `pointer = op.getDefinition().getValue().body.get();` the definition is destroyed at the end of
the statement, and what the pointer shows with it. Accessors that return a value need a name first.
Containers' `front()`, `back()` and `at()` return references, so they may stand before the member.
"""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import files  # noqa: E402

# The result of a call, one of its members, and the pointer that the member holds.
PART = re.compile(r"(\b\w+)\([^()]*\)\s*\.\s*\w+\s*\.\s*get\(\)")
REFERENCES = {"front", "back", "at"}


def bad(text):
    return [found for found in PART.finditer(text) if found.group(1) not in REFERENCES]


for code, count in {"table.getDefinition().getValue().body.get()": 1, "f(1)\n  .body.get()": 1, "list.back().bytes.get()": 0,
                    "definition.body.get()": 0, "f().get()": 0}.items():
    assert len(bad(code)) == count, code

files.finish([f"{path}:{files.read(path).count(chr(10), 0, found.start()) + 1}: name the result of "
              f"'{found.group(1)}' before a pointer to its part is taken"
              for path in files.tracked(".cpp", ".h") for found in bad(files.read(path))])
