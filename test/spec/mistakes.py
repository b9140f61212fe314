# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mistakes.py TRANSFOLD FILE FOLDER [CHECKPOINT]: specs with mistakes, and the code of each.

FILE has specs after lines that begin with "===". A line with a mistake ends with a comment that has its code; `check
--diagnostics=json` reports these mistakes, on these lines, and no others.
"""

import json
import pathlib
import re
import subprocess
import sys

transfold, folder = sys.argv[1], pathlib.Path(sys.argv[3])
folder.mkdir(parents=True, exist_ok=True)
texts = re.split(r"^=== (.*)\n", pathlib.Path(sys.argv[2]).read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
failures = []
for number, (title, text) in enumerate(zip(texts[::2], texts[1::2])):
    path = folder / f"{number}.xf"
    path.write_text(text, encoding="utf-8")
    wanted = {
        (line, code)
        for line, words in enumerate(text.split("\n"), 1)
        for code in re.findall(r"XF\d{4}", words.partition("  // ")[2])
    }
    ran = subprocess.run(
        [transfold, "check", path, *sys.argv[4:], "--diagnostics=json"], capture_output=True, text=True, check=False
    )
    reported = [json.loads(line) for line in ran.stderr.splitlines()]
    errors = [each for each in reported if each["severity"] == "error"]
    found = {(each.get("line"), each.get("code")) for each in errors}
    if found != wanted or ran.returncode != 1:
        failures.append(f"{title}: exit code {ran.returncode}; missing {sorted(wanted - found)}; unexpected "
                        + "\n".join(str(each) for each in errors if (each.get("line"), each.get("code")) not in wanted))
print("\n".join(failures) or "fine")
sys.exit(bool(failures))
