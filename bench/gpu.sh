#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# gpu.sh pack [FILE.tar.xz], on the machine that builds transfold: packs programs for a GPU.
# gpu.sh [FILE.tar.xz], on a machine with a GPU, checks their results and measures their speed.
# --help lists the options. PYTHON is the Python to use (default: python3).
set -euo pipefail
exec "${PYTHON:-python3}" "$(dirname "${BASH_SOURCE[0]}")/gpu.py" "$@"
