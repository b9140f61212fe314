# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The shape of one run: 1x128 is a sequence of 128 tokens, 64x5-200 are 64 sequences of
5 to 200 tokens."""

import random
import re

from measure.problem import Problem


class Shape:
    def __init__(self, text):
        found = re.fullmatch(r"(\d+)x(\d+)(?:-(\d+))?", text)
        if not found:
            raise Problem(f"--shapes: '{text}' is not a shape; write 1x128 for a sequence of 128 "
                          "tokens, 64x5-200 for 64 sequences of 5 to 200")
        self.text = text
        self.batch, self.shortest = int(found[1]), int(found[2])
        self.longest = int(found[3] or found[2])
        if not 1 <= self.shortest <= self.longest or not self.batch:
            raise Problem(f"--shapes: '{text}' has no tokens, or its range of lengths is not ascending")

    def lengths(self):
        """The lengths that `PROGRAM bench --from` chooses, so that all programs get the same."""
        if self.batch == 1:
            return [self.longest]
        return [self.shortest + (self.longest - self.shortest) * k // (self.batch - 1)
                for k in range(self.batch)]

    def sequences(self, vocabulary):
        """Random ids, the same in every run; the time does not depend on them."""
        made = random.Random(1)
        return [[made.randrange(vocabulary) for _ in range(length)] for length in self.lengths()]

    def tokens(self):
        return sum(self.lengths())

    def runs(self):
        """The number of runs in a turn, so that it is just long enough to be measured."""
        return max(3, 1024 // self.tokens())

    def options(self):
        """The options of `PROGRAM bench`."""
        chosen = ["--batch", self.batch, "--seq", self.longest, "--runs", self.runs()]
        return chosen + (["--from", self.shortest] if self.shortest != self.longest else [])
