# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fetch_httplib.py FOLDER: puts cpp-httplib's one header and its licence there.

Debian 12 has an older one, which knows no limits for what clients send. This is the source
package of Debian 13, byte for byte what its author published.
"""

import hashlib
import io
import pathlib
import sys
import tarfile
import urllib.request

URL = "http://deb.debian.org/debian/pool/main/c/cpp-httplib/cpp-httplib_0.18.7.orig.tar.xz"
SHA256 = "c88f6495da71e778c82c22995b547a92ceb41cc4016f9028df67106a24b9210d"

folder = pathlib.Path(sys.argv[1])
content = urllib.request.urlopen(URL, timeout=60).read()
found = hashlib.sha256(content).hexdigest()
if found != SHA256:
    sys.exit(f"error: {URL} is not what it was: its SHA-256 is {found}, not {SHA256}")
folder.mkdir(parents=True, exist_ok=True)
with tarfile.open(fileobj=io.BytesIO(content)) as archive:
    # The header last: where it is, all is.
    for name in ("LICENSE", "httplib.h"):
        member = next(each for each in archive if each.name.endswith("/" + name)
                      and each.name.count("/") == 1)
        (folder / name).write_bytes(archive.extractfile(member).read())
