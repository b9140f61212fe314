// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/serve/calls/FreeText.h"

#include "runtime/chat/CallSyntax.h"

#include <functional>

namespace transfold::runtime::serve {

namespace {

bool isSpace(char letter) {
  return chat::spaceAroundCalls.find(letter) != std::string_view::npos;
}

/// Appends an accepting state: `next` returns the state after a byte.
void addState(Dfa &dfa, const std::function<uint32_t(uint8_t)> &next,
              ConstraintBudget &budget) {
  std::vector<Dfa::Edge> edges;
  for (unsigned byte = 0; byte < 256; ++byte)
    if (const uint32_t target = next(static_cast<uint8_t>(byte));
        target != Dfa::dead)
      edges.push_back(
          {static_cast<uint8_t>(byte), static_cast<uint8_t>(byte), target});
  dfa.add(true, edges, budget);
}

/// The length of the longest beginning of `mark` with which a text ends that
/// consists of the first `length` bytes of `mark` and `byte` (Knuth, Morris and
/// Pratt 1977, without tables: marks are short).
uint32_t matchedAfter(std::string_view mark, size_t length, char byte) {
  const std::string text = std::string(mark.substr(0, length)) + byte;
  std::string_view end = text;
  while (!mark.starts_with(end))
    end.remove_prefix(1);
  return static_cast<uint32_t>(end.size());
}

} // namespace

Dfa textsWithout(std::string_view mark, ConstraintBudget &budget) {
  Dfa result;
  for (size_t length = 0; length < mark.size(); ++length) {
    budget.work(256 + mark.size() * mark.size());
    addState(
        result,
        [&](uint8_t byte) {
          const uint32_t matched =
              matchedAfter(mark, length, static_cast<char>(byte));
          return matched == mark.size() ? Dfa::dead : matched;
        },
        budget);
  }
  return result;
}

Dfa textsNotBeginningWith(std::string_view beginning,
                          ConstraintBudget &budget) {
  Dfa result;
  const auto any = static_cast<uint32_t>(beginning.size());
  for (uint32_t length = 0; length <= any; ++length) {
    budget.work(256);
    addState(
        result,
        [&](uint8_t byte) {
          const char letter = static_cast<char>(byte);
          if (length == any)
            return any;
          if (letter == beginning[length])
            return length + 1 == any ? Dfa::dead : length + 1;
          return length == 0 && isSpace(letter) ? 0 : any;
        },
        budget);
  }
  return result;
}

Dfa whiteSpace(ConstraintBudget &budget) {
  Dfa result;
  addState(
      result,
      [](uint8_t byte) {
        return isSpace(static_cast<char>(byte)) ? 0 : Dfa::dead;
      },
      budget);
  return result;
}

} // namespace transfold::runtime::serve
