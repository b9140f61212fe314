// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_COMPILER_FOLD_PRODUCTS_H
#define TRANSFOLD_COMPILER_FOLD_PRODUCTS_H

namespace transfold::fold {

/// What meets weights of few bits in a product (RoundProducts.cpp): it stays as
/// it is, or is rounded to bfloat16 or to integers of 8 bits.
enum class Products { Exact, BF16, Int8 };

} // namespace transfold::fold

#endif // TRANSFOLD_COMPILER_FOLD_PRODUCTS_H
