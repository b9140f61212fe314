# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tidy.py BUILD CACHE: clang-tidy finds nothing in the code that does not use MLIR.

(With MLIR's headers it would take most of an hour.) It checks what the compiler compiles: sources, or
unity files, which include some sources of a library (cmake/Transfold.cmake). What passed is not checked
again until a source, a header of the project or the rules change: CACHE/tidy has an empty file for each,
shared by all checkouts of this user and kept for a month.
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time

import files

build, stamps = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]) / "tidy"
FOLDERS = ("base/text/", "base/files/", "runtime/", "compiler/chat/", "compiler/checkpoint/", "compiler/draft/",
           "compiler/lsp/", "compiler/spec/")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
# Headers, and the sources that a unity file includes.
CHECKED = r"/(base|runtime|compiler|dialect)/[^.]*\.(h|cpp)$"


def with_headers(path, seen):
    """Adds to `seen` the file and the project's headers that it includes, directly or not."""
    if path in seen or not (files.ROOT / path).is_file():
        return
    seen.add(path)
    for included in INCLUDE.findall(files.read(path)):
        with_headers(included, seen)


def sources(compiled):
    """The project's sources that are compiled with the file `compiled`."""
    path = pathlib.Path(compiled)
    if not path.match("Unity/unity_*"):
        return [str(path.relative_to(files.ROOT))] if path.is_relative_to(files.ROOT) else []
    included = INCLUDE.findall(path.read_text(encoding="utf-8"))
    return [str(pathlib.Path(each).relative_to(files.ROOT)) for each in included]


def stamp(compiled):
    reached = set()
    for path in sources(compiled):
        with_headers(path, reached)
    state = hashlib.sha256(rules)
    for each in sorted(reached):
        state.update(each.encode() + b"\0" + (files.ROOT / each).read_bytes())
    first = sources(compiled)[0].replace("/", "_")
    return stamps / f"{first}.{state.hexdigest()[:32]}"


def check(compiled):
    """The findings of clang-tidy for a file; empty if there are none."""
    done = stamp(compiled)
    if done.exists():
        done.touch()
        return ""
    ran = subprocess.run(
        ["clang-tidy-22", "--quiet", "-p", str(build), f"--header-filter={CHECKED}", "--warnings-as-errors=*", compiled],
        cwd=files.ROOT, capture_output=True, text=True)
    if ran.returncode == 0:
        done.touch()
        return ""
    return ran.stdout or ran.stderr


stamps.mkdir(parents=True, exist_ok=True)
for old in stamps.glob("*.cpp.*"):
    if time.time() - old.stat().st_mtime > 30 * 24 * 3600:
        old.unlink(missing_ok=True)
rules = files.read(".clang-tidy").encode() + subprocess.run(
    ["clang-tidy-22", "--version"], capture_output=True, check=True).stdout
tracked = set(map(str, files.tracked(".cpp")))
commands = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
paths = sorted({entry["file"] for entry in commands
                if any(path in tracked and path.startswith(FOLDERS) for path in sources(entry["file"]))})
jobs = int(os.environ.get("TRANSFOLD_JOBS") or os.cpu_count())
with concurrent.futures.ThreadPoolExecutor(jobs) as workers:
    files.finish([said for said in workers.map(check, paths) if said])
