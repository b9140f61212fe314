// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of any rank:
//
//   sum(…) = Σ_k x(…, k) W(…, k, …)
//
// Each axis of the result is an axis of x (a row), of W (a column) or of both
// (a member of a family: each has a product of its own). A tile of rows and
// columns is computed at a time, so W is read in panels: `width` columns side
// by side for each k, where columns past the end repeat the last one.
//
//   panels(lane, k, panel, members…) = W(…, k, panel · width + lane)
//
// Weights are packed when the program is compiled, and are read in panels.

#include "compiler/kernels/algorithm/product/Product.h"

using namespace Halide;

namespace transfold::kernels {

// Whether one of `labels` is in `own` but not in `other`.
static bool hasOwn(const Labels &labels, const Labels &own,
                   const Labels &other) {
  return std::any_of(labels.begin(), labels.end(), [&](const auto &label) {
    return contains(own, label) && !contains(other, label);
  });
}

// The innermost axis of the result that is in `own` but not in `other`; if
// `preferLength`, one with a length if there is any. Else nullopt.
static std::optional<size_t> ownAxis(const Labels &labels,
                                     const std::vector<Axis> &axes,
                                     const Labels &own, const Labels &other,
                                     bool preferLength) {
  std::optional<size_t> found;
  for (size_t axis = labels.size(); axis-- > 0;) {
    if (!contains(own, labels[axis]) || contains(other, labels[axis]))
      continue;
    if (!found ||
        (preferLength && !axes[*found].isLength() && axes[axis].isLength()))
      found = axis;
  }
  return found;
}

// Sets the loops of a sum; a long sum is computed in parts of `depth` terms.
void AlgorithmBuilder::sumOver(Product &product, Contraction &contraction) {
  const Axis &axis = product.shape.summed;
  const std::string &over = product.shape.over;
  const Tensor &rhs = product.rhs;
  if (rhs.blocks) {
    sumOverBlocks(product, contraction);
    return;
  }
  if (isInHalves(product)) {
    sumOverHalves(product, contraction);
    return;
  }
  if (axis.isLength()) {
    contraction.over = RDom(0, extent(axis), uniqueName("over"));
    product.places.set(over, contraction.over.x);
    return;
  }
  int size = static_cast<int>(axis.size);
  int some = depth ? std::min(depth, size) : size;
  int group = rhs.paired ? 2 * pairDistance : 1;
  if (size % some || some % group)
    throw std::runtime_error("parts of " + std::to_string(some) +
                             " do not divide a sum over " +
                             std::to_string(size));
  contraction.over = product.isOfPairs() ? RDom(0, some / 2, uniqueName("over"))
                     : rhs.paired ? RDom(0, 2, 0, pairDistance, 0, some / group,
                                         uniqueName("over"))
                                  : RDom(0, some, uniqueName("over"));
  const RDom &own = contraction.over;
  Expr before = 0;
  if (some < size) {
    contraction.parts = RDom(0, size / some, uniqueName("parts"));
    before = product.parts.emplace_back("part");
  }
  if (product.isOfPairs()) {
    product.pair = before * (some / 2) + own.x;
  } else if (rhs.paired) {
    product.slot = own.x;
    product.pair = before * (some / 2) + own.z * pairDistance + own.y;
    product.places.set(over, before * some + own.z * group + own.y +
                                 own.x * pairDistance);
  } else {
    product.places.set(over, before * some + own.x);
  }
}

// W at the places of a product, read from panels if it has columns.
Expr AlgorithmBuilder::rightOf(Product &product, Contraction &contraction) {
  const Tensor &rhs = product.rhs;
  if (rhs.paired) {
    if (product.rhsLabels.size() != 2 ||
        product.rhsLabels[0] != product.shape.over)
      throw std::runtime_error("a matrix in pairs is summed along its rows");
    if (!contraction.isOf(PairTerms::Halves))
      contraction.terms = PairTerms::Widened;
    return rhs.paired({product.pair, product.slot,
                       product.places.at(product.rhsLabels.back())});
  }
  if (rhs.blocks)
    return codesOfProduct(product, contraction);
  if (contraction.panel || !contraction.isOfColumns || isOnDevice)
    return rhs.at(product.places.of(product.rhsLabels));
  const std::string &column = product.labels[*contraction.column];
  int width = contraction.width;
  Var lane("lane"), channel("channel"), panel("panel");
  std::vector<Var> variables{lane, channel, panel};
  std::vector<Expr> arguments{product.places.at(column) % width,
                              product.places.at(product.shape.over),
                              product.places.at(column) / width};
  Indices source;
  for (const std::string &label : product.rhsLabels) {
    if (label == column) {
      source.push_back(
          min(panel * width + lane,
              extent(product.shape.axes[*contraction.column]) - 1));
    } else if (label == product.shape.over) {
      source.push_back(channel);
    } else {
      variables.emplace_back("member" + std::to_string(variables.size()));
      arguments.push_back(product.places.at(label));
      source.push_back(variables.back());
    }
  }
  contraction.panels = Func(uniqueName("panels"));
  contraction.panels(variables) = rhs.at(source);
  return contraction.panels(arguments);
}

// x at the places of a product; if it is rounded, from a function that is
// rounded once.
Expr AlgorithmBuilder::leftOf(Product &product, Contraction &contraction) {
  const Tensor &lhs = product.lhs;
  if (product.rhs.blocks && product.rhs.blocks->word && !widens)
    return timesPowers(product, contraction);
  if (dot > 1 && product.rhs.paired && lhs.narrow) {
    // In the layout that the instruction needs: the two values of a pair are
    // adjacent.
    Var slot("slot"), channel("channel");
    std::vector<Var> own{slot, channel};
    Indices source, read{contraction.over.x, product.pair};
    for (const std::string &label : product.lhsLabels) {
      if (label == product.shape.over) {
        source.push_back(channel / pairDistance * (2 * pairDistance) +
                         channel % pairDistance + slot * pairDistance);
        continue;
      }
      own.emplace_back("row" + std::to_string(own.size()));
      source.push_back(own.back());
      read.push_back(product.places.at(label));
    }
    contraction.terms = PairTerms::Dots;
    contraction.prepared = Func(uniqueName("rounded"));
    contraction.prepared(own) = lhs.narrow(source);
    return cast<float>(contraction.prepared(read));
  }
  Indices place = product.places.of(product.lhsLabels);
  if (lhs.narrow) {
    std::vector<Var> own = indexVariables(lhs.axes.size());
    contraction.prepared = Func(uniqueName("rounded"));
    contraction.prepared(innermostFirst(own)) =
        lhs.at(Indices(own.begin(), own.end()));
    return contraction.prepared(innermostFirst(place));
  }
  // Rows past the end of a tile repeat the last row. Arguments clamp by
  // themselves, except along their last axis.
  const bool clampsLast =
      contraction.row && !lhs.axes.back().isLength() &&
      product.lhsLabels.back() == product.labels[*contraction.row];
  auto read = [&](Indices at) {
    if (clampsLast)
      at.back() = min(at.back(), static_cast<int>(lhs.axes.back().size) - 1);
    return lhs.at(at);
  };
  if (!isOnDevice)
    return read(place);
  // The values of a row, which a thread loads at once.
  contraction.prepared =
      ofRows(uniqueName("rows"), product.lhsLabels, product.shape.over,
             [&](const Indices &at, const Var &) { return read(at); });
  return contraction.prepared(
      product.ofRows(product.places.at(product.shape.over)));
}

// Chooses the axes of rows and columns and the width of a tile, which is that
// of a panel.
void AlgorithmBuilder::chooseTile(const Product &product,
                                  Contraction &contraction) {
  const Labels &labels = product.labels;
  const std::vector<Axis> &axes = product.shape.axes;
  contraction.panel = product.rhs.panel;
  contraction.matrix = product.rhs.panelBuffer;
  contraction.device.ofGroups = product.rhs.ofGroups;
  contraction.device.groupNumbers = product.rhs.groupNumbers;
  contraction.depth = product.shape.summed.size;
  contraction.column =
      ownAxis(labels, axes, product.rhsLabels, product.lhsLabels, false);
  contraction.isOfColumns = contraction.column.has_value();
  if (!contraction.isOfColumns && !labels.empty())
    contraction.column = labels.size() - 1;
  contraction.row =
      ownAxis(labels, axes, product.lhsLabels, product.rhsLabels, true);
  if (contraction.row == contraction.column)
    contraction.row.reset();
  if (!contraction.column)
    return;
  const Axis &column = axes[*contraction.column];
  contraction.columns = column.size;
  contraction.width = lanes;
  if (contraction.panel || column.isLength())
    return;
  // Families with few columns have narrow panels. Without panels the width must
  // divide the number of columns, since nothing past the end may be read.
  while (contraction.isOfColumns && !isOnDevice
             ? contraction.width / 2 >= column.size
             : column.size % contraction.width != 0)
    contraction.width /= 2;
}

// Sums terms. If there are parts, `sum` is over one part, and `total` adds
// them.
Func AlgorithmBuilder::sumTerms(const Product &product,
                                Contraction &contraction,
                                const std::vector<Var> &pure,
                                const Expr &term) {
  contraction.sum = Func(uniqueName("sum"));
  std::vector<Expr> arguments(pure.begin(), pure.end());
  if (!contraction.parts.defined()) {
    contraction.sum(pure) = 0.0f;
    contraction.sum(arguments) += term;
    return contraction.sum;
  }
  std::vector<Var> ofPart = pure;
  ofPart.insert(ofPart.end(), product.parts.begin(), product.parts.end());
  std::vector<Expr> place(ofPart.begin(), ofPart.end());
  contraction.sum(ofPart) = product.isOfIntegers()
                                ? startOfIntegers(product, contraction)
                                : Expr(0.0f);
  contraction.sum(place) += term;
  for (int i = 0; i < contraction.parts.dimensions(); ++i)
    place[pure.size() + i] = contraction.parts[i];
  Expr sum;
  if (contraction.isOf(PairTerms::Halves)) {
    std::vector<Expr> first = place, second = place;
    first.back() = 0;
    second.back() = 1;
    sum = contraction.sum(first) + contraction.sum(second);
  } else {
    sum = contraction.sum(place);
  }
  Func total = contraction.total = Func(uniqueName("total"));
  total(pure) = 0.0f;
  total(arguments) = product.rhs.blocks ? withGroup(product, contraction,
                                                    total(arguments), sum)
                                        : total(arguments) + sum;
  return total;
}

Tensor AlgorithmBuilder::contract(const Tensor &lhs, const Labels &lhsLabels,
                                  const Tensor &rhs, const Labels &rhsLabels,
                                  const Labels &labels) {
  // Columns, the lanes of vectors, should be an axis of the right operand.
  if (!hasOwn(labels, rhsLabels, lhsLabels) &&
      hasOwn(labels, lhsLabels, rhsLabels) && !rhs.panel)
    return contract(rhs, rhsLabels, lhs, lhsLabels, labels);
  std::vector<Var> variables = indexVariables(labels.size());
  Product product(lhs, lhsLabels, rhs, rhsLabels, labels, variables);

  Contraction contraction;
  chooseTile(product, contraction);
  sumOver(product, contraction);
  Expr term;
  if (isOnDevice && contraction.isOfColumns && contraction.row &&
      (!product.rhs.paired || product.isOfPairs()) && !product.rhs.blocks) {
    term = termsOfTiles(product, {rhs}, contraction).front();
  } else if (product.isOfIntegers()) {
    term = dotOfIntegers(product, contraction);
  } else if (product.isOfPairs()) {
    term = dotOfPairs(product, contraction);
  } else {
    Expr right = rightOf(product, contraction);
    term = leftOf(product, contraction) * right;
  }
  const std::vector<Var> pure = innermostFirst(variables);
  Func total = sumTerms(product, contraction, pure, term);
  contraction.value = Func(uniqueName("product"));
  contraction.value(pure) = total(std::vector<Expr>(pure.begin(), pure.end()));
  algorithm.contractions.push_back(contraction);
  return {product.shape.axes, entriesOf(contraction.value)};
}

} // namespace transfold::kernels
