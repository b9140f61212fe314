#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds a native chat program from scratch: sets up the machine if needed, builds
# the compiler, fetches SmolLM2-135M-Instruct as a GGUF file, compiles and runs it.
#
#   examples/chat.sh [OPTIONS OF chat]      on a terminal: a conversation
#   echo "Who are you?" | examples/chat.sh  otherwise one message per line
set -euo pipefail
source "$(dirname "$0")/../scripts/lib.sh"
program=$build/smollm2

{
  "$root/scripts/setup.sh"
  step 'Building the compiler' \
    ninja -C "$build" -j "${TRANSFOLD_JOBS:-$(nproc)}" transfold-compiler
  step 'Fetching SmolLM2-135M-Instruct (94 MB, once)' \
    "$root/scripts/fetch-model.sh" SmolLM2-135M-Instruct
  model=$(tail -n 1 "$log")

  compile_example "$model" llama.xf "$program"
} >&2
exec "$program" chat "$@"
