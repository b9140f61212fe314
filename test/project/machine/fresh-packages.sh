#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# fresh-packages.sh ROOT FOLDER MODEL TEXT: makes the wheel and the Debian package of the checkout
# ROOT, and installs one after the other in a minimal Debian 12 with Python but without compilers.
# There it compiles MODEL, and prints TEXT's embedding: by the Python package, by a program that the
# wheel compiled, and by one that the Debian package compiled. Root only.
set -euo pipefail
checkout=$1 folder=$2 model=$3 text=$4
machine=$folder/machine

source "$(dirname "$0")/machine.sh"

"$checkout/scripts/wheel.sh" "$folder/dist"
TRANSFOLD_PACKING=none "$checkout/scripts/deb.sh" "$folder/dist"
# Their files load nothing from the current folder (test/packages/hardened.test).
mkdir -p "$folder/wheel" "$folder/deb"
python3 -m zipfile -e "$folder"/dist/transfold-*.whl "$folder/wheel"
dpkg-deb --extract "$folder"/dist/transfold_*.deb "$folder/deb"
python3 "$checkout/test/packages/Inputs/elf.py" --of-others "$folder/wheel" "$folder/deb"
python3 "$checkout/test/packages/Inputs/elf.py" --compiled "$folder/wheel/transfold/_compiler/bin" "$folder/deb/usr/bin"
make_machine python3-venv
for each in cc c++ gcc ld clang as; do
  [ ! -e "$machine/usr/bin/$each" ] || { echo "there is a $each"; exit 1; }
done
cp "$folder"/dist/transfold-*.whl "$folder"/dist/transfold_*.deb "$machine/root"
cp -r --dereference "$model" "$machine/root/model"

inside python3 -m venv /root/venv
inside sh -c '/root/venv/bin/pip install --disable-pip-version-check /root/transfold-*.whl'
cat >"$machine/root/embed.py" <<'END'
import json
import sys

import transfold

program = transfold.compile("/root/model", name="tiny")
assert transfold.compile("/root/model", name="tiny").path == transfold.Program.load("tiny").path == program.path
print("package:", json.dumps({"embedding": program.embed(sys.argv[1]).tolist()}))
END
inside /root/venv/bin/python /root/embed.py "$text"
inside /root/venv/bin/transfold compile /root/model -q -o /root/program
echo "program: $(inside /root/program embed --json "$text")"

inside apt-get -qq update
inside env DEBIAN_FRONTEND=noninteractive sh -c 'apt-get -qq install -y --no-install-recommends /root/transfold_*.deb'
inside transfold compile /root/model -q --no-cache -o /root/again
echo "debian: $(inside /root/again embed --json "$text")"

inside apt-get -qq remove -y transfold
[ ! -e "$machine/usr/lib/transfold" ] || { echo "something is left"; exit 1; }
