# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The blocks of docs/recipes.md are in the specs that they name, line by line and in order."""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import files  # noqa: E402


def lines(text):
    """The lines without comments and with single spaces."""
    return [" ".join(line.split("//")[0].split()) for line in text.split("\n")]


wrong = []
for spec, block in re.findall(r"```xf ([\w/]+)\n(.*?)```", files.read("docs/recipes.md"), re.DOTALL):
    own = lines(files.read(f"examples/{spec}.xf"))
    for line in filter(None, lines(block)):
        if line == "…":
            continue
        if line not in own:
            wrong.append(f"docs/recipes.md: examples/{spec}.xf has no line '{line}' there")
            break
        own = own[own.index(line) + 1:]
files.finish(wrong)
