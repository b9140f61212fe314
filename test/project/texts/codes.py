# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""codes.py ROOT [--write]: each code of Codes.def is in the table of docs/diagnostics.md, is used by
the compiler, and is shown by a test. --write writes the table."""

import pathlib
import re
import subprocess
import sys

root = pathlib.Path(sys.argv[1])
definitions = (root / "compiler/spec/syntax/Codes.def").read_text(encoding="utf-8")
codes = re.findall(r'^XF_CODE\((\d+), (\w+), "([^"]*)", R"\(', definitions, re.MULTILINE)
assert codes and len({number for number, _, _ in codes}) == len(codes), "a number occurs twice"
assert [int(number) for number, _, _ in codes] == sorted(int(number) for number, _, _ in codes)

page = root / "docs/diagnostics.md"
head, _, _ = page.read_text(encoding="utf-8").partition("\n## Codes\n")
table = "\n## Codes\n\n| code | |\n|---|---|\n"
for number, _, title in codes:
    table += f"| XF{int(number):04} | {title} |\n"
if sys.argv[2:] == ["--write"]:
    page.write_text(head + table, encoding="utf-8")
elif page.read_text(encoding="utf-8") != head + table:
    sys.exit("docs/diagnostics.md: the table differs from Codes.def; run codes.py ROOT --write")

files = subprocess.run(
    ["git", "-C", root, "ls-files", "-z", "compiler", "test"], check=True, capture_output=True, text=True
).stdout.split("\0")
texts = {
    name: (root / name).read_text(encoding="utf-8", errors="replace")
    for name in files
    if name.endswith((".cpp", ".xf", ".test", ".py", ".txt"))
}
compiler = "\n".join(text for name, text in texts.items() if name.startswith("compiler/"))
tests = "\n".join(text for name, text in texts.items() if name.startswith("test/"))
unused = [name for _, name, _ in codes if f"Code::{name}" not in compiler]
untested = [f"XF{int(number):04}" for number, _, _ in codes if not re.search(rf"\[XF{int(number):04}\]|  // XF{int(number):04}", tests)]
assert not unused, f"codes that the compiler does not use: {unused}"
assert not untested, f"codes that no test shows: {untested}"
