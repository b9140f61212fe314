// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random definitions by index: integers with remainders and quotients of either
// sign, expressions of the length, large constants, and combinations of these.
// Integers stay below 2^53, where double is exact.

#pragma once

#include <fmt/format.h>

#include <random>
#include <string>
#include <vector>

namespace transfold::test {

class RandomDefinition {
public:
  explicit RandomDefinition(unsigned seed) : random(seed) {}

  /// An expression of t, c and the length %0[].
  std::string text() {
    std::string whole = integer(3);
    return pick({whole, whole, fmt::format("({}) / 7", whole),
                 fmt::format("sin({})", whole),
                 fmt::format("√(abs({}))", whole),
                 fmt::format("exp(-abs({}) / 8)", whole)});
  }

private:
  std::string pick(const std::vector<std::string> &of) {
    return of[random() % of.size()];
  }

  std::string leaf() {
    return pick({"t", "t", "c", "c", "%0[]", "0", "1", "-1", "2", "7", "-3",
                 "65536", "-100003", "t", "c"});
  }

  std::string integer(int depth) {
    if (depth == 0)
      return leaf();
    // A remainder or a quotient of a linear expression, as in reads of rows by
    // index.
    if (random() % 4 == 0)
      return fmt::format(
          "(({} * {} + {}) {} {})", leaf(), pick({"1", "2", "c", "-1"}),
          pick({"0", "1", "5", "-4"}), pick({"mod", "div"}), divisor());
    std::string a = integer(depth - 1);
    switch (random() % 12) {
    case 0:
      return fmt::format("({} + {})", a, integer(depth - 1));
    case 1:
      return fmt::format("({} - {})", a, integer(depth - 1));
    case 2:
      return fmt::format("({} * {})", leaf(), leaf());
    case 3:
      return fmt::format("({} * {})", a, pick({"0", "1", "-1", "3", "-7"}));
    case 4:
    case 5:
      return fmt::format("(({}) mod {})", a, divisor());
    case 6:
    case 7:
      return fmt::format("(({}) div {})", a, divisor());
    case 8:
      return fmt::format("clamp({}, -5, 9)", a);
    case 9:
      return fmt::format("{}({}, {})", pick({"min", "max"}), a,
                         integer(depth - 1));
    case 10:
      return fmt::format("{}({})", pick({"abs", "sign", "floor", "ceil"}), a);
    default:
      return fmt::format("({} if {} else {})", a, condition(depth - 1),
                         integer(depth - 1));
    }
  }

  std::string divisor() {
    return pick({"1", "(-1)", "2", "3", "7", "(-3)", "65536", "(c + 1)", "%0[]",
                 "(2 * %0[] + 1)"});
  }

  std::string condition(int depth) {
    std::string compared =
        fmt::format("{} {} {}", integer(depth),
                    pick({"==", "!=", "<", "<=", ">", ">="}), integer(depth));
    if (depth == 0 || random() % 2)
      return compared;
    return pick({fmt::format("({} and {})", compared, condition(depth - 1)),
                 fmt::format("({} or {})", compared, condition(depth - 1)),
                 fmt::format("not {}", compared)});
  }

  std::mt19937 random;
};

} // namespace transfold::test
