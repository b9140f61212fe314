// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The semantics of the operations that depend on positions.

#pragma once

#include "compiler/reference/Interpreter.h"
#include "compiler/reference/Numbers.h"

#include <optional>

namespace transfold::reference {

/// A table by index; rows begin at position `first` of the sequence.
Tensor tabulate(const Numbers &numbers, xf::TabulateOp op,
                llvm::ArrayRef<const Tensor *> arrays, int64_t first,
                const std::vector<int64_t> &shape);
/// A rotary embedding.
Tensor rotate(const Numbers &numbers, llvm::ArrayRef<const Tensor *> operands);

/// Over which entries of a row a softmax runs, and how.
struct SoftmaxOptions {
  /// The entries that the mask shows, or those where `among` is above 0; all
  /// entries without both.
  xf::MaskAttr mask;
  const Tensor *among = nullptr;
  /// One value for each member of the leading axes that it has; it joins the
  /// sums.
  const Tensor *sink = nullptr;
  int64_t first = 0; // position of the first row
  /// Powers of two of the scores times this number, in place of powers of e.
  std::optional<double> exponent = std::nullopt;
  double factor = 1;
  /// Powers, which are at most 1, are rounded to bfloat16 before they are
  /// summed.
  bool isRounded = false;
};
Tensor softmax(const Numbers &numbers, const Tensor &input,
               const SoftmaxOptions &options);
/// 1 for the `count` largest entries of each row, the first of equal ones. A
/// row that contains NaN has no order: it becomes NaN.
Tensor top(const Numbers &numbers, const Tensor &input, int64_t count);
/// For each position of the result, which begins at position `first`, the row
/// some positions earlier; zeros before the first one.
Tensor delayed(xf::DelayOp op, const Tensor &input, int64_t first,
               const std::vector<int64_t> &shape);
/// For each position, the rows around it.
Tensor windows(xf::UnfoldOp op, const Tensor &input,
               const std::vector<int64_t> &shape);

} // namespace transfold::reference
