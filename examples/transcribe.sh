#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds a native speech-to-text program from scratch: sets up the machine if needed,
# builds the compiler, fetches Whisper tiny.en, compiles it, transcribes recordings.
#
#   examples/transcribe.sh                  a recording of five seconds
#   examples/transcribe.sh interview.wav    one of yours, in English
set -euo pipefail
source "$(dirname "$0")/../scripts/lib.sh"
program=$build/whisper

prepare_example whisper-tiny.en 'Whisper tiny.en (76 MB, once)'
compile_example "$model" whisper.xf "$program" model.bin

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
