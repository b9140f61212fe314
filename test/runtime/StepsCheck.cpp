// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A main() for the objects of a compiled decoder: sequences that grow in one
// batch, are shortened and branch must have the results of each alone; and a
// decode step must allocate nothing.

#include "base/Error.h"
#include "runtime/steps/Steps.h"
#include "test/runtime/CheckMain.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>

using namespace transfold;
using namespace transfold::runtime;

static std::atomic<size_t> allocations;

void *operator new(size_t bytes) {
  ++allocations;
  if (void *memory = std::malloc(bytes))
    return memory;
  throw std::bad_alloc();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }

namespace {

using Tokens = std::vector<int32_t>;
using Logits = std::vector<float>;

class Check {
public:
  explicit Check(Session &session) : steps(session, "decode", {64}) {}

  void run() {
    Tokens a = {5, 17, 3, 99, 42, 7, 23, 64, 8, 1}, b = {11, 12, 13, 14, 15};
    Logits wholeA = alone(a), wholeB = alone(b);
    interleaved(a, b, wholeA, wholeB);
    back(a, wholeA);
    branched(a, wholeA);
    allocatesNothing();
    refused();
  }

private:
  Steps steps;

  static void expect(bool holds, const char *what) {
    if (!holds)
      fail("{}", what);
  }

  Logits after(size_t sequence, std::span<const int32_t> tokens) {
    Steps::Chunk chunk{sequence, tokens};
    steps.run(std::span(&chunk, 1));
    return {steps.logits(0).begin(), steps.logits(0).end()};
  }

  /// Equal except for the rounding of sums in another order.
  static void same(const Logits &a, const Logits &b, const char *what) {
    expect(a.size() == b.size(), what);
    for (size_t i = 0; i < a.size(); ++i)
      expect(std::abs(a[i] - b[i]) < 1e-4f, what);
  }

  /// The logits after the last of `tokens`.
  Logits alone(const Tokens &tokens) {
    size_t sequence = steps.add();
    Logits logits = after(sequence, tokens);
    steps.drop(sequence);
    return logits;
  }

  /// Two sequences of different lengths in one step, each with its own chunk
  /// size.
  void interleaved(const Tokens &a, const Tokens &b, const Logits &wholeA,
                   const Logits &wholeB) {
    size_t first = steps.add(), second = steps.add();
    after(first, std::span(a).first(4));
    Steps::Chunk both[] = {{second, std::span(b).first(3)},
                           {first, std::span(a).subspan(4, 1)}};
    steps.run(both);
    Steps::Chunk rest[] = {{first, std::span(a).subspan(5)},
                           {second, std::span(b).subspan(3)}};
    steps.run(rest);
    same({steps.logits(0).begin(), steps.logits(0).end()}, wholeA,
         "a sequence beside another says something else");
    same({steps.logits(1).begin(), steps.logits(1).end()}, wholeB,
         "the other one does");
    expect(steps.length(first) == 10 && steps.length(second) == 5,
           "lengths are wrong");
    steps.drop(first);
    steps.drop(second);
  }

  void back(const Tokens &a, const Logits &whole) {
    size_t sequence = steps.add();
    after(sequence, std::span(a).first(6));
    after(sequence, Tokens{90, 91, 92, 93, 94, 95});
    expect(steps.goBack(sequence, 6) == 6, "it has all that is read");
    same(after(sequence, std::span(a).subspan(6)), whole,
         "what was forgotten still counts");
    steps.drop(sequence);
  }

  /// A prefix that is computed once; then one more row than both share.
  void branched(const Tokens &a, const Logits &whole) {
    size_t trunk = steps.add(), branch = steps.add();
    after(trunk, std::span(a).first(6));
    steps.copy(trunk, branch);
    after(branch, Tokens{90, 91});
    same(after(trunk, std::span(a).subspan(6)), whole,
         "a branch changed its trunk");
    expect(steps.goBack(branch, 6) == 6, "a branch has all that is read");
    steps.copy(trunk, branch, 6);
    expect(steps.length(branch) == 10, "a copy has another length");
    expect(steps.goBack(branch, 9) == 9, "a copy has all that is read");
    same(after(branch, std::span(a).subspan(9)), whole,
         "rows after the shared ones were not copied");
    steps.drop(trunk);
    steps.drop(branch);
  }

  void allocatesNothing() {
    size_t sequence = steps.add();
    int32_t token = 3;
    Steps::Chunk one{sequence, std::span(&token, 1)};
    steps.run(std::span(&one, 1));
    size_t before = allocations;
    for (int i = 0; i < 20; ++i)
      steps.run(std::span(&one, 1));
    size_t made = allocations - before;
    std::printf("%zu allocations for 20 tokens\n", made);
    steps.drop(sequence);
  }

  template <typename Action>
  static void throws(Action action, const char *message) {
    try {
      action();
    } catch (const Error &error) {
      std::printf("refused: %s\n", error.what());
      return;
    }
    fail("{}", message);
  }

  void refused() {
    size_t sequence = steps.add();
    throws([&] { after(sequence, Tokens(65, 1)); }, "too long is accepted");
    throws([&] { after(sequence, Tokens{-1}); }, "a token below 0 is accepted");
    throws([&] { after(sequence, Tokens{1 << 20}); },
           "a token after the last is accepted");
    throws([&] { (void)steps.goBack(sequence, 1); },
           "going forward is accepted");
    same(after(sequence, Tokens{5}), alone({5}),
         "a refused step left something behind");
  }
};

} // namespace

int main() { return test::runCheck<Check>(); }
