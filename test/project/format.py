# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""C++ files are formatted as by clang-format."""

import subprocess
import sys

import files

# The version matters: others break lines differently.
sys.exit(subprocess.run(
    ["clang-format-22", "--dry-run", "-Werror", *map(str, files.tracked(".cpp", ".h"))],
    cwd=files.ROOT).returncode)
