#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# deb.sh [FOLDER]: makes FOLDER/transfold_VERSION_….deb (FOLDER: dist/), with the compiler, a linker, and
# Halide. Run scripts/setup.sh first.
#
#   DEBFULLNAME, DEBEMAIL   the maintainer, as for Debian's own tools
#   TRANSFOLD_PACKING       compression: gzip (default), zstd, xz, or none, which is quick
#   SOURCE_DATE_EPOCH       the time of its files (default: that of the last commit)
set -euo pipefail
source "$(dirname "$0")/lib.sh"
source "$(dirname "$0")/parts.sh"

dist=$(realpath -m "${1:-$root/dist}")
maintainer="${DEBFULLNAME:-The transfold authors} <${DEBEMAIL:-nobody@transfold.invalid}>"
texts=$build/debian/doc/transfold

require_tool() {
  if [ -z "$(command -v "$1")" ]; then
    complain "error: $1 is missing, which finds $2; install $3"
    exit 1
  fi
}
require_tool dpkg-shlibdeps "the package's dependencies" dpkg-dev
require_tool file "the programs in the package" file
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH

# Debian has one copy of the Apache License for all packages; our license adds an exception to it. Then follows
# the license of each part, as given by Debian, PyPI or its authors.
copyright() {
  local each
  printf '%s\n' 'Upstream-Name: transfold' '' \
    'transfold is licensed under the Apache License 2.0, which is in' \
    '/usr/share/common-licenses/Apache-2.0, with these exceptions:' ''
  sed -n '/LLVM Exceptions/,$p' "$root/LICENSE.txt"
  echo
  echo 'What else is inside this package (sbom.spdx.json lists it) is licensed as follows.'
  for each in "${packages[@]}" halide llhttp; do
    printf '\n=== %s\n\n' "$each"
    cat "$build/licences/$each.txt"
  done
}

write_texts() {
  local version
  version=$("$build/bin/transfold" --version)
  rm -rf "$build/debian" "$build/licences"
  mkdir -p "$texts" "$build/debian/lintian/overrides"
  collect_licences "$build/licences" "${packages[@]}"
  copyright >"$texts/copyright"
  "$venv/bin/python" "$root/scripts/sbom.py" "$texts/sbom.spdx.json" transfold "$version" "${packages[@]}"
  printf 'transfold (%s) unstable; urgency=medium\n\n  * See the history of its sources.\n\n -- %s  %s\n' "$version" \
    "$maintainer" "$(date -uRd "@$SOURCE_DATE_EPOCH")" >"$texts/changelog"
  sed '/^#/d' "$root/cmake/lintian-overrides" >"$build/debian/lintian/overrides/transfold"
}

pack() {
  mkdir -p "$dist"
  rm -f "$build"/deb/*.deb
  umask 022
  "$venv/bin/cpack" --config "$build/CPackConfig.cmake" -D CPACK_DEBIAN_PACKAGE_MAINTAINER="$maintainer" \
    -D CPACK_DEBIAN_COMPRESSION_TYPE="${TRANSFOLD_PACKING:-gzip}" -B "$build/deb"
  mv "$build"/deb/transfold_*.deb "$dist"
}

step 'Building the compiler' ninja -C "$build" -j "${TRANSFOLD_JOBS:-$(nproc)}" transfold-compiler transfold-texts
step 'Writing its licences' write_texts
step 'Packing it' pack
ls -sh "$dist"/transfold_*.deb
