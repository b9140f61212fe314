// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The semantics of the operations on chosen rows, in double.

#pragma once

#include "compiler/reference/Numbers.h"

namespace transfold::reference {

/// The prefix count of nonzero entries; in each column by itself.
Tensor rank(const Tensor &input);
/// The rows whose rank is larger than the previous one.
Tensor pick(const Tensor &rows, const Tensor &ranks,
            const std::vector<int64_t> &shape);
/// The inverse of `pick`, with zeros in the other rows.
Tensor spread(const Tensor &rows, const Tensor &ranks,
              const std::vector<int64_t> &shape);

// For each member of a family.
/// The rows that chose it, one after the other; then -1.
Tensor list(const Tensor &ranks);
/// The listed rows; NaN past the end of a list, where no operation may read.
Tensor take(const Tensor &rows, const Tensor &list,
            const std::vector<int64_t> &shape);
/// The defined rows of `rows`; NaN elsewhere.
Tensor listed(const Tensor &rows, const Tensor &list);
/// For each row, the weighted sum over the members with nonzero weight.
Tensor sumListed(const Numbers &numbers, const Tensor &listed,
                 const Tensor &ranks, const Tensor &weights,
                 const std::vector<int64_t> &shape);

} // namespace transfold::reference
