# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Locations of the compiler, of its cache, and of libraries by their names."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import sysconfig
from typing import List

from .errors import CompileError, FileError


def cache_folder() -> pathlib.Path:
    """The cache folder, also used by the compiler: TRANSFOLD_CACHE, or "transfold" in XDG_CACHE_HOME or ~/.cache."""
    given = os.environ.get("TRANSFOLD_CACHE")
    if given:
        return pathlib.Path(given)
    general = os.environ.get("XDG_CACHE_HOME")
    return (pathlib.Path(general) if general else pathlib.Path.home() / ".cache") / "transfold"


def programs_folder() -> pathlib.Path:
    """The folder of the libraries compiled by ``compile``: NAME/HASH/libNAME.so."""
    return cache_folder() / "programs"


def bundled_compiler() -> pathlib.Path:
    """The compiler in this package; it exists in wheels only."""
    return pathlib.Path(__file__).parent / "_compiler" / "bin" / "transfold"


def _own_command() -> str:
    return os.path.join(sysconfig.get_path("scripts"), "transfold")


def find_compiler() -> str:
    """The compiler: TRANSFOLD_COMPILER, else the one in this package, else the one on the PATH."""
    given = os.environ.get("TRANSFOLD_COMPILER")
    if given:
        return given
    if bundled_compiler().exists():
        return str(bundled_compiler())
    found = shutil.which("transfold")
    # Not the command of this package itself, which calls this function.
    if not found or os.path.realpath(found) == os.path.realpath(_own_command()):
        raise CompileError("there is no compiler: this package was installed without one, and no `transfold` is "
                           "on the PATH; give its path in TRANSFOLD_COMPILER")
    return found


def is_library_name(name: str) -> bool:
    """Whether the compiler accepts `name` for a library libNAME.so."""
    return re.fullmatch(r"[A-Za-z][A-Za-z0-9._-]*", name) is not None


def _libraries(folder: pathlib.Path) -> List[str]:
    return sorted(str(path) for path in folder.glob("lib*.so"))


def find_library(name: str) -> str:
    """The path of the library that ``Program.load`` opens for `name`."""
    path = pathlib.Path(name)
    if path.is_dir():
        found = _libraries(path)
        if len(found) != 1:
            raise FileError(f"{name}: has {len(found) or 'no'} libraries lib*.so; give one of the files")
        return found[0]
    if path.exists():
        return name
    if not is_library_name(name):
        raise FileError(f"{name}: there is no such library")
    file = f"lib{name}.so"
    if os.path.exists(file):
        return file
    made = sorted((programs_folder() / name).glob(f"*/{file}"), key=lambda each: each.stat().st_mtime)
    if not made:
        raise FileError(f"{name}: there is no {file} here, and none was compiled under this name into "
                        f"{programs_folder()}")
    return str(made[-1])
