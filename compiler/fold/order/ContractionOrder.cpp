// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dynamic programming over the sets of factors. The labels of the product of a
// set do not depend on the order in which it was computed, so an order of the
// set costs an order of each half plus their product. Costs are polynomials,
// which are ordered only partially: a set keeps every order that no other one
// dominates. Sums keep the order of costs, so an order that was dropped could
// not have become cheaper than the one that dominates it.

#include "compiler/fold/order/ContractionOrder.h"

#include <algorithm>

using namespace transfold::fold;

namespace {

/// A set of factors: bit k is factor k.
using FactorSet = unsigned;

/// An order of a set of factors: the product of two smaller sets, each computed
/// in one of its orders; a single factor has no halves.
struct OrderOfSet {
  CostPolynomial cost;
  FactorSet left = 0, right = 0;
  size_t leftOrder = 0, rightOrder = 0;
};

/// The sizes of some labels.
std::vector<Extent> sizesOf(const FactorProduct &product, LabelSet labels) {
  std::vector<Extent> sizes;
  for (size_t label = 0; label < product.extents.size(); ++label)
    if (labels >> label & 1)
      sizes.push_back(product.extents[label]);
  return sizes;
}

/// The labels of the product of a set of factors.
LabelSet labelsOfSet(const FactorProduct &product, FactorSet set) {
  LabelSet own = 0, others = product.result;
  for (size_t k = 0; k < product.factors.size(); ++k)
    (set >> k & 1 ? own : others) |= product.factors[k].labels;
  return own & others;
}

/// Whether the product of a set is computed when the program is made.
bool isKnownSet(const FactorProduct &product, FactorSet set) {
  CostPolynomial elements;
  for (size_t k = 0; k < product.factors.size(); ++k) {
    if (!(set >> k & 1))
      continue;
    if (!product.factors[k].isKnown)
      return false;
    elements += CostPolynomial(sizesOf(product, product.factors[k].labels));
  }
  return CostPolynomial(sizesOf(product, labelsOfSet(product, set)))
      .isAtMost(elements);
}

/// The cost of multiplying the products of two sets when the program runs.
CostPolynomial costOfStep(const FactorProduct &product, FactorSet left,
                          FactorSet right) {
  return CostPolynomial(sizesOf(product, labelsOfSet(product, left) |
                                             labelsOfSet(product, right)));
}

/// The factors in a node of an order.
FactorSet factorsIn(const FactorProduct &product, const Steps &steps,
                    unsigned node) {
  if (node < product.factors.size())
    return 1U << node;
  auto [left, right] = steps[node - product.factors.size()];
  return factorsIn(product, steps, left) | factorsIn(product, steps, right);
}

/// The orders of all sets of factors.
class OrdersOfSets {
public:
  explicit OrdersOfSets(const FactorProduct &product)
      : product(product), orders(1U << product.factors.size()) {
    for (FactorSet set = 1; set < orders.size(); ++set) {
      if ((set & (set - 1)) == 0)
        orders[set].emplace_back();
      // Each pair of halves once: the left one has the first factor.
      for (FactorSet left = (set - 1) & set; left != 0; left = (left - 1) & set)
        if ((left & (set & -set)) != 0)
          addOrders(left, set & ~left);
    }
  }

  /// The orders of all factors.
  std::vector<Order> ofAll() const {
    std::vector<Order> all;
    for (const OrderOfSet &order : orders.back()) {
      all.push_back({{}, order.cost});
      appendSteps(order, all.back().steps);
    }
    return all;
  }

private:
  /// Adds the orders that end with the product of two sets.
  void addOrders(FactorSet left, FactorSet right) {
    const LabelSet both =
        labelsOfSet(product, left) | labelsOfSet(product, right);
    if ((both & ~labelsOfSet(product, left | right)) == 0)
      return; // no label is summed over
    if (orders[left].empty() || orders[right].empty())
      return; // factors of a half share no label
    if (isKnownSet(product, left | right))
      return keep(orders[left | right], {{}, left, right, 0, 0});
    const CostPolynomial step = costOfStep(product, left, right);
    for (size_t a = 0; a < orders[left].size(); ++a)
      for (size_t b = 0; b < orders[right].size(); ++b) {
        CostPolynomial cost = step;
        cost += orders[left][a].cost;
        cost += orders[right][b].cost;
        keep(orders[left | right], {std::move(cost), left, right, a, b});
      }
  }

  /// Adds an order unless one dominates it; removes those that it dominates.
  static void keep(std::vector<OrderOfSet> &kept, OrderOfSet order) {
    for (const OrderOfSet &other : kept)
      if (other.cost.isAtMost(order.cost))
        return;
    std::erase_if(kept, [&](const OrderOfSet &other) {
      return order.cost.isAtMost(other.cost);
    });
    kept.push_back(std::move(order));
  }

  /// Appends the steps of an order and returns the number of its node.
  unsigned appendSteps(const OrderOfSet &order, Steps &steps) const {
    auto nodeOf = [&](FactorSet set, size_t number) {
      if ((set & (set - 1)) != 0)
        return appendSteps(orders[set][number], steps);
      unsigned factor = 0;
      while (set >> factor != 1)
        ++factor;
      return factor;
    };
    unsigned left = nodeOf(order.left, order.leftOrder),
             right = nodeOf(order.right, order.rightOrder);
    steps.emplace_back(left, right);
    return static_cast<unsigned>(product.factors.size() + steps.size() - 1);
  }

  const FactorProduct &product;
  // By set.
  std::vector<std::vector<OrderOfSet>> orders;
};

} // namespace

/// The cost of a node of an order.
static CostPolynomial costOfNode(const FactorProduct &product,
                                 const Steps &steps, unsigned node) {
  if (node < product.factors.size() ||
      isKnownSet(product, factorsIn(product, steps, node)))
    return {};
  auto [left, right] = steps[node - product.factors.size()];
  CostPolynomial cost = costOfStep(product, factorsIn(product, steps, left),
                                   factorsIn(product, steps, right));
  cost += costOfNode(product, steps, left);
  cost += costOfNode(product, steps, right);
  return cost;
}

CostPolynomial transfold::fold::costOf(const FactorProduct &product,
                                       const Steps &steps) {
  return costOfNode(
      product, steps,
      static_cast<unsigned>(product.factors.size() + steps.size() - 1));
}

LabelSet transfold::fold::labelsOf(const FactorProduct &product,
                                   const Steps &steps, unsigned node) {
  return labelsOfSet(product, factorsIn(product, steps, node));
}

std::vector<Order>
transfold::fold::cheapestOrders(const FactorProduct &product) {
  if (product.factors.size() < 2 || product.factors.size() > mostFactors)
    return {};
  return OrdersOfSets(product).ofAll();
}
