// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles the xf.kernel operations of a module to object files.
//
// A kernel named k becomes
//
//   int k_kernel(halide_buffer_t *argument0, …, halide_buffer_t *result);
//
// which returns 0, or a Halide error code. The function calls halide_do_par_for
// if it has tasks, and halide_malloc and halide_free if it needs scratch
// memory.

#pragma once

#include "dialect/Dialect.h"

#include <mlir/IR/BuiltinOps.h>

#include <functional>
#include <string>
#include <vector>

namespace transfold::kernels {

class KernelCache;

/// The kinds of output.
enum class KernelForm {
  Object,    ///< an object file
  Statement, ///< the loops, as Halide writes them
  Llvm,      ///< LLVM's assembly
  Assembly,  ///< assembly of the machine; for a GPU PTX, or OpenCL C
};

/// Options of buildKernels.
struct BuildOptions {
  KernelForm form = KernelForm::Object;
  /// Check bounds, extents and alignment when the kernel runs: for tests.
  bool checks = false;
  /// Compile tile (matrix) instructions to scalar code: for tests on processors
  /// without them.
  bool scalarTiles = false;
  /// Number of kernels that are compiled at a time; 0 for one on each core.
  unsigned threads = 0;
  /// Kernels are looked up and stored here; null for no cache.
  KernelCache *cache = nullptr;
  /// Called after each kernel, from one thread at a time.
  std::function<void(llvm::StringRef kernel, size_t done, size_t total)>
      progress;
};

/// The output for one kernel.
struct BuiltKernel {
  std::string name;
  /// An object file, or text.
  std::string bytes;
  bool fromCache = false;
};

/// Builds the module's kernels, in order; all kernels must have a schedule and
/// a target. A kernel that cannot be built causes an error at its operation.
/// The output depends on the module and the options only.
mlir::FailureOr<std::vector<BuiltKernel>>
buildKernels(mlir::ModuleOp module, const BuildOptions &options = {});

/// Defines the module's kernels and their schedules, as buildKernels does
/// before it generates code; a kernel that cannot be defined causes the same
/// error at its operation.
mlir::LogicalResult defineKernels(mlir::ModuleOp module);

/// An object file that kernels for GPUs need at run time.
struct DeviceObject {
  std::string name, bytes; // an object file
  /// Its symbols belong to this program only; otherwise other objects may
  /// define them, too.
  bool isOwn;
};
/// Builds Halide's runtime functions for the devices, which are weak symbols,
/// and for each device the helper kernels (helpers in HalideBackend.cpp);
/// nothing if no module has kernels for a device. Throws std::runtime_error.
std::vector<DeviceObject>
buildDeviceObjects(llvm::ArrayRef<mlir::ModuleOp> modules, KernelCache *cache);

} // namespace transfold::kernels
