# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Commands that tests run, and folders for what these write."""

import shutil
import subprocess


def run(*command, **options):
    """Prints the command and runs it; it must succeed."""
    print("+", *command, flush=True)
    return subprocess.run([str(part) for part in command], check=True, **options)


def make_empty(folder):
    """Creates the folder, without what an earlier run of the test left in it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
