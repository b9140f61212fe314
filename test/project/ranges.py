# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A range-based for does not go through a part of a value that nobody keeps.

In C++20 the value of `f()` in `for (x : *f())` or `for (x : f().value())` ends before the
loop begins; only the range itself lives on. MLIR's accessors of optional attributes
invite this. (C++23 has it mended; MLIR 22's headers do not compile as that with
libstdc++ 12.) A reference or a handle that `f` returns would be fine; it gets a name as well.
"""

import re

import files

# for (TYPE NAME : RANGE), where RANGE may have parentheses in parentheses.
NESTED = r"(?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))"
LOOP = re.compile(r"\bfor\s*\((?:[^();?]|\([^()]*\))*?[^:;?]:(?!:)\s*(" + NESTED + r"*?)\)\s")
# What a call gives, dereferenced or unwrapped.
PART = re.compile(r"^\*[\w.:>-]+(?:<[^<>]*>)?\(|\)\s*\.\s*value\(\)$", re.DOTALL)


def bad(text):
    return [found for found in LOOP.finditer(text) if PART.search(found.group(1).strip())]


for range_, count in {"*getNumbers()": 1, "*op.getNumbers()": 1, "f(1, g(2)).value()": 1, "*find<int>(x)": 1,
                      "*numbers": 0, "numbers.value()": 0, "f()": 0, "op->getRegion(0)": 0}.items():
    assert len(bad(f"for (const auto &[a, b] : {range_}) {{")) == count, range_

files.finish([f"{path}:{files.read(path).count(chr(10), 0, found.start()) + 1}: name what "
              f"'{found.group(1)}' is a part of before the loop"
              for path in files.tracked(".cpp", ".h") for found in bad(files.read(path))])
