# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Sourced by what makes packages, behind lib.sh: what of others is inside of them.

# Of what is compiled or copied into the compiler and its linker: the packages of Debian.
packages=(lld-22 libc6-dev libgcc-12-dev libstdc++-12-dev libutf8proc-dev libfmt-dev libxxhash-dev
  nlohmann-json3-dev libcli11-dev)

# packages_of FILE...: those that shared libraries come from, which these load.
packages_of() {
  local libraries
  mapfile -t libraries < <(ldd "$@" | sed -n 's/.*=> \(\/[^ ]*\).*/*\1/p' | sort -u)
  # Halide's is of no package.
  dpkg -S "${libraries[@]}" 2>/dev/null | sed 's/[:,].*//' | sort -u
}

# collect_licences FOLDER PACKAGE...: of all that is not ours, as Debian and PyPI have them.
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
