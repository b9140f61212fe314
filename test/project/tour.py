# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tour.py BUILD MODEL FOLDER: docs/tour.md shows what the commands on it print.

In a block of the page a line after `$` is a command; the lines below it are its
output. `…` stands for any text, a line of it for any lines. FOLDER is where the
commands run.
"""

import os
import pathlib
import re
import subprocess
import sys

import numpy

import files

build, model, folder = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])


def pattern(shown):
    """Shown output as a regular expression."""
    lines = []
    for line in shown:
        if line == "…":
            lines.append(r"(?:.*\n)*?")
        else:
            lines.append(".*".join(map(re.escape, line.split("…"))) + r"\n")
    return "".join(lines)


def blocks(text):
    """(command, lines of output) for each command on the page."""
    for block in re.findall(r"^```\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
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
for name, target in (("all-MiniLM-L6-v2", model), ("examples", files.ROOT / "examples")):
    if not (folder / name).is_symlink():
        (folder / name).symlink_to(target)
numpy.save(folder / "ids.npy", numpy.array([[101, 7592, 102]]))
environment = dict(os.environ, PATH=f"{build / 'bin'}{os.pathsep}{os.environ['PATH']}")
problems = []
for command, shown in blocks(files.read("docs/tour.md")):
    ran = subprocess.run(command, shell=True, cwd=folder, env=environment, text=True,
                         encoding="utf-8", stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if ran.returncode:
        problems.append(f"$ {command}\n{ran.stdout}fails with {ran.returncode}")
    elif not re.fullmatch(pattern(shown), ran.stdout):
        # The longest beginning that still fits says where they part.
        fits = max(k for k in range(len(shown) + 1)
                   if (k == 0 or shown[k - 1] != "…")
                   and re.match(pattern(shown[:k]), ran.stdout))
        problems.append(f"$ {command}\nprints\n{ran.stdout}but docs/tour.md says here:\n"
                        + "\n".join(shown[fits:fits + 3]))
files.finish(problems)
