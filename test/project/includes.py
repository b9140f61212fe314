# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Folders include only what comes before them.

A stage of compiler/ may use earlier stages, dialect/ and runtime/; dialect/ only
itself, runtime/ only itself. Within a folder, a room uses the rooms before it, and what
lies in the folder itself. Every project include starts at the root.
"""

import re

import files

# In the order data moves.
STAGES = ["checkpoint", "tokenizer", "chat", "spec", "draft", "import", "reference", "fold", "calibrate", "stage",
          "fuse", "kernels", "weights", "host", "link", "driver"]
ROOMS = {
    "compiler/spec": ["syntax", "values", "names", "elaborate"],
    "compiler/kernels": ["algorithm", "schedule", "build"],
    "dialect": ["exact", "blocks", "laws"],
    "runtime": ["files", "audio", "tokenizer", "chat", "kernels", "cuda", "program", "steps", "tasks", "serve", "commands", "library"],
}
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


def in_order(path, included):
    """Whether both are of one folder that has rooms, and the included one is no later."""
    folder, room = (str(path.parent.parent), path.parent.name)
    other = included.removeprefix(folder + "/").split("/")
    if folder not in ROOMS or not included.startswith(folder + "/") or len(other) == 1:
        return True
    order = ROOMS[folder]
    return order.index(other[0]) <= order.index(room)


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
        elif not in_order(path, included):
            problems.append(f"{path}: {included} is of a later room")
for stage in STAGES:
    if not any(path.parts[:2] == ("compiler", stage) for path in files.tracked(".cpp")):
        problems.append(f"{__file__}: there is no stage '{stage}'")
files.finish(problems)
