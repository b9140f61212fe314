// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits launches that run once for each sequence: one after another, or in
// decode steps several of them at once, each on one thread.

#pragma once

#include "compiler/host/emit/EmitCaches.h"
#include "compiler/host/emit/EmitCall.h"
#include "compiler/host/emit/EntryCode.h"

#include <llvm/ADT/STLFunctionalExtras.h>

namespace transfold::host {

/// Emits launches per sequence; the addresses of operands and results must be
/// in the code.
class PerSequenceEmitter {
public:
  PerSequenceEmitter(EntryCode &code, CallEmitter &calls, CacheEmitter &caches)
      : code(code), calls(calls), caches(caches) {}

  /// Records that `value` is a member of a cache: launches read the rows of
  /// each sequence there.
  void recall(mlir::Value value, const CacheMember &member) {
    recalled[value] = member;
  }

  bool isRecalled(mlir::Value value) const;

  /// Emits the launch for each sequence.
  void emit(xf::LaunchOp launch);

  /// Within `body`, lengths and the addresses of `values` are those of a single
  /// sequence.
  void withSequence(llvm::ArrayRef<mlir::Value> values, llvm::Value *sequence,
                    llvm::function_ref<void()> body);

private:
  /// Runs one sequence after the other. On a device their kernels run
  /// concurrently: each reads and writes only rows of its own sequence.
  void emitForEach(xf::LaunchOp launch);

  /// Decode steps, in which each sequence has few rows and hence little work.
  bool canRunEach(xf::LaunchOp launch) const;
  /// for group in 0 … ⌈sequences / 8⌉: collects the calls of sequences whose
  /// launch is short, which then run each on one thread; each of the others is
  /// run by all threads.
  void emitEach(xf::LaunchOp launch);

  /// The operands and results of the launch.
  static llvm::SmallVector<mlir::Value> valuesOf(xf::LaunchOp launch);

  EntryCode &code;
  CallEmitter &calls;
  CacheEmitter &caches;
  /// The members of caches that operations read.
  llvm::DenseMap<mlir::Value, CacheMember> recalled;
};

} // namespace transfold::host
