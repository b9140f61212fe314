// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads built kernels into this process, without a linker: for tests and
// benchmarks.

#pragma once

#include "compiler/kernels/build/BuildKernels.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/Error.h>

#include <memory>

struct halide_buffer_t;

namespace llvm::orc {
class LLJIT;
}

namespace transfold::kernels {

/// A kernel that can be called.
struct LoadedKernel {
  void *address = nullptr;

  /// Calls the kernel with its arguments, then its result. Returns 0, or a
  /// Halide error code.
  int operator()(llvm::ArrayRef<halide_buffer_t *> buffers) const;
};

/// A set of kernels in this process.
class LoadedKernels {
public:
  /// Loads kernels. Their tasks run one after the other, in the calling thread.
  static llvm::Expected<LoadedKernels> load(llvm::ArrayRef<BuiltKernel> built);
  LoadedKernels(LoadedKernels &&) noexcept;
  ~LoadedKernels();

  /// The kernel of this name.
  llvm::Expected<LoadedKernel> find(llvm::StringRef kernel) const;

private:
  explicit LoadedKernels(std::unique_ptr<llvm::orc::LLJIT> jit);
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

} // namespace transfold::kernels
