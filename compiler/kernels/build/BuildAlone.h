// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds something in a process of its own.

#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>

#include <string>

namespace transfold::kernels {

/// The result of building one kernel: its bytes, or the reason for a failure.
struct Outcome {
  std::string bytes;
  std::string refusal;
  bool fromCache = false;
};

/// Returns the bytes; throws to refuse.
using BuildWork = llvm::function_ref<std::string()>;

/// Runs `work`, and turns an exception into an outcome.
Outcome tryBuild(BuildWork work);

/// Runs `work` in a process of its own. Halide makes names unique with counters
/// of the process, shared by all names with the same hash: in one process the
/// bytes of a kernel would depend on the kernels that were built before. And if
/// LLVM crashes, only the kernel is lost.
Outcome buildAlone(BuildWork work);

} // namespace transfold::kernels
