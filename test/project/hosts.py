# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""No file names the host of a package registry: packages come from where `apt` and `pip` are set up to look.

  hosts.py [FILE…]   these files instead of the project's
"""

import pathlib
import re
import sys

import files

# Without the part after the dot, so that this file names no host either.
OWNERS = ("alpinelinux|anaconda|archlinux|bintray|centos|cocoapods|conan|conda|crates|debian|docker|fedoraproject|gcr|"
          "ghcr|golang|gradle|hf|huggingface|jfrog|jsdelivr|launchpad|maven|modelscope|nodesource|npmjs|nuget|opensuse|"
          "packagist|pypi|pythonhosted|quay|rubygems|sonatype|ubuntu|unpkg|yarnpkg")
# As whole words: "cohort" is not a match.
HOST = re.compile(rf"(?<![\w-])(?:{OWNERS})\.(?:ai|cn|co|com|dev|io|net|org)(?![\w-])")

given = [pathlib.Path(name) for name in sys.argv[1:]] or files.tracked("")
problems = []
for path in given:
    text = (files.ROOT / path).read_bytes().decode("utf-8", errors="replace").lower()
    for match in HOST.finditer(text):
        problems.append(f"{path}:{text.count(chr(10), 0, match.start()) + 1}: names {match.group()}; take what apt or pip "
                        "is set up with (scripts/mirrors.py)")
files.finish(problems)
