# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fetch_httplib.py FOLDER: puts cpp-httplib's one header and its licence there.

Debian 12 has an older one, which knows no limits for what clients send. This is the source
package of Debian 13, byte for byte what its author published. It comes from the mirror that
apt is set up with, by apt's own means: its proxies and certificates are used.
"""

import hashlib
import pathlib
import subprocess
import sys
import tarfile
import tempfile

import mirrors

NAME = "cpp-httplib_0.18.7.orig.tar.xz"
PLACE = f"pool/main/c/cpp-httplib/{NAME}"
SHA256 = "c88f6495da71e778c82c22995b547a92ceb41cc4016f9028df67106a24b9210d"
HELPER = "/usr/lib/apt/apt-helper"


def fetch(file):
    """The archive as `file`, from the first mirror that has it."""
    said = []
    # A mirror of several suites is asked once.
    for uri in dict.fromkeys(uri for uri, _ in mirrors.mirrors()):
        try:
            tried = subprocess.run([HELPER, "download-file", f"{uri}/{PLACE}", str(file), f"SHA256:{SHA256}"],
                                   capture_output=True, text=True, check=False)
        except OSError as error:
            said.append(f"{HELPER}: {error.strerror}")
            break
        if tried.returncode == 0:
            found = hashlib.sha256(file.read_bytes()).hexdigest()
            if found == SHA256:
                return
            said.append(f"{uri}/{PLACE} has the SHA-256 {found}, not {SHA256}")
        said.append(tried.stderr.strip())
    sys.exit("\n".join([
        *said, f"error: no mirror that apt is set up with has {PLACE}, Debian 13's source of cpp-httplib 0.18.7. "
        f"Put its httplib.h and LICENSE into {folder} by hand"]))


folder = pathlib.Path(sys.argv[1])
with tempfile.TemporaryDirectory() as temporary:
    fetched = pathlib.Path(temporary, NAME)
    fetch(fetched)
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(fetched) as archive:
        # The header last: where it is, all is.
        for name in ("LICENSE", "httplib.h"):
            member = next(each for each in archive if each.name.endswith("/" + name)
                          and each.name.count("/") == 1)
            (folder / name).write_bytes(archive.extractfile(member).read())
