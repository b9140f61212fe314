// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Orders of products beside brute force: for each instantiation of the lengths,
// one of the orders that remain costs as little as the cheapest of all
// parenthesizations. The cost of each order is computed again from its steps.

#include "compiler/fold/order/ContractionOrder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

using namespace transfold::fold;

namespace {

using Lengths = std::map<std::string, double>;

double sizeFor(const Extent &extent, const Lengths &lengths) {
  return extent.length.empty() ? extent.number : lengths.at(extent.length);
}

/// A chain of matrices: factor k has labels k and k + 1, and every factor has
/// the labels of `families`, which follow them.
FactorProduct chainOf(const std::vector<Extent> &sizes,
                      const std::vector<bool> &known,
                      const std::vector<Extent> &families = {}) {
  FactorProduct chain;
  chain.extents = sizes;
  LabelSet shared = 0;
  for (const Extent &family : families) {
    shared |= LabelSet(1) << chain.extents.size();
    chain.extents.push_back(family);
  }
  for (size_t k = 0; k + 1 < sizes.size(); ++k)
    chain.factors.push_back({LabelSet(3) << k | shared, known[k]});
  chain.result = LabelSet(1) | LabelSet(1) << (sizes.size() - 1) | shared;
  return chain;
}

/// The least cost of factors `first` … `last` of a chain, for numbers, by
/// trying all parenthesizations.
double bruteForce(const FactorProduct &chain, size_t first, size_t last,
                  double families, const std::vector<double> &sizes) {
  if (first == last)
    return 0;
  // Known factors with a product that is not larger than they are.
  bool isKnown = true;
  double elements = 0;
  for (size_t k = first; k <= last; ++k) {
    isKnown &= chain.factors[k].isKnown;
    elements += sizes[k] * sizes[k + 1];
  }
  if (isKnown && sizes[first] * sizes[last + 1] <= elements)
    return 0;
  double least = HUGE_VAL;
  for (size_t middle = first; middle < last; ++middle)
    least = std::min(least,
                     bruteForce(chain, first, middle, families, sizes) +
                         bruteForce(chain, middle + 1, last, families, sizes) +
                         families * sizes[first] * sizes[middle + 1] *
                             sizes[last + 1]);
  return least;
}

class ContractionOrderTest : public testing::Test {
protected:
  int upTo(int most) {
    return std::uniform_int_distribution<int>(0, most)(random);
  }

  /// Compares the orders of `chain` with brute force for some lengths.
  void expectOptimal(const FactorProduct &chain, size_t matrices,
                     const std::vector<Extent> &families) {
    std::vector<Order> orders = cheapestOrders(chain);
    ASSERT_FALSE(orders.empty());
    for (const Order &order : orders) {
      EXPECT_EQ(order.steps.size(), matrices - 1);
      EXPECT_EQ(costOf(chain, order.steps), order.cost);
    }
    for (int trial = 0; trial < 20; ++trial) {
      Lengths lengths;
      for (const char *name : {"m", "n", "p"})
        lengths[name] = 1 + upTo(trial < 10 ? 9 : 5000);
      std::vector<double> sizes;
      for (size_t k = 0; k <= matrices; ++k)
        sizes.push_back(sizeFor(chain.extents[k], lengths));
      double inFamilies = 1, least = HUGE_VAL;
      for (const Extent &family : families)
        inFamilies *= sizeFor(family, lengths);
      for (const Order &order : orders)
        least = std::min(least, order.cost.at(lengths));
      EXPECT_DOUBLE_EQ(least,
                       bruteForce(chain, 0, matrices - 1, inFamilies, sizes));
    }
  }

  std::mt19937 random{38};
};

TEST_F(ContractionOrderTest, RandomChainsAreOptimalForAllLengths) {
  for (int round = 0; round < 300; ++round) {
    size_t matrices = 2 + upTo(6);
    std::vector<Extent> sizes;
    for (size_t k = 0; k <= matrices; ++k)
      sizes.push_back(upTo(2) == 0 ? Extent{1, std::string(1, "mnp"[upTo(2)])}
                                   : Extent{1.0 + upTo(600)});
    std::vector<Extent> families;
    if (upTo(1))
      families.push_back({1.0 + upTo(15)});
    // Only matrices of fixed size are weights.
    std::vector<bool> known;
    for (size_t k = 0; k < matrices; ++k)
      known.push_back(upTo(1) && sizes[k].length.empty() &&
                      sizes[k + 1].length.empty());
    expectOptimal(chainOf(sizes, known, families), matrices, families);
  }
}

TEST_F(ContractionOrderTest, OneOrderRemainsWithoutLengths) {
  for (int round = 0; round < 50; ++round) {
    std::vector<Extent> sizes;
    for (int k = 0; k <= 8; ++k)
      sizes.push_back({1.0 + upTo(900)});
    FactorProduct chain = chainOf(sizes, std::vector<bool>(8, false));
    EXPECT_EQ(cheapestOrders(chain).size(), 1U);
    expectOptimal(chain, 8, {});
  }
}

// q (c W)' or (q W') c': which is cheaper is a matter of the rows of q and c.
TEST_F(ContractionOrderTest, AbsorbsAMatrixOfHeadsForFewRows) {
  enum { Rows, Keys, Channels, Rank, Heads };
  auto label = [](std::initializer_list<int> labels) {
    LabelSet set = 0;
    for (int each : labels)
      set |= LabelSet(1) << each;
    return set;
  };
  FactorProduct scores;
  scores.extents = {{1, "n"}, {1, "m"}, {128}, {512}, {16}};
  scores.factors = {{label({Heads, Rows, Channels})},
                    {label({Heads, Channels, Rank}), true},
                    {label({Keys, Rank})}};
  scores.result = label({Heads, Rows, Keys});
  std::vector<Order> orders = cheapestOrders(scores);
  ASSERT_EQ(orders.size(), 2U);
  const Order *few = nullptr, *many = nullptr;
  for (const Order &order : orders)
    (order.cost.at({{"n", 1}, {"m", 5000}}) < 2e8 ? few : many) = &order;
  ASSERT_TRUE(few && many);
  EXPECT_EQ(few->cost.str(), "8192 m n + 1048576 n");
  EXPECT_EQ(many->cost.str(), "1048576 m + 2048 m n");
  // They cost the same where 6144 m n = 1048576 (m - n).
  auto cheaper = [&](double n) {
    Lengths lengths = {{"n", n}, {"m", 1e9}};
    return few->cost.at(lengths) < many->cost.at(lengths);
  };
  EXPECT_TRUE(cheaper(170));
  EXPECT_FALSE(cheaper(171));
}

TEST_F(ContractionOrderTest, MultipliesWeightsOnlyWhereTheyDoNotGrow) {
  // x A B from 64 through 8 to 64 channels: A B is larger than both.
  auto inner = [](double between) {
    return cheapestOrders(
               chainOf({{1, "n"}, {64}, {between}, {64}}, {false, true, true}))
        .front();
  };
  EXPECT_EQ(inner(8).cost.str(), "1024 n");
  EXPECT_EQ(inner(8).steps.front(), std::pair(0U, 1U));
  // Through 256 channels it is smaller.
  EXPECT_EQ(inner(256).cost.str(), "4096 n");
  EXPECT_EQ(inner(256).steps.front(), std::pair(1U, 2U));
}

TEST_F(ContractionOrderTest, HasNoOrderWithoutASharedLabel) {
  FactorProduct apart;
  apart.extents = {{4}, {5}};
  apart.factors = {{1}, {2}};
  apart.result = 3;
  EXPECT_TRUE(cheapestOrders(apart).empty());
  FactorProduct one;
  one.extents = {{4}};
  one.factors = {{1}};
  one.result = 1;
  EXPECT_TRUE(cheapestOrders(one).empty());
}

TEST_F(ContractionOrderTest, ComparesCostsByTheirCoefficients) {
  CostPolynomial a({{3}, {1, "n"}}), b({{4}, {1, "n"}}),
      c({{2}, {1, "n"}, {1, "m"}});
  EXPECT_TRUE(a.isAtMost(b));
  EXPECT_FALSE(b.isAtMost(a));
  EXPECT_FALSE(a.isAtMost(c));
  EXPECT_FALSE(c.isAtMost(a));
  EXPECT_TRUE(CostPolynomial().isAtMost(a));
  a += c;
  EXPECT_EQ(a.str(), "2 m n + 3 n");
  EXPECT_EQ(a.at({{"n", 5}, {"m", 7}}), 85);
  EXPECT_EQ(a.atAll(2), 14);
  EXPECT_EQ(CostPolynomial().str(), "0");
}

} // namespace
