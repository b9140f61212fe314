# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sources from which this machine's apt fetches Debian's packages; the project names no host itself.

  mirrors.py           prints a line "URI SUITE" for each source that apt is configured with
  mirrors.py archive   prints the URI of the source with Debian 12 itself
"""

import re
import subprocess
import sys

RELEASE = re.compile(r"^'([^']+?)/+dists/([^']+)/InRelease' ", re.MULTILINE)


def mirrors():
    """Pairs of URI and suite, in the order of apt's sources; empty if there is no apt."""
    try:
        # Prints what an update would fetch; works also if no update was ever done.
        listed = subprocess.run(["apt-get", "--print-uris", "-o", "Debug::NoLocking=1", "update"],
                                capture_output=True, text=True, check=False).stdout
    except OSError:
        return []
    return RELEASE.findall(listed)


def archive():
    """The URI of Debian 12 itself; None if apt has no such source."""
    return next((uri for uri, suite in mirrors() if suite == "bookworm"), None)


if __name__ == "__main__":
    if sys.argv[1:] == ["archive"]:
        place = archive()
        if not place:
            sys.exit("error: apt is set up with no mirror of Debian 12 (the suite 'bookworm' in /etc/apt/sources.list "
                     "or sources.list.d)")
        print(place)
    else:
        print(*(f"{uri} {suite}" for uri, suite in mirrors()), sep="\n")
