# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""only_what_is_read.py TRANSFOLD MODEL OUT [OPTION...]: a depfile lists all inputs.

Compiles MODEL, then a copy with only the files that the depfile lists, also of the specs. The
programs must have the same bytes: an input that is read but not listed would be missing from the
copy.
"""

import os
import pathlib
import shutil
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[3] / "python"))
from transfold._depfile import sources  # noqa: E402

transfold, model, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
options = sys.argv[4:]
specs = pathlib.Path(os.environ["TRANSFOLD_SPECS"])
shutil.rmtree(out, ignore_errors=True)


def compiled(model, folder, specs):
    """The bytes of the program and its weights, and the files that were read."""
    folder.mkdir(parents=True)
    subprocess.run([transfold, "compile", model, "-q", "-o", folder / "p", f"--depfile={folder / 'p.d'}", *options],
                   check=True, env={**os.environ, "TRANSFOLD_SPECS": str(specs)})
    made = [(folder / name).read_bytes() for name in ("p", "p.weights")]
    return made, [pathlib.Path(path) for path in sources((folder / "p.d").read_text())]


made, read = compiled(model, out / "whole", specs)
copies = {model: out / "copy" / model.name, specs: out / "specs"}
count = 0
for path in read:
    for root, copy in copies.items():
        if path.is_relative_to(root) and path.is_file():
            (copy / path.relative_to(root)).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy / path.relative_to(root))
            count += 1
again, _ = compiled(copies[model], out / "part", copies[specs])
assert again == made, "another program: something is read that the depfile does not name"
assert pathlib.Path(transfold).resolve() in [path.resolve() for path in read], read
print(f"{count} files are enough")
