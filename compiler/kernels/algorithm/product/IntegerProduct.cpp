// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of rows of integers, x = r q with a scale r of each group of values
// of a row, with a matrix in blocks, W = scale code + minimum:
//
//   Σ_k x_k W_k = Σ_g ( r_g scale_g Σ_{k in g} q_k code_k
//                       + minimum_g r_g Σ_{k in g} q_k )
//
// The sums of a group are integers of at most 64 · 127 · 255, and exact. Words
// of four codes are multiplied with words of four q: one or two instructions
// for each vector of words (build/llvm/WordDots.cpp).
//
// Codes that stand for code - bias cost no more: the sum begins with an integer
// that is the same for all columns,
//
//   Σ_k q_k (code_k - bias) = -bias Σ_k q_k + Σ_k q_k code_k
//
// The VNNI instruction takes unsigned codes, so signed codes become code + 128,
// by flipping their highest bit, and have a bias of 128.

#include "base/numeric/BlockFormat.h"
#include "compiler/kernels/algorithm/product/Product.h"
#include "compiler/kernels/algorithm/product/WordDot.h"

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

/// Whether codes are signed bytes: in two's complement, or values of a table.
static bool haveSigns(const BlockFormat &format) {
  return format.isSigned || format.table;
}

/// The mask that flips the sign bits of a word of codes, and the resulting
/// bias.
constexpr uint32_t signsOfWord = 0x80808080;
constexpr int biasOfSigns = 128;

int AlgorithmBuilder::biasOfCodes(const Product &product) const {
  const BlockFormat &format = *product.rhs.blocks->format;
  return takesUnsignedCodes && haveSigns(format) ? biasOfSigns : format.bias;
}

// The mark for codes of a format, from the largest magnitude of a code.
static WordDotMark markOf(const BlockFormat &format) {
  constexpr int largestNumber = 127;
  int largest = 1 << (format.low.bits + format.high.bits);
  WordDotMark mark{haveSigns(format)};
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

int AlgorithmBuilder::codesOfEntry() const {
  return octets ? 2 * codesOfWord : codesOfWord;
}

Expr AlgorithmBuilder::entryOfCodes(const Blocks &blocks,
                                    const Indices &place) const {
  if (!octets)
    return wordOfCodes(blocks, place);
  Indices next = place;
  next[next.size() - 2] += codesOfWord;
  return octetOfWords(wordOfCodes(blocks, place), wordOfCodes(blocks, next));
}

Expr AlgorithmBuilder::wordOfCodes(const Blocks &blocks,
                                   const Indices &place) const {
  if (blocks.word)
    return blocks.word(place);
  Expr word = wordOfBytes([&](int byte) {
    Indices own = place;
    own[own.size() - 2] += byte;
    return blocks.code(own);
  });
  return takesUnsignedCodes ? word ^ Expr(signsOfWord) : word;
}

// Σ_b code_b q_b of word (or octet) `over.x` of a group.
Expr AlgorithmBuilder::dotOfIntegers(Product &product,
                                     Contraction &contraction) {
  const BlockFormat &format = *product.rhs.blocks->format;
  contraction.terms =
      BlockTerms{octets ? BlockTerms::Codes::Octets : BlockTerms::Codes::Words};
  contraction.prepared = integersOfRows(product, contraction);
  Expr group = product.parts[1] * format.groups() + product.parts[0];
  Expr entry =
      group * (format.groupNumbers() / codesOfEntry()) + contraction.over.x;
  Expr numbers = integersAt(product, contraction, product.ofRows(entry));
  WordDotMark mark = markOf(format);
  mark.isSigned &= !takesUnsignedCodes;
  return dotOfEntries(codesOfProduct(product, contraction), numbers, mark,
                      hasMarks);
}

// Defines a function (group, rows…) of the sum Σ_k q_k of each group: `of`,
// applied to the sum and the place (rows…, group) of its scale. The sum has one
// lane for each word or octet of the group.
Func AlgorithmBuilder::ofSumsOfIntegers(
    const Product &product, Contraction &contraction, const std::string &name,
    const std::function<Expr(const Expr &, const Indices &)> &of) {
  const int size = product.rhs.blocks->format->groupNumbers(),
            lanes = size / codesOfEntry();
  Var lane("lane"), group("group");
  std::vector<Var> ofGroup = contraction.prepared.args();
  if (octets)
    ofGroup.erase(ofGroup.begin());
  std::vector<Expr> entry(ofGroup.begin(), ofGroup.end());
  ofGroup[0] = group;
  entry[0] = group * lanes + lane;
  std::vector<Var> ofLane = ofGroup;
  ofLane.insert(ofLane.begin(), lane);
  Func dots(uniqueName("sums_of_words")), totals(uniqueName("sums_of_group")),
      sums(uniqueName(name));
  Expr one(uint32_t{0x01010101});
  dots(ofLane) = dotOfEntries(octets ? octetOfWords(one, one) : one,
                              integersAt(product, contraction, entry),
                              {false, 1}, hasMarks);
  RDom over(0, lanes, uniqueName("lanes"));
  std::vector<Expr> place(ofLane.begin(), ofLane.end());
  place[0] = over.x;
  totals(ofGroup) = 0;
  totals(ofGroup) += dots(place);
  Indices rows(ofGroup.begin() + 1, ofGroup.end());
  rows.emplace_back(group * size / product.lhs.quantized->group);
  sums(ofGroup) =
      of(totals(std::vector<Expr>(ofGroup.begin(), ofGroup.end())), rows);
  BlockTerms &terms = *contraction.blocks();
  terms.lanesOfSums = dots;
  terms.totalsOfSums = totals;
  terms.sumsOfGroups = sums;
  return sums;
}

// r_g Σ_k q_k of each group.
Func AlgorithmBuilder::sumsOfIntegers(const Product &product,
                                      Contraction &contraction) {
  return ofSumsOfIntegers(
      product, contraction, "sums", [&](const Expr &sum, const Indices &rows) {
        return cast<float>(sum) * product.lhs.quantized->scale(rows);
      });
}

// -bias Σ_k q_k of the group of the current part, or 0 without a bias.
Expr AlgorithmBuilder::startOfIntegers(const Product &product,
                                       Contraction &contraction) {
  const int bias = biasOfCodes(product);
  if (bias == 0)
    return 0;
  Func starts = ofSumsOfIntegers(
      product, contraction, "starts",
      [&](const Expr &sum, const Indices &) { return sum * -bias; });
  const Expr group = product.parts[0], block = product.parts[1];
  return starts(
      product.ofRows(block * product.rhs.blocks->format->groups() + group));
}

} // namespace transfold::kernels
