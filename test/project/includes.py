# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Folders include only what comes before them.

A stage of compiler/ may use earlier stages, dialect/ and runtime/; dialect/ only
itself, runtime/ only itself. Every project include starts at the root.
"""

import re

import files

# In the order data moves.
STAGES = ["checkpoint", "spec", "draft", "import", "reference", "fold", "stage", "fuse",
          "kernels", "weights", "host", "link", "driver"]
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)

problems = []


def allowed(folder, included):
    parts = included.split("/")
    if parts[0] in ("dialect", "runtime"):
        return folder[0] == parts[0] or folder[0] == "compiler"
    if parts[0] != "compiler" or folder[0] != "compiler":
        return False
    if parts[1] not in STAGES:
        return False
    return STAGES.index(parts[1]) <= STAGES.index(folder[1])


for path in files.tracked(".cpp", ".h", ".td"):
    if path.parts[0] not in ("compiler", "dialect", "runtime"):
        continue
    if path.parts[0] == "compiler" and path.parts[1] not in STAGES:
        problems.append(f"{path}: '{path.parts[1]}' is no stage that {__file__} knows")
        continue
    if path.suffix == ".td":
        continue
    for included in INCLUDE.findall(files.read(path)):
        if not allowed(path.parts, included):
            problems.append(f"{path}: may not include {included}")
for stage in STAGES:
    if not any(path.parts[:2] == ("compiler", stage) for path in files.tracked(".cpp")):
        problems.append(f"{__file__}: there is no stage '{stage}'")
files.finish(problems)
