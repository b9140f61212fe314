# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules of Make, in which compilers say what they read."""

from __future__ import annotations

import re
from typing import List


def _split(rule: str) -> List[str]:
    """The words of a rule: a backslash stands before a space, a tab or a # that is part of one."""
    joined = rule.replace("\\\n", " ")
    return re.findall(r"(?:\\[ \t#]|\$\$|[^ \t\n])+", joined)


def _unescaped(word: str) -> str:
    # Backslashes before what is escaped are doubled; elsewhere each stands for itself.
    word = re.sub(r"(\\+)([ \t])", lambda found: "\\" * ((len(found[1]) - 1) // 2) + found[2], word)
    return word.replace("\\#", "#").replace("$$", "$")


def sources(rule: str) -> List[str]:
    """The paths after the colon of `rule`, the text of a depfile."""
    words = _split(rule)
    # The output ends with the colon.
    first = next((i for i, word in enumerate(words) if word.endswith(":")), None)
    if first is None:
        raise ValueError("the depfile has no rule")
    return [_unescaped(word) for word in words[first + 1:]]
