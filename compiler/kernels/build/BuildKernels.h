// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the xf.kernel operations of a module to object files.
//
// A kernel named k becomes
//
//   int k_kernel(halide_buffer_t *argument0, …, halide_buffer_t *result);
//
// 0, or a Halide error code. The function calls halide_do_par_for where it has
// tasks, and halide_malloc and halide_free where it needs scratch.

#ifndef TRANSFOLD_COMPILER_KERNELS_BUILD_BUILDKERNELS_H
#define TRANSFOLD_COMPILER_KERNELS_BUILD_BUILDKERNELS_H

#include "dialect/Dialect.h"

#include <mlir/IR/BuiltinOps.h>

#include <functional>
#include <string>
#include <vector>

namespace transfold::kernels {

class KernelCache;

enum class KernelForm {
  Object,    ///< an object file
  Statement, ///< the loops, as Halide writes them
  Llvm,      ///< LLVM's assembly
  Assembly,  ///< the machine's; for a GPU PTX, or OpenCL's C
};

struct BuildOptions {
  KernelForm form = KernelForm::Object;
  /// Check bounds, extents and alignment when the kernel runs: for tests.
  bool checks = false;
  /// Make ordinary code of what registers of matrices multiply: for tests on
  /// processors without them.
  bool scalarTiles = false;
  /// Kernels compiled at a time; 0 for one on each core.
  unsigned threads = 0;
  /// Where kernels are found and kept; null for none.
  KernelCache *cache = nullptr;
  /// Called after each kernel, from one thread at a time.
  std::function<void(llvm::StringRef kernel, size_t done, size_t total)>
      progress;
};

struct BuiltKernel {
  std::string name;
  /// An object file, or text.
  std::string bytes;
  bool fromCache = false;
};

/// The module's kernels, in its order; kernels have a schedule and a target.
/// What cannot be built is an error at the kernel. The output depends on the
/// module and the options only.
mlir::FailureOr<std::vector<BuiltKernel>>
buildKernels(mlir::ModuleOp module, const BuildOptions &options = {});

/// Defines the module's kernels and their loops, as buildKernels does before it
/// makes code of them: what cannot be defined is the same error at the kernel.
mlir::LogicalResult defineKernels(mlir::ModuleOp module);

/// What kernels for GPUs need at run time, beside themselves.
struct DeviceObject {
  std::string name, bytes; // an object file
  /// Its symbols are those of the program; else others may have them, too.
  bool isOwn;
};
/// Halide's functions for the devices, which are weak, and for each device the
/// kernel that copies words; nothing where no module has such kernels. Throws
/// std::runtime_error.
std::vector<DeviceObject>
buildDeviceObjects(llvm::ArrayRef<mlir::ModuleOp> modules, KernelCache *cache);

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_BUILD_BUILDKERNELS_H
