// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of 8-bit integers in the form in which a product reads them, computed
// once for all columns. Either words of four integers, which are broadcast:
//
//   integers(word, rows…)
//
// or octets, of two rows side by side: an instruction multiplies these 16 bytes
// with 16 bytes of two columns (ARM's smmla).
//
//   integers(row % 2, octet, …, row / 2, …)

#include "base/numeric/BlockFormat.h"
#include "compiler/kernels/algorithm/product/Product.h"
#include "compiler/kernels/algorithm/product/WordDot.h"

#include <algorithm>

using namespace Halide;

namespace transfold::kernels {

/// Index of the label `row`, the row of a tile, among the labels other than
/// `over`.
static size_t rowOfTile(const Labels &rows, const std::string &over,
                        const std::string &row) {
  size_t place = 0;
  for (const std::string &label : rows) {
    if (label == row)
      return place;
    place += label != over;
  }
  throw std::runtime_error("octets need rows in pairs, and there are none");
}

Func AlgorithmBuilder::integersOfRows(const Product &product,
                                      const Contraction &contraction) {
  auto word = [&](Indices place, const Expr &number) {
    return wordOfBytes([&](int byte) {
      place.back() = number + byte;
      return product.lhs.quantized->code(place);
    });
  };
  const std::string name = uniqueName("integers");
  if (!octets)
    return ofRows(name, product.lhsLabels, product.shape.over,
                  [&](const Indices &place, const Var &channel) {
                    return word(place, channel * codesOfWord);
                  });
  Func rows = ofRows(name + "_of_row", product.lhsLabels, product.shape.over,
                     [&](const Indices &place, const Var &channel) {
                       Expr number = channel * codesOfEntry();
                       return octetOfWords(word(place, number),
                                           word(place, number + codesOfWord));
                     });
  Var half("half");
  std::vector<Var> own = rows.args();
  std::vector<Expr> place(own.begin(), own.end());
  Expr &row = place[1 + rowOfTile(product.lhsLabels, product.shape.over,
                                  product.labels[contraction.row.value()])];
  row = row * 2 + half;
  own.insert(own.begin(), half);
  Func pairs(name);
  pairs(own) = rows(place);
  return pairs;
}

// The integers at `place`: (word or octet, rows…).
Expr AlgorithmBuilder::integersAt(const Product &product,
                                  const Contraction &contraction,
                                  std::vector<Expr> place) const {
  if (!octets)
    return contraction.prepared(place);
  Expr &row = place[1 + rowOfTile(product.lhsLabels, product.shape.over,
                                  product.labels[contraction.row.value()])];
  Expr half = row % 2;
  row = row / 2;
  place.insert(place.begin(), half);
  return contraction.prepared(place);
}

} // namespace transfold::kernels
