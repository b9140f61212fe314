# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The progress of a run, on a machine that is available for some minutes only."""

import time


class Clock:
    def __init__(self, minutes):
        self.start, self.seconds = time.monotonic(), 60 * minutes

    def spent(self):
        return time.monotonic() - self.start

    def left(self):
        return self.seconds - self.spent()

    def is_late(self):
        return self.left() <= 0

    def say(self, text):
        print(f"[{self.spent():5.0f} of {self.seconds:.0f} s] {text}", flush=True)
