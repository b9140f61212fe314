// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the operations that depend on positions mean, in double.

#ifndef TRANSFOLD_COMPILER_REFERENCE_EVALUATEPOSITIONS_H
#define TRANSFOLD_COMPILER_REFERENCE_EVALUATEPOSITIONS_H

#include "compiler/reference/Interpreter.h"

#include <optional>

namespace transfold::reference {

/// Rows begin at position `first` of the sequence.
Tensor tabulate(xf::TabulateOp op, llvm::ArrayRef<const Tensor *> arrays,
                int64_t first, const std::vector<int64_t> &shape,
                Precision precision);
Tensor rotate(llvm::ArrayRef<const Tensor *> operands);
/// Over the entries of each row that `mask` lets it see, or where `among` is
/// above 0; all without them. A sink, one number for each member of the first
/// axes that it has, joins the sums. With an exponent, of powers of two. What
/// is added up is what `rounded` makes of powers of at most 1.
Tensor softmax(const Tensor &input, xf::MaskAttr mask, const Tensor *among,
               const Tensor *sink, int64_t first,
               std::optional<double> exponent, double factor,
               double (*rounded)(double));
/// 1 for the `count` largest of each row, the first of equal ones. No order
/// chooses in a row with NaN: it is NaN.
Tensor top(const Tensor &input, int64_t count);
Tensor windows(xf::WindowsOp op, const Tensor &input,
               const std::vector<int64_t> &shape);

} // namespace transfold::reference

#endif // TRANSFOLD_COMPILER_REFERENCE_EVALUATEPOSITIONS_H
