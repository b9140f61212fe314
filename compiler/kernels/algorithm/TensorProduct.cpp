// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of any rank:
//
//   sum(…) = Σ_k x(…, k) W(…, k, …)
//
// Each axis of the result is one of x (a row), of W (a column) or of both (a
// member of a family: each has a product of its own). A tile of rows and
// columns is computed at a time, so W is read in panels: `width` columns side
// by side for each k, those behind the end the last one again.
//
//   panels(lane, k, panel, members…) = W(…, k, panel · width + lane)
//
// Weights were packed when the program was made, and come as panels.

#include "compiler/kernels/algorithm/Tensor.h"
#include "compiler/kernels/algorithm/TensorLabels.h"
#include "dialect/blocks/BlockFormat.h"

using namespace Halide;

namespace transfold::kernels {

// Whether `labels` has one that `own` has and `other` has not.
static bool hasOwn(const Labels &labels, const Labels &own,
                   const Labels &other) {
  return std::any_of(labels.begin(), labels.end(), [&](const auto &label) {
    return contains(own, label) && !contains(other, label);
  });
}

// The innermost axis of the result that only `own` has; one with a length where
// `preferLength` and there is one; none where there is none.
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

struct AlgorithmBuilder::Product {
  const Tensor &lhs, &rhs;
  const Labels &lhsLabels, &rhsLabels, &labels;
  ProductShape shape;
  Places places;
  Expr pair;                    // of a matrix in pairs
  Expr group;                   // of a matrix in blocks
  std::optional<Blocks> scaled; // by parts that are summed before
  bool inParts = false;
  Var part{"part"};

  Product(const Tensor &lhs, const Labels &lhsLabels, const Tensor &rhs,
          const Labels &rhsLabels, const Labels &labels,
          const std::vector<Var> &variables)
      : lhs(lhs), rhs(rhs), lhsLabels(lhsLabels), rhsLabels(rhsLabels),
        labels(labels), shape(lhs.axes, lhsLabels, rhs.axes, rhsLabels, labels),
        places(labels, variables) {}
};

// The loops of a sum; one that is long is made in parts of `depth`.
void AlgorithmBuilder::sumOver(Product &product, Contraction &contraction) {
  const Axis &axis = product.shape.summed;
  const std::string &over = product.shape.over;
  const Tensor &rhs = product.rhs;
  if (axis.isLength()) {
    contraction.over = RDom(0, extent(axis), uniqueName("over"));
    product.places.set(over, contraction.over.x);
    return;
  }
  int size = static_cast<int>(axis.size);
  int some = depth ? std::min(depth, size) : size;
  int group = rhs.paired ? 2 * pairDistance : rhs.blocks ? blockGroup : 1;
  if (size % some || some % group)
    throw std::runtime_error("parts of " + std::to_string(some) +
                             " do not divide a sum over " +
                             std::to_string(size));
  contraction.over =
      rhs.paired
          ? RDom(0, 2, 0, pairDistance, 0, some / group, uniqueName("over"))
      : rhs.blocks ? RDom(0, group, 0, some / group, uniqueName("over"))
                   : RDom(0, some, uniqueName("over"));
  const RDom &own = contraction.over;
  Expr before = 0;
  product.inParts = some < size || (rhs.blocks && rhs.blocks->isScaledOnce);
  if (product.inParts) {
    contraction.parts = RDom(0, size / some, uniqueName("parts"));
    before = product.part;
  }
  if (rhs.paired) {
    product.pair = before * (some / 2) + own.z * pairDistance + own.y;
    product.places.set(over, before * some + own.z * group + own.y +
                                 own.x * pairDistance);
  } else if (rhs.blocks) {
    product.group = before * (some / group) + own.y;
    product.places.set(over, before * some + own.y * group + own.x);
  } else {
    product.places.set(over, before * some + own.x);
  }
}

// Scale or minimum of blocks as a function (column, part of a group, group,
// members…) that is computed once for a part; and where a product calls it.
static Func definedByPart(const std::string &name, const Entry &entry, int part,
                          size_t members) {
  Var column("column"), number("number"), group("group");
  std::vector<Var> variables{column, number, group};
  Indices place;
  for (size_t i = 0; i < members; ++i) {
    variables.emplace_back("member" + std::to_string(i));
    place.emplace_back(variables.back());
  }
  place.insert(place.end(), {group, number * part, column});
  Func function(name);
  function(variables) = entry(place);
  return function;
}

// W at the places of a product, in blocks: as they are, or widened before.
Expr AlgorithmBuilder::groupedOf(Product &product, Contraction &contraction) {
  const Labels &labels = product.rhsLabels;
  if (!contraction.isOfColumns ||
      labels[labels.size() - 2] != product.shape.over)
    throw std::runtime_error("a matrix in blocks is summed along its rows");
  contraction.isInBlocks = true;
  Blocks blocks = *product.rhs.blocks;
  const size_t members = labels.size() - 2;
  auto byPart = [&](const std::string &name, Entry &entry) {
    if (!entry)
      return;
    Func function =
        definedByPart(uniqueName(name), entry, blocks.part, members);
    contraction.ofParts.push_back(function);
    entry = [=, part = blocks.part](const Indices &i) -> Expr {
      std::vector<Expr> place{i.back(), i[i.size() - 2] / part,
                              i[i.size() - 3]};
      place.insert(place.end(), i.begin(), i.end() - 3);
      return function(place);
    };
  };
  byPart("scales", blocks.scale);
  byPart("minimums", blocks.minimum);
  if (blocks.isScaledOnce) {
    // What is multiplied is the code alone.
    contraction.isScaledOnce = true;
    product.scaled = blocks;
    blocks.scale = nullptr;
    blocks.minimum = nullptr;
  }

  Indices place = product.places.of(Labels(labels.begin(), labels.end() - 2));
  const Expr column = product.places.at(labels.back());
  if (!widens) {
    place.insert(place.end(), {product.group, contraction.over.x, column});
    return blocks.at(place);
  }
  const int width = contraction.width;
  Var lane("lane"), slot("slot"), group("group"), panel("panel");
  std::vector<Var> variables{lane, slot, group, panel};
  std::vector<Expr> arguments{column % width, contraction.over.x, product.group,
                              column / width};
  Indices source;
  for (size_t i = 0; i < members; ++i) {
    variables.emplace_back("member" + std::to_string(i));
    arguments.push_back(place[i]);
    source.emplace_back(variables.back());
  }
  source.insert(source.end(), {group, slot, panel * width + lane});
  contraction.panels = Func(uniqueName("panels"));
  contraction.panels(variables) = blocks.at(source);
  return contraction.panels(arguments);
}

// W at the places of a product: as panels, where it has columns.
Expr AlgorithmBuilder::rightOf(Product &product, Contraction &contraction) {
  const Tensor &rhs = product.rhs;
  if (rhs.paired) {
    if (product.rhsLabels.size() != 2 ||
        product.rhsLabels[0] != product.shape.over)
      throw std::runtime_error("a matrix in pairs is summed along its rows");
    contraction.isPaired = true;
    return rhs.paired({product.pair, contraction.over.x,
                       product.places.at(product.rhsLabels.back())});
  }
  if (rhs.blocks)
    return groupedOf(product, contraction);
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

// x at the places of a product; where it is rounded, from what is rounded once.
Expr AlgorithmBuilder::leftOf(Product &product, Contraction &contraction) {
  const Tensor &lhs = product.lhs;
  if (dot > 1 && product.rhs.paired && lhs.narrow) {
    // As an instruction wants them: the two of a pair side by side.
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
    contraction.isDot = true;
    contraction.rounded = Func(uniqueName("rounded"));
    contraction.rounded(own) = lhs.narrow(source);
    return cast<float>(contraction.rounded(read));
  }
  Indices place = product.places.of(product.lhsLabels);
  if (lhs.narrow) {
    std::vector<Var> own = indexVariables(lhs.axes.size());
    contraction.rounded = Func(uniqueName("rounded"));
    contraction.rounded(innermostFirst(own)) =
        lhs.at(Indices(own.begin(), own.end()));
    return contraction.rounded(innermostFirst(place));
  }
  // Rows behind the end of a tile are the last one again. Arguments do so by
  // themselves, but for their last axis.
  if (contraction.row && !lhs.axes.back().isLength() &&
      product.lhsLabels.back() == product.labels[*contraction.row])
    place.back() =
        min(place.back(), static_cast<int>(lhs.axes.back().size) - 1);
  return lhs.at(place);
}

// How rows and columns are dealt with: the tile's width is that of a panel.
void AlgorithmBuilder::chooseTile(const Product &product,
                                  Contraction &contraction) {
  const Labels &labels = product.labels;
  const std::vector<Axis> &axes = product.shape.axes;
  contraction.panel = product.rhs.panel;
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
  // Narrow families have narrow panels. Without panels nothing is read behind
  // the end.
  while (contraction.isOfColumns && !isOnDevice
             ? contraction.width / 2 >= column.size
             : column.size % contraction.width != 0)
    contraction.width /= 2;
}

// Σ_k of the rows of each part, for minimums: the same for all columns.
Func AlgorithmBuilder::sumsOfParts(const Product &product) {
  Var part("part");
  RDom over(0, blockGroup, uniqueName("over"));
  std::vector<Var> variables{part};
  Indices place;
  for (const std::string &label : product.lhsLabels) {
    if (label == product.shape.over) {
      place.push_back(part * blockGroup + over.x);
      continue;
    }
    variables.emplace_back("row" + std::to_string(variables.size()));
    place.emplace_back(variables.back());
  }
  Func sums(uniqueName("sums"));
  sums(variables) = 0.0f;
  sums(variables) += product.lhs.at(place);
  return sums;
}

// scale Σ_k code x + minimum Σ_k x of a part, of which `sum` is Σ_k code x: a
// multiplication for each part where there would be one for each number.
Expr AlgorithmBuilder::scaled(const Product &product, Contraction &contraction,
                              const Expr &sum) {
  const Expr part = contraction.parts;
  Indices ofMatrix = product.places.of(
      Labels(product.rhsLabels.begin(), product.rhsLabels.end() - 2));
  ofMatrix.insert(ofMatrix.end(),
                  {part, 0, product.places.at(product.rhsLabels.back())});
  Expr value = sum * product.scaled->scale(ofMatrix);
  if (!product.scaled->minimum)
    return value;
  contraction.sumsOfParts = sumsOfParts(product);
  std::vector<Expr> ofRow{part};
  for (const std::string &label : product.lhsLabels)
    if (label != product.shape.over)
      ofRow.push_back(product.places.at(label));
  return value +
         product.scaled->minimum(ofMatrix) * contraction.sumsOfParts(ofRow);
}

Tensor AlgorithmBuilder::contract(const Tensor &lhs, const Labels &lhsLabels,
                                  const Tensor &rhs, const Labels &rhsLabels,
                                  const Labels &labels) {
  // Columns are what vectors hold.
  if (!hasOwn(labels, rhsLabels, lhsLabels) &&
      hasOwn(labels, lhsLabels, rhsLabels) && !rhs.panel)
    return contract(rhs, rhsLabels, lhs, lhsLabels, labels);
  std::vector<Var> variables = indexVariables(labels.size());
  Product product(lhs, lhsLabels, rhs, rhsLabels, labels, variables);

  Contraction contraction;
  chooseTile(product, contraction);
  sumOver(product, contraction);
  Expr right = rightOf(product, contraction);
  Expr term = leftOf(product, contraction) * right;
  contraction.sum = Func(uniqueName("sum"));
  std::vector<Var> pure = innermostFirst(variables);
  std::vector<Expr> arguments(pure.begin(), pure.end());
  Func total = contraction.sum;
  if (product.inParts) {
    std::vector<Var> ofPart = pure;
    ofPart.push_back(product.part);
    std::vector<Expr> place(ofPart.begin(), ofPart.end());
    contraction.sum(ofPart) = 0.0f;
    contraction.sum(place) += term;
    place.back() = contraction.parts;
    Expr sum = contraction.sum(place);
    if (product.scaled)
      sum = scaled(product, contraction, sum);
    total = contraction.total = Func(uniqueName("total"));
    total(pure) = 0.0f;
    total(arguments) += sum;
  } else {
    contraction.sum(pure) = 0.0f;
    contraction.sum(arguments) += term;
  }
  contraction.value = Func(uniqueName("product"));
  contraction.value(pure) = total(arguments);
  algorithm.contractions.push_back(contraction);
  return {product.shape.axes, entriesOf(contraction.value)};
}

} // namespace transfold::kernels
