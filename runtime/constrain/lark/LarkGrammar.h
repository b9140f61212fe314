// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Grammars as users write them: a part of the syntax of the Python package Lark
// (docs/constrained.md).

#pragma once

#include "runtime/constrain/grammar/Grammar.h"

namespace transfold::runtime::inline constrain {

/// A parsed grammar: expressions are trees of numbered nodes.
struct LarkGrammar {
  struct Node {
    enum class Kind : uint8_t {
      Text,     // `text`
      AnyCase,  // `text`, in which the case of ASCII letters does not matter
      Regex,    // `text` is an expression that matches all of it
      Name,     // `text` is a rule or a terminal
      Sequence, // of the children
      Choice,   // one of the children
      Repeat,   // the child, least to most times
    };
    Kind kind;
    std::string text = {};
    std::vector<uint32_t> children = {};
    uint32_t least = 1, most = 1;
    size_t line = 0;
  };
  struct Rule {
    uint32_t body;
    size_t line;
  };
  std::vector<Node> nodes;
  std::map<std::string, Rule> rules; // and terminals
  std::vector<uint32_t> ignored;     // nodes of what %ignore names
};

/// Whether a name is that of a terminal, in which nothing is ignored.
bool isTerminalName(std::string_view name);

/// Parses a grammar. Throws Error whose message is the rest of a sentence:
/// "has in line 3 …".
LarkGrammar parseLark(std::string_view text, ConstraintBudget &budget);

/// Compiles a grammar; its texts are those of the rule "start". Throws Error in
/// the same way.
Grammar compileLark(std::string_view text, ConstraintBudget &budget);

} // namespace transfold::runtime::inline constrain
