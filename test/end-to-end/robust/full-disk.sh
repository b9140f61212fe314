#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# full-disk.sh TRANSFOLD MODEL FOLDER: compiles onto disks that are too small, in a separate mount
# namespace.
set -u
transfold=$1 model=$2 disk=$3

# attempt NAME SIZE COMMAND...: runs COMMAND on a disk of SIZE that already has a program.
attempt() {
  local name=$1 size=$2 message status=0 left
  shift 2
  mount -t tmpfs -o "size=$size" none "$disk" || exit 2
  if [ "$name" = program ] || [ "$name" = weights ]; then
    echo 'old program' > "$disk/program"
    echo 'old weights' > "$disk/program.weights"
  fi
  message=$("$@" 2>&1) || status=$?
  left=$(cd "$disk" && for file in *; do [ ! -f "$file" ] || cat "$file"; done | paste -sd, - | sed 's/,/, /g')
  printf '%s: %d\n%s\nleft: %s\n' "$name" $status "$message" "${left:-nothing}"
  umount "$disk"
}

# Space for the program, and for half of its weights.
"$transfold" compile "$model" -q -o "$disk.program" || exit 2
size() { stat -c %s "$disk.program$1"; }
half=$((($(size '') + $(size .weights) / 2) / 1024))k

attempt temporary 64k env TMPDIR="$disk" "$transfold" compile "$model" -q -o "$disk.program"
attempt program 64k "$transfold" compile "$model" -q -o "$disk/program"
attempt weights "$half" "$transfold" compile "$model" -q -o "$disk/program"
attempt cache 64k env TRANSFOLD_CACHE="$disk" "$transfold" compile "$model" -q -o "$disk.program"
