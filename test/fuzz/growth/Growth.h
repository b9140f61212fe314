// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost of doubling a reader's input.

#pragma once

#include "test/fuzz/growth/Work.h"
#include "test/unit/TemporaryDirectory.h"

#include <fmt/format.h>
#include <functional>
#include <gtest/gtest.h>
#include <string>

namespace transfold::fuzz {

/// Checks that going from 2 `size` to 4 `size` parts takes less than 2.5 times
/// as much additional work as going from `size` to 2 `size`: the factor is 2
/// for linear work, 2.2 for sorting, 4 for quadratic work. Work that does not
/// depend on the size cancels out. Memory grows in steps, as tables double: 4
/// `size` parts must take less than 2.5² times the memory of `size` parts.
template <typename Input>
void expectLinear(const std::string &name, int size,
                  const std::function<Input(int)> &make,
                  const std::function<void(const Input &)> &read) {
  constexpr double most = 2.5;
  auto workOfParts = [&](int parts) {
    const Input input = make(parts);
    return workOf([&] { read(input); });
  };
  workOfParts(size); // what is made once is there
  const Work one = workOfParts(size), two = workOfParts(2 * size),
             four = workOfParts(4 * size);
  auto grow = [&](uint64_t Work::*kind, const char *what) {
    auto first =
        static_cast<double>(two.*kind) - static_cast<double>(one.*kind);
    auto second =
        static_cast<double>(four.*kind) - static_cast<double>(two.*kind);
    EXPECT_LT(second, most * first + size)
        << name << ": " << what << ": " << one.*kind << ", " << two.*kind
        << ", " << four.*kind;
  };
  EXPECT_GT(four.comparisons, two.comparisons) << name << " reads nothing";
  grow(&Work::comparisons, "comparisons");
  grow(&Work::bytes, "bytes that were searched and moved");
  EXPECT_LE(static_cast<double>(four.memory),
            most * most * static_cast<double>(one.memory) + size)
      << name << ": memory";
}

using Text = std::function<std::string(int)>;
using Read = std::function<void(const std::string &)>;

inline void expectLinearText(const std::string &name, int size,
                             const Text &make, const Read &read) {
  expectLinear<std::string>(name, size, make, read);
}

/// The same for a file with that text.
inline void expectLinearFile(const std::string &name, int size,
                             const Text &make, const Read &read) {
  const test::TemporaryDirectory directory;
  expectLinear<std::string>(
      name, size,
      [&](int parts) {
        return directory.write(std::to_string(parts), make(parts));
      },
      read);
}

/// `open`, then `item` of 0, 1, …, with commas between them, then `close`.
inline Text repeated(const std::string &open, const Text &item,
                     const std::string &close,
                     const std::string &between = ",") {
  return [=](int count) {
    std::string text = open;
    for (int i = 0; i < count; ++i)
      text += (i ? between : "") + item(i);
    return text + close;
  };
}

inline Text always(const std::string &text) {
  return [=](int) { return text; };
}

inline std::string numbered(const char *format, int number) {
  return fmt::format(fmt::runtime(format), number);
}

} // namespace transfold::fuzz
