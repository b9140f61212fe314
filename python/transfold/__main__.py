# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiler's command line: ``transfold compile MODEL -o PROGRAM``, ``python -m transfold …``."""

from __future__ import annotations

import os
import sys

from ._places import bundled_compiler, find_compiler
from .errors import CompileError


def main() -> int:
    try:
        # The `transfold` on the PATH may be this command itself.
        command = str(bundled_compiler()) if bundled_compiler().exists() else find_compiler()
        os.execv(command, [command, *sys.argv[1:]])
    except (CompileError, OSError) as error:
        print(f"transfold: error: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
