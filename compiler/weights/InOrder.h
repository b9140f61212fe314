// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pieces that several threads produce concurrently and one thread consumes in
// order.

#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace transfold::weights {

/// The bytes of a piece.
using Piece = std::vector<std::byte>;

/// Calls `make` for 0 … count - 1 on `threads` threads (at least 1), and `take`
/// with each result on the calling thread, in order. The memory of pieces is
/// reused; there are two for each thread. An exception of `make` or `take`
/// stops the other threads and is rethrown.
void inOrder(size_t count, unsigned threads,
             const std::function<void(size_t, Piece &)> &make,
             const std::function<void(size_t, const Piece &)> &take);

} // namespace transfold::weights
