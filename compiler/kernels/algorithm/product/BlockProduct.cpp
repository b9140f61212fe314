// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products with a matrix in blocks (dialect/blocks). Its values are scale_g
// code_k + minimum_g, with a scale and a minimum for each group g:
//
//   Σ_k x_k W_k = Σ_g ( scale_g Σ_{k in g} x_k code_k
//                       + minimum_g Σ_{k in g} x_k )
//
// so the inner sum has no arithmetic but a multiplication with codes, and the
// sums of x alone are the same for all columns.
//
// Codes of less than 8 bits are read four at a time, as the bytes of a word.
// Byte b is not shifted to the right: its bits, left in place and converted to
// float, are 256^b code, and x was multiplied with 256^-b before. Both are
// exact: codes in words have 6 bits at most, so that the highest byte has no
// sign bit, and only an x below 2^-102 would lose digits. Words that are
// assembled from two bit fields go through memory, because LLVM would assemble
// each of their bytes separately.
//
// The float16 scale of a block is widened once for all groups of the block.

#include "base/numeric/BlockFormat.h"
#include "compiler/kernels/algorithm/product/Product.h"

using namespace Halide;

namespace transfold::kernels {

// Sets loops over the values of a group, the groups of a block, and the blocks.
void AlgorithmBuilder::sumOverBlocks(Product &product,
                                     Contraction &contraction) {
  const BlockFormat &format = *product.rhs.blocks->format;
  const std::string &over = product.shape.over;
  const int group = format.groupNumbers();
  const int64_t size = product.shape.summed.size;
  if (product.shape.summed.isLength() || size % format.numbers ||
      (depth && depth != group))
    throw std::runtime_error("parts of " + std::to_string(depth) +
                             " are not the groups of " +
                             std::string(format.name));
  RDom &own = contraction.over;
  if (product.isOfIntegers()) {
    own = RDom(0, group / codesOfEntry(), uniqueName("over"));
    product.number = own.x * codesOfEntry();
  } else if (widens) {
    own = RDom(0, group, uniqueName("over"));
    product.number = own.x;
  } else { // the words of a group are loaded once
    own = RDom(0, codesOfWord, 0, group / codesOfWord, uniqueName("over"));
    product.number = own.y * codesOfWord + own.x;
  }
  contraction.parts =
      RDom(0, format.groups(), 0, static_cast<int>(size / format.numbers),
           uniqueName("parts"));
  product.parts = {Var("group"), Var("block")};
  product.places.set(over, product.parts[1] * format.numbers +
                               product.parts[0] * group + product.number);
}

// Defines scales or minimums as functions that are computed once for each block
// (column, block, members…) and once for each group (column, group, block,
// members…). Returns the entry of the latter at a place.
static Entry definedByGroup(const std::string &name, const Entry &ofBlock,
                            const Blocks::OfGroup &ofGroup,
                            Contraction &contraction, size_t members) {
  Var column("column"), group("group"), block("block");
  std::vector<Var> own{column, block};
  Indices place;
  for (size_t i = 0; i < members; ++i) {
    own.emplace_back("member" + std::to_string(i));
    place.emplace_back(own.back());
  }
  Indices first = place, any = place;
  first.insert(first.end(), {block, 0, 0, column});
  any.insert(any.end(), {block, group, 0, column});
  Func blocks(name + "_of_blocks"), groups(name);
  blocks(own) = ofBlock(first);
  contraction.blocks()->ofBlocks.push_back(blocks);
  std::vector<Expr> arguments(own.begin(), own.end());
  own.insert(own.begin() + 1, group);
  groups(own) = ofGroup(any, blocks(arguments));
  contraction.blocks()->ofGroups.push_back(groups);
  return [=](const Indices &i) -> Expr { // (members…, block, group, column)
    std::vector<Expr> at{i.back(), i[members + 1], i[members]};
    at.insert(at.end(), i.begin(), i.begin() + static_cast<int>(members));
    return groups(at);
  };
}

// The codes at `place` as the bytes of a word; read from a function of words,
// `words` of the terms, if they are assembled from two bit fields.
static Expr stagedWord(const std::string &name, const Blocks &blocks,
                       const Indices &place, Contraction &contraction) {
  if (!blocks.format->high.isThere())
    return blocks.word(place);
  Var column("column"), word("word"), group("group"), block("block");
  const size_t members = place.size() - 4;
  std::vector<Var> own{column, word, group, block};
  std::vector<Expr> arguments{place.back(), place[members + 2] / codesOfWord,
                              place[members + 1], place[members]};
  Indices source;
  for (size_t i = 0; i < members; ++i) {
    source.emplace_back(own.emplace_back("member" + std::to_string(i)));
    arguments.push_back(place[i]);
  }
  source.insert(source.end(), {block, group, word * codesOfWord, column});
  Func words(name);
  words(own) = blocks.word(source);
  contraction.blocks()->words = words;
  return words(arguments);
}

// W at a place without its scale: the code, or its bits within a word.
Expr AlgorithmBuilder::codeOf(const Blocks &blocks, const Indices &place,
                              Contraction &contraction) {
  if (!blocks.word)
    return cast<float>(blocks.code(place));
  Expr word = stagedWord(uniqueName("words"), blocks, place, contraction);
  Expr up = cast<uint32_t>(place[place.size() - 2] % codesOfWord * 8);
  Expr byte{uint32_t{0xff}};
  return cast<float>(
      cast<int32_t>(widens ? (word >> up) & byte : word & (byte << up)));
}

// The codes of W at the places of a product, unchanged or from widened panels.
Expr AlgorithmBuilder::codesOfProduct(Product &product,
                                      Contraction &contraction) {
  const Labels &labels = product.rhsLabels;
  if (!contraction.isOfColumns ||
      labels[labels.size() - 2] != product.shape.over)
    throw std::runtime_error("a matrix in blocks is summed along its rows");
  if (!contraction.blocks())
    contraction.terms = BlockTerms();
  const Blocks &blocks = *product.rhs.blocks;
  const Var &ofBlock = product.parts[1], &ofGroup = product.parts[0];
  Indices place = product.places.of(product.members());
  const size_t members = place.size();
  const Expr column = product.places.at(labels.back());
  auto codesAt = [&](const Indices &at) {
    return product.isOfIntegers() ? entryOfCodes(blocks, at)
                                  : codeOf(blocks, at, contraction);
  };
  if (!widens) {
    place.insert(place.end(), {ofBlock, ofGroup, product.number, column});
    return codesAt(place);
  }
  const int numbers =
      product.isOfIntegers() ? codesOfEntry() : 1; // values of an entry
  const int width = contraction.width;
  Var lane("lane"), entry("entry"), group("group"), block("block"),
      panel("panel");
  std::vector<Var> variables{lane, entry, group, block, panel};
  std::vector<Expr> arguments{column % width, contraction.over.x, ofGroup,
                              ofBlock, column / width};
  Indices source;
  for (size_t i = 0; i < members; ++i) {
    variables.emplace_back("member" + std::to_string(i));
    arguments.push_back(place[i]);
    source.emplace_back(variables.back());
  }
  source.insert(source.end(),
                {block, group, entry * numbers, panel * width + lane});
  contraction.panels = Func(uniqueName("panels"));
  contraction.panels(variables) = codesAt(source);
  return contraction.panels(arguments);
}

/// The channel is the first argument, so that the values of a row are adjacent.
Func ofRows(const std::string &name, const Labels &labels,
            const std::string &over,
            const std::function<Expr(const Indices &, Var)> &entry) {
  Var channel("channel");
  std::vector<Var> own{channel};
  Indices source;
  for (const std::string &label : labels) {
    if (label != over)
      own.emplace_back("row" + std::to_string(own.size()));
    source.emplace_back(label == over ? channel : own.back());
  }
  Func function(name);
  function(own) = entry(source, channel);
  return function;
}

// x_k 256^-(k % 4) at the places of a product.
Expr AlgorithmBuilder::timesPowers(Product &product, Contraction &contraction) {
  contraction.prepared =
      ofRows(uniqueName("shifted"), product.lhsLabels, product.shape.over,
             [&](const Indices &source, const Var &channel) {
               Expr exponent = cast<uint32_t>(127 - channel % codesOfWord * 8);
               return product.lhs.at(source) *
                      reinterpret<float>(exponent << Expr(uint32_t{23}));
             });
  return contraction.prepared(
      product.ofRows(product.places.at(product.shape.over)));
}

// Σ_k x_k of each group, for minimums: lane l sums every eighth k, and the
// lanes are then added by halves.
static Func sumsOfGroups(const std::string &name, const Tensor &lhs,
                         const Labels &labels, const std::string &over,
                         int group, Contraction &contraction) {
  constexpr int lanes = 8;
  Func all =
      ofRows(name + "_x", labels, over,
             [&](const Indices &place, const Var &) { return lhs.at(place); });
  std::vector<Var> variables = all.args();
  Var lane("lane"), number("group");
  std::vector<Expr> place(variables.begin(), variables.end());
  Expr sum;
  for (int k = 0; k < group; k += lanes) {
    place[0] = number * group + k + lane;
    sum = sum.defined() ? sum + all(place) : all(place);
  }
  variables[0] = number;
  std::vector<Var> ofLane = variables;
  ofLane.insert(ofLane.begin(), lane);
  Func partial(name + "_lanes"), sums(name);
  partial(ofLane) = sum;
  std::vector<Expr> parts;
  for (int k = 0; k < lanes; ++k) {
    std::vector<Expr> own(ofLane.begin(), ofLane.end());
    own[0] = k;
    parts.push_back(partial(own));
  }
  for (size_t half = lanes / 2; half > 0; half /= 2)
    for (size_t k = 0; k < half; ++k)
      parts[k] = parts[k] + parts[k + half];
  sums(variables) = parts[0];
  contraction.blocks()->lanesOfSums = partial;
  return sums;
}

// Returns `total` plus the term of one more group, whose `sum` is Σ_k x_k
// code_k: one multiply-add, or two if the format has minimums.
Expr AlgorithmBuilder::withGroup(const Product &product,
                                 Contraction &contraction, Expr total,
                                 const Expr &sum) {
  const Blocks &blocks = *product.rhs.blocks;
  const Expr group = contraction.parts.x, block = contraction.parts.y,
             number = block * blocks.format->groups() + group;
  Indices place = product.places.of(product.members());
  const size_t members = place.size();
  place.insert(place.end(),
               {block, group, product.places.at(product.rhsLabels.back())});
  Entry scale = definedByGroup(uniqueName("scales"), blocks.scaleOfBlock,
                               blocks.scale, contraction, members);
  // A bias is contained in the integers that sums begin with.
  if (product.isOfIntegers() ? hasMinimum(*blocks.format)
                             : blocks.minimum != nullptr) {
    Entry minimum =
        definedByGroup(uniqueName("minimums"), blocks.minimumOfBlock,
                       blocks.minimum, contraction, members);
    const Func sums =
        product.isOfIntegers()
            ? sumsOfIntegers(product, contraction)
            : sumsOfGroups(uniqueName("sums"), product.lhs, product.lhsLabels,
                           product.shape.over, blocks.format->groupNumbers(),
                           contraction);
    contraction.blocks()->sumsOfGroups = sums;
    total += minimum(place) * sums(product.ofRows(number));
  }
  if (product.isOfIntegers())
    return total + cast<float>(sum) * product.scaleOfRow(number) * scale(place);
  return total + sum * scale(place);
}

} // namespace transfold::kernels
