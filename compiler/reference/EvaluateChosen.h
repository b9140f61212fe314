// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the operations on rows that are chosen mean, in double.

#ifndef TRANSFOLD_COMPILER_REFERENCE_EVALUATECHOSEN_H
#define TRANSFOLD_COMPILER_REFERENCE_EVALUATECHOSEN_H

#include "compiler/reference/Tensor.h"

namespace transfold::reference {

/// How many entries up to each are not zero; in each column by itself.
Tensor rank(const Tensor &input);
/// The rows whose rank is larger than the one before.
Tensor pick(const Tensor &rows, const Tensor &ranks,
            const std::vector<int64_t> &shape);
/// The other way round, with zeros between them.
Tensor spread(const Tensor &rows, const Tensor &ranks,
              const std::vector<int64_t> &shape);

// Of each member of a family.
/// Rows that chose it, one behind the other; then -1.
Tensor list(const Tensor &ranks);
/// These rows; NaN behind the end of a list, where nobody may read.
Tensor take(const Tensor &rows, const Tensor &list,
            const std::vector<int64_t> &shape);
/// What is defined of `rows`; NaN elsewhere.
Tensor listed(const Tensor &rows, const Tensor &list);
/// Each row's sum over the members whose weight is not zero.
Tensor sumListed(const Tensor &listed, const Tensor &ranks,
                 const Tensor &weights, const std::vector<int64_t> &shape);

} // namespace transfold::reference

#endif // TRANSFOLD_COMPILER_REFERENCE_EVALUATECHOSEN_H
