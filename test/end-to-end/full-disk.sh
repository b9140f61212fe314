#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# full-disk.sh TRANSFOLD MODEL FOLDER: compiles into disks that are too small, in a
# name space of mounts of our own.
set -u
transfold=$1 model=$2 disk=$3

# attempt NAME SIZE COMMAND...
attempt() {
  local name=$1 size=$2 message status=0 left
  shift 2
  mount -t tmpfs -o "size=$size" none "$disk" || exit 2
  message=$("$@" 2>&1) || status=$?
  left=$(cd "$disk" && ls)
  printf '%s: %d\n%s\nleft: %s\n' "$name" $status "$message" "${left:-nothing}"
  umount "$disk"
}

attempt program 64k "$transfold" compile "$model" -q -o "$disk/program"
attempt weights 2100k "$transfold" compile "$model" -q -o "$disk/program"
attempt cache 64k env TRANSFOLD_CACHE="$disk" "$transfold" compile "$model" -q -o "$disk.program"
