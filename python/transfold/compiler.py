# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiling models."""

from __future__ import annotations

import hashlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import warnings
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Optional, Tuple

from . import _places
from .errors import ArgumentError, CompileError
from .options import CompileOptions, Path
from .program import Program

if TYPE_CHECKING:
    from typing_extensions import Unpack

# What the compiler reads of a model's folder.
_READ = {".json", ".safetensors", ".gguf", ".bin", ".txt", ".model", ".jinja"}
# The words of its command line.
_WORDS: Dict[str, str] = {
    "spec": "--spec", "chat_template": "--chat-template", "target": "--target", "products": "--products",
    "quantize": "--quantize", "attention": "--attention", "calibrate": "--calibrate",
    "max_error": "--max-error", "fold": "--fold", "no_fold": "--no-fold", "results": "--results", "jobs": "--threads"}
_FILES = ("spec", "chat_template", "calibrate")


class CompileWarning(UserWarning):
    """What the compiler warns of."""


def compile(model: Path, out: Optional[Path] = None, *, name: Optional[str] = None, progress: bool = False,
            weights: Optional[Path] = None, threads: int = 0, **options: Unpack[CompileOptions]) -> Program:
    """Compiles a model, and opens it.

    model: a directory of Hugging Face or CTranslate2, or a GGUF file.
    out: libNAME.so with its folder, or a folder that is there; what is in the way is replaced. Left
        out, the library goes into the cache (~/.cache/transfold/programs), and where the same files
        were compiled with the same options by the same compiler it is there already.
    name: of the library, for ``Program.load(name)``; else the model's, without its ending.
    progress: print to standard error what the compiler does, and how far it is.
    weights, threads: as ``Program`` has them.
    options: ``CompileOptions``.

    Raises CompileError with the compiler's message, FileError as ``Program`` does.
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
            raise TypeError(f"compile() has no option '{option}'; there are {', '.join(_WORDS)}")
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
        raise ArgumentError(f"{out}: is no folder; give the library's name there, or with name=")
    return out


# --- Running the compiler ---------------------------------------------------------------------


def _message(said: str, code: int) -> str:
    """The compiler's error without its own name."""
    begin = said.rfind("transfold: error: ")
    if begin >= 0:
        return said[begin + len("transfold: error: "):].strip()
    if said.strip():
        return said.strip()
    if code < 0:
        return f"the compiler was ended by {signal.Signals(-code).name}"
    return f"the compiler ended with exit code {code}"


def _run(model: str, library: str, options: List[str], progress: bool) -> str:
    """Compiles, and gives what the compiler said."""
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


def _add_file(hashed: Any, path: pathlib.Path, name: str) -> None:
    with open(path, "rb") as file:
        hashed.update(f"{name}\0{os.fstat(file.fileno()).st_size}\0".encode())
        while part := file.read(1 << 20):
            hashed.update(part)


def _files(path: pathlib.Path) -> Iterable[pathlib.Path]:
    """What belongs to a model, in an order that does not change."""
    if not path.is_dir():
        return [path] if path.exists() else []  # the compiler says what is missing
    return sorted(each for each in path.rglob("*") if each.suffix in _READ and each.is_file()
                  and not any(part.startswith(".") for part in each.relative_to(path).parts))


def _compiler_files() -> Iterable[pathlib.Path]:
    """The compiler, the runtime, and the specs that it finds."""
    compiler = pathlib.Path(shutil.which(_places.find_compiler()) or _places.find_compiler()).resolve()
    if compiler.exists():
        yield compiler
    beside = compiler.parent.parent
    for name in ("api", "library"):
        for folder in ("lib/transfold", "lib"):  # where it is installed, or built
            yield from (beside / folder).glob(f"libtransfold-{name}.a")
    given = os.environ.get("TRANSFOLD_SPECS")
    installed, sources = beside / "share/transfold/specs", beside.parent / "examples"
    specs = pathlib.Path(given) if given else installed if installed.exists() else sources
    yield from sorted(specs.rglob("*.xf"))


def _hash(model: str, words: List[str], options: CompileOptions) -> str:
    """Of all that a compilation reads."""
    hashed = hashlib.blake2b(digest_size=8)
    hashed.update("\0".join(words).encode())
    for path in _files(pathlib.Path(model)):
        _add_file(hashed, path, os.path.relpath(path, model))
    given: Dict[str, Any] = dict(options)
    for option in _FILES:
        for each in _listed(given.get(option)):
            path = pathlib.Path(str(each).split("=", 1)[-1])
            if each is not None and path.is_file():
                _add_file(hashed, path, option)
    for path in _compiler_files():
        _add_file(hashed, path, path.name)
    return hashed.hexdigest()


def _cached(model: str, name: str, words: List[str], options: CompileOptions,
            progress: bool) -> Tuple[str, str]:
    """The library, and what the compiler said if it was asked."""
    if not _places.is_library_name(name):
        raise ArgumentError(f"'{name}' cannot be a library's name: it begins with a letter, and has letters, "
                            "digits, -, _ and .")
    folder = _places.programs_folder() / name
    try:
        made = folder / _hash(model, words, options)
        library = made / f"lib{name}.so"
        if library.exists():
            os.utime(library)  # the one that Program.load finds
            return str(library), ""
        folder.mkdir(parents=True, exist_ok=True)
        work = tempfile.mkdtemp(dir=folder, prefix=".")
        try:
            said = _run(model, os.path.join(work, library.name), words, progress)
            os.chmod(work, 0o755)
            os.rename(work, made)
        except OSError:
            if not library.exists():  # else another process was faster
                raise
        finally:
            shutil.rmtree(work, ignore_errors=True)
    except OSError as error:
        raise CompileError(f"{error.filename or model}: {error.strerror or error}") from None
    return str(library), said
