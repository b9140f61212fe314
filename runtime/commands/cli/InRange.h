// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Validator for options with a number in a range. CLI::Range accepts NaN in
// every range.

#pragma once

#include "runtime/steps/sampling/NumberRange.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <string>

namespace transfold::runtime::inline commands {

/// A validator that returns a message for values outside of `range`, and for
/// words that are not numbers.
template <typename Number> CLI::Validator inRange(NumberRange<Number> range) {
  auto check = [=](const std::string &word) -> std::string {
    Number value = 0;
    if (CLI::detail::lexical_cast(word, value) && range.has(value))
      return "";
    return fmt::format("Value {} not in range {} to {}", word, range.least,
                       range.most);
  };
  return {check, fmt::format("in [{} - {}]", range.least, range.most),
          "inRange"};
}

} // namespace transfold::runtime::inline commands
