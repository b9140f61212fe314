# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""C++ looks as clang-format writes it."""

import subprocess
import sys

import files

# The version matters: another one breaks lines elsewhere.
sys.exit(subprocess.run(
    ["clang-format-22", "--dry-run", "-Werror", *map(str, files.tracked(".cpp", ".h"))],
    cwd=files.ROOT).returncode)
