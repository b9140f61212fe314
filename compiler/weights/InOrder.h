// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pieces that threads make at the same time and one thread takes in order.

#ifndef TRANSFOLD_COMPILER_WEIGHTS_INORDER_H
#define TRANSFOLD_COMPILER_WEIGHTS_INORDER_H

#include <cstddef>
#include <functional>
#include <vector>

namespace transfold::weights {

using Piece = std::vector<std::byte>;

/// Calls `make` for 0 … count - 1 on `threads` threads, at least 1, and `take`
/// with what it made on this one, in order. A piece keeps its memory from one
/// call to the next; there are two for each thread. What `make` or `take`
/// throws ends the others and is thrown from here.
void inOrder(size_t count, unsigned threads,
             const std::function<void(size_t, Piece &)> &make,
             const std::function<void(size_t, const Piece &)> &take);

} // namespace transfold::weights

#endif // TRANSFOLD_COMPILER_WEIGHTS_INORDER_H
