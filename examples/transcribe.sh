#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# From nothing to a native program that writes down what is said: set-up where
# needed, build, fetch Whisper tiny.en, compile it, transcribe recordings.
#
#   examples/transcribe.sh                  a recording of five seconds
#   examples/transcribe.sh interview.wav    one of yours, in English
set -euo pipefail
source "$(dirname "$0")/../scripts/lib.sh"
program=$build/whisper

"$root/scripts/setup.sh"
step 'Building the compiler' \
  ninja -C "$build" -j "${TRANSFOLD_JOBS:-$(nproc)}" transfold transfold-opt transfold-main transfold-runtime
step 'Fetching Whisper tiny.en (76 MB, once)' "$root/scripts/fetch-model.sh" whisper-tiny.en
model=$(tail -n 1 "$log")

# Whatever the program was made from may have changed.
newest=$(ls -t "$program" "$build"/bin/transfold "$build"/lib/libtransfold-{main,runtime}.a \
  "$root"/examples/whisper.xf "$root"/examples/std/*.xf "$model/model.bin" \
  2>/dev/null || true) # nothing is compiled yet: ls complains
if [ "${newest%%$'\n'*}" = "$program" ] && [ -e "$program.weights" ]; then
  echo "$program is up to date"
else
  echo "Compiling $model with the equations of examples/whisper.xf into $program"
  "$build/bin/transfold" compile "$model" -o "$program"
fi

if [ $# = 0 ]; then
  set -- "$root/examples/speech/good-morning.wav"
fi
printf '\nWhat is said in %s:\n\n' "$*"
begin=${EPOCHREALTIME/./}
"$program" transcribe --timestamps "$@"
printf '\nThat took %d ms, with the start of the program. Try it yourself:\n' \
  $(((${EPOCHREALTIME/./} - begin) / 1000))
printf '  build/whisper transcribe recording.wav\n'
printf '  build/whisper transcribe --srt --output recording.srt recording.wav\n'
printf '  build/whisper serve                    for OpenAI clients\n'
printf '  build/whisper transcribe --help\n'
