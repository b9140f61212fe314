# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lists the project's own files, for the checks in this folder."""

import pathlib
import re
import subprocess
import sys

FENCE = re.compile(r"^ *```.*?^ *```$", re.DOTALL | re.MULTILINE)
ROOT = pathlib.Path(__file__).resolve().parents[2]


def tracked(*endings):
    """Paths of the files in git, relative to ROOT, that end in one of `endings`."""
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "-c", f"safe.directory={ROOT}", "ls-files", "-z"],
        check=True, capture_output=True, text=True).stdout
    paths = [pathlib.PurePosixPath(path) for path in listed.split("\0") if path]
    return [path for path in paths
            if path.name.endswith(endings) and (ROOT / path).is_file()]


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def without_fences(markdown):
    """Markdown without its code blocks; the other lines keep their numbers."""
    return FENCE.sub(lambda match: "\n" * match.group().count("\n"), markdown)


def finish(problems):
    """Prints the problems; the exit status says whether there were any."""
    print("\n".join(problems) if problems else "fine")
    sys.exit(bool(problems))
