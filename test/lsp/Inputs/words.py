# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""words.py EDITORS < COMPLETIONS: every function and keyword has a form, and the grammar for editors knows it."""

import json
import pathlib
import re
import sys

editor = pathlib.Path(sys.argv[1]) / "vscode"
json.loads((editor / "package.json").read_text(encoding="utf-8"))
json.loads((editor / "language-configuration.json").read_text(encoding="utf-8"))
grammar = json.loads((editor / "syntaxes" / "xf.tmLanguage.json").read_text(encoding="utf-8"))
known = set(re.findall(r"\w+", " ".join(
    pattern.get("match", "") for pattern in grammar["repository"]["expression"]["patterns"])))
problems, count = [], 0
for name, form in re.findall(r"^(\w+) \((?:3|14)\)(.*)$", sys.stdin.read(), re.MULTILINE):
    count += 1
    if not form.strip():
        problems.append(f"{name}: has no description in compiler/lsp")
    if name not in known:
        problems.append(f"{name}: is not in {editor}/syntaxes/xf.tmLanguage.json")
if count < 80:
    problems.append(f"only {count} functions and keywords were completed")
print("\n".join(problems) or "fine")
sys.exit(bool(problems))
