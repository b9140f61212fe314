// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bench-constrain VOCABULARY: measures compiling constraints, and the sets of
// tokens that may follow.
//
// VOCABULARY has a token a line, in hexadecimal. Each line of standard input is
// a JSON object with a "schema", and "texts" that follow it: their tokens (the
// longest that fits, each) are appended one by one, then as many random ones.
// Prints times in µs on one thread: of compiling, and of a set after each token
// with what appending that token took.

#include "runtime/constrain/Constraint.h"

#include <algorithm>
#include <bit>
#include <ctime>
#include <fstream>
#include <iostream>
#include <random>

using namespace transfold::runtime;
using nlohmann::ordered_json;

namespace {

/// Time that this thread has computed, in µs: other programs do not count.
double now() {
  timespec time;
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e6 +
         static_cast<double>(time.tv_nsec) / 1e3;
}

double microseconds(double begin) { return now() - begin; }

std::vector<std::string> readVocabulary(const char *path) {
  std::ifstream file(path);
  std::vector<std::string> tokens;
  for (std::string line; std::getline(file, line);) {
    std::string token;
    for (size_t i = 0; i + 1 < line.size(); i += 2)
      token += static_cast<char>(std::stoi(line.substr(i, 2), nullptr, 16));
    tokens.push_back(token);
  }
  return tokens;
}

std::vector<uint32_t> allowed(const TokenBits &bits) {
  std::vector<uint32_t> result;
  for (size_t word = 0; word < bits.size(); ++word)
    for (uint64_t rest = bits[word]; rest; rest &= rest - 1)
      result.push_back(static_cast<uint32_t>(
          64 * word + static_cast<size_t>(std::countr_zero(rest))));
  return result;
}

struct Times {
  std::vector<double> compile, mask;
};

/// Appends tokens of a text, then random ones.
void measure(const std::shared_ptr<const Grammar> &grammar,
             const std::shared_ptr<const TokenIndex> &index, std::string text,
             std::mt19937 &random, Times &times) {
  Matcher matcher(grammar, index);
  std::string_view rest = text;
  for (int step = 0; step < 300; ++step) {
    auto begin = now();
    const TokenBits &bits = matcher.tokens();
    double time = microseconds(begin);
    const auto tokens = allowed(bits);
    if (tokens.empty() || (rest.empty() && step > 250))
      break;
    uint32_t next = tokens[random() % tokens.size()];
    size_t longest = 0;
    if (!rest.empty())
      for (uint32_t token : tokens)
        if (index->text(token).size() > longest &&
            rest.starts_with(index->text(token))) {
          next = token;
          longest = index->text(token).size();
        }
    rest.remove_prefix(longest);
    begin = now();
    matcher.append(next);
    times.mask.push_back(time + microseconds(begin));
    if (rest.empty() && longest > 0) // a text was read: begin with random ones
      matcher = Matcher(grammar, index);
  }
}

void print(const char *name, std::vector<double> &times) {
  std::ranges::sort(times);
  double sum = 0;
  for (double time : times)
    sum += time;
  auto at = [&](double part) {
    return times[static_cast<size_t>(part *
                                     static_cast<double>(times.size() - 1))];
  };
  std::cout << name << ": " << times.size() << ", mean "
            << sum / static_cast<double>(times.size()) << ", p50 " << at(0.5)
            << ", p99 " << at(0.99) << ", p99.9 " << at(0.999) << ", worst "
            << times.back() << " µs\n";
}

} // namespace

int main(int argc, char **argv) {
  auto tokens = readVocabulary(argc > 1 ? argv[1] : "");
  double begin = now();
  const auto index = std::make_shared<const TokenIndex>(std::move(tokens));
  std::cout << index->size() << " tokens, index made in "
            << microseconds(begin) / 1000 << " ms\n";
  std::mt19937 random(1);
  Times times;
  for (std::string line; std::getline(std::cin, line);) {
    const ordered_json task = ordered_json::parse(line);
    begin = now();
    const auto grammar = schemaConstraint(task["schema"]);
    times.compile.push_back(microseconds(begin));
    const size_t before = times.mask.size();
    for (const ordered_json &text : task["texts"])
      measure(grammar, index, text.get<std::string>(), random, times);
    std::vector<double> own(times.mask.begin() +
                                static_cast<std::ptrdiff_t>(before),
                            times.mask.end());
    print(("  " + task["schema"].dump().substr(0, 50)).c_str(), own);
  }
  print("compile", times.compile);
  print("set", times.mask);
}
