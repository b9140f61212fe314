// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits transfers: copies between buffers, and between the memory of the host
// and of a device.

#pragma once

#include "compiler/host/emit/EntryCode.h"

namespace transfold::host {

/// Emits transfers.
class TransferEmitter {
public:
  explicit TransferEmitter(EntryCode &code) : code(code) {}

  /// Emits a copy to the address `target` if the source is different memory;
  /// `target` becomes the address of the result.
  void emit(xf::TransferOp transfer, llvm::Value *target);

private:
  /// Arguments are in the host's memory; all other values are in the kernels'
  /// memory.
  bool isOnHost(mlir::Value value) const;
  bool isUpload(mlir::Operation *op) const;
  /// Whether only uploads precede this one, and another one follows: the arena
  /// is still unused then.
  bool isUploadedWithNext(xf::TransferOp transfer) const;
  /// Whether the host may request the largest elements of each row instead.
  bool isOfLikeliest(xf::TransferOp transfer) const;

  /// A copy between two addresses.
  struct Copy {
    llvm::Value *source, *target, *bytes;
  };
  /// Downloads the rows of the first result, or only the indices of their
  /// largest elements, of `numbers` elements each.
  void emitFetch(const Copy &copy, llvm::Value *rows, int64_t numbers);

  EntryCode &code;
};

} // namespace transfold::host
