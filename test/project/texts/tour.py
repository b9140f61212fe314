# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tour.py BUILD PAGE FOLDER NAME=PATH …: a page of docs/ shows the actual output of its commands.

In a block of the page a line after `$` is a command; the lines below it are its output. `…` stands
for any text, a line of it for any lines. A command must fail if an error is shown, and only then. A
block marked `diff` is a change that the reader makes. The commands run in FOLDER, which has a link
for each NAME to its PATH.
"""

import os
import pathlib
import re
import subprocess
import sys

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import files  # noqa: E402

build, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[3]).resolve()
page, links = sys.argv[2], dict(argument.split("=", 1) for argument in sys.argv[4:])


def pattern(shown):
    """The shown output as a regular expression."""
    lines = []
    for line in shown:
        if line == "…":
            lines.append(r"(?:.*\n)*?")
        else:
            lines.append(".*".join(map(re.escape, line.split("…"))) + r"\n")
    return "".join(lines)


def blocks(text):
    """(command, lines of output) for each command on the page, in order."""
    for kind, block in re.findall(r"^```(diff)?\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        if kind:
            (folder / "change.diff").write_text(block, encoding="utf-8")
            yield "patch --quiet < change.diff", []
            continue
        command, shown = None, []
        for line in block.splitlines():
            if line.startswith("$ "):
                if command:
                    yield command, shown
                command, shown = line[2:], []
            else:
                shown.append(line)
        if command:
            yield command, shown


folder.mkdir(parents=True, exist_ok=True)
for name, target in links.items():
    if not (folder / name).is_symlink():
        (folder / name).symlink_to(pathlib.Path(target).resolve())
numpy.save(folder / "ids.npy", numpy.array([[101, 7592, 102]]))
environment = dict(os.environ, PATH=f"{build / 'bin'}{os.pathsep}{os.environ['PATH']}")
if "specs" in links:
    environment["TRANSFOLD_SPECS"] = "specs"
problems = []
for command, shown in blocks(files.read(page)):
    ran = subprocess.run(command, shell=True, cwd=folder, env=environment, text=True,
                         encoding="utf-8", stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if bool(ran.returncode) != any("error: " in line for line in shown):
        problems.append(f"$ {command}\n{ran.stdout}ends with {ran.returncode}")
    elif not re.fullmatch(pattern(shown), ran.stdout):
        # The longest matching beginning shows where the outputs differ.
        fits = max(k for k in range(len(shown) + 1)
                   if (k == 0 or shown[k - 1] != "…")
                   and re.match(pattern(shown[:k]), ran.stdout))
        problems.append(f"$ {command}\nprints\n{ran.stdout}but {page} says here:\n"
                        + "\n".join(shown[fits:fits + 3]))
files.finish(problems)
