# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every file in git belongs to the project.

Experiments at the top of a checkout (a model, a compiled program) are easily committed by mistake.
Every name at the top is known, no link points out of the project, and no file is a compiled one.

A folder of sources can be seen at once: it has at most 25 of them, or rooms.
"""

import collections
import os

from files import ROOT, finish, tracked

TOP = {".ci", ".clang-format", ".clang-tidy", ".gitignore", "CMakeLists.txt", "CMakePresets.json",
       "LICENSE.txt", "README.md", "base", "bench", "cmake", "compiler", "dialect", "docs", "editors", "examples",
       "python", "runtime", "scripts", "test"}

# A spec is found by its name, in one folder.
WIDE = {"examples"}
# Data, whose files have the names of what they are data of.
DATA = {"Inputs", "corpus", "goldens", "golden", "dictionaries"}
SOURCES = {".cpp", ".h", ".hpp", ".td", ".py", ".test", ".mlir", ".xf"}
MOST = 25

problems = []
sources = collections.Counter()
for path in tracked(""):
    if path.suffix in SOURCES and not DATA & set(path.parts) and str(path.parent) not in WIDE:
        sources[path.parent] += 1
    if path.parts[0] not in TOP:
        problems.append(f"{path}: '{path.parts[0]}' at the top is none of those that tree.py knows")
    if not (ROOT / path).resolve().is_relative_to(ROOT):
        problems.append(f"{path}: links to {os.readlink(ROOT / path)}, outside of the project")
    elif (ROOT / path).open("rb").read(4) == b"\x7fELF":
        problems.append(f"{path}: is a compiled program or library")
for folder, count in sorted(sources.items()):
    if count > MOST:
        problems.append(f"{folder}: has {count} sources, and {MOST} is the most; divide it into rooms")
finish(problems)
