#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds a native translation program from scratch: sets up the machine if needed, builds
# the compiler, makes a model, compiles it, translates lines with it.
#
#   examples/translate.sh [OPTIONS OF translate]   English sentences of a few words
#   examples/translate.sh < sentences.txt          one sentence per line
#
# No package that the scripts could fetch contains a trained translation model. This model
# is a dictionary of some phrases, constructed as the weights of a Marian model
# (examples/translate/dictionary.py). A trained one is compiled in the same way:
#
#   build/bin/transfold compile DIR -o en-de      DIR: Helsinki-NLP/opus-mt-en-de, with model.safetensors
#   ./en-de translate --beams 4 < sentences.txt
set -euo pipefail
source "$(dirname "$0")/../scripts/lib.sh"
program=$build/en-de

{
  build_compiler
  model=$build/dictionary
  "$venv/bin/python" "$root/examples/translate/dictionary.py" "$model"
  echo "Compiling $model with the equations of examples/vaswani.xf into $program"
  "$build/bin/transfold" compile -q "$model" -o "$program"
} >&2

if [ -t 0 ] && [ $# = 0 ]; then
  cat <<'END'

The model's weights are written down, not learned: it knows eight nouns with their articles, a
few other words and marks. What it does not know is ⁇.

END
  sentences=$(cat <<'END'
The cat sees a mouse.
She buys the book, and the cat finds a flower!
The horse likes the child, the woman and the house here.
END
)
  paste -d '\n' <(echo "$sentences") <("$program" translate <<< "$sentences" | sed 's/^/  /')
  echo
  echo "More: $program translate < sentences.txt; $program translate --help"
else
  exec "$program" translate "$@"
fi
