// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the operations on rows that are chosen mean, in double.

#ifndef TRANSFOLD_COMPILER_REFERENCE_EVALUATECHOSEN_H
#define TRANSFOLD_COMPILER_REFERENCE_EVALUATECHOSEN_H

#include "compiler/reference/Tensor.h"

namespace transfold::reference {

/// How many entries up to each are not zero.
Tensor rank(const Tensor &input);
/// The rows whose rank is larger than the one before.
Tensor pick(const Tensor &rows, const Tensor &ranks,
            const std::vector<int64_t> &shape);
/// The other way round, with zeros between them.
Tensor spread(const Tensor &rows, const Tensor &ranks,
              const std::vector<int64_t> &shape);

} // namespace transfold::reference

#endif // TRANSFOLD_COMPILER_REFERENCE_EVALUATECHOSEN_H
