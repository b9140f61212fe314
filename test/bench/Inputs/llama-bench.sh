#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Answers as llama-bench does: 7 tokens a second of prompts of 8 and 12, 5 of 3 tokens.
build='"build_number": 1, "build_commit": "abc"'
case "$*" in
*" -d 4"*) echo "[{$build, \"n_prompt\": 0, \"n_gen\": 3, \"avg_ts\": 5}]" ;;
*"-p 8,12"*) echo "[{$build, \"n_prompt\": 8, \"n_gen\": 0, \"avg_ts\": 7}, {$build, \"n_prompt\": 12, \"n_gen\": 0, \"avg_ts\": 7}]" ;;
esac
