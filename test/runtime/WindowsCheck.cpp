// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A main() for the objects of a decoder in which every layer has a sliding
// window: the results of long sequences, several times longer than all windows,
// are those of the equations over whole sequences; and the memory of a sequence
// does not grow with it.

#include "base/Error.h"
#include "runtime/steps/BeamSearch.h"
#include "runtime/steps/HostCaches.h"
#include "runtime/steps/Steps.h"
#include "test/runtime/CheckMain.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <random>
#include <string>
#include <sys/prctl.h>

using namespace transfold;
using namespace transfold::runtime;

namespace {

using Tokens = std::vector<int32_t>;
using Logits = std::vector<float>;

/// So many positions that no other mapping has the size of a sequence's memory.
constexpr int64_t positions = 8100;

class Check {
public:
  explicit Check(Session &session)
      : session(session), whole(session, session.metadata().entry("decode")),
        steps(session, "decode", {positions}) {}

  void run() {
    printWindows();
    Tokens tokens = randomTokens(3000);
    Logits all = atOnce(tokens);
    growing(tokens, all);
    together(tokens, all);
    goingBack(tokens, all);
    branching(tokens, all);
    beams(tokens);
    // A device has no memory that is reserved but not committed.
    if (!session.onDevice())
      resident();
  }

private:
  Session &session;
  Call whole;
  Steps steps;
  std::mt19937 random{3};

  static void expect(bool holds, const std::string &what) {
    if (!holds)
      fail("{}", what);
  }

  void printWindows() {
    for (const Cache &cache : session.metadata().caches)
      std::printf("%s has a window of %d\n", cache.name.c_str(),
                  static_cast<int>(cache.window));
  }

  Tokens randomTokens(size_t count) {
    Tokens tokens(count);
    for (int32_t &token : tokens)
      token = static_cast<int32_t>(random() % steps.vocabulary());
    return tokens;
  }

  /// The logits of all positions, computed without a cache.
  Logits atOnce(const Tokens &tokens) {
    int64_t length[] = {static_cast<int64_t>(tokens.size())};
    whole.setLengths(length);
    std::ranges::copy(tokens, whole.integers(0).begin());
    whole.run();
    return {whole.result(0).begin(), whole.result(0).end()};
  }

  /// Equal except for the rounding of sums in another order. `found` are those
  /// of the positions before `end`.
  void same(std::span<const float> found, const Logits &all, size_t end,
            const std::string &what) {
    auto expected =
        std::span(all).first(end * steps.vocabulary()).last(found.size());
    for (size_t i = 0; i < found.size(); ++i)
      expect(std::abs(found[i] - expected[i]) < 1e-4f,
             fmt::format("{}: {} instead of {} before position {}", what,
                         found[i], expected[i], end));
  }

  std::span<const float> append(size_t sequence,
                                std::span<const int32_t> tokens) {
    Steps::Chunk chunk{sequence, tokens, static_cast<int64_t>(tokens.size())};
    steps.run(std::span(&chunk, 1));
    return steps.logits(0);
  }

  /// Continues the sequence up to `end`, some tokens at a time.
  void goOn(size_t sequence, const Tokens &tokens, const Logits &all,
            size_t end, const std::string &what) {
    static const size_t counts[] = {1, 1, 7, 1, 64, 512, 3};
    for (size_t k = 0; static_cast<size_t>(steps.length(sequence)) < end; ++k) {
      auto at = static_cast<size_t>(steps.length(sequence));
      size_t count = std::min(counts[k % std::size(counts)], end - at);
      same(append(sequence, std::span(tokens).subspan(at, count)), all,
           at + count, what);
    }
  }

  void growing(const Tokens &tokens, const Logits &all) {
    size_t sequence = steps.add();
    goOn(sequence, tokens, all, tokens.size(), "a long sequence");
    steps.drop(sequence);
  }

  /// Two sequences, one far ahead and one at its beginning, in the same steps.
  void together(const Tokens &tokens, const Logits &all) {
    size_t first = steps.add(), second = steps.add();
    goOn(first, tokens, all, 2500, "the first of two");
    for (size_t at = 0; at < 500; at += 100) {
      Steps::Chunk both[] = {
          {second, std::span(tokens).subspan(at, 100)},
          {first, std::span(tokens).subspan(2500 + at, 100)}};
      steps.run(both);
      same(steps.logits(0), all, at + 100, "one that begins beside another");
      same(steps.logits(1), all, 2600 + at, "one beside another that begins");
    }
    steps.drop(first);
    steps.drop(second);
  }

  /// Within the held rows it continues from there; otherwise all is computed
  /// again.
  void goingBack(const Tokens &tokens, const Logits &all) {
    size_t sequence = steps.add();
    goOn(sequence, tokens, all, 2000, "before going back");
    expect(steps.goBack(sequence, 1999) == 1999, "the last token is forgotten");
    goOn(sequence, tokens, all, 2100, "after going back by one");
    for (int64_t to : {300, 1, 0}) {
      int64_t from = steps.length(sequence);
      expect(steps.goBack(sequence, to) == 0 && steps.length(sequence) == 0,
             "rows that were given back are taken for there");
      std::printf("from %d back to %d: begins again\n", static_cast<int>(from),
                  static_cast<int>(to));
      goOn(sequence, tokens, all, 1200, "after beginning again");
    }
    steps.drop(sequence);
  }

  /// Copies of sequences at other positions, past the window and before it.
  void branching(const Tokens &tokens, const Logits &all) {
    size_t trunk = steps.add(), branch = steps.add();
    goOn(trunk, tokens, all, 1500, "a trunk");
    steps.copy(trunk, branch);
    goOn(branch, tokens, all, 3000, "a branch");
    goOn(trunk, tokens, all, 1600, "a trunk beside its branch");
    // The branch has released rows that the trunk still holds.
    steps.copy(trunk, branch, 1600);
    expect(steps.length(branch) == 1600, "a copy has another length");
    goOn(branch, tokens, all, 2700, "a branch that was taken back");
    steps.copy(branch, trunk, 1600);
    goOn(trunk, tokens, all, 3000, "a trunk that was taken ahead");
    steps.drop(trunk);
    steps.drop(branch);
  }

  /// The results of beam search, across the edge of a piece, have the scores
  /// that the whole sequence gives them.
  void beams(const Tokens &tokens) {
    size_t prompt = 1040;
    GenerationOptions options;
    options.most = 40;
    options.beams = 4;
    for (const Continuation &each : beamSearch(
             steps, steps.add(), std::span(tokens).first(prompt), options)) {
      Tokens all(tokens.begin(),
                 tokens.begin() + static_cast<std::ptrdiff_t>(prompt));
      all.insert(all.end(), each.tokens.begin(), each.tokens.end());
      Logits logits = atOnce(all);
      double sum = 0;
      for (size_t at = prompt; at < all.size(); ++at) {
        auto row = std::span(logits).subspan((at - 1) * steps.vocabulary(),
                                             steps.vocabulary());
        double total = 0;
        for (float logit : row)
          total += std::exp(static_cast<double>(logit));
        sum += static_cast<double>(row[static_cast<size_t>(all[at])]) -
               std::log(total);
      }
      sum /= static_cast<double>(each.tokens.size());
      expect(
          std::abs(sum - each.score) < 1e-4,
          fmt::format("a beam's score is {}, its tokens' {}", each.score, sum));
    }
  }

  /// Resident bytes of mappings of `bytes`; nullopt if the system does not
  /// report them.
  static std::optional<int64_t> residentBytes(int64_t bytes) {
    std::ifstream maps("/proc/self/smaps");
    std::string line;
    unsigned long begin, end;
    bool isOne = false;
    std::optional<int64_t> found;
    while (std::getline(maps, line)) {
      long kilobytes;
      if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2)
        isOne = static_cast<int64_t>(end - begin) == bytes;
      else if (isOne && std::sscanf(line.c_str(), "Rss: %ld", &kilobytes) == 1)
        found = found.value_or(0) + kilobytes * 1024;
    }
    return found;
  }

  /// Generates one token at a time, and checks the resident memory of the
  /// sequence.
  void resident() {
    const std::vector<Cache> &caches = session.metadata().caches;
    int64_t bound = 0, all = 0;
    for (const Cache &cache : caches) {
      bound += mostBytes(cache, 1);
      all += cache.members * cache.rowBytes * positions;
    }
    int64_t page = CacheMemory::pageBytes();
    all = (all + page - 1) / page * page;
    size_t sequence = steps.add();
    int64_t most = 0;
    for (int64_t at = 0; at < 8000; ++at) {
      auto token = static_cast<int32_t>(random() % steps.vocabulary());
      append(sequence, std::span(&token, 1));
      if (at % 200 == 0)
        most = std::max(most, residentBytes(all).value_or(0));
    }
    expect(
        most <= bound,
        fmt::format("8000 tokens held {} bytes, of {} at most", most, bound));
    expect(10 * bound < all, "the bound is no bound");
    std::printf("8000 tokens hold %s\n",
                most ? "less than a tenth" : "an unknown amount");
    steps.drop(sequence);
  }
};

} // namespace

int main() {
  // Huge pages would be released only in large pieces.
  ::prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
  return test::runCheck<Check>();
}
