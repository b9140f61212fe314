// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folded programs compute what the equations mean: random programs, with the
// cheapest gauges and with random ones. And the laws are neither too weak nor
// too strict: each is violated in every way, and each time the results change.

#include "compiler/fold/Apply.h"
#include "compiler/fold/Passes.h"
#include "compiler/reference/field/FieldNumbers.h"
#include "compiler/weights/Passes.h"
#include "test/unit/compiler/RandomProgram.h"
#include "test/unit/compiler/Xf.h"

#include <mlir/IR/Verifier.h>
#include <mlir/Pass/PassManager.h>

#include <cmath>
#include <map>
#include <memory>

using namespace mlir;
using namespace transfold;
using fold::GaugeSum;
using fold::Problem;
using fold::Solution;
using fold::System;
using reference::Tensor;

namespace {

class FoldTest : public test::XfTest {
protected:
  using Results = std::vector<std::vector<double>>;

  /// Fills the stored tensors of `module` with random values.
  static void fill(ModuleOp module, test::RandomCheckpoint &checkpoint) {
    for (auto stored : module.getOps<xf::StoredOp>()) {
      int64_t last = stored.getLayout().getOffset();
      for (auto [size, stride] : llvm::zip(stored.getLayout().getSizes(),
                                           stored.getLayout().getStrides()))
        last += (size - 1) * stride;
      for (int64_t l = 0; l < stored.getMembers(); ++l) {
        std::string name = stored.getSource()->getName().str();
        if (size_t at = name.find("{l}"); at != std::string::npos)
          name.replace(at, 3, std::to_string(l));
        checkpoint.add(name, last + 1);
      }
    }
  }

  /// Moves biases into others, which are computed from them; with `gains`, also
  /// gains into matrices.
  void moveBiases(ModuleOp module, bool gains = false) {
    PassManager passes(&context);
    passes.addPass(fold::createMoveBiases());
    if (gains)
      passes.addPass(fold::createMoveGains());
    passes.addPass(weights::createDeriveWeights());
    passes.addPass(fold::createSelectResults());
    ASSERT_TRUE(succeeded(passes.run(module)));
  }

  /// A random program, with values of its weights.
  struct Sample {
    OwningOpRef<ModuleOp> module;
    test::RandomCheckpoint checkpoint;
  };
  /// Null if the program is not valid.
  std::unique_ptr<Sample> sampleOf(unsigned seed, bool wild = true) {
    auto sample = std::make_unique<Sample>();
    sample->module = parse(test::RandomProgram(seed, wild).text());
    if (!sample->module)
      return nullptr;
    fill(*sample->module, sample->checkpoint);
    return sample;
  }

  /// All results of all entries, for several sequences of several lengths.
  static Results
  runAll(ModuleOp module, const checkpoint::Checkpoint &checkpoint,
         int sequences = 1,
         const reference::Numbers &numbers = reference::doubles()) {
    Results results;
    reference::Interpreter interpreter(module, &checkpoint, numbers);
    for (auto entry : module.getOps<xf::EntryOp>())
      for (int s = 0; s < sequences; ++s) {
        int64_t length = s % 3 == 0 ? 4 : 2 * s - 1;
        Tensor tokens({length});
        for (int64_t k = 0; k < length; ++k)
          tokens.data[k] = (3 * s + k * (s + 2) + 1) % 7;
        for (Tensor &result : interpreter.run(entry, {tokens}))
          results.push_back(std::move(result.data));
      }
    return results;
  }

  /// The largest difference, relative to the largest value of its result.
  static double difference(const Results &a, const Results &b) {
    double worst = a.size() == b.size() ? 0 : INFINITY;
    for (auto [x, y] : llvm::zip(a, b)) {
      double largest = 1e-300, off = 0;
      for (auto [u, v] : llvm::zip(x, y)) {
        largest = std::max(largest, std::fabs(u));
        off = std::max(off, std::isfinite(v) ? std::fabs(u - v) : INFINITY);
      }
      worst = std::max(worst, off / largest);
    }
    return worst;
  }

  static ExactScalar rational(int64_t numerator, int64_t denominator) {
    return ExactScalar::rational(ExactScalar::Integer(numerator),
                                 ExactScalar::Integer(denominator));
  }

  static fold::ProblemOptions withSpareConstants() {
    fold::ProblemOptions options;
    for (int k = 0; k < spares; ++k)
      options.spare.push_back(rational(8 + (k * 5) % 17, 16));
    options.spare.emplace_back(int64_t(-1));
    return options;
  }

  /// Gauges that fulfill the laws: free ones are chosen at random.
  std::optional<Solution> randomSolution(const Problem &problem,
                                         unsigned seed) {
    std::mt19937 generator(seed);
    System magnitudes(problem.values(), System::Arithmetic::Rational),
        signs(problem.values(), System::Arithmetic::Modulo2);
    for (const fold::Equation &equation : problem.magnitudes)
      if (!magnitudes.add(equation.sum))
        return std::nullopt;
    for (const fold::Equation &equation : problem.signs)
      if (!signs.add(equation.sum))
        return std::nullopt;
    std::vector<unsigned> order;
    for (unsigned k = 0; k < problem.absorbers.size(); ++k)
      order.push_back(problem.firstUnknown() + k);
    std::shuffle(order.begin(), order.end(), generator);
    for (unsigned unknown : order) {
      if (magnitudes.isFree(unknown))
        magnitudes.add(GaugeSum(unknown) - GaugeSum(1 + generator() % spares));
      if (signs.isFree(unknown))
        signs.add(generator() % 3 ? GaugeSum(unknown)
                                  : GaugeSum(unknown) - GaugeSum(1 + spares));
    }
    return fold::solutionOf(problem, magnitudes, &signs);
  }

  double foldedDifference(ModuleOp module, const Problem &problem,
                          const Solution &solution, const Results &expected,
                          const checkpoint::Checkpoint &checkpoint) {
    fold::apply(module, problem, solution);
    EXPECT_TRUE(succeeded(mlir::verify(module)));
    return difference(expected, runAll(module, checkpoint));
  }

  static constexpr int spares = 200;
};

TEST_F(FoldTest, CheapestGaugesKeepTheResults) {
  for (unsigned seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE(seed);
    auto sample = sampleOf(seed);
    ASSERT_TRUE(sample);
    auto &[module, checkpoint] = *sample;
    Results expected = runAll(*module, checkpoint);
    Problem problem = Problem::of(*module);
    Solution solution = fold::solve(problem);
    // A 16-bit matrix may only change by a power of two.
    for (unsigned k = 0; k < problem.absorbers.size(); ++k)
      if (problem.place(problem.firstUnknown() + k).price ==
          fold::Price::Forbidden)
        EXPECT_TRUE(solution.factors[k].isPowerOfTwo());
    ASSERT_LT(
        foldedDifference(*module, problem, solution, expected, checkpoint),
        1e-11);
  }
}

TEST_F(FoldTest, AnyGaugesThatTheLawsAllowKeepTheResults) {
  for (unsigned seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE(seed);
    auto sample = sampleOf(seed);
    ASSERT_TRUE(sample);
    auto &[module, checkpoint] = *sample;
    Results expected = runAll(*module, checkpoint);
    Problem problem = Problem::of(*module, withSpareConstants());
    auto solution = randomSolution(problem, seed + 7);
    ASSERT_TRUE(solution);
    ASSERT_LT(
        foldedDifference(*module, problem, *solution, expected, checkpoint),
        1e-10);
  }
}

TEST_F(FoldTest, MovedBiasesAndGainsKeepTheResults) {
  std::map<std::string, unsigned> moved;
  unsigned derived = 0;
  for (unsigned seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE(seed);
    auto sample = sampleOf(seed);
    ASSERT_TRUE(sample);
    auto &[module, checkpoint] = *sample;
    Results expected = runAll(*module, checkpoint);
    moveBiases(*module, /*gains=*/seed % 2);
    ASSERT_LT(difference(expected, runAll(*module, checkpoint)), 1e-11);
    for (auto line : module->getOps<xf::MovedOp>())
      moved[line.getKind().str()] += !line.getKept();
    for (auto stored : module->getOps<xf::StoredOp>())
      derived += !stored.getDerivation().empty();
    // The same with random gauges: values computed from others have their own.
    Problem problem = Problem::of(*module, withSpareConstants());
    auto solution = randomSolution(problem, seed + 7);
    ASSERT_TRUE(solution);
    ASSERT_LT(
        foldedDifference(*module, problem, *solution, expected, checkpoint),
        1e-10);
  }
  EXPECT_GT(moved["bias"], 500U);
  EXPECT_GT(moved["gain"], 100U);
  EXPECT_GT(derived, 500U);
}

// Modulo a prime, no difference is small: each of these would be found if a
// constant were off by one part in 10^17.
TEST_F(FoldTest, FoldedEquationsAreEqualModuloAPrime) {
  // The constants of random programs are products of primes below 100, and of
  // this one.
  const uint64_t prime =
      *llvm::find_if(reference::safePrimes(), [](uint64_t each) {
        const reference::PrimeField field(each);
        return field.isPositive(field.of(1000003));
      });
  const auto numbers = reference::fieldNumbers(prime, /*seed=*/1);
  auto exactly = [&](const Sample &sample) {
    Results results = runAll(*sample.module, sample.checkpoint, 1, *numbers);
    std::vector<std::vector<uint64_t>> residues;
    for (const std::vector<double> &result : results) {
      residues.emplace_back();
      for (double x : result)
        residues.back().push_back(reference::residueOf(x));
    }
    return residues;
  };
  auto check = [&](unsigned seed) {
    auto sample = sampleOf(seed);
    ASSERT_TRUE(sample);
    const auto expected = exactly(*sample);
    if (seed % 2)
      moveBiases(*sample->module, /*gains=*/seed % 4 == 1);
    ASSERT_EQ(expected, exactly(*sample));
    Problem problem = Problem::of(*sample->module, withSpareConstants());
    auto solution = randomSolution(problem, seed + 7);
    ASSERT_TRUE(solution);
    fold::apply(*sample->module, problem, *solution);
    ASSERT_EQ(expected, exactly(*sample));
  };
  int skipped = 0;
  for (unsigned seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE(seed);
    try {
      check(seed);
    } catch (const reference::NotPositive &) {
      ++skipped; // a sum of constants is a product of other primes
    }
    if (HasFatalFailure())
      return;
  }
  EXPECT_LT(skipped, 60);
}

TEST_F(FoldTest, EveryCompensationIsNeeded) {
  unsigned sums = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    auto sample = sampleOf(seed, /*wild=*/false);
    ASSERT_TRUE(sample);
    auto &[module, checkpoint] = *sample;
    moveBiases(*module);
    Results expected = runAll(*module, checkpoint);
    unsigned count = 0;
    auto forEachSum = [](ModuleOp module, auto function) {
      unsigned number = 0;
      for (auto stored : module.getOps<xf::StoredOp>())
        stored.walk([&](xf::AddOp sum) { function(sum, number++); });
    };
    forEachSum(*module, [&](xf::AddOp, unsigned) { ++count; });
    for (unsigned dropped = 0; dropped < count; ++dropped) {
      OwningOpRef<ModuleOp> mutated = module->clone();
      forEachSum(*mutated, [&](xf::AddOp sum, unsigned number) {
        if (number == dropped && sum.getLhs().getType() == sum.getType())
          sum.getResult().replaceAllUsesWith(sum.getLhs());
      });
      EXPECT_GT(difference(expected, runAll(*mutated, checkpoint)), 1e-8)
          << "sum " << dropped;
    }
    sums += count;
  }
  EXPECT_GT(sums, 50U);
}

TEST_F(FoldTest, EveryLawIsNeeded) {
  // For each operation, system and index of the equation in its law: in how
  // many programs its absence changes the results.
  using Law = std::tuple<std::string, bool, unsigned>;
  std::map<Law, int> caught;
  for (unsigned seed = 0; seed < 40; ++seed) {
    auto sample = sampleOf(seed);
    ASSERT_TRUE(sample);
    auto &[module, checkpoint] = *sample;
    Results expected = runAll(*module, checkpoint);
    Problem whole = Problem::of(*module, withSpareConstants());
    std::map<Law, std::vector<unsigned>> laws;
    for (bool sign : {false, true}) {
      std::map<Operation *, unsigned> number;
      Operation *last = nullptr;
      const auto &equations = sign ? whole.signs : whole.magnitudes;
      for (unsigned k = 0; k < equations.size(); ++k) {
        Operation *op = equations[k].op;
        // An operation in a loop states its law once per iteration.
        if (op != last)
          number[op] = 0;
        last = op;
        // A loop has one equation per layer.
        unsigned which = isa<xf::LayersOp>(op) ? 0 : number[op]++;
        laws[{op->getName().stripDialect().str(), sign, which}].push_back(k);
      }
    }
    for (const auto &[law, dropped] : laws) {
      int &times = caught[law];
      if (times >= 2)
        continue;
      for (unsigned attempt = 0; attempt < 2; ++attempt) {
        OwningOpRef<ModuleOp> folded = module->clone();
        Problem own = Problem::of(*folded, withSpareConstants());
        auto &mutated = std::get<1>(law) ? own.signs : own.magnitudes;
        for (unsigned k : dropped)
          mutated[k].sum = {};
        auto solution = randomSolution(own, seed + attempt);
        if (!solution || !(foldedDifference(*folded, own, *solution, expected,
                                            checkpoint) < 1e-8)) {
          ++times;
          break;
        }
      }
    }
  }
  EXPECT_GT(caught.size(), 40U);
  // That scores and x Φ(x) must not have negative gauges is a requirement of
  // the kernels, which subtract the largest score and compute Φ of -|x|. In
  // double this does not matter.
  for (const char *name : {"gelu", "softmax"})
    caught.erase({name, true, 1});
  for (const auto &[law, times] : caught)
    EXPECT_GT(times, 0) << std::get<0>(law) << ", "
                        << (std::get<1>(law) ? "sign" : "magnitude")
                        << " equation " << std::get<2>(law);
}

//===----------------------------------------------------------------------===//
// Nothing is free but what the laws leave free
//===----------------------------------------------------------------------===//

/// The rank of a matrix given by its columns: elimination with the largest
/// pivots.
unsigned rankOf(std::vector<std::vector<double>> columns) {
  unsigned rank = 0;
  double first = 0;
  while (!columns.empty()) {
    auto norm = [](const std::vector<double> &c) {
      double sum = 0;
      for (double x : c)
        sum += x * x;
      return std::sqrt(sum);
    };
    auto largest = std::max_element(
        columns.begin(), columns.end(),
        [&](const auto &a, const auto &b) { return norm(a) < norm(b); });
    double size = norm(*largest);
    if (rank == 0)
      first = size;
    if (size < 1e-6 * first || size == 0)
      break;
    std::vector<double> unit = *largest;
    for (double &x : unit)
      x /= size;
    columns.erase(largest);
    ++rank;
    for (auto &column : columns) {
      double product = 0;
      for (size_t k = 0; k < unit.size(); ++k)
        product += unit[k] * column[k];
      for (size_t k = 0; k < unit.size(); ++k)
        column[k] -= product * unit[k];
    }
  }
  return rank;
}

class NullityTest : public FoldTest {
protected:
  /// The number of directions that leave the results unchanged, numerically.
  unsigned nullity(ModuleOp module, const checkpoint::Checkpoint &checkpoint) {
    Problem problem = Problem::of(module);
    unsigned first = problem.firstUnknown();
    auto results = [&](unsigned changed, int step) {
      OwningOpRef<ModuleOp> copy = module.clone();
      Problem own = Problem::of(*copy);
      Solution solution;
      for (unsigned k = 0; k < own.absorbers.size(); ++k) {
        const fold::Place &place = own.place(first + k);
        ExactScalar factor;
        if (auto scale = dyn_cast<xf::ScaleOp>(place.op))
          factor = scale.getFactor().getValue();
        else if (place.isPresent)
          factor = ExactScalar::log2OfE();
        if (k == changed)
          factor = factor * rational((1 << 20) + step, 1 << 20);
        solution.factors.push_back(factor);
      }
      fold::apply(*copy, own, solution);
      std::vector<double> all;
      for (auto &result : runAll(*copy, checkpoint, 4))
        all.insert(all.end(), result.begin(), result.end());
      return all;
    };
    std::vector<std::vector<double>> columns;
    for (unsigned k = 0; k < problem.absorbers.size(); ++k) {
      std::vector<double> up = results(k, 4), down = results(k, -4);
      for (size_t j = 0; j < up.size(); ++j)
        up[j] = (up[j] - down[j]) * (1 << 17);
      columns.push_back(up);
    }
    return columns.size() - rankOf(columns);
  }

  /// The number of directions that the laws leave free.
  static unsigned freeDirections(const Problem &problem) {
    System system = fold::lawsOf(problem, System::Arithmetic::Rational);
    unsigned free = 0;
    for (unsigned k = 0; k < problem.absorbers.size(); ++k) {
      unsigned unknown = problem.firstUnknown() + k;
      if (!system.isFree(unknown))
        continue;
      ++free;
      system.fix(unknown);
    }
    return free;
  }
};

TEST_F(NullityTest, LawsAreAsLooseAsTheNumbers) {
  // For each operation whose law is extended to bind its first operand: in how
  // many programs that is detected.
  std::map<std::string, int> caught;
  for (unsigned seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(seed);
    auto sample = sampleOf(seed, /*wild=*/false);
    ASSERT_TRUE(sample);
    auto &[module, checkpoint] = *sample;
    // A bias of keys would be free, which has nothing to do with gauges.
    moveBiases(*module);
    Problem problem = Problem::of(*module);
    unsigned free = freeDirections(problem);
    EXPECT_EQ(nullity(*module, checkpoint), free);

    std::map<std::string, std::vector<Operation *>> byName;
    module->walk([&](xf::GaugeLawInterface op) {
      if (op->getNumOperands() &&
          isa<xf::RealType>(op->getOperand(0).getType()))
        byName[op->getName().stripDialect().str()].push_back(op);
    });
    for (const auto &[name, ops] : byName) {
      Problem strict = Problem::of(*module);
      for (const auto &[key, unknown] : strict.gauges)
        if (llvm::any_of(ops, [&](Operation *op) {
              return op->getOperand(0) == key.first;
            }))
          strict.magnitudes.push_back({GaugeSum(unknown), ops[0]});
      caught[name] += freeDirections(strict) < free;
    }
  }
  EXPECT_GT(caught.size(), 10U);
  for (const auto &[name, times] : caught)
    EXPECT_GT(times, 0) << name;
}

} // namespace
