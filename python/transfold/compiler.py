# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiling models."""

from __future__ import annotations

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import warnings
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple

from . import _cache, _places
from ._depfile import sources
from .errors import ArgumentError, CompileError
from .options import CompileOptions, Path
from .program import Program

if TYPE_CHECKING:
    from typing_extensions import Unpack

# The options of its command line.
_WORDS: Dict[str, str] = {
    "spec": "--spec", "chat_template": "--chat-template", "target": "--target", "products": "--products",
    "quantize": "--quantize", "attention": "--attention", "calibrate": "--calibrate",
    "max_error": "--max-error", "fold": "--fold", "no_fold": "--no-fold", "results": "--results", "jobs": "--threads"}
# The options whose values are files.
_FILES = ("spec", "chat_template", "calibrate")


class CompileWarning(UserWarning):
    """A warning of the compiler."""


def compile(model: Path, out: Optional[Path] = None, *, name: Optional[str] = None, progress: bool = False,
            weights: Optional[Path] = None, threads: int = 0, **options: Unpack[CompileOptions]) -> Program:
    """Compiles a model, and opens it.

    model: a directory of Hugging Face or CTranslate2, or a GGUF file.
    out: the path of libNAME.so, or an existing folder; existing files are replaced. If omitted, the
        library is stored in the cache (~/.cache/transfold/programs), and reused if the same files
        have been compiled before with the same options by the same compiler.
    name: the name of the library, for ``Program.load(name)``; by default the model's, without its
        extension.
    progress: print the progress of the compiler to standard error.
    weights, threads: as for ``Program``.
    options: ``CompileOptions``.

    Raises CompileError with the compiler's message, and FileError as ``Program`` does.
    Warns with CompileWarning.
    """
    model = os.fspath(model)
    words = _words(options)
    if out is not None:
        library = _library_path(os.fspath(out), name, model)
        said = _run(model, library, words, progress)
    else:
        library, said = _cached(model, name or _name_of(model), words, options, progress)
    for found in re.finditer(r"^transfold: warning: (.*(?:\n   .*)*)", said, re.MULTILINE):
        warnings.warn(found[1], CompileWarning, stacklevel=2)
    return Program(library, weights=weights, threads=threads)


def _listed(value: Any) -> List[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _words(options: CompileOptions) -> List[str]:
    words: List[str] = []
    for option, value in options.items():
        if option not in _WORDS:
            raise TypeError(f"compile() has no option '{option}'; options are {', '.join(_WORDS)}")
        if value is not None:
            words += [f"{_WORDS[option]}={os.fspath(each) if isinstance(each, os.PathLike) else each}"
                      for each in _listed(value)]
    return words


def _name_of(model: str) -> str:
    stem = os.path.basename(os.path.realpath(model))
    stem = re.sub(r"[^A-Za-z0-9._-]", "-", re.sub(r"\.gguf$", "", stem))
    return stem if _places.is_library_name(stem) else "model-" + stem


def _library_path(out: str, name: Optional[str], model: str) -> str:
    if os.path.isdir(out):
        return os.path.join(out, f"lib{name or _name_of(model)}.so")
    if name is not None:
        raise ArgumentError(f"{out}: not a folder; give the library's name there, or with name=")
    return out


# --- Running the compiler ---------------------------------------------------------------------


def _message(said: str, code: int) -> str:
    """The error message in the compiler's output, without the compiler's name."""
    begin = said.rfind("transfold: error: ")
    if begin >= 0:
        return said[begin + len("transfold: error: "):].strip()
    if said.strip():
        return said.strip()
    if code < 0:
        return f"the compiler was ended by {signal.Signals(-code).name}"
    return f"the compiler ended with exit code {code}"


def _run(model: str, library: str, options: List[str], progress: bool) -> str:
    """Runs the compiler, and returns its output on standard error."""
    command = [_places.find_compiler(), "compile", model, "--emit=lib", "-o", library, *options]
    if not progress:
        command.append("--quiet")
    said = b""
    try:
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE) as process:
            assert process.stderr is not None
            try:
                while part := os.read(process.stderr.fileno(), 1 << 16):
                    said += part
                    if progress:
                        sys.stderr.write(part.decode("utf-8", "replace"))
                        sys.stderr.flush()
            except BaseException:
                process.terminate()  # Ctrl-C
                raise
    except OSError as error:
        raise CompileError(f"{command[0]}: cannot be run: {error.strerror}") from None
    text = said.decode("utf-8", "replace")
    if process.returncode != 0:
        raise CompileError(_message(text, process.returncode))
    return text


# --- The cache --------------------------------------------------------------------------------


def _processor() -> str:
    """The properties of this processor on which --target=host depends."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            return next((line.split(":", 1)[1].strip() for line in file
                         if line.startswith(("flags", "Features"))), "")
    except OSError:
        return ""


def _asked(model: str, words: List[str], options: CompileOptions) -> Dict[str, Any]:
    """Everything on which a compilation depends, except the files that it reads."""
    specs = os.environ.get("TRANSFOLD_SPECS")
    file = "" if os.path.isdir(model) else os.path.basename(model)
    asked: Dict[str, Any] = {"words": words, "file": file, "compiler": _places.find_compiler(), "specs": specs}
    given: Dict[str, Any] = dict(options)
    paths = [str(each).split("=", 1)[-1] for name in _FILES for each in _listed(given.get(name)) if each is not None]
    if not all(os.path.isabs(path) for path in [*paths, asked["compiler"], *([specs] if specs else [])]):
        asked["folder"] = os.getcwd()  # relative paths depend on it
    if "host" in str(given.get("target") or ""):
        asked["processor"] = _processor()
    return asked


def _compile_into(folder: pathlib.Path, work: str, model: str, file: str, words: List[str],
                  asked: Dict[str, Any], progress: bool) -> Tuple[pathlib.Path, str]:
    """Compiles in the folder `work`, which is then renamed according to its contents."""
    began = os.stat(work).st_ctime_ns
    depfile = os.path.join(work, "reads.d")
    said = _run(model, os.path.join(work, file), [*words, f"--depfile={depfile}"], progress)
    with open(depfile, encoding="utf-8", errors="surrogateescape", newline="\n") as written:
        made = _cache.record(sources(written.read()), _cache.root_of(model), asked, began)
    os.remove(depfile)
    name = "changed-" + os.path.basename(work)[1:]
    if made is not None:
        name = _cache.name_of(made)
        with open(os.path.join(work, _cache.RECORD), "w", encoding="utf-8", errors="surrogateescape") as out:
            json.dump(made, out, indent=1)
    os.chmod(work, 0o755)
    place = folder / name
    try:
        os.rename(work, place)
    except OSError:
        if not (place / file).exists():  # otherwise another process was faster
            raise
    return place / file, said


def _cached(model: str, name: str, words: List[str], options: CompileOptions,
            progress: bool) -> Tuple[str, str]:
    """The library from the cache, compiled if necessary, and the compiler's output."""
    if not _places.is_library_name(name):
        raise ArgumentError(f"'{name}' cannot be a library's name: it must begin with a letter, and has letters, "
                            "digits, -, _ and .")
    folder, file = _places.programs_folder() / name, f"lib{name}.so"
    try:
        asked = _asked(model, words, options)
        found = _cache.find(folder, file, _cache.root_of(model), asked)
        if found is not None:
            os.utime(found)  # Program.load finds the newest one
            return str(found), ""
        folder.mkdir(parents=True, exist_ok=True)
        work = tempfile.mkdtemp(dir=folder, prefix=".")
        try:
            library, said = _compile_into(folder, work, model, file, words, asked, progress)
        finally:
            shutil.rmtree(work, ignore_errors=True)
    except OSError as error:
        raise CompileError(f"{error.filename or model}: {error.strerror or error}") from None
    return str(library), said
