#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# fresh-machine.sh ROOT FOLDER: runs the set-up of the checkout ROOT in a minimal Debian 12 that is
# made in FOLDER and has none of our files. Files on this machine, or packages installed by an
# earlier run, are not visible there. Root only.
set -euo pipefail
checkout=$1 machine=$2

source "$(dirname "$0")/machine.sh"

make_machine

# The files that a clone would have.
mkdir "$machine/src"
git -C "$checkout" ls-files --cached --others --exclude-standard -z |
  tar -C "$checkout" --null --ignore-failed-read -T - -cf - | tar -C "$machine/src" -xf -

inside /src/scripts/setup.sh fuzz tsan arm
echo "Again: what is there is left alone"
inside /src/scripts/setup.sh fuzz tsan arm
# The third-party headers, and a library of ours.
inside ninja -C /src/build transfold-precompiled-halide transfold-precompiled-runtime \
  lib/libtransfold-exact.a lib/aarch64-linux-gnu/libtransfold-main.a
