#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Prints the output of llama-bench: 7 tokens per second for prompts of 8 and 12, 5 for 3 tokens.
build='"build_number": 1, "build_commit": "abc"'
case "$*" in
*" -d 4"*) echo "[{$build, \"n_prompt\": 0, \"n_gen\": 3, \"avg_ts\": 5}]" ;;
*"-p 8,12"*) echo "[{$build, \"n_prompt\": 8, \"n_gen\": 0, \"avg_ts\": 7}, {$build, \"n_prompt\": 12, \"n_gen\": 0, \"avg_ts\": 7}]" ;;
esac
