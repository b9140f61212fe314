# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A range-based for loop does not iterate over a part of a temporary.

In C++20 the value of `f()` in `for (x : *f())` or `for (x : f().value())` is destroyed before the
loop begins; only the range itself is kept alive. MLIR's accessors of optional attributes invite
this mistake. (C++23 extends the lifetime; MLIR 22's headers do not compile as C++23 with libstdc++
12.) A reference or a handle returned by `f` would be safe, but must get a name as well.
"""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import files  # noqa: E402

# for (TYPE NAME : RANGE), where RANGE may have parentheses in parentheses.
NESTED = r"(?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))"
LOOP = re.compile(r"\bfor\s*\((?:[^();?]|\([^()]*\))*?[^:;?]:(?!:)\s*(" + NESTED + r"*?)\)\s")
# The result of a call, dereferenced or unwrapped.
PART = re.compile(r"^\*[\w.:>-]+(?:<[^<>]*>)?\(|\)\s*\.\s*value\(\)$", re.DOTALL)


def bad(text):
    return [found for found in LOOP.finditer(text) if PART.search(found.group(1).strip())]


for range_, count in {"*getNumbers()": 1, "*op.getNumbers()": 1, "f(1, g(2)).value()": 1, "*find<int>(x)": 1,
                      "*numbers": 0, "numbers.value()": 0, "f()": 0, "op->getRegion(0)": 0}.items():
    assert len(bad(f"for (const auto &[a, b] : {range_}) {{")) == count, range_

files.finish([f"{path}:{files.read(path).count(chr(10), 0, found.start()) + 1}: name what "
              f"'{found.group(1)}' is a part of before the loop"
              for path in files.tracked(".cpp", ".h") for found in bad(files.read(path))])
