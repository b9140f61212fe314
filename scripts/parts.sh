# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Sourced by the scripts that make packages, after lib.sh: the third-party parts of packages.

# The Debian packages that are compiled or copied into the compiler and its linker.
packages=(lld-22 libc6-dev libgcc-12-dev libstdc++-12-dev libutf8proc-dev libfmt-dev libxxhash-dev
  nlohmann-json3-dev libcli11-dev)

# packages_of FILE...: prints the Debian packages of the shared libraries that FILEs load.
packages_of() {
  local libraries
  mapfile -t libraries < <(ldd "$@" | sed -n 's/.*=> \(\/[^ ]*\).*/*\1/p' | sort -u)
  # dpkg fails for Halide's library, which is not from a Debian package.
  dpkg -S "${libraries[@]}" 2>/dev/null | sed 's/[:,].*//' | sort -u
}

# collect_licences FOLDER PACKAGE...: copies the licenses of Debian's PACKAGEs, of Halide and
# llhttp, and ours, to FOLDER.
collect_licences() {
  local folder=$1 package
  shift
  mkdir -p "$folder"
  for package in "$@"; do
    cp "/usr/share/doc/$package/copyright" "$folder/$package.txt"
  done
  cp "$venv"/lib/python3*/site-packages/halide/share/doc/Halide/LICENSE.txt "$folder/halide.txt"
  cp "$venv"/include/llhttp-*/LICENSE "$folder/llhttp.txt"
  cp "$root/LICENSE.txt" "$folder/transfold.txt"
}
