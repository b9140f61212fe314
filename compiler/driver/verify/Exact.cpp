// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Equations that are equal have equal results modulo each prime. If they are
// not, their difference is a polynomial in the random weights (with the values
// of random functions as further variables) that is not zero. If its degree is
// d, it vanishes for a share of at most d / 2^60 of all weights (Schwartz 1980,
// Zippel 1979), independently for two primes: below 2^-100 up to a degree of
// 2^10, which is more than the factors that a value passes between two
// functions (softmax, norms, activations).

#include "compiler/driver/verify/Exact.h"

#include "base/Error.h"
#include "base/files/output/OutputFile.h"
#include "compiler/driver/evaluate/EvaluateModule.h"
#include "compiler/reference/field/FieldNumbers.h"

#include <fmt/format.h>

#include <future>

#include <set>

using namespace mlir;
using namespace transfold;
using namespace transfold::driver;

namespace {

/// Primes that are used together.
constexpr size_t primesUsed = 2;

/// The results of all modules modulo one prime; `equations` first.
using ExactResults = std::vector<Outputs>;

/// Whether all elements are the same words: doubles are compared by their bits,
/// since residues are stored in them.
bool areEqual(const Output &a, const Output &b) {
  return a.shape == b.shape &&
         std::ranges::equal(a.values, b.values, {}, reference::residueOf,
                            reference::residueOf);
}

class ExactVerification {
public:
  ExactVerification(ModuleOp equations, const std::vector<EqualModule> &modules,
                    const checkpoint::Checkpoint &checkpoint,
                    const std::vector<std::string> &inputs)
      : equations(equations), modules(modules), checkpoint(checkpoint),
        inputs(inputs) {}

  void run() {
    auto primes = reference::safePrimes();
    while (found.size() < primesUsed && !primes.empty()) {
      // At once, on a thread each.
      const size_t count = std::min(primesUsed - found.size(), primes.size());
      std::vector<std::future<Evaluated>> running;
      for (uint64_t prime : primes.first(count))
        running.push_back(std::async(
            std::launch::async, [this, prime] { return evaluate(prime); }));
      for (std::future<Evaluated> &each : running) {
        Evaluated evaluated = each.get();
        if (evaluated.missing.empty())
          found.push_back(std::move(evaluated.results));
        else
          missing = evaluated.missing;
      }
      primes = primes.subspan(count);
    }
    if (found.size() < primesUsed)
      fail("--exact: {} of {} primes have the roots of all constants; the last "
           "that has not: {}",
           found.size(), reference::safePrimes().size(), missing);
    for (size_t k = 0; k < modules.size(); ++k)
      compare(k);
    flushPrinted();
    if (unequal)
      fail("{} of {} results are unequal; the first is {}", unequal, compared,
           firstUnequal);
  }

private:
  /// Results, or a message if a constant is not positive modulo the prime.
  struct Evaluated {
    ExactResults results;
    std::string missing;
  };
  Evaluated evaluate(uint64_t prime) const {
    const auto numbers = reference::fieldNumbers(prime, /*seed=*/prime);
    try {
      Evaluated evaluated;
      evaluated.results.push_back(
          evaluateModule(equations, checkpoint, inputs, "", 0, *numbers));
      for (const EqualModule &each : modules)
        evaluated.results.push_back(evaluateModule(
            each.module, checkpoint, inputs, "", each.chunk, *numbers));
      return evaluated;
    } catch (const reference::NotPositive &error) {
      return {{}, error.what()};
    }
  }

  void compare(size_t number) {
    print(fmt::format("{}, modulo {} primes of 61 bits\n",
                      modules[number].title, primesUsed));
    for (const auto &[name, output] : found.front().front()) {
      const Outputs &others = found.front()[number + 1];
      if (!others.contains(name))
        continue;
      ++compared;
      const bool same = llvm::all_of(found, [&](const ExactResults &results) {
        return areEqual(results.front().at(name), results[number + 1].at(name));
      });
      print(fmt::format("  {:<40} {}\n", name, same ? "equal" : "unequal"));
      if (!same && !unequal++)
        firstUnequal = name;
    }
  }

  ModuleOp equations;
  const std::vector<EqualModule> &modules;
  const checkpoint::Checkpoint &checkpoint;
  const std::vector<std::string> &inputs;
  std::vector<ExactResults> found; // by prime
  std::string missing, firstUnequal;
  int compared = 0, unequal = 0;
};

} // namespace

void driver::verifyExactly(ModuleOp equations,
                           const std::vector<EqualModule> &modules,
                           const checkpoint::Checkpoint &checkpoint,
                           const std::vector<std::string> &inputs) {
  ExactVerification(equations, modules, checkpoint, inputs).run();
}
