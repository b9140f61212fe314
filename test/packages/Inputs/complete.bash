# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# complete.bash FILE: prints the completions in FILE for some command lines, in the way that readline calls them.
source "$1"
ask() {
  COMP_WORDS=("$@")
  COMP_CWORD=$(($# - 1))
  _transfold
  local sorted
  sorted=$(printf '%s\n' "${COMPREPLY[@]}" | sort | paste -sd ' ')
  echo "<$*>:${sorted:+ $sorted}"
}
ask transfold comp
ask transfold --v
ask transfold compile --emb
ask transfold compile --emit = k
ask transfold compile --emit l
ask transfold compile --products = ''
ask transfold compile -o x
ask transfold compile mod
ask transfold tune --ge
