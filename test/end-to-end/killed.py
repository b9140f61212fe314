# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""killed.py TRANSFOLD MODEL OUTPUT WHOLE: kills compilations at twelve moments.

Each time the program and its weights are as those of WHOLE or not there; a
compilation that goes through afterwards makes them, whatever was left.
"""

import os
import pathlib
import signal
import subprocess
import sys
import time

command = [sys.argv[1], "compile", sys.argv[2], "-q", "-o", sys.argv[3]]
output, whole = pathlib.Path(sys.argv[3]), pathlib.Path(sys.argv[4])
begin = time.monotonic()
subprocess.run(command, check=True)
duration = time.monotonic() - begin
pairs = [(pathlib.Path(f"{output}{ending}"), pathlib.Path(f"{whole}{ending}").read_bytes())
         for ending in ("", ".weights")]
for moment in range(12):
    for path, _ in pairs:
        path.unlink(missing_ok=True)
    # The linker is a process of its own: all of the group.
    running = subprocess.Popen(command, start_new_session=True)
    time.sleep(duration * moment / 11)
    try:
        os.killpg(running.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    running.wait()
    for path, content in pairs:
        assert not path.exists() or path.read_bytes() == content, f"{path} is half-written"
subprocess.run(command, check=True)
assert all(path.read_bytes() == content for path, content in pairs)
