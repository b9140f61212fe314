# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""sbom.py FILE NAME VERSION PACKAGE…: writes the SPDX document of a package of the compiler.

PACKAGE is a Debian package, installed on this machine, that the package contains in whole or in part. Halide
and llhttp, which are not from Debian, are always included. SOURCE_DATE_EPOCH is the time in the document.
"""

import datetime
import hashlib
import importlib.metadata
import json
import os
import pathlib
import re
import subprocess
import sys
import time

GCC = "GPL-3.0-or-later WITH GCC-exception-3.1"
LLVM = "Apache-2.0 WITH LLVM-exception"
# Licenses that we have read; for other packages, Debian's text is next to this document.
LICENCES = {
    "lld-22": LLVM, "libllvm22": LLVM, "libmlir-22": LLVM, "libc6-dev": "LGPL-2.1-or-later", "libgcc-12-dev": GCC,
    "libstdc++-12-dev": GCC, "libgcc-s1": GCC, "libstdc++6": GCC, "libutf8proc-dev": "MIT AND Unicode-DFS-2015",
    "libutf8proc2": "MIT AND Unicode-DFS-2015", "libfmt-dev": "MIT", "libfmt9": "MIT", "libxxhash-dev": "BSD-2-Clause",
    "nlohmann-json3-dev": "MIT", "libcli11-dev": "BSD-3-Clause", "libffi8": "MIT", "libxml2": "MIT", "zlib1g": "Zlib",
    "libzstd1": "BSD-3-Clause", "libz3-4": "MIT", "libedit2": "BSD-3-Clause", "libtinfo6": "X11"}


def entry(name, version, licence, place, external=None):
    """One package of the document. `place`: its download location."""
    result = {
        "SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name), "name": name, "versionInfo": version,
        "downloadLocation": place, "filesAnalyzed": False, "licenseConcluded": licence,
        "licenseDeclared": licence, "copyrightText": "NOASSERTION"}
    if external:
        result["externalRefs"] = [{
            "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": external}]
    return result


def debian(name):
    """The entry of an installed Debian package."""
    version, architecture = subprocess.run(
        ["dpkg-query", "-W", "-f", "${Version} ${Architecture}", name],
        check=True, capture_output=True, text=True).stdout.split()
    quoted = name.replace("+", "%2B")
    return entry(name, version, LICENCES.get(name, "NOASSERTION"), "NOASSERTION",
                 f"pkg:deb/debian/{quoted}@{version.replace('+', '%2B')}?arch={architecture}")


def document(name, version, packages):
    halide = importlib.metadata.version("halide")
    llhttp = next(pathlib.Path(sys.prefix, "include").glob("llhttp-*")).name.rpartition("-")[2]
    parts = [*map(debian, packages),
             entry("Halide", halide, "MIT", f"https://github.com/halide/Halide/releases/tag/v{halide}",
                   f"pkg:pypi/halide@{halide}"),
             entry("llhttp", llhttp, "MIT", f"https://github.com/nodejs/llhttp/tree/release/v{llhttp}",
                   f"pkg:github/nodejs/llhttp@v{llhttp}")]
    own = entry(name, version, LLVM, "NOASSERTION")
    when = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH") or time.time()), datetime.timezone.utc)
    digest = hashlib.sha256(json.dumps([own, parts, when.isoformat()]).encode()).hexdigest()
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"{name}-{version}",
        "documentNamespace": f"https://transfold.invalid/spdx/{name}-{version}-{digest[:32]}",
        "creationInfo": {"created": when.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": [f"Tool: transfold-{version}"]},
        "packages": [own, *parts],
        "relationships": [
            {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": own["SPDXID"]},
            *({"spdxElementId": own["SPDXID"], "relationshipType": "CONTAINS", "relatedSpdxElement": part["SPDXID"]}
              for part in parts)]}


file, given_name, given_version, *given = sys.argv[1:]
text = json.dumps(document(given_name, given_version, given), indent=2) + "\n"
pathlib.Path(file).write_text(text, encoding="utf-8")
