# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Sourced: a minimal Debian 12 in the folder $machine, which is removed when the script ends. It
# comes from the mirrors that apt is configured with here. Root only.
#
#   make_machine [PACKAGE,…]    makes it, with these additional packages
#   inside COMMAND…             runs a command there, without this environment's variables

leave() {
  local each
  for each in dev proc; do
    umount -l "$machine/$each" 2>/dev/null || true
  done
  # Never below a mount that could not be unmounted.
  mountpoint -q "$machine/dev" || mountpoint -q "$machine/proc" ||
    rm -rf --one-file-system "$machine"
}
trap leave EXIT
leave

make_machine() {
  local mirrors archive
  mirrors=$(dirname "${BASH_SOURCE[0]}")/../../../scripts/mirrors.py
  archive=$(python3 "$mirrors" archive)
  mkdir -p "$(dirname "$machine")"
  mmdebstrap --quiet --variant=minbase --include="ca-certificates${1:+,$1}" bookworm "$machine" "$archive"
  rm -f "$machine"/etc/apt/sources.list.d/*
  python3 "$mirrors" | sed -nE 's/(.*) (bookworm(-security)?)$/deb \1 \2 main/p' >"$machine/etc/apt/sources.list"
  cp /etc/resolv.conf "$machine/etc/"
  cp /etc/ssl/certs/ca-certificates.crt "$machine/etc/ssl/certs/"
  mount --bind /proc "$machine/proc"
  mount --bind /dev "$machine/dev"
}

inside() {
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
    PIP_CERT=/etc/ssl/certs/ca-certificates.crt \
    $(env | grep -iE '^[a-z_]*proxy=' || true) chroot "$machine" "$@"
}
