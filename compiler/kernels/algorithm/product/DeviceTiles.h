// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands of a product as functions of their own, for tiles in the shared
// memory of a thread block.

#pragma once

#include "compiler/kernels/algorithm/tensor/TensorLabels.h"

namespace transfold::kernels {

/// An operand of a product as a function (place, channel, members…), and the
/// arguments at which the product reads it: the data that the threads of a
/// block can load together.
struct DeviceTile {
  Halide::Func function;
  std::vector<Halide::Expr> place;

  /// The operand where the product reads it.
  Halide::Expr read() const { return function(place); }
  /// With several operands, the value of operand `which`.
  Halide::Expr read(size_t which) const {
    return function.outputs() == 1 ? read()
                                   : function(place)[static_cast<int>(which)];
  }
};

/// Makes the tile function of an operand with labels `labels` and entries
/// `entry`. `own` is the label of the places that are adjacent in a tile (rows
/// or columns), `over` the label that is summed over.
DeviceTile deviceTileOf(const std::string &name, const Labels &labels,
                        const std::string &own, const std::string &over,
                        const Places &places, const Entry &entry);

/// The same for several operands with the same labels: the function is a tuple.
DeviceTile deviceTileOf(const std::string &name, const Labels &labels,
                        const std::string &own, const std::string &over,
                        const Places &places,
                        const std::vector<Entry> &entries);

} // namespace transfold::kernels
