# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fetch_llhttp.py FOLDER: writes llhttp's C sources and its license to FOLDER.

llhttp is Node.js's parser of HTTP requests. Its code is generated, and Debian 12 has an older version. The
source package of its Python binding contains the generated files; nothing else of that package is used.
It is fetched from pip's configured index, and must have this checksum.
"""

import hashlib
import pathlib
import subprocess
import sys
import tarfile
import tempfile

VERSION = "9.3.0"
PACKAGE = f"llhttp=={VERSION}.0"
SHA256 = "0d989363e7fb6f270b9d49956e7a3945c26778f8c70a166815264309ac6a8295"
# The package has the same license text, but with the name of the binding's author.
LICENCE = "MIT License\n\nCopyright (c) 2018 Fedor Indutny\n"


def fetch(temporary):
    """Downloads the archive of the sources and returns its path."""
    wanted = temporary / "wanted.txt"
    wanted.write_text(f"{PACKAGE} --hash=sha256:{SHA256}\n", encoding="utf-8")
    tried = subprocess.run(
        [sys.executable, "-m", "pip", "download", "--disable-pip-version-check", "--quiet", "--no-deps",
         "--no-binary", ":all:", "--require-hashes", "-r", wanted, "-d", temporary],
        capture_output=True, text=True, check=False)
    found = list(temporary.glob("llhttp-*.tar.gz"))
    if tried.returncode == 0 and len(found) == 1 and hashlib.sha256(found[0].read_bytes()).hexdigest() == SHA256:
        return found[0]
    sys.exit("\n".join([
        tried.stderr.strip(), f"error: pip does not get the source package {PACKAGE}. "
        f"Put llhttp's llhttp.h, llhttp.c, api.c and http.c of version {VERSION}, and its LICENSE, "
        f"into {folder} by hand"]))


folder = pathlib.Path(sys.argv[1])
with tempfile.TemporaryDirectory() as name:
    with tarfile.open(fetch(pathlib.Path(name))) as archive:
        files = {pathlib.PurePath(member.name).name: archive.extractfile(member).read() for member in archive
                 if pathlib.PurePath(member.name).parent.name == "lib" and member.isfile()}
        terms = archive.extractfile(f"llhttp-{VERSION}.0/LICENSE").read().decode()
    folder.mkdir(parents=True, exist_ok=True)
    terms = LICENCE + "\n" + terms[terms.index("Permission is hereby granted"):]
    (folder / "LICENSE").write_text(terms, encoding="utf-8")
    # The header is written last: if it exists, all files do.
    for each in ("api.c", "http.c", "llhttp.c", "llhttp.h"):
        (folder / each).write_bytes(files[each])
