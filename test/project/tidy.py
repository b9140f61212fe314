# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tidy.py BUILD CACHE: clang-tidy finds nothing in the code that does not use MLIR.

(With MLIR's headers it would take most of an hour.) A file that passed is not checked again until
it, a header of the project or the rules change: CACHE/tidy has an empty file for each, shared by
all checkouts of this user and kept for a month.
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
FOLDERS = ("base/text/", "base/files/", "runtime/", "compiler/chat/", "compiler/checkpoint/", "compiler/draft/", "compiler/spec/")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def with_headers(path, seen):
    """Adds to `seen` the file and the project's headers that it includes, directly or not."""
    if path in seen or not (files.ROOT / path).is_file():
        return
    seen.add(path)
    for included in INCLUDE.findall(files.read(path)):
        with_headers(included, seen)


def stamp(path):
    reached = set()
    with_headers(path, reached)
    state = hashlib.sha256(rules)
    for each in sorted(reached):
        state.update(each.encode() + b"\0" + (files.ROOT / each).read_bytes())
    return stamps / (path.replace("/", "_") + "." + state.hexdigest()[:32])


def check(path):
    """The findings of clang-tidy for a file; empty if there are none."""
    done = stamp(path)
    if done.exists():
        done.touch()
        return ""
    ran = subprocess.run(
        ["clang-tidy-22", "--quiet", "-p", str(build), "--warnings-as-errors=*", path],
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
built = {entry["file"] for entry in
         json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))}
paths = [str(path) for path in files.tracked(".cpp")
         if str(path).startswith(FOLDERS) and str(files.ROOT / path) in built]
jobs = int(os.environ.get("TRANSFOLD_JOBS") or os.cpu_count())
with concurrent.futures.ThreadPoolExecutor(jobs) as workers:
    files.finish([said for said in workers.map(check, paths) if said])
