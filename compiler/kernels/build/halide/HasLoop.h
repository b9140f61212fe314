// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A query about loops that several lowering passes need.

#pragma once

#include <Halide.h>

#include <optional>

namespace transfold::kernels {

/// Whether a statement contains a loop, of kind `type` if that is given.
inline bool
hasLoop(const Halide::Internal::Stmt &stmt,
        std::optional<Halide::Internal::ForType> type = std::nullopt) {
  using namespace Halide::Internal;
  struct Visitor : IRGraphVisitor {
    std::optional<ForType> type;
    bool found = false;

    using IRGraphVisitor::visit;
    void visit(const For *loop) override {
      found |= !type || loop->for_type == *type;
      IRGraphVisitor::visit(loop);
    }
  } loops;
  loops.type = type;
  stmt.accept(&loops);
  return loops.found;
}

} // namespace transfold::kernels
