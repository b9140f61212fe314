# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sourced by the other scripts: where things lie, and steps that say how long
# they took.
#
#   TRANSFOLD_PRESET   which of CMakePresets.json is built and tested (release)

export LC_ALL=C.UTF-8
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
preset=${TRANSFOLD_PRESET:-release}
build=$root/build
[ "$preset" = release ] || build=$root/build-$preset
venv=${TRANSFOLD_VENV:-$root/.venv}
cache=${TRANSFOLD_CACHE:-$HOME/.cache/transfold}
log=$build/log.txt

# step TEXT COMMAND...: runs COMMAND; its output goes to a log, of which the end
# is shown where the command fails.
step() {
  local text=$1 begin=${EPOCHREALTIME/./} status=0 tenths
  shift
  printf '%s … ' "$text"
  mkdir -p "$build"
  "$@" >"$log" 2>&1 || status=$?
  tenths=$(((${EPOCHREALTIME/./} - begin) / 100000))
  if [ $status != 0 ]; then
    printf 'failed\n'
    tail -n 60 "$log" >&2
    printf '\nerror: this failed (all of it: %s): %s\n' "$log" "$*" >&2
    return $status
  fi
  printf '%d.%d s\n' $((tenths / 10)) $((tenths % 10))
}

# complain TEXT...: the message, on standard error.
complain() {
  printf '%s\n' "$@" >&2
}
