// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of rows of integers, x = r q with a scale r of each 32 numbers, with
// a matrix in blocks, W = scale code + minimum:
//
//   Σ_k x_k W_k = Σ_g ( r_g scale_g Σ_{k in g} q_k code_k
//                       + minimum_g r_g Σ_{k in g} q_k )
//
// Sums of a group are integers, of at most 32 · 127 · 128, and exact. Words of
// four codes meet words of four q: one or two instructions for each vector of
// words (build/WordDots.cpp).

#include "compiler/kernels/algorithm/Product.h"
#include "compiler/kernels/algorithm/WordDot.h"
#include "dialect/blocks/BlockFormat.h"

#include <cstdlib>

using namespace Halide;

namespace transfold::kernels {

bool AlgorithmBuilder::Product::isOfIntegers() const {
  return rhs.blocks && lhs.quantized && lhsLabels.back() == shape.over &&
         lhs.quantized->group % rhs.blocks->format->groupNumbers() == 0;
}

Expr AlgorithmBuilder::Product::scaleOfRow(const Expr &group) const {
  Places own = places;
  own.set(shape.over,
          group * rhs.blocks->format->groupNumbers() / lhs.quantized->group);
  return lhs.quantized->scale(own.of(lhsLabels));
}

Expr wordOfCodes(const Blocks &blocks, const Indices &place) {
  if (blocks.word)
    return blocks.word(place);
  return wordOfBytes([&](int byte) {
    Indices own = place;
    own[own.size() - 2] += byte;
    return blocks.code(own);
  });
}

static WordDotMark markOf(const BlockFormat &format) {
  constexpr int largestNumber = 127;
  int largest = 1 << (format.low.bits + format.high.bits);
  WordDotMark mark{format.isSigned || format.table};
  if (format.table) {
    largest = 0;
    for (int8_t value : *format.table)
      largest = std::max(largest, std::abs(int{value}));
  } else if (!format.isSigned) {
    largest -= 1;
  } else {
    largest /= 2;
  }
  mark.summable = INT16_MAX / (2 * largest * largestNumber);
  return mark;
}

// Σ_b code_b q_b of word `over.x` of a group.
Expr AlgorithmBuilder::dotOfIntegers(Product &product,
                                     Contraction &contraction) {
  const BlockFormat &format = *product.rhs.blocks->format;
  contraction.isOfIntegers = true;
  contraction.prepared =
      ofRows(uniqueName("integers"), product.lhsLabels, product.shape.over,
             [&](Indices source, const Var &word) {
               return wordOfBytes([&](int byte) {
                 source.back() = word * codesOfWord + byte;
                 return product.lhs.quantized->code(source);
               });
             });
  Expr group = product.parts[1] * format.groups() + product.parts[0];
  Expr word =
      group * (format.groupNumbers() / codesOfWord) + contraction.over.x;
  Expr numbers = contraction.prepared(product.ofRows(word));
  return dotOfWords(codesOfProduct(product, contraction), numbers,
                    markOf(format), hasMarks);
}

// r_g Σ_k q_k of each group: a lane of words for each word of a group.
Func AlgorithmBuilder::sumsOfIntegers(const Product &product,
                                      Contraction &contraction) {
  const int lanes = product.rhs.blocks->format->groupNumbers() / codesOfWord;
  Var lane("lane"), group("group");
  std::vector<Var> ofGroup = contraction.prepared.args();
  std::vector<Expr> word(ofGroup.begin(), ofGroup.end());
  ofGroup[0] = group;
  word[0] = group * lanes + lane;
  std::vector<Var> ofLane = ofGroup;
  ofLane.insert(ofLane.begin(), lane);
  Func dots(uniqueName("sums_of_words")), sums(uniqueName("sums"));
  dots(ofLane) = dotOfWords(Expr(uint32_t{0x01010101}),
                            contraction.prepared(word), {false, 1}, hasMarks);
  Expr sum;
  for (int i = 0; i < lanes; ++i) {
    std::vector<Expr> place(ofLane.begin(), ofLane.end());
    place[0] = i;
    sum = sum.defined() ? sum + dots(place) : dots(place);
  }
  Indices rows(ofGroup.begin() + 1, ofGroup.end());
  rows.emplace_back(group * product.rhs.blocks->format->groupNumbers() /
                    product.lhs.quantized->group);
  sums(ofGroup) = cast<float>(sum) * product.lhs.quantized->scale(rows);
  contraction.lanesOfSums = dots;
  return sums;
}

} // namespace transfold::kernels
