#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# setup.sh [PRESET...] [arm] [tests]: installs what is needed to build transfold, and configures
# build/. It is safe to run at any time, and does only what is missing. With `arm` it also installs
# what programs for ARM need (arm.sh); with `tests`, packages without which some tests are skipped
# (test/requirements.txt, Node.js, SPIR-V's tools, Oclgrind, pkg-config, curl). It is for Debian 12; on
# other systems, install the packages below under their names there and set
# TRANSFOLD_SKIP_PACKAGES=1.
#
#   TRANSFOLD_VENV   where the Python environment goes (default: .venv)
set -euo pipefail
source "$(dirname "$0")/lib.sh"
source "$(dirname "$0")/arm.sh"

presets=() with_arm='' with_tests=''
for word in "$@"; do
  case $word in
    arm) [ "$(uname -m)" = aarch64 ] || with_arm=1 ;; # an ARM machine needs nothing more
    tests) with_tests=1 ;;
    *) presets+=("$word") ;;
  esac
done

# The C++ compiler, the libraries, and the tools of the tests. clang-22 brings the C++
# headers and those of the C library, libclang-rt the sanitizers and libFuzzer;
# llvm-22-dev brings lit and FileCheck.
packages=(
  clang-22 libclang-rt-22-dev lld-22 llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools
  libfmt-dev libutf8proc-dev libxxhash-dev nlohmann-json3-dev libcli11-dev libgtest-dev
  ninja-build ccache python3-venv
  clang-format-22 clang-tidy-22
  pocl-opencl-icd ocl-icd-opencl-dev # OpenCL on the CPU, for the tests
  patch                              # applies the changes of docs/add-a-model.md in a test
  mmdebstrap                         # makes a fresh Debian system, for a test
  dpkg-dev                           # finds the dependencies of Debian packages
  file                               # finds which files of a Debian package are programs
)
[ -z "$with_arm" ] || packages+=("${arm_packages[@]}")
# For tests of the server's page, of Vulkan, of races between GPU threads, of libraries, and of requests.
[ -z "$with_tests" ] || packages+=(nodejs spirv-tools oclgrind pkg-config curl)

missing_packages() {
  local installed package
  installed=" $(dpkg-query -W -f '${db:Status-Status}:${Package} ' "${packages[@]}" \
    2>/dev/null || true) "
  for package in "${packages[@]}"; do
    [[ $installed == *" installed:$package "* ]] || echo "$package"
  done
}

# Not a pipe into `grep -q`: grep exits at its first match, apt-cache then dies of
# SIGPIPE, and with pipefail the pipe fails although the package exists.
has_candidate() {
  local policy
  policy=$(apt-cache policy "$1" 2>/dev/null)
  [[ $policy == *'Candidate: '[0-9]* ]]
}

how_to_enable() {
  echo "copy the line of the suite 'bookworm' in /etc/apt/sources.list (or" \
    "sources.list.d), with suite 'bookworm-security' and folder 'debian-security'"
}

install_packages() {
  local missing
  mapfile -t missing < <(missing_packages)
  [ ${#missing[@]} != 0 ] || return 0
  if [ "$(id -u)" != 0 ]; then
    complain "error: ${#missing[@]} packages are missing. As root, run" "" \
      "  apt-get update && apt-get install -y --no-install-recommends ${missing[*]}" "" \
      "then start again. (LLVM 22 comes from Debian's security archive; if apt does" \
      "not know it, $(how_to_enable))"
    return 1
  fi
  step 'Reading the package lists' apt-get update
  local package
  for package in "${missing[@]}"; do
    has_candidate "$package" && continue
    complain "error: apt does not know the package $package." \
      "LLVM 22 comes from Debian 12's security archive: $(how_to_enable)." \
      "Then start again."
    return 1
  done
  step "Installing ${#missing[@]} packages: ${missing[*]}" \
    env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends "${missing[@]}"
}

make_venv() {
  # The first python3 on the PATH may lack venv or be too new for Halide.
  local python
  rm -rf "$venv"
  for python in python3 /usr/bin/python3; do
    if "$python" -m venv "$venv" &&
      "$venv/bin/python" -m pip install --disable-pip-version-check \
        -r "$root/scripts/requirements.txt"; then
      cp "$root/scripts/requirements.txt" "$venv/transfold-requirements.txt"
      return 0
    fi
    echo "$python did not do"
    rm -rf "$venv"
  done
  return 1
}

install_for_tests() {
  "$venv/bin/python" -m pip install --disable-pip-version-check -r "$root/test/requirements.txt" &&
    cp "$root/test/requirements.txt" "$venv/transfold-test-requirements.txt"
}

if [ -z "${TRANSFOLD_SKIP_PACKAGES:-}" ]; then
  if [ ! -e /etc/debian_version ]; then
    complain "error: this set-up knows Debian 12. Elsewhere, install what Debian calls" \
      "  ${packages[*]}" "and run it with TRANSFOLD_SKIP_PACKAGES=1."
    exit 1
  fi
  install_packages
fi
# A venv contains its own path: it is made again if it was moved, or if its Python
# was replaced.
if ! cmp -s "$root/scripts/requirements.txt" "$venv/transfold-requirements.txt" ||
  ! "$venv/bin/python" -c '' 2>/dev/null; then
  step "Installing CMake and Halide into $venv" make_venv
fi
if [ -n "$with_tests" ] &&
  ! cmp -s "$root/test/requirements.txt" "$venv/transfold-test-requirements.txt"; then
  step "Installing what tests import into $venv" install_for_tests
fi
# llhttp, for the server (CMakeLists.txt expects it there).
llhttp=$venv/include/llhttp-9.3.0
[ -e "$llhttp/llhttp.h" ] ||
  step "Fetching llhttp into $llhttp" \
    "$venv/bin/python" "$root/scripts/fetch_llhttp.py" "$llhttp"
[ -z "$with_arm" ] || fetch_arm_utf8proc
# Further presets can be given by name, as test/run.sh does.
for each in "$preset" "${presets[@]}"; do
  folder=build-$each
  [ "$each" != release ] || folder=build
  if [ ! -e "$root/$folder/build.ninja" ] ||
    ! grep -qsxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$root/$folder/CMakeCache.txt"; then
    cd "$root"
    step "Configuring $folder/" "$venv/bin/cmake" --preset "$each" --fresh \
      -DTRANSFOLD_VENV="$venv"
  fi
done
[ -z "$with_arm" ] || configure_for_arm
