# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# complete.bash FILE: what the completions in FILE say to some command lines, as readline would ask them.
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
