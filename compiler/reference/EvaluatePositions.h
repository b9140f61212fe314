// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The semantics of the operations that depend on positions, in double.

#pragma once

#include "compiler/reference/Interpreter.h"

#include <optional>

namespace transfold::reference {

/// A table by index; rows begin at position `first` of the sequence.
Tensor tabulate(xf::TabulateOp op, llvm::ArrayRef<const Tensor *> arrays,
                int64_t first, const std::vector<int64_t> &shape,
                Precision precision);
/// A rotary embedding.
Tensor rotate(llvm::ArrayRef<const Tensor *> operands);
/// Softmax over the entries of each row that `mask` shows, or where `among` is
/// above 0; over all entries without both. A sink, one value for each member of
/// the leading axes that it has, joins the sums. With an exponent, powers of
/// two are used. `rounded` is applied to the powers, which are at most 1,
/// before they are summed.
Tensor softmax(const Tensor &input, xf::MaskAttr mask, const Tensor *among,
               const Tensor *sink, int64_t first,
               std::optional<double> exponent, double factor,
               double (*rounded)(double));
/// 1 for the `count` largest entries of each row, the first of equal ones. A
/// row that contains NaN has no order: it becomes NaN.
Tensor top(const Tensor &input, int64_t count);
/// For each position of the result, which begins at position `first`, the row
/// some positions earlier; zeros before the first one.
Tensor delayed(xf::DelayOp op, const Tensor &input, int64_t first,
               const std::vector<int64_t> &shape);
/// For each position, the rows around it.
Tensor windows(xf::UnfoldOp op, const Tensor &input,
               const std::vector<int64_t> &shape);

} // namespace transfold::reference
