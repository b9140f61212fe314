# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""other_golden.py ROOT FROM TO: makes an archive of gpu.sh from another one: its first program
is to be compared with the golden of another model, and only the first measured program is kept."""

import pathlib
import sys
import tempfile

root, source, target = map(pathlib.Path, sys.argv[1:])
sys.path.insert(0, str(root / "bench"))
from measure.device import gpu_archive  # noqa: E402

with tempfile.TemporaryDirectory() as name:
    manifest = gpu_archive.unpack(source, pathlib.Path(name))
    manifest["goldens"] = manifest["goldens"][:1]
    manifest["goldens"][0]["golden"] = "test/end-to-end/models/bert/golden"
    manifest["measured"] = manifest["measured"][:1]
    gpu_archive.write(target, pathlib.Path(name), manifest)
