# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""wrong_program.py DIR: makes DIR/clang++-22, a linker whose executables compute something else.

It links with the real one, and puts a script in place of the executable. The script runs the
executable, and adds 1e-3 to the last element of each result of `eval` with more than 10 positions.
"""

import pathlib
import shutil
import sys

folder = pathlib.Path(sys.argv[1])
folder.mkdir()
wrapper = folder / "clang++-22"
wrapper.write_text(f"""#!{sys.executable}
import pathlib, shutil, subprocess, sys
words = sys.argv[1:]
subprocess.run([{shutil.which("clang++-22")!r}, *words], check=True)
output = pathlib.Path(words[words.index("-o") + 1])
shutil.copy(output, {str(folder / "real")!r})
shutil.copy({str(folder / "program.py")!r}, output)
""")
program = folder / "program.py"
program.write_text(f"""#!{sys.executable}
import pathlib, shutil, subprocess, sys
import numpy
shutil.copy(sys.argv[0] + ".weights", {str(folder / "real.weights")!r})
status = subprocess.run([{str(folder / "real")!r}, *sys.argv[1:]]).returncode
if sys.argv[1] == "eval":
    for path in pathlib.Path(sys.argv[sys.argv.index("--out") + 1]).glob("*.npy"):
        array = numpy.load(path)
        if array.shape[1] > 10:
            array.flat[-1] += 1e-3
        numpy.save(path, array)
sys.exit(status)
""")
for path in (wrapper, program):
    path.chmod(0o755)
