# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sourced by the other scripts: defines paths, and steps that print their progress and
# their duration.
#
#   TRANSFOLD_PRESET   the preset of CMakePresets.json to build and test (release)

export LC_ALL=C.UTF-8
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
preset=${TRANSFOLD_PRESET:-release}
build=$root/build
[ "$preset" = release ] || build=$root/build-$preset
venv=${TRANSFOLD_VENV:-$root/.venv}
cache=${TRANSFOLD_CACHE:-$HOME/.cache/transfold}
log=$build/log.txt

# Seconds between two reports on a running step: on a terminal they overwrite one line, in
# a log each is a new line.
pause=30
[ ! -t 1 ] || pause=1

# how_far BEGIN: prints the progress of a step that began at the second BEGIN. Ninja prints
# it, `[120/268]` at the beginning of each line; of other commands only the time is known.
how_far() {
  local elapsed=$((EPOCHSECONDS - $1)) last=''
  last=$(tail -c 4096 "$log" 2>/dev/null | tr '\r' '\n' | sed -n 's/^\[\([0-9]*\/[0-9]*\)\].*/\1/p' |
    tail -n 1)
  local complete=${last%/*} all=${last#*/}
  if [ -z "$last" ] || [ "$complete" = 0 ]; then
    printf '%d s so far' "$elapsed"
  else
    printf '%d of %d, about %d s left' "$complete" "$all" \
      $((elapsed * (all - complete) / complete))
  fi
}

# watch TEXT BEGIN: prints the progress of the step regularly, until it is stopped. It waits
# by reading from an empty pipe: a `sleep` process would outlive it and keep a pipe open.
watch() {
  local nothing
  exec {nothing}<> <(:)
  while kill -0 $$ 2>/dev/null; do
    read -rt "$pause" -u "$nothing" || true
    if [ -t 1 ]; then
      printf '\r%s … %s\e[K' "$1" "$(how_far "$2")"
    else
      printf '\n  %s' "$(how_far "$2")"
    fi
  done
}

# step TEXT COMMAND...: runs COMMAND; its output goes to a log, the end of which is
# shown if the command fails.
step() {
  local text=$1 begin=${EPOCHREALTIME/./} status=0 tenths watcher
  shift
  printf '%s … ' "$text"
  mkdir -p "$build"
  : >"$log"
  watch "$text" "$EPOCHSECONDS" &
  watcher=$!
  "$@" >"$log" 2>&1 || status=$?
  kill "$watcher" 2>/dev/null || true
  wait "$watcher" 2>/dev/null || true
  tenths=$(((${EPOCHREALTIME/./} - begin) / 100000))
  if [ -t 1 ]; then
    printf '\r%s … \e[K' "$text"
  elif [ $tenths -ge $((10 * pause)) ]; then
    printf '\n%s … ' "$text"
  fi
  if [ $status != 0 ]; then
    printf 'failed\n'
    tail -n 60 "$log" >&2
    printf '\nerror: this failed (all of it: %s): %s\n' "$log" "$*" >&2
    return $status
  fi
  printf '%d.%d s\n' $((tenths / 10)) $((tenths % 10))
}

# complain TEXT...: prints the message on standard error.
complain() {
  printf '%s\n' "$@" >&2
}

# build_compiler: sets up the machine and builds the compiler, as far as that is needed.
build_compiler() {
  "$root/scripts/setup.sh"
  step 'Building the compiler' \
    ninja -C "$build" -j "${TRANSFOLD_JOBS:-$(nproc)}" transfold-compiler
}

# prepare_example NAME TEXT: the same, then fetches the model NAME, called TEXT in the messages.
# Sets $model to its path.
prepare_example() {
  build_compiler
  step "Fetching $2" "$root/scripts/fetch-model.sh" "$1"
  model=$(tail -n 1 "$log")
}

# compile_example MODEL SPEC PROGRAM [FILE]: compiles MODEL with the equations of examples/SPEC
# to PROGRAM, unless PROGRAM is newer than its sources (if MODEL is a folder: than FILE in it).
compile_example() {
  local newest
  newest=$(ls -t "$3" "$build"/bin/transfold "$build"/lib/libtransfold-{main,runtime}.a \
    "$root/examples/$2" "$root"/examples/std/*.xf "$1${4:+/$4}" \
    2>/dev/null || true) # ls fails if nothing is compiled yet
  if [ "${newest%%$'\n'*}" = "$3" ] && [ -e "$3.weights" ]; then
    echo "$3 is up to date"
  else
    echo "Compiling $1 with the equations of examples/$2 into $3"
    "$build/bin/transfold" compile "$1" -o "$3"
  fi
}
