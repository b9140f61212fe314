# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""hub_cache.py MODEL HUB: writes a model in the layout of Hugging Face's cache, with traps next
to it."""

import hashlib
import pathlib
import shutil
import sys

model, hub = map(pathlib.Path, sys.argv[1:])
shutil.rmtree(hub, ignore_errors=True)
own = hub / "models--x--y"
snapshot = own / "snapshots" / "0123456789abcdef0123456789abcdef01234567"
(own / "blobs").mkdir(parents=True)
for path in sorted(model.rglob("*")):
    if not path.is_file():
        continue
    content = path.read_bytes()
    # Large files are named by the SHA-256 of their bytes, small ones by git's SHA-1.
    name = (hashlib.sha256 if len(content) > 5000 else hashlib.sha1)(content).hexdigest()
    (own / "blobs" / name).write_bytes(content)
    link = snapshot / path.relative_to(model)
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(pathlib.Path(*[".."] * (len(link.relative_to(own).parts) - 1), "blobs", name))

(own / "blobs" / "secret").write_text("secret")  # its name is not a hash
other = hub / "models--x--z" / "blobs"
other.mkdir(parents=True)
(other / f"{7:040d}").write_text("secret")
(own / "blobs" / f"{9:040d}").symlink_to(other / f"{7:040d}")  # a blob must not be a link
