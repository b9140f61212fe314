#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Sets up the machine if needed, builds, and runs all tests. The last line is "N passed, N failed".
#
#   TRANSFOLD_JOBS           number of parallel jobs (default: the number of cores)
#   TRANSFOLD_FUZZ_SECONDS   how long each target of test/fuzz runs (2); CI takes 6
#   TRANSFOLD_RANDOM_SPECS   how many random models test/random compares with NumPy (60)
#   TRANSFOLD_PRESET         asan: all tests with sanitizers, except those of test/fuzz
#                            and test/threads, which have their own
set -euo pipefail
source "$(dirname "$0")/../scripts/lib.sh"
jobs=${TRANSFOLD_JOBS:-$(nproc)}
more=() # test suites in addition to that of the build

# An error before the tests counts as one failure.
trap 'echo "0 passed, 1 failed"' ERR
if [ "$preset" = release ]; then
  "$root/scripts/setup.sh" fuzz tsan debug arm tests
  step 'Building' ninja -C "$build" -j "$jobs"
  step 'Building the fuzz targets' ninja -C "$root/build-fuzz" -j "$jobs" fuzz
  step 'Building the runtime for ThreadSanitizer' ninja -C "$root/build-tsan" -j "$jobs" threads
  step 'Building unit tests without optimisation' ninja -C "$root/build-debug" -j "$jobs" unit-tests-without-mlir
  more=("$root/build-debug/test/unit")
else
  "$root/scripts/setup.sh" tests
  step "Building $build" ninja -C "$build" -j "$jobs"
fi
# Without the model its tests are skipped, and listed in the summary.
"$root/scripts/fetch-model.sh" all-MiniLM-L6-v2 >/dev/null || true
trap - ERR

results=$build/test/results.json
rm -f "$results"
echo 'Testing …'
llvm=$(sed -n 's/^TRANSFOLD_LLVM:PATH=//p' "$build/CMakeCache.txt")
"$llvm/bin/lit" -sv -j "$jobs" --output "$results" "$build/test" "${more[@]}" || true
[ -s "$results" ] || { echo "0 passed, 1 failed"; exit 1; }
"$venv/bin/python" "$root/test/summary.py" "$results" "$cache"
