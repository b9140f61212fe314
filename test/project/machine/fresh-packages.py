# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fresh-packages.py LOG: the embeddings that fresh-packages.sh printed have the bits of the one
on standard input."""

import json
import pathlib
import sys

import numpy

log = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
expected = numpy.array(json.loads(sys.stdin.readline())["embedding"], "float32")
for who in ("package", "program", "debian"):
    lines = [line.partition(": ")[2] for line in log.splitlines() if line.startswith(who + ": ")]
    assert len(lines) == 1, log
    found = numpy.array(json.loads(lines[0])["embedding"], "float32")
    assert found.shape == expected.shape and (found == expected).all(), (who, found, expected)
