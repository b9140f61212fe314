# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Markdown files refer to exists.

  links.py [FILE…]   these files, relative to the root, instead of all

Checked are relative links with their anchors, and paths in code spans. A path that begins with the name of a folder at
the top, such as `runtime/steps`, is a file, a folder, a pattern with `*`, or a file without its ending. Another path of a
source file, such as `llvm/PairDots.cpp`, is the end of a tracked path.
"""

import pathlib
import posixpath
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import files  # noqa: E402

LINK = re.compile(r"\]\(([^()\s]+)\)")
SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
PATH = re.compile(r"[\w.*/+-]+")
SOURCE = re.compile(r"\.(?:cpp|h|td|mlir|test|py|sh|xf)$")
# Parts of names that stand for any name.
ANY = re.compile(r"NAME|ROOM|TRIPLE|DIR|FILE")
# What the build makes.
MADE = re.compile(r"\.inc$")

paths = {str(path) for path in files.tracked("")}
folders = {str(parent) for path in files.tracked("") for parent in path.parents}
top = {path.split("/")[0] for path in paths if "/" in path}


def exists(path):
    pattern = re.escape(path.rstrip("/")).replace(r"\*", "[^/]*")
    if path.split("/")[0] not in top:
        return any(re.search(f"(?:^|/){pattern}$", known) for known in paths)
    return any(re.fullmatch(pattern + r"(?:\.\w+)?", known) for known in paths | folders)


def anchors(text):
    """The anchors of a page's headings, as GitHub forms them."""
    for heading in re.findall(r"^#+ (.*)$", files.without_fences(text), re.MULTILINE):
        words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        yield re.sub(r"[^\w\- ]", "", words).replace(" ", "-")


problems = []
for path in [pathlib.PurePosixPath(name) for name in sys.argv[1:]] or files.tracked(".md"):
    text = files.without_fences(files.read(path))
    for match in LINK.finditer(SPAN.sub(lambda match: "x" * len(match.group()), text)):
        line = text.count("\n", 0, match.start()) + 1
        name, _, anchor = match.group(1).partition("#")
        if ":" in name:
            continue
        target = posixpath.normpath(posixpath.join(str(path.parent), name)) if name else str(path)
        if target not in paths and target not in folders and name:
            problems.append(f"{path}:{line}: links to {name}, which does not exist")
        elif anchor and target.endswith(".md") and anchor not in anchors(files.read(target)):
            problems.append(f"{path}:{line}: {target} has no heading #{anchor}")
    for match in SPAN.finditer(text):
        span = ANY.sub("*", match.group(1))
        is_path = PATH.fullmatch(span) and "/" in span[:-1] and not span.startswith(("/", ".", "~"))
        if is_path and not MADE.search(span) and (span.split("/")[0] in top or SOURCE.search(span)) and not exists(span):
            line = text.count("\n", 0, match.start()) + 1
            problems.append(f"{path}:{line}: names {match.group(1)}, which does not exist")
files.finish(problems)
