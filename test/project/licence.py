# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every hand-written file names its license in its first lines."""

import files

LINE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
ENDINGS = (".cpp", ".h", ".td", ".xf", ".mlir", ".test", ".py", ".py.in", ".sh", ".cfg",
           ".cmake", ".html", "CMakeLists.txt", "requirements.txt", ".ci/run")
# Files without it on purpose, since tests check their first lines.
EXCEPT = ()

problems = []
for path in files.tracked(*ENDINGS):
    if str(path) in EXCEPT:
        continue
    if LINE not in "\n".join(files.read(path).split("\n")[:3]):
        problems.append(f"{path}: no line '{LINE}' at the top")
files.finish(problems)
