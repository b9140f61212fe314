// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// READERCosts CORPUS [TRIALS [SEED]]: measures the cost of inputs of growing
// size for a reader.
//
// A main() for a fuzz target, instead of libFuzzer's. It takes each input of
// the corpus, repeats a part of it, or two parts in two places (like brackets),
// doubling the count each time, and counts the work (Work.h). An input with
// quadratic growth is reported. GrowthTest has hand-written inputs; these are
// generated.

#include "test/fuzz/growth/Work.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

namespace {

double workOf(const std::string &input) {
  const transfold::fuzz::Work work = transfold::fuzz::workOf([&] {
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(input.data()),
                           input.size());
  });
  // Moving a byte, or allocating one, costs less than a comparison.
  return static_cast<double>(work.comparisons) +
         static_cast<double>(work.bytes + work.memory) / 16;
}

/// Two parts of an input, and where they are repeated.
struct Growth {
  const std::string &seed;
  std::string first, second;
  size_t at, end; // two positions, at <= end

  std::string grown(size_t times) const {
    std::string text = seed.substr(0, at);
    for (size_t i = 0; i < times; ++i)
      text += first;
    text += seed.substr(at, end - at);
    for (size_t i = 0; i < times; ++i)
      text += second;
    return text + seed.substr(end);
  }
};

Growth anyGrowth(const std::string &seed, std::mt19937 &random) {
  auto below = [&](size_t most) {
    return random() % std::max<size_t>(most, 1);
  };
  auto part = [&] {
    size_t begin = below(seed.size()), longest = random() % 4 ? 8 : 40;
    return seed.substr(begin, 1 + below(longest));
  };
  size_t a = below(seed.size() + 1), b = below(seed.size() + 1);
  Growth growth{seed, part(), "", std::min(a, b), std::max(a, b)};
  if (random() % 3 == 0)
    growth.second = part();
  return growth;
}

constexpr size_t leastBytes = 4096, doublings = 4;
// The allowed growth if the size doubles: linear cost is 2, and n log n a
// little more. Quadratic cost is 4.
constexpr double mostGrowth = 3.2;
// An input with less work per byte is not slow.
constexpr double leastWork = 200;

/// The problem of a growing input; nullopt if its cost is acceptable.
std::optional<std::string> problemOf(const Growth &growth, std::string &input) {
  const size_t each = growth.first.size() + growth.second.size();
  double before = 0, last = 0, bytes = 0;
  bool isSquare = true;
  for (size_t step = 0; step < doublings; ++step) {
    input = growth.grown((leastBytes << step) / each + 1);
    const double work = workOf(input);
    bytes = static_cast<double>(input.size());
    const double more = work - last;
    if (step > 1 && !(more > mostGrowth * before))
      isSquare = false;
    before = more;
    last = work;
    if (step > 1 && !isSquare)
      return std::nullopt;
  }
  if (!isSquare || last < leastWork * bytes)
    return std::nullopt;
  return "does work that grows with the square: " +
         std::to_string(static_cast<uint64_t>(last)) + " at the end";
}

std::vector<std::string> seedsOf(const char *folder) {
  constexpr size_t longest = 8192;
  std::vector<std::filesystem::path> paths;
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    if (entry.is_regular_file() && entry.file_size() <= longest)
      paths.push_back(entry.path());
  std::ranges::sort(paths);
  std::vector<std::string> seeds;
  for (const auto &path : paths) {
    std::ifstream file(path, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(file),
                       std::istreambuf_iterator<char>());
  }
  return seeds;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2)
    return 2;
  const size_t trials = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 100;
  std::mt19937 random(argc > 3 ? static_cast<unsigned>(std::atoi(argv[3])) : 1);
  const std::vector<std::string> seeds = seedsOf(argv[1]);
  if (seeds.empty())
    return 2;
  for (size_t trial = 0; trial < trials; ++trial) {
    const std::string &seed = seeds[random() % seeds.size()];
    const Growth growth = anyGrowth(seed, random);
    std::string input;
    if (auto problem = problemOf(growth, input)) {
      std::ofstream("costly", std::ios::binary) << input;
      std::printf("An input of %zu bytes, in the file 'costly', %s.\n"
                  "It repeats '%s' and '%s' at %zu and %zu of '%s'.\n",
                  input.size(), problem->c_str(), growth.first.c_str(),
                  growth.second.c_str(), growth.at, growth.end, seed.c_str());
      return 1;
    }
  }
  std::printf("%zu inputs grew, and their costs in proportion\n", trials);
  return 0;
}
