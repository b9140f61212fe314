# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sourced by setup.sh: installs what is needed to compile programs for ARM
# (`--target=arm-64-linux`) on another kind of machine. Clang and LLD support all of them.

# The C and C++ libraries for ARM, and the emulator that runs ARM programs in the tests.
arm_packages=(libc6-dev-arm64-cross libstdc++-12-dev-arm64-cross qemu-user-static)
arm_folder=$root/build-arm

# Debian has no cross package of utf8proc for ARM. The package for ARM machines is fetched
# and unpacked into build-arm/, by an apt that is configured for this architecture only
# and has separate package lists.
unpack_arm_utf8proc() {
  local own=$arm_folder/apt
  local apt=(apt-get -q -o APT::Architecture=arm64 -o APT::Architectures=arm64
    -o APT::Sandbox::User= -o Dir::State::Lists="$own" -o Dir::Cache="$own")
  mkdir -p "$own/partial" "$own/archives/partial"
  (cd "$own" && "${apt[@]}" update && "${apt[@]}" download libutf8proc-dev &&
    dpkg -x libutf8proc-dev_*_arm64.deb "$arm_folder") && rm -rf "$own"
}

fetch_arm_utf8proc() {
  local folder
  for folder in "$arm_folder/usr/lib" /usr/lib; do
    [ ! -e "$folder/aarch64-linux-gnu/libutf8proc.a" ] || return 0
  done
  step "Fetching utf8proc for ARM into build-arm/" unpack_arm_utf8proc
}

# A build folder that was configured without these libraries has to search for them again.
configure_for_arm() {
  [ -e "$build/lib/aarch64-linux-gnu/libutf8proc.a" ] ||
    step "Configuring ${build##*/}/ for ARM, too" "$venv/bin/cmake" "$build"
}
