#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds a native program for sentence similarity from scratch: sets up the machine
# if needed, builds the compiler, fetches a model, compiles it and runs it.
set -euo pipefail
source "$(dirname "$0")/../scripts/lib.sh"
program=$build/minilm

prepare_example all-MiniLM-L6-v2 'all-MiniLM-L6-v2 (83 MB, once)'
compile_example "$model" bert.xf "$program" model.safetensors

cat <<'END'

Eight sentences, each with those nearest to it in meaning (1 is the same, 0 unrelated):

END
begin=${EPOCHREALTIME/./}
"$program" embed --similar <<'END'
How do I reset my password?
I can't log in to my account any more.
The cat is asleep on the sofa.
A kitten naps on the couch.
Share prices fell sharply this morning.
Investors lost money on the stock exchange today.
Preheat the oven to 180 degrees.
How long does a chocolate cake have to bake?
END
printf '\nThat took %d ms, with the start of the program. Try it yourself:\n' \
  $(((${EPOCHREALTIME/./} - begin) / 1000))
printf '  build/minilm embed --similar < FILE     a sentence per line\n'
printf '  build/minilm embed --json "A sentence."  384 numbers\n'
printf '  build/minilm --help\n'
