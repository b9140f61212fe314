// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A greedy elimination: from the most expensive place to the cheapest, each
// place is fixed to absorb nothing, unless that contradicts the laws and the
// decisions so far. Within a class, the place with the most elements comes
// first, and of equal ones the last in program order. Every place ends with
// nothing or with a determined factor, so the solution is unique and the same
// on every machine.
//
// This is almost always the cheapest solution. Where it is not, one place that
// absorbs something should have been fixed earlier: each is tried.

#include "compiler/fold/solve/Solve.h"

#include <array>
#include <cmath>

using namespace mlir;
using namespace transfold;
using namespace transfold::fold;

System fold::lawsOf(const Problem &problem, System::Arithmetic arithmetic) {
  System system(problem.values(), arithmetic);
  bool isSign = arithmetic == System::Arithmetic::Modulo2;
  for (const Equation &equation : isSign ? problem.signs : problem.magnitudes)
    if (!system.add(equation.sum))
      llvm_unreachable("a multiplication at every scale solves all laws");
  return system;
}

// A free unknown may have either sign: positive.
static bool isNegative(const Problem &problem, const GaugeSum &sum) {
  bool negative = false;
  for (const auto &[constant, exponent] : sum.terms)
    if (constant < problem.constants.size())
      negative ^= problem.constants[constant].value.isNegative();
  return negative;
}

Solution fold::solutionOf(const Problem &problem, System &magnitudes,
                          System *signs) {
  Solution solution;
  unsigned first = problem.firstUnknown();
  for (unsigned k = 0; k < problem.absorbers.size(); ++k) {
    solution.exponents.push_back(magnitudes.value(first + k));
    ExactScalar factor = magnitudes.product(solution.exponents.back());
    if (signs && isNegative(problem, signs->value(first + k)))
      factor = -factor;
    solution.factors.push_back(factor);
  }
  // An operation reads a constant if the gauge of its result contains it.
  std::vector<llvm::DenseSet<Operation *>> readers(first);
  for (unsigned k = 0; k < problem.gaugeOrder.size(); ++k) {
    Value value = problem.gaugeOrder[k].first;
    unsigned unknown = first + problem.absorbers.size() + k;
    GaugeSum gauge = magnitudes.value(unknown);
    if (Operation *op = value.getDefiningOp())
      for (const auto &[constant, exponent] : gauge.terms)
        if (constant < first)
          readers[constant].insert(op);
    // A free unknown may have any gauge: report none.
    bool isBound = llvm::all_of(
        gauge.terms, [&](const auto &term) { return term.first < first; });
    if (!isBound || !llvm::any_of(value.getUsers(), llvm::IsaPred<xf::YieldOp>))
      continue;
    ExactScalar factor = magnitudes.product(gauge);
    if (signs && isNegative(problem, signs->value(unknown)))
      factor = -factor;
    solution.yielded.try_emplace(problem.gaugeOrder[k], factor);
  }
  for (const auto &set : readers)
    solution.readers.push_back(set.size());
  return solution;
}

namespace {

/// The elements changed per class, the most expensive class first; for scalars,
/// their count.
constexpr Price dearestFirst[] = {Price::Multiplication, Price::Matrix,
                                  Price::PowerOfTwo, Price::Vector};
using Cost = std::array<int64_t, std::size(dearestFirst) + 1>;

/// Searches for the cheapest solution. `laws` has all equations and no
/// decision; each attempt copies it and fixes the places in some order.
class Solver {
public:
  Solver(const Problem &problem, const SolveOptions &options)
      : problem(problem), options(options),
        laws(lawsOf(problem, System::Arithmetic::Rational)),
        first(problem.firstUnknown()), count(problem.absorbers.size()) {
    for (unsigned k = 0; k < count; ++k)
      if (problem.place(first + k).price == Price::Forbidden)
        narrow.push_back(first + k);
  }

  /// First without changing matrices of few bits; if a multiplication remains,
  /// also with powers of two in them. Signs are solved separately: they cost
  /// nothing anywhere, so one order is enough.
  Solution run() {
    System best = improved(narrow);
    if (!narrow.empty() && costOf(best)[0])
      best = withPowersOfTwo(std::move(best));
    bool anyNegative = llvm::any_of(problem.constants, [](const Constant &c) {
      return c.value.isNegative();
    });
    if (!anyNegative)
      return solutionOf(problem, best, nullptr);
    System signs = lawsOf(problem, System::Arithmetic::Modulo2);
    for (unsigned unknown : inOrder({}))
      signs.fix(unknown);
    return solutionOf(problem, best, &signs);
  }

private:
  /// The class of a place under the options: a matrix of few bits counts as an
  /// ordinary one if it may be rounded again.
  Price priceOf(unsigned unknown) const {
    Price price = problem.place(unknown).price;
    if (price != Price::Forbidden)
      return price;
    return options.intoLowPrecision ? Price::Matrix : Price::PowerOfTwo;
  }

  /// The order in which unknowns are fixed: the most expensive first; `front`
  /// before all others.
  std::vector<unsigned> inOrder(ArrayRef<unsigned> front) const {
    std::vector<unsigned> order;
    llvm::DenseSet<unsigned> taken(front.begin(), front.end());
    for (unsigned k = 0; k < count; ++k)
      if (!taken.contains(first + k))
        order.push_back(first + k);
    auto key = [&](unsigned unknown) {
      const Place &place = problem.place(unknown);
      // Prefer to keep multiplications that the equations have.
      return std::tuple(place.isPresent, -static_cast<int>(priceOf(unknown)),
                        -place.numbers, isa<xf::ScaleOp>(place.op),
                        -static_cast<int64_t>(unknown));
    };
    std::vector<std::pair<decltype(key(0)), unsigned>> keyed;
    for (unsigned unknown : order)
      keyed.push_back({key(unknown), unknown});
    llvm::sort(keyed);
    order.assign(front.begin(), front.end());
    for (const auto &[ignored, unknown] : keyed)
      order.push_back(unknown);
    return order;
  }

  /// Fixes all unknowns, `forbidden` first.
  System attempt(ArrayRef<unsigned> forbidden, ArrayRef<unsigned> front) const {
    System system = laws;
    for (unsigned unknown : forbidden)
      system.fix(unknown);
    for (unsigned unknown : inOrder(front))
      system.fix(unknown);
    return system;
  }

  /// Whether the place has a factor other than 1. Its exponents alone do not
  /// tell: powers of several constants may cancel.
  bool absorbs(System &system, unsigned unknown) const {
    GaugeSum value = system.value(unknown);
    return !value.terms.empty() && !system.product(value).isOne();
  }

  /// What a solution changes. Arrays compare from the first element on, so a
  /// multiplication outweighs any number of changed weights.
  Cost costOf(System &system) const {
    Cost cost = {};
    for (unsigned k = 0; k < count; ++k) {
      const Place &place = problem.place(first + k);
      if (place.isPresent || !absorbs(system, first + k))
        continue;
      const auto *price = llvm::find(dearestFirst, priceOf(first + k));
      const bool isPaid = price != std::end(dearestFirst);
      cost[price - std::begin(dearestFirst)] += isPaid ? place.numbers : 1;
    }
    return cost;
  }

  /// The greedy solution, improved by fixing one absorbing place (in all its
  /// iterations) first, as long as that is cheaper.
  System improved(ArrayRef<unsigned> forbidden) const {
    std::vector<unsigned> front;
    System best = attempt(forbidden, front);
    Cost cost = costOf(best);
    for (int round = 0; round < 6; ++round) {
      bool found = false;
      llvm::DenseSet<unsigned> tried;
      for (unsigned k = 0; k < count && !found; ++k) {
        unsigned place = problem.absorbers[k].first;
        if (problem.places[place].isPresent || !absorbs(best, first + k) ||
            llvm::is_contained(front, first + k) || !tried.insert(place).second)
          continue;
        std::vector<unsigned> other = front;
        for (unsigned unknown : problem.places[place].unknowns)
          if (unknown && absorbs(best, unknown))
            other.push_back(unknown);
        System trial = attempt(forbidden, other);
        if (Cost trialCost = costOf(trial); trialCost < cost) {
          best = std::move(trial);
          cost = trialCost;
          front = std::move(other);
          found = true;
        }
      }
      if (!found)
        break;
    }
    return best;
  }

  /// Called if a multiplication remains: matrices of few bits may absorb powers
  /// of two, which change exponents and no digits. Those that would absorb any
  /// other factor are forbidden, until none does.
  System withPowersOfTwo(System without) const {
    std::vector<unsigned> forbidden;
    while (true) {
      System trial = improved(forbidden);
      size_t before = forbidden.size();
      for (unsigned unknown : narrow)
        if (!options.intoLowPrecision &&
            !llvm::is_contained(forbidden, unknown) &&
            !trial.product(trial.value(unknown)).isPowerOfTwo())
          forbidden.push_back(unknown);
      if (forbidden.size() != before)
        continue;
      return costOf(trial)[0] < costOf(without)[0] ? std::move(trial)
                                                   : std::move(without);
    }
  }

  const Problem &problem;
  const SolveOptions &options;
  System laws;
  unsigned first, count;
  /// Absorbers that are matrices of 16 bits or fewer.
  std::vector<unsigned> narrow;
};

} // namespace

Solution fold::solve(const Problem &problem, const SolveOptions &options) {
  return Solver(problem, options).run();
}

llvm::StringSet<> fold::farConstants(const Problem &problem,
                                     const Solution &solution) {
  // Leaves room to multiply two values of typical magnitude, and to sum
  // squares.
  constexpr double farthest = 0x1p40;
  llvm::StringSet<> far;
  for (unsigned k = 0; k < problem.absorbers.size(); ++k) {
    double factor = std::fabs(solution.factors[k].toDouble());
    if (problem.place(problem.firstUnknown() + k).price ==
            Price::Multiplication ||
        (factor < farthest && factor > 1 / farthest))
      continue;
    for (const auto &[constant, exponent] : solution.exponents[k].terms)
      if (StringRef written = problem.constants[constant].written;
          written != "log2(e)")
        far.insert(written);
  }
  return far;
}

Operation *fold::objectionTo(const Problem &problem) {
  System system(problem.values(), System::Arithmetic::Rational);
  for (unsigned k = 0; k < problem.absorbers.size(); ++k) {
    unsigned unknown = problem.firstUnknown() + k;
    Price price = problem.place(unknown).price;
    if (price == Price::Multiplication || price == Price::Forbidden)
      system.fix(unknown);
  }
  for (const Equation &equation : problem.magnitudes)
    if (!system.add(equation.sum))
      return equation.op;
  return nullptr;
}
