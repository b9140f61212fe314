#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# gpu.sh pack [FILE.tar.xz], where transfold is built: programs for a machine with a GPU.
# gpu.sh [FILE.tar.xz], on that machine: do they compute what they should, and how fast?
# --help has the options. PYTHON says which Python, python3 without it.
set -euo pipefail
exec "${PYTHON:-python3}" "$(dirname "${BASH_SOURCE[0]}")/gpu.py" "$@"
