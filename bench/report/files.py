# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes and reads files of results."""

import json
import pathlib

from measure.problem import Problem


def write(folder, name, text):
    folder = pathlib.Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise Problem(f"cannot write {folder / name}: {error.strerror}") from None


def as_json(results):
    return json.dumps(results, indent=1, ensure_ascii=False) + "\n"


def read(path, *keys):
    """Results that a command wrote; Problem if one of `keys` is missing."""
    try:
        results = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise Problem(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise Problem(f"{path} is not valid JSON: {error}") from None
    missing = [key for key in keys if not isinstance(results, dict) or key not in results]
    if missing:
        raise Problem(f"{path} is not what this command writes: it lacks {', '.join(missing)}")
    return results
