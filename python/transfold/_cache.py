# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cache of compiled libraries: programs/NAME/HASH/libNAME.so, each with a file reads.json.

The compiler reports which files it has read (``--depfile``). A library is reused if it was compiled with
the same options and each of these files still has the same content. The list also contains folders in
which the compiler looked for a missing file: the names in them must be unchanged.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import pathlib
import time
from typing import Any, Dict, List, Optional

RECORD = "reads.json"
_FORM = 1  # version of RECORD; other versions are ignored


def _folder_digest(path: str) -> str:
    # Names that begin with a dot are files of file managers and other tools.
    names = sorted(name for name in os.listdir(path) if not name.startswith("."))
    return hashlib.blake2b("\0".join(names).encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()


def _file_digest(path: str) -> str:
    hashed = hashlib.blake2b(digest_size=16)
    with open(path, "rb") as file:
        while part := file.read(1 << 20):
            hashed.update(part)
    return hashed.hexdigest()


def _digest(path: str) -> str:
    return _folder_digest(path) if os.path.isdir(path) else _file_digest(path)


def _stamp(path: str) -> List[int]:
    """Values that change whenever a file is written or replaced."""
    status = os.stat(path)
    return [status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns]


@dataclasses.dataclass
class _Read:
    """A file or folder that the compiler read."""

    path: str
    #: Whether `path` is relative to the model's folder, which may have moved the next time.
    in_model: bool
    digest: str
    #: None if the file was so new that a change might not change its stamp.
    stamp: Optional[List[int]]

    def place(self, root: str) -> str:
        return os.path.join(root, self.path) if self.in_model else self.path

    def is_the_same(self, root: str) -> bool:
        place = self.place(root)
        try:
            if os.path.isdir(place):
                return _folder_digest(place) == self.digest
            return _stamp(place) == self.stamp or _file_digest(place) == self.digest
        except OSError:
            return False


def root_of(model: str) -> str:
    """The folder that contains the model's files."""
    model = os.path.abspath(model)
    return model if os.path.isdir(model) else os.path.dirname(model)


def _read_of(path: str, root: str) -> _Read:
    place = os.path.abspath(path)
    in_model = place == root or place.startswith(os.path.join(root, ""))
    stamp: Optional[List[int]] = None
    if not os.path.isdir(place):
        stamp = _stamp(place)
        # Time stamps have a limited resolution: a change within the same tick would not be noticed.
        if time.time_ns() - stamp[-1] < 2_000_000_000:
            stamp = None
    return _Read(os.path.relpath(place, root) if in_model else place, in_model, _digest(place), stamp)


def record(sources: List[str], root: str, asked: Dict[str, Any], began: int) -> Optional[Dict[str, Any]]:
    """The contents of RECORD for a compilation that began at `began` (nanoseconds, by the file system's clock).

    None if a file changed during the compilation: it is not known which version the compiler read.
    """
    reads = [_read_of(path, root) for path in sources]
    for each in reads:
        if os.stat(each.place(root)).st_ctime_ns > began and not os.path.isdir(each.place(root)):
            return None
    return {"form": _FORM, "asked": asked, "reads": [dataclasses.asdict(each) for each in reads]}


def name_of(made: Dict[str, Any]) -> str:
    """The folder name for the compilation that RECORD describes: equal inputs have equal names."""
    told = [[each["path"], each["digest"]] for each in made["reads"]]
    text = json.dumps([made["asked"], told], sort_keys=True)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _matches(folder: pathlib.Path, root: str, asked: Dict[str, Any]) -> bool:
    try:
        made = json.loads((folder / RECORD).read_text("utf-8"))
        if made["form"] != _FORM or made["asked"] != asked:
            return False
        return all(_Read(**each).is_the_same(root) for each in made["reads"])
    except (OSError, ValueError, KeyError, TypeError):
        return False  # damaged, or written by another version of this package


def find(folder: pathlib.Path, file: str, root: str, asked: Dict[str, Any]) -> Optional[pathlib.Path]:
    """The library `file` that was compiled from the same files with the same options."""
    for made in folder.glob(f"*/{RECORD}"):
        library = made.parent / file
        if library.exists() and _matches(made.parent, root, asked):
            return library
    return None
