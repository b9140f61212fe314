# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_sbom.py FILE…: each conforms to SPDX 2.3 (clauses 6, 7, 10, 11), as far as our documents
use it."""

import json
import pathlib
import re
import sys

LICENCE = r"[A-Za-z0-9.-]+( WITH [A-Za-z0-9.-]+)?( AND [A-Za-z0-9.-]+)*"
# From the list of https://spdx.org/licenses.
KNOWN = {"MIT", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "LGPL-2.1-or-later", "GPL-3.0-or-later",
         "LLVM-exception", "GCC-exception-3.1", "Unicode-DFS-2015", "Zlib", "X11", "NOASSERTION"}


def check(path):
    document = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    assert document["spdxVersion"] == "SPDX-2.3" and document["dataLicense"] == "CC0-1.0"
    assert document["SPDXID"] == "SPDXRef-DOCUMENT" and document["name"]
    assert re.fullmatch(r"https://[!-~]+", document["documentNamespace"]) and "#" not in document["documentNamespace"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", document["creationInfo"]["created"])
    assert all(re.match(r"(Tool|Person|Organization): .", each) for each in document["creationInfo"]["creators"])
    extracted = {each["licenseId"] for each in document.get("hasExtractedLicensingInfos", [])}
    assert all(each["extractedText"] for each in document.get("hasExtractedLicensingInfos", []))
    ids = ["SPDXRef-DOCUMENT"]
    for package in document["packages"]:
        ids.append(package["SPDXID"])
        assert re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", package["SPDXID"]), package
        assert package["name"] and package["versionInfo"] and package["filesAnalyzed"] is False
        assert package["downloadLocation"] == "NOASSERTION" or package["downloadLocation"].startswith("https://")
        for key in ("licenseConcluded", "licenseDeclared"):
            assert re.fullmatch(LICENCE, package[key]), package
            for word in re.split(r" WITH | AND ", package[key]):
                assert word in KNOWN | extracted, package
        assert package["copyrightText"]
        for reference in package.get("externalRefs", []):
            assert reference["referenceLocator"].startswith("pkg:"), package
    assert len(ids) == len(set(ids)), ids
    for relation in document["relationships"]:
        assert relation["spdxElementId"] in ids and relation["relatedSpdxElement"] in ids, relation
        assert relation["relationshipType"] in ("DESCRIBES", "CONTAINS"), relation
    described = {each["relatedSpdxElement"] for each in document["relationships"]}
    assert described == set(ids[1:]), described
    print(f"{path}: {len(ids) - 1} packages, {', '.join(extracted) or 'no licence of the model'}")


for given in sys.argv[1:]:
    check(given)
