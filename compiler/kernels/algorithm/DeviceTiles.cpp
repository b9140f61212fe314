// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product on a device, where the threads of a block work on a tile of rows
// and columns and read the operands of it together:
//
//   x(n, k, members…), W(c, k, members…)
//   sum(c, n, …) = Σ_k x(n, k, …) W(c, k, …)
//
// Both are functions of their own, with what lies side by side in a tile first.

#include "compiler/kernels/algorithm/DeviceTiles.h"

#include "compiler/kernels/algorithm/Product.h"

using namespace Halide;

namespace transfold::kernels {

DeviceTile deviceTileOf(const std::string &name, const Labels &labels,
                        const std::string &own, const std::string &over,
                        const Places &places, const Entry &entry) {
  Var first("place"), channel("channel");
  DeviceTile tile{Func(name), {places.at(own), places.at(over)}};
  std::vector<Var> variables{first, channel};
  Indices source;
  for (const std::string &label : labels) {
    if (label == own) {
      source.emplace_back(first);
    } else if (label == over) {
      source.emplace_back(channel);
    } else {
      variables.emplace_back("member" + std::to_string(variables.size()));
      source.emplace_back(variables.back());
      tile.place.push_back(places.at(label));
    }
  }
  tile.function(variables) = entry(source);
  return tile;
}

Expr AlgorithmBuilder::termOfTiles(Product &product, Contraction &contraction) {
  const Tensor &lhs = product.lhs, &rhs = product.rhs;
  const std::string &over = product.shape.over;
  // Rows behind the end of a tile are the last one again. Arguments do so by
  // themselves, but for their last axis.
  auto row = [&](Indices place) {
    const std::string &last = product.lhsLabels.back();
    if (!lhs.axes.back().isLength() && last == product.labels[*contraction.row])
      place.back() =
          min(place.back(), static_cast<int>(lhs.axes.back().size) - 1);
    return lhs.at(place);
  };
  DeviceTile rows =
      deviceTileOf(uniqueName("rows"), product.lhsLabels,
                   product.labels[*contraction.row], over, product.places, row);
  DeviceTile columns = deviceTileOf(uniqueName("columns"), product.rhsLabels,
                                    product.labels[*contraction.column], over,
                                    product.places, rhs.at);
  contraction.tileOfRows = rows.function;
  contraction.tileOfColumns = columns.function;
  return rows.read() * columns.read();
}

} // namespace transfold::kernels
