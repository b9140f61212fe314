# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/language.md lists what the compiler refuses.

Equations that are valid in the language and cannot be compiled are refused by `import` and by
`stage`. Each of their messages is in the section "What works today", with … for inserted text;
messages about layouts of checkpoints are in BESIDE.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
LITERAL = r'"((?:[^"\\]|\\.)*)"'
# A message is the first string literal after one of these.
BEGINS = re.compile(
    r"(?:SpecError\(\s*spec::Code::\w+,\s*at,|\brefuse\(\s*(?:at|op|body\.getTerminator\(\)),|\berror <<|\? |: )"
    r"\s*(?:fmt::format\(\s*)?((?:" + LITERAL + r"\s*)+)"
)
# Messages about tensors whose layout no loop can traverse, and about cases that cannot happen.
BESIDE = ("layers at uneven distances", "has different layouts in", "names of more than one form",
          "is not stored in any tensor", "is used outside the loop", "`",
          "{} is not supported yet")
FILES = [*sorted((ROOT / "compiler/import").glob("*.cpp")),
         ROOT / "compiler/stage/DeriveSteps.cpp", ROOT / "compiler/stage/ProveCausality.cpp"]


def messages(text):
    # Searches statements, one after another, for those that refuse something.
    for statement in re.split(r";", text):
        if not re.search(r"SpecError\(|\brefuse\(|\berror <<", statement):
            continue
        for found in BEGINS.finditer(statement):
            yield "".join(re.findall(LITERAL, found.group(1)))


def main():
    page = (ROOT / "docs/language.md").read_text(encoding="utf-8")
    section = page.split("## What works today")[1]
    missing, count = [], 0
    for path in FILES:
        for message in messages(path.read_text(encoding="utf-8")):
            if any(text in message for text in BESIDE[:-2]) or message in BESIDE:
                continue
            count += 1
            words = re.sub(r"\{\}", "…", message).strip()
            if words not in section:
                missing.append(f"{path.relative_to(ROOT)}: {words}")
    print(f"{count} messages")
    if missing or count < 15:
        print("docs/language.md, What works today, does not list:", *missing, sep="\n  ")
        sys.exit(1)


main()
