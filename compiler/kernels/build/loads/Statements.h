// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of statements as lists.

#pragma once

#include <Halide.h>

#include <vector>

namespace transfold::kernels {

/// The statements of a block in sequence; for any other statement, the
/// statement itself.
inline std::vector<Halide::Internal::Stmt>
statementsOf(Halide::Internal::Stmt body) {
  std::vector<Halide::Internal::Stmt> all;
  while (const auto *block = body.as<Halide::Internal::Block>()) {
    all.push_back(block->first);
    body = block->rest;
  }
  all.push_back(body);
  return all;
}

} // namespace transfold::kernels
