// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regular expressions in the syntax of ECMA-262, which JSON Schema uses: the
// part of it that is regular. Lookaround, back references and word boundaries
// are refused.

#pragma once

#include "runtime/constrain/automaton/Nfa.h"

namespace transfold::runtime::inline constrain {

/// A parsed expression: a tree whose nodes are numbered.
struct Regex {
  enum class Kind : uint8_t {
    Empty,
    Set,
    Sequence,
    Choice,
    Repeat,
    Begin,
    End
  };
  static constexpr uint32_t unlimited = UINT32_MAX;
  struct Node {
    Kind kind = Kind::Empty;
    CodeSet set = {};                     // of Set
    std::vector<uint32_t> children = {};  // of Sequence, Choice, Repeat
    uint32_t least = 0, most = unlimited; // of Repeat
  };
  std::vector<Node> nodes;
  uint32_t root = 0;
};

/// Parses an expression. Throws Error whose message is the rest of a sentence:
/// "has ')' at 3 without '('".
Regex parseRegex(std::string_view text, ConstraintBudget &budget);

/// Whether an expression must match the whole text, or a part of it, as in JSON
/// Schema.
enum class RegexMatch : uint8_t { Whole, Part };

/// The texts that an expression matches. Throws Error as parseRegex() does.
Dfa regexDfa(std::string_view text, TextForm form, RegexMatch match,
             ConstraintBudget &budget);

} // namespace transfold::runtime::inline constrain
