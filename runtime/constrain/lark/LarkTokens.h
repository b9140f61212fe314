// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words of a written grammar.

#pragma once

#include "runtime/constrain/ConstraintBudget.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace transfold::runtime::inline constrain {

/// A word.
struct LarkToken {
  enum class Kind : uint8_t {
    End,
    Name,    // of a rule or terminal, without the marks "?" and "!"
    Text,    // in quotes; `text` has its escapes resolved
    AnyCase, // the same with the flag i
    Regex,   // between slashes
    Number,
    Sign, // anything else: ":", "..", "->", "%ignore"
  };
  Kind kind;
  std::string text;
  size_t line;

  bool isSign(std::string_view sign) const {
    return kind == Kind::Sign && text == sign;
  }
};

/// The words of a grammar, and End. Throws Error.
std::vector<LarkToken> larkTokens(std::string_view text,
                                  ConstraintBudget &budget);

} // namespace transfold::runtime::inline constrain
