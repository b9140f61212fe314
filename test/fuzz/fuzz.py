# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fuzz.py PROGRAMS WORK SECONDS READER [FOLDER...]: runs a fuzz target for some time.

First it runs the inputs in corpus/READER one by one, then those in the FOLDERs and, for SECONDS, new
ones derived from all of these; with 0 SECONDS only the known inputs. An input that crashes the reader, leaks, takes longer than twenty seconds
or more than a gigabyte is kept in WORK and printed; the fix is committed with the input in
corpus/READER.
"""

import base64
import pathlib
import shutil
import subprocess
import sys

programs, work, seconds, reader = sys.argv[1:5]
here = pathlib.Path(__file__).resolve().parent
program = pathlib.Path(programs) / f"{reader}Fuzzer"
work = pathlib.Path(work)
known = [here / "corpus" / reader, *map(pathlib.Path, sys.argv[5:])]

shutil.rmtree(work, ignore_errors=True)
(work / "new").mkdir(parents=True)
options = ["-timeout=20", "-rss_limit_mb=1024", f"-artifact_prefix={work}/"]


def report(output):
    lines = output.decode(errors="replace").split("\n")
    print("\n".join(line for line in lines if not line.startswith(("INFO:", "#")))[-8000:])
    for finding in sorted(path for path in work.iterdir() if path.is_file()):
        content = finding.read_bytes()
        for same in (path for path in files_of(known) if path.read_bytes() == content):
            print(f"\nIt is {same}")
        print(f"\n{program} {finding}\nshows it again. Its {len(content)} bytes in base64:\n"
              + base64.b64encode(content).decode()[:20000])
    sys.exit(1)


def files_of(folders):
    return sorted(path for folder in folders for path in folder.iterdir() if path.is_file())


# The second run reads the folders, too.
ran = subprocess.run([program, *options, *files_of(known[:1] if int(seconds) > 0 else known)],
                     capture_output=True)
if ran.returncode != 0:
    report(ran.stderr)
if int(seconds) > 0:
    ran = subprocess.run(
        [program, *options, f"-max_total_time={seconds}",
         f"-dict={here / 'dictionaries' / (reader + '.dict')}", work / "new", *known],
        capture_output=True)
    if ran.returncode != 0:
        report(ran.stderr)
print(ran.stderr.decode(errors="replace").strip().rsplit("\n", 1)[-1])
