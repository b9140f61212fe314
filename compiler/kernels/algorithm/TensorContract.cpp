// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two products of an attention, in index notation.

#include "compiler/kernels/algorithm/TensorLabels.h"

using namespace Halide;

namespace transfold::kernels {

Tensor AlgorithmBuilder::contract(const Tensor &lhs, const Labels &lhsLabels,
                                  const Tensor &rhs, const Labels &rhsLabels,
                                  const Labels &labels) {
  if (!isAttention)
    return product(lhs, lhsLabels, rhs, rhsLabels, labels);
  // Keys stand on the right of scores, their softmax on the left of a mixture.
  bool isTurned = algorithm.contractions.empty()
                      ? contains(lhsLabels, labels.back()) &&
                            !contains(rhsLabels, labels.back())
                      : rhs.numerator && !lhs.numerator;
  if (isTurned)
    return contract(rhs, rhsLabels, lhs, lhsLabels, labels);
  if (hasPartsAsTasks())
    return algorithm.contractions.empty()
               ? scoresInParts(lhs, lhsLabels, rhs, rhsLabels, labels)
               : mixtureInParts(lhs, lhsLabels, rhs, rhsLabels, labels);
  std::string over = summedLabel(lhsLabels, rhsLabels, labels);
  auto axes = axesByLabel(lhs, lhsLabels, rhs, rhsLabels);
  std::vector<Axis> resultAxes;
  // Variables are not named after labels: schedules name variables too.
  std::vector<Var> variables = indexVariables(labels.size());
  std::map<std::string, Expr> position;
  for (size_t i = 0; i < labels.size(); ++i) {
    resultAxes.push_back(axes.at(labels[i]));
    position[labels[i]] = variables[i];
  }
  std::vector<Var> pure;
  std::vector<Expr> arguments;
  auto indicesOf = [&](const Labels &own) {
    Indices indices;
    for (const std::string &label : own)
      indices.push_back(position.at(label));
    return indices;
  };

  Contraction contraction;
  Var part("part");
  bool isScores = algorithm.contractions.empty();
  if (isScores && resultAxes.size() >= 2)
    beginPieces(resultAxes[resultAxes.size() - 2], resultAxes.back());
  pure = variablesOf(variables);
  arguments = {pure.begin(), pure.end()};
  // Over a length: whole blocks, so that the loop unrolls without a rest. The
  // weights of a softmax are 0 behind its end.
  bool divides = lhs.numerator && lhsLabels.back() == over;
  int across = isScores ? sumsAcross(axes.at(over)) : 1;
  if (axes.at(over).isLength()) {
    if (!divides)
      throw std::runtime_error("a product over length " + axes.at(over).length +
                               " is not a softmax's");
    Expr ofPart;
    if (piece && limits->part) {
      contraction.parts = seenParts(axes.at(over), uniqueName("parts"));
      ofPart = part;
    }
    contraction.over = blocksOfPiece(axes.at(over), uniqueName("over"), ofPart,
                                     /*withKeys=*/true);
    position[over] = keyAt(ofPart, contraction.over.y, contraction.over.x);
  } else if (across > 1) {
    // Every so many channels. What reads the scores adds these sums.
    contraction.over = RDom(0, static_cast<int>(axes.at(over).size) / across,
                            uniqueName("over"));
    position[over] = contraction.over.x * across + part;
  } else {
    contraction.over =
        RDom(0, static_cast<int>(axes.at(over).size), uniqueName("over"));
    position[over] = contraction.over.x;
  }

  Expr right;
  if (isScores) {
    // Keys as panels of `lanes`: a vector of keys for each channel.
    const std::string &key = labels.back();
    if (!contains(rhsLabels, key) || contains(lhsLabels, key))
      throw std::runtime_error(
          "the scores of attention need keys on the right");
    Var lane("lane"), channel("channel"), panel("panel");
    std::vector<Var> panelVariables{lane, channel, panel};
    std::vector<Expr> panelArguments{
        position.at(key) % lanes, position.at(over), position.at(key) / lanes};
    Indices source;
    for (const std::string &label : rhsLabels)
      if (label == key)
        source.push_back(panel * lanes + lane);
      else if (label == over)
        source.push_back(channel);
      else {
        panelVariables.emplace_back("family" +
                                    std::to_string(panelVariables.size()));
        panelArguments.push_back(position.at(label));
        source.push_back(panelVariables.back());
      }
    contraction.panels = Func(uniqueName("panels"));
    contraction.panels(panelVariables) = rhs.at(source);
    right = contraction.panels(panelArguments);
  } else {
    right = rhs.at(indicesOf(rhsLabels));
  }
  Expr left;
  if (isScores && !lhs.isStored) {
    std::vector<Var> own = indexVariables(lhs.axes.size());
    contraction.queries = Func(uniqueName("queries"));
    contraction.queries(innermostFirst(own)) =
        lhs.at(Indices(own.begin(), own.end()));
    left = contraction.queries(innermostFirst(indicesOf(lhsLabels)));
  } else {
    left = divides ? lhs.numerator(indicesOf(lhsLabels))
                   : lhs.at(indicesOf(lhsLabels));
  }
  contraction.channels = lhs.axes.back().size;

  contraction.columns = resultAxes.empty() ? 1 : resultAxes.back().size;
  contraction.sum = Func(uniqueName("sum"));
  auto with = [](auto list, auto last) {
    list.emplace_back(last);
    return list;
  };
  std::function<Expr(const Indices &)> scores;
  if (across > 1) {
    contraction.sum(with(pure, part)) = 0.0f;
    contraction.sum(with(arguments, part)) += left * right;
    contraction.partials = Func(uniqueName("partials"));
    contraction.partials(with(pure, part)) =
        contraction.sum(with(arguments, part));
    scores = inTree(contraction.partials, across);
  } else if (contraction.parts.defined()) {
    contraction.sum(with(pure, part)) = 0.0f;
    contraction.sum(with(arguments, part)) += left * right;
    contraction.total = Func(uniqueName("total"));
    contraction.total(pure) = 0.0f;
    contraction.total(arguments) +=
        contraction.sum(with(arguments, contraction.parts));
  } else {
    contraction.sum(pure) = 0.0f;
    contraction.sum(arguments) += left * right;
    scores = entriesOf(contraction.sum);
  }
  contraction.value = Func(uniqueName("product"));
  if (isScores) {
    defineOverKeys(contraction.value, variables, resultAxes.back(), scores);
  } else {
    Expr value = contraction.total.defined() ? contraction.total(arguments)
                                             : contraction.sum(arguments);
    if (divides) {
      Labels rows = lhsLabels;
      rows.pop_back();
      value = value * lhs.divisor(indicesOf(rows));
    }
    contraction.value(pure) = value;
  }
  algorithm.contractions.push_back(contraction);
  Func result = contraction.value;
  if (divides && piece) {
    // What follows has rows, and no strips.
    piece.reset();
    auto row = std::find(labels.begin(), labels.end(),
                         lhsLabels[lhsLabels.size() - 2]) -
               labels.begin();
    int strip = limits->strip;
    auto at = [=](const Indices &i) -> Expr {
      std::vector<Expr> place = innermostFirst(i);
      place.push_back(i[row] / strip);
      return result(place);
    };
    return {std::move(resultAxes), at};
  }
  return {std::move(resultAxes), entriesOf(result), isScores};
}

} // namespace transfold::kernels
