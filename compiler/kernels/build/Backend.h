// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What compiles kernels. A kernel is an operation with a region, a schedule and
// a target; a backend makes an object file of it.
//
// There is one backend, Halide. Another one is a record in backends() that
// comes before Halide's and supports some kernels: those of an anchor on a kind
// of machine. Nothing else in the compiler knows which one compiles a kernel.

#pragma once

#include "compiler/kernels/build/BuildKernels.h"

#include <llvm/ADT/ArrayRef.h>

#include <string>
#include <vector>

namespace transfold::kernels {

/// An object file that is not a kernel of a module.
struct SupportObject {
  std::string name, target;           // for messages and for the cache
  std::string symbol;                 // a name for the file
  bool isOwn;                         // DeviceObject::isOwn
  std::function<std::string()> build; // throws std::exception
};

/// A backend. Functions that take a kernel throw std::exception, with the
/// reason, if they cannot compile it.
struct Backend {
  const char *name;
  /// Whether it compiles this kernel, which has a schedule and a target.
  bool (*supports)(xf::KernelOp kernel);
  /// Throws if `build` would refuse the kernel; generates no code.
  void (*define)(xf::KernelOp kernel);
  /// The kernel in the form of the options, as an object file or as text. Runs
  /// in a process of its own.
  std::string (*build)(xf::KernelOp kernel, const BuildOptions &options);
  /// What programs with kernels for these devices link as well.
  std::vector<SupportObject> (*support)(
      llvm::ArrayRef<std::string> deviceTargets);
};

/// Halide's: HalideBackend.cpp.
extern const Backend halideBackend;

/// All backends; for a kernel, the first one that supports it.
llvm::ArrayRef<const Backend *> backends();
/// The backend of a kernel.
const Backend &backendOf(xf::KernelOp kernel);

} // namespace transfold::kernels
