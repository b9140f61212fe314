# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""No dictionary in a Python file names a key twice.

Python keeps the last value: of two test cases with one name, the first would never run.
"""

import ast
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import files  # noqa: E402


def repeated(text):
    """The nodes of keys that stand in the same dictionary before."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Dict):
            seen = set()
            for key in node.keys:
                if isinstance(key, ast.Constant):
                    if key.value in seen:
                        yield key
                    seen.add(key.value)


assert [key.value for key in repeated("{'a': 1, 'b': {'a': 2}, 'a': 3}")] == ["a"]

files.finish([f"{path}:{key.lineno}: the key {key.value!r} stands in this dictionary before"
              for path in files.tracked(".py") for key in repeated(files.read(path))])
