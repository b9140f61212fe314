#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# fresh-machine.sh ROOT FOLDER: runs the set-up of the checkout ROOT in a minimal
# Debian 12 that is made in FOLDER and has nothing of ours. What lies on this machine
# by hand, or was installed by an earlier run, cannot help there. Root only.
set -euo pipefail
checkout=$1 machine=$2

leave() {
  local each
  for each in dev proc; do
    umount -l "$machine/$each" 2>/dev/null || true
  done
  # Never below a mount that would not go.
  mountpoint -q "$machine/dev" || mountpoint -q "$machine/proc" ||
    rm -rf --one-file-system "$machine"
}
trap leave EXIT
leave

archive=$(sed -n 's/^URIs: *\([^ ]*\).*/\1/p' /etc/apt/sources.list.d/debian.sources 2>/dev/null || true)
archive=${archive%%$'\n'*}
archive=${archive:-http://deb.debian.org/debian}
mkdir -p "$(dirname "$machine")"
mmdebstrap --quiet --variant=minbase --include=ca-certificates bookworm "$machine" "$archive"
rm -f "$machine"/etc/apt/sources.list.d/*
printf '%s\n' "deb $archive bookworm main" \
  "deb $archive-security bookworm-security main" >"$machine/etc/apt/sources.list"
cp /etc/resolv.conf "$machine/etc/"
cp /etc/ssl/certs/ca-certificates.crt "$machine/etc/ssl/certs/"
mount --bind /proc "$machine/proc"
mount --bind /dev "$machine/dev"

# What a clone would have.
mkdir "$machine/src"
git -C "$checkout" ls-files --cached --others --exclude-standard -z |
  tar -C "$checkout" --null --ignore-failed-read -T - -cf - | tar -C "$machine/src" -xf -

inside() {
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
    PIP_CERT=/etc/ssl/certs/ca-certificates.crt \
    $(env | grep -iE '^[a-z_]*proxy=' || true) chroot "$machine" "$@"
}
inside /src/scripts/setup.sh fuzz tsan arm
echo "Again: what is there is left alone"
inside /src/scripts/setup.sh fuzz tsan arm
# The headers of others, and a library of ours.
inside ninja -C /src/build transfold-precompiled-halide transfold-precompiled-runtime \
  lib/libtransfold-exact.a lib/aarch64-linux-gnu/libtransfold-main.a
