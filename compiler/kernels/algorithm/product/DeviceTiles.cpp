// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product on a device, where the threads of a block compute a tile of rows
// and columns and load the operands of the tile together:
//
//   x(n, k, members…), W(c, k, members…)
//   sum(c, n, …) = Σ_k x(n, k, …) W(c, k, …)
//
// Both operands are functions of their own, whose first argument is the one
// that is adjacent in a tile. For tensor cores, their values are words of two
// bfloat16, and k is the number of a word.

#include "compiler/kernels/algorithm/product/DeviceTiles.h"

#include "compiler/kernels/algorithm/product/PairDot.h"
#include "compiler/kernels/algorithm/product/Product.h"

using namespace Halide;

namespace transfold::kernels {

DeviceTile deviceTileOf(const std::string &name, const Labels &labels,
                        const std::string &own, const std::string &over,
                        const Places &places, const Entry &entry) {
  return deviceTileOf(name, labels, own, over, places,
                      std::vector<Entry>{entry});
}

DeviceTile deviceTileOf(const std::string &name, const Labels &labels,
                        const std::string &own, const std::string &over,
                        const Places &places,
                        const std::vector<Entry> &entries) {
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
  std::vector<Expr> numbers;
  numbers.reserve(entries.size());
  for (const Entry &entry : entries)
    numbers.push_back(entry(source));
  if (numbers.size() == 1)
    tile.function(variables) = numbers.front();
  else
    tile.function(variables) = Tuple(numbers);
  return tile;
}

std::vector<Expr>
AlgorithmBuilder::termsOfTiles(Product &product,
                               const std::vector<Tensor> &matrices,
                               Contraction &contraction) {
  const Tensor &lhs = product.lhs;
  const std::string &over = product.shape.over;
  if (product.isOfPairs())
    return termsOfFragments(product, matrices, contraction);
  // Rows past the end of a tile repeat the last row. Arguments clamp by
  // themselves, except along their last axis.
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
  std::vector<Entry> entries;
  entries.reserve(matrices.size());
  for (const Tensor &matrix : matrices)
    entries.push_back(matrix.at);
  DeviceTile columns = deviceTileOf(uniqueName("columns"), product.rhsLabels,
                                    product.labels[*contraction.column], over,
                                    product.places, entries);
  contraction.device.tileOfRows = rows.function;
  contraction.device.tileOfColumns = columns.function;
  std::vector<Expr> terms;
  for (size_t i = 0; i < matrices.size(); ++i)
    terms.push_back(rows.read() * columns.read(i));
  return terms;
}

std::vector<Expr>
AlgorithmBuilder::termsOfFragments(Product &product,
                                   const std::vector<Tensor> &matrices,
                                   Contraction &contraction) {
  contraction.terms = PairTerms::Fragments;
  const std::string &over = product.shape.over;
  Places places = product.places;
  places.set(over, product.pair);
  auto row = [&](Indices place) {
    constexpr PairsOfChannels pairs{pairDistance};
    const Expr pair = place.back();
    auto of = [&](const Expr &channel) {
      place.back() = channel;
      return product.lhs.narrow(place);
    };
    const Expr low = of(pairs.low(pair));
    return wordOfPair(low, of(pairs.high(pair)));
  };
  DeviceTile rows =
      deviceTileOf(uniqueName("rows"), product.lhsLabels,
                   product.labels[*contraction.row], over, places, row);
  std::vector<Entry> entries;
  entries.reserve(matrices.size());
  for (const Tensor &matrix : matrices)
    entries.push_back(matrix.pairs);
  DeviceTile columns =
      deviceTileOf(uniqueName("columns"), product.rhsLabels,
                   product.labels[*contraction.column], over, places, entries);
  contraction.device.tileOfRows = rows.function;
  contraction.device.tileOfColumns = columns.function;
  std::vector<Expr> terms;
  for (size_t i = 0; i < matrices.size(); ++i)
    terms.push_back(dotOfFragments(rows.read(), columns.read(i)));
  return terms;
}

} // namespace transfold::kernels
