# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parser of depfiles: Make rules in which a compiler lists the files that it has read."""

from __future__ import annotations

import re
from typing import List


def _words(rule: str) -> List[str]:
    """Splits a rule into words as Make does: a backslash escapes a space, a tab, a number sign and a line break."""
    words = [""]
    for backslashes, end in re.findall(r"(\\*)([^\\]?)", rule.replace("$$", "$")):
        count = len(backslashes)
        if end == "\n" or (end in " \t" and count % 2 == 0):
            # The end of a word; or, with a backslash, of a line that continues.
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
    """The paths after the colon in `rule`, the text of a depfile."""
    words = _words(rule)
    # The target ends with the colon.
    first = next((i for i, word in enumerate(words) if word.endswith(":")), None)
    if first is None:
        raise ValueError("the depfile has no rule")
    return words[first + 1:]
