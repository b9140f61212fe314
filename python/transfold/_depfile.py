# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules of Make, in which compilers say what they read."""

from __future__ import annotations

import re
from typing import List


def _words(rule: str) -> List[str]:
    """As Make reads them: backslashes count before a space, a tab, a number sign and the end of a line."""
    words = [""]
    for backslashes, end in re.findall(r"(\\*)([^\\]?)", rule.replace("$$", "$")):
        count = len(backslashes)
        if end == "\n" or (end in " \t" and count % 2 == 0):
            # The end of a word, or with a backslash that of a line which goes on.
            words[-1] += "\\" * (count - 1 if end == "\n" and count else count // 2)
            words.append("")
        elif end and end in " \t":
            words[-1] += "\\" * (count // 2) + end
        elif end == "#" and count:
            words[-1] += "\\" * (count - 1) + end
        else:
            words[-1] += backslashes + end
    return [word for word in words if word]


def sources(rule: str) -> List[str]:
    """The paths after the colon of `rule`, the text of a depfile."""
    words = _words(rule)
    # The output ends with the colon.
    first = next((i for i, word in enumerate(words) if word.endswith(":")), None)
    if first is None:
        raise ValueError("the depfile has no rule")
    return words[first + 1:]
