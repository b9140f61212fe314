#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# fresh-wheel.sh ROOT FOLDER MODEL TEXT: makes the wheel of the checkout ROOT, installs it in a minimal
# Debian 12 with Python and nothing else of use, compiles MODEL there, and prints TEXT's embedding, by the package and by a program. Root only.
set -euo pipefail
checkout=$1 folder=$2 model=$3 text=$4
machine=$folder/machine

source "$(dirname "$0")/machine.sh"

"$checkout/scripts/wheel.sh" "$folder/dist"
make_machine python3-venv
for each in cc c++ gcc ld clang as; do
  [ ! -e "$machine/usr/bin/$each" ] || { echo "there is a $each"; exit 1; }
done
cp "$folder"/dist/transfold-*.whl "$machine/root"
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
