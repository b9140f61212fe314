// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TRANSFOLD_COMPILER_KERNELS_ALGORITHM_DEVICETILES_H
#define TRANSFOLD_COMPILER_KERNELS_ALGORITHM_DEVICETILES_H

#include "compiler/kernels/algorithm/TensorLabels.h"

namespace transfold::kernels {

/// An operand of a product as a function (place, channel, members…), and where
/// the product reads it: what the threads of a block can load together.
struct DeviceTile {
  Halide::Func function;
  std::vector<Halide::Expr> place;

  Halide::Expr read() const { return function(place); }
  /// Of several operands, number `which`.
  Halide::Expr read(size_t which) const {
    return function.outputs() == 1 ? read()
                                   : function(place)[static_cast<int>(which)];
  }
};

/// Of an operand with `labels` and the entries `entry`: `own` is what lies side
/// by side in a tile, `over` what is summed.
DeviceTile deviceTileOf(const std::string &name, const Labels &labels,
                        const std::string &own, const std::string &over,
                        const Places &places, const Entry &entry);

/// Of several operands with the same labels, as a tuple.
DeviceTile deviceTileOf(const std::string &name, const Labels &labels,
                        const std::string &own, const std::string &over,
                        const Places &places,
                        const std::vector<Entry> &entries);

} // namespace transfold::kernels

#endif // TRANSFOLD_COMPILER_KERNELS_ALGORITHM_DEVICETILES_H
