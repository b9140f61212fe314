# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""legal.py PAGE TABLE [--write]: the page contains the table after its first line. --write puts it there."""

import pathlib
import re
import sys

page, table = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).read_text(encoding="utf-8")
text = page.read_text(encoding="utf-8")
head = table.split("\n", 1)[0]
changed = re.sub(re.escape(head) + r"\n(?:\|.*\n)*", lambda _: table, text)
if sys.argv[3:] == ["--write"]:
    page.write_text(changed, encoding="utf-8")
elif head not in text or changed != text:
    sys.exit(f"{page}: the table is not that of transfold-opt --legal; run legal.py PAGE TABLE --write")
