# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Folders include only folders before them, and the rooms of runtime/ have namespaces of their own.

base/ uses only itself; dialect/ and runtime/ use base/, but not each other; a stage of compiler/ may use
all of these, and earlier stages. Within a folder, a sub-folder ("room") uses the rooms before it, and the files of the
folder itself. Every project include is relative to the root.

What is in runtime/ROOM is in transfold::runtime::ROOM, so that two rooms can give one name to different things. These
namespaces are inline, except those whose names would be unclear without them.
"""

import re

import files

# In the order in which data passes through them.
STAGES = ["checkpoint", "tokenizer", "chat", "spec", "lsp", "draft", "import", "reference", "fold", "calibrate", "stage",
          "fuse", "kernels", "weights", "host", "link", "report", "driver"]
ROOMS = {
    "base": ["text", "files", "numeric", "exact"],
    "base/files": ["input", "output", "arrays"],
    "compiler/checkpoint": ["sentencepiece", "huggingface", "gguf", "ctranslate2"],
    "compiler/tokenizer": ["pattern", "json", "gguf", "sentencepiece"],
    "compiler/lsp": ["text"],
    "compiler/spec": ["syntax", "values", "names", "elaborate"],
    "compiler/fold": ["solve", "move", "order"],
    "compiler/fuse": ["families", "form"],
    "compiler/kernels": ["algorithm", "schedule", "build"],
    "compiler/kernels/algorithm": ["numeric", "tensor", "product", "attention", "lower"],
    "compiler/kernels/schedule": ["choose", "tune", "passes", "cpu", "gpu"],
    "compiler/kernels/build": ["halide", "loads", "tiles", "llvm"],
    "compiler/host": ["plan", "emit", "metadata"],
    "compiler/driver": ["cli", "model", "pipeline", "evaluate", "output", "verify", "tune", "report", "commands"],
    "dialect": ["weights", "positions", "ops", "laws", "recurrences", "legal"],
    "runtime": ["weights", "audio", "tokenizer", "constrain", "chat", "kernels", "cuda", "program", "steps", "tasks", "serve", "commands", "library"],
    "runtime/tokenizer": ["tables", "characters", "normalize", "split", "models", "decode"],
    "runtime/constrain": ["automaton", "grammar", "match", "lark", "schema"],
    "runtime/chat": ["text", "values", "builtins"],
    "runtime/program": ["metadata", "device", "call"],
    "runtime/steps": ["sampling"],
    "runtime/tasks": ["text", "generate", "speech", "eval"],
    "runtime/serve": ["http", "page", "calls", "api", "watch", "engine"],
    "runtime/commands": ["cli", "text", "generate", "speech", "bench", "info"],
}
NAMESPACE = re.compile(r"^namespace (transfold::runtime[\w: ]*) \{", re.MULTILINE)
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)

problems = []


def allowed(folder, included):
    parts = included.split("/")
    if parts[0] == "base":
        return True
    if parts[0] in ("dialect", "runtime"):
        return folder[0] in (parts[0], "compiler")
    if parts[0] != "compiler" or folder[0] != "compiler":
        return False
    if parts[1] not in STAGES:
        return False
    return STAGES.index(parts[1]) <= STAGES.index(folder[1])


def places(path):
    """For each folder with rooms that contains the file: the room of the file."""
    return {folder: path[len(folder) + 1:].split("/")[0] for folder in ROOMS
            if path.startswith(folder + "/") and "/" in path[len(folder) + 1:]}


def in_order(path, included):
    """Whether no folder has the included file in a later room than the including file."""
    others = places(included)
    return all(ROOMS[folder].index(others[folder]) <= ROOMS[folder].index(room)
               for folder, room in places(path).items() if folder in others)


for path in files.tracked(".cpp", ".h", ".td"):
    if path.parts[0] not in ("base", "compiler", "dialect", "runtime"):
        continue
    if path.parts[0] == "compiler" and path.parts[1] not in STAGES:
        problems.append(f"{path}: '{path.parts[1]}' is no stage that {__file__} knows")
        continue
    unknown = [folder for folder, room in places(str(path)).items() if room not in ROOMS[folder]]
    for folder in unknown:
        problems.append(f"{path}: is in a room that ROOMS of {__file__} does not have in {folder}")
    if path.suffix == ".td" or unknown:
        continue
    text = files.read(path)
    for name in NAMESPACE.findall(text):
        if path.parts[0] == "runtime" and len(path.parts) > 2 and \
                path.parts[1] not in name.replace("inline ", "").split("::"):
            problems.append(f"{path}: is in namespace {name}, and its room is {path.parts[1]}")
    for included in INCLUDE.findall(text):
        if not allowed(path.parts, included):
            problems.append(f"{path}: may not include {included}")
        elif not in_order(str(path), included):
            problems.append(f"{path}: {included} is of a later room")
for stage in STAGES:
    if not any(path.parts[:2] == ("compiler", stage) for path in files.tracked(".cpp")):
        problems.append(f"{__file__}: there is no stage '{stage}'")
files.finish(problems)
