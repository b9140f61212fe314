#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# progress.sh ROOT FOLDER: steps of scripts/lib.sh, one of them as long as a build.
source "$1/scripts/lib.sh"
build=$2 log=$2/log.txt pause=1

compile_half() {
  printf '[%d/40] Building CXX object\n' {1..20}
  sleep 2.5
}
step 'Building' compile_half
step 'Short' true
step 'Failing' false 2>/dev/null
true
