// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order in which a product of several factors is computed. Factors have
// labelled axes, as in xf.contract: a label that the result lacks is summed
// over. A chain of matrices A B C is the case in which neighbors share a label;
// a family of matrices has one more label, which several factors share.
//
// Associativity: Σ_k Σ_j A[i, j] B[j, k] C[k, l] is the same for every order in
// which two factors at a time are replaced by their product, as long as a label
// is summed over only when no other factor has it. What differs is the number
// of multiply-adds: the product of two factors costs one for each combination
// of all their labels.

#pragma once

#include "compiler/fold/order/CostPolynomial.h"

#include <cstdint>
#include <utility>

namespace transfold::fold {

/// A set of labels: bit k is label k.
using LabelSet = uint64_t;

/// A product of factors.
struct FactorProduct {
  struct Factor {
    LabelSet labels = 0;
    /// Whether the factor is a weight, known when the program is made.
    bool isKnown = false;
  };
  /// The size of each label.
  std::vector<Extent> extents;
  std::vector<Factor> factors;
  /// The labels of the result; all others are summed over, and at least two
  /// factors have them.
  LabelSet result = 0;
};

/// The steps of an order. Each multiplies two nodes: factors have the first
/// numbers, and the product that step k computes has number factors + k.
using Steps = std::vector<std::pair<unsigned, unsigned>>;

/// An order with its cost.
struct Order {
  Steps steps;
  CostPolynomial cost;
};

/// The most factors that orders are computed for: the time grows as 3^factors.
constexpr size_t mostFactors = 8;

/// The cost of an order of all factors, which ends with their product. The
/// product of weights costs nothing if it has no more elements than they have:
/// it is computed when the program is made, and replaces them.
CostPolynomial costOf(const FactorProduct &product, const Steps &steps);

/// The labels of a node of an order: those of the factors in it that the result
/// or other factors have, too.
LabelSet labelsOf(const FactorProduct &product, const Steps &steps,
                  unsigned node);

/// The cheapest orders in which every step sums over a label: for all lengths
/// one of them is the cheapest. None costs at least as much as another for all
/// lengths, so there is exactly one if lengths do not matter. Empty if there
/// are fewer than two factors, more than `mostFactors`, or factors that share
/// no label.
std::vector<Order> cheapestOrders(const FactorProduct &product);

} // namespace transfold::fold
