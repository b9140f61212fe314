# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors of the user: one message with the cause and the remedy."""

import pathlib
import sys


class Problem(Exception):
    """A message of one line: what is wrong and what to do about it."""


class Unavailable(Exception):
    """A program or peer does not support this precision, or not on this processor: not an error."""


def run(main):
    """Runs a command; a Problem ends it with the message, without a stack trace."""
    name = pathlib.Path(sys.argv[0]).name
    try:
        main()
    except Problem as problem:
        sys.exit(f"{name}: error: {problem}")
    except KeyboardInterrupt:
        sys.exit(f"{name}: stopped")


def numbers(text, option):
    """'1,2' as [1, 2]."""
    try:
        found = [int(part) for part in text.split(",")]
    except ValueError:
        found = [0]
    if min(found) < 1:
        raise Problem(f"{option} {text}: expected integers from 1, separated by commas: {option} 1,2")
    return found
