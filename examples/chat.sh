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
  prepare_example SmolLM2-135M-Instruct 'SmolLM2-135M-Instruct (94 MB, once)'
  compile_example "$model" llama.xf "$program"
} >&2
exec "$program" chat "$@"
