# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""killed.py TRANSFOLD MODEL FOLDER: ends compilations at many moments.

Each replaces the two files of a program by those of another one. If it is killed, each file is the
old or the new one; if it is ended by a signal that it can handle, it leaves a program with its own
weights and nothing else, neither here nor in the folder for temporary files.
"""

import os
import pathlib
import signal
import subprocess
import sys
import time

# lit's workers ignore this signal, and processes that they start would inherit that.
signal.signal(signal.SIGINT, signal.SIG_DFL)
transfold, model, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
place, temporary = folder / "place", folder / "tmp"
program, weights = place / "program", place / "program.weights"
for path in (place, temporary, folder / "old", folder / "new"):
    path.mkdir(parents=True)


def command(output, *options):
    return [transfold, "compile", model, "-q", "-o", str(output), *options]


subprocess.run(command(folder / "old" / "program", "--no-fold=all"), check=True)
subprocess.run(command(folder / "new" / "program"), check=True)
begin = time.monotonic()
subprocess.run(command(folder / "new" / "program"), check=True)
duration = time.monotonic() - begin


def pair(name):
    return tuple((folder / name / path.name).read_bytes() for path in (program, weights))


old, new = pair("old"), pair("new")
assert old[0] != new[0] and old[1] != new[1], "one is not told from the other"
for ending in [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP]:
    for moment in range(12):
        for path in [*place.iterdir(), *temporary.iterdir()]:
            subprocess.run(["rm", "-r", path], check=True)
        program.write_bytes(old[0])
        weights.write_bytes(old[1])
        # The linker is a separate process: the signal goes to the whole group, as from a terminal,
        # or to the compiler alone.
        running = subprocess.Popen(command(program), start_new_session=True,
                                   env={**os.environ, "TMPDIR": str(temporary)})
        time.sleep(duration * (moment + 0.5) / 11)
        try:
            (os.kill if moment % 2 else os.killpg)(running.pid, ending)
        except ProcessLookupError:
            pass
        status = running.wait()
        # In a group the linker may end first; the compiler then reports that.
        expected = (0, -ending) if moment % 2 else (0, -ending, 1)
        assert status in expected, f"{ending} at {moment}: {status}"
        found = (program.read_bytes(), weights.read_bytes())
        where = f"{ending} at {moment} of 11"
        assert found[0] in (old[0], new[0]), f"{where}: half a program"
        assert found[1] in (old[1], new[1]), f"{where}: half the weights"
        if ending == signal.SIGKILL:
            continue
        assert found in (old, new), f"{where}: the weights of another program"
        # A linker that is left running finds its files gone, and ends.
        left = [*place.glob("*.part"), *temporary.iterdir()]
        assert not left, f"{where}: {left} is left"
subprocess.run(command(program), check=True)
assert (program.read_bytes(), weights.read_bytes()) == new
