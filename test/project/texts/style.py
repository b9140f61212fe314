# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Comments and documents avoid what misled readers (docs/style.md).

  style.py          fails where a pattern occurs more often than its budget allows
  style.py --list   prints each occurrence

A program cannot tell whether "behind" means a place or an order, so each pattern has a budget instead of a ban. The
budgets are the counts of the day on which they were set. They only go down: whoever removes occurrences lowers them.
"""

import ast
import io
import pathlib
import re
import sys
import tokenize

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import files  # noqa: E402

# Of each pattern how often it may occur: in C++ and TableGen, and in all files together.
BUDGETS = {
    r"\bbehind\b": (4, 8),
    # "There is no" is natural English.
    r"(?<!there\s)\b(?:is|are) no\b": (4, 5),
    r"\bof (?:those )?who\b": (0, 0),
    r"\b(?:nobody|somebody|everybody|whoever)\b": (0, 0),
}
# These show what is not to be written.
EXAMPLES = {"docs/style.md", "test/project/texts/style.py"}
# Texts of others, and what programs are fed with.
DATA = re.compile(r"(?:^|/)(?:Inputs|corpus|goldens?|models)/|^docs/architectures\.md$")
NATIVE = (".cpp", ".h", ".td")
STRING = r'"(?:[^"\\\n]|\\.)*"'
COMMENT = re.compile(rf"{STRING}|//[^\n]*|/\*.*?\*/", re.DOTALL)
DESCRIPTION = re.compile(r"let (?:summary|description) = (?:\[\{.*?\}\]|[^;]*);", re.DOTALL)


def python_prose(text):
    """Comments and docstrings."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node, clean=False):
            yield node.body[0].lineno, ast.get_docstring(node, clean=False)


def prose(path):
    """(line, text) of what people read in a file."""
    text = files.read(path)
    if path.suffix == ".py":
        yield from python_prose(text)
        return
    if path.suffix == ".md":
        yield 1, files.without_fences(text)
        return
    if path.suffix == ".sh":
        found = re.finditer(r"(?:^|\s)#[^\n]*", text)
    else:
        found = [match for match in COMMENT.finditer(text) if match.group()[0] == "/"]
        if path.suffix == ".td":
            found += DESCRIPTION.finditer(text)
    for match in found:
        yield text.count("\n", 0, match.start()) + 1, match.group()


def joined(texts):
    """Comments of consecutive lines as one, since sentences go over their ends."""
    begin, end, whole = 0, 0, ""
    for line, text in texts:
        if whole and line != end + 1:
            yield begin, whole
            whole = ""
        if not whole:
            begin = line
        whole += ("\n" if whole else "") + re.sub(r"^[/#\s]+", "", text)
        end = line + text.strip("\n").count("\n")
    if whole:
        yield begin, whole


counts = {pattern: [0, 0] for pattern in BUDGETS}
for path in files.tracked(*NATIVE, ".py", ".sh", ".md"):
    if str(path) in EXAMPLES or DATA.search(str(path)):
        continue
    for begin, text in joined(prose(path)):
        for pattern in BUDGETS:
            for match in re.finditer(pattern.replace(" ", r"\s+"), text, re.IGNORECASE):
                counts[pattern][1] += 1
                counts[pattern][0] += path.suffix in NATIVE
                if "--list" in sys.argv:
                    line = begin + text.count("\n", 0, match.start())
                    around = " ".join(text[max(0, match.start() - 50):match.end() + 40].split())
                    print(f"{path}:{line}: {around}")
problems = []
for pattern, (native, everywhere) in BUDGETS.items():
    print(f"{pattern}: {counts[pattern][0]} of {native} in C++ and TableGen, {counts[pattern][1]} of {everywhere} in all")
    if counts[pattern][0] > native or counts[pattern][1] > everywhere:
        problems.append(f"{pattern}: more often than its budget allows; `style.py --list` has the places, docs/style.md "
                        "what to write")
files.finish(problems)
