// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tile of sums that a contraction on a processor holds in registers.

#pragma once

#include "compiler/kernels/schedule/Schedules.h"

#include <Halide.h>

#include <optional>
#include <vector>

namespace transfold::kernels {

/// The part of the result that a loop computes at a time. Sizes are 1 if the
/// result has no such axis.
struct ContractionTile {
  std::optional<Halide::Var> column, row;
  /// The other axes of the result: a task computes one entry along each.
  std::vector<Halide::Var> members;
  int columns = 1, rows = 1, vector = 1;
  /// Matrix registers or instructions compute its sums.
  bool isCall = false;

  /// The loops of a stage inside the tile: vectors of columns, and rows.
  template <typename Part> void unroll(Part part) const {
    if (column)
      part.vectorize(*column, vector).unroll(*column);
    if (row)
      part.unroll(*row);
  }

  /// Holds all sums in registers, inside loop `level`; the loops `within` are
  /// inside those of the tile, the loops `over` around them.
  void hold(Halide::Func stage, Halide::LoopLevel level,
            const std::vector<Halide::RVar> &over,
            const std::vector<Halide::RVar> &within = {},
            const std::optional<Halide::Var> &half = std::nullopt) const {
    stage.compute_at(level).store_in(Halide::MemoryType::Register);
    std::vector<Halide::VarOrRVar> order(within.begin(), within.end());
    if (column) {
      stage.bound_extent(*column, columns);
      order.emplace_back(*column);
    }
    if (row) {
      stage.bound_extent(*row, rows);
      order.emplace_back(*row);
    }
    // Halide does not find this through several loops that are one.
    if (members.size() > 1)
      for (const Halide::Var &member : members)
        stage.bound_extent(member, 1);
    if (half) {
      stage.bound_extent(*half, 2).unroll(*half);
      order.emplace_back(*half);
    }
    order.insert(order.end(), over.begin(), over.end());
    unroll(Halide::Stage(stage));
    Halide::Stage update = stage.update().reorder(order);
    for (const Halide::RVar &inner : within)
      update.atomic().vectorize(inner);
    unroll(update);
    if (half)
      update.unroll(*half);
  }
};

} // namespace transfold::kernels
