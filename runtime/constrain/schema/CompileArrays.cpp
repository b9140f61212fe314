// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists: "[", items with commas, "]". A comma may be followed by one space.

#include "runtime/constrain/schema/ArrayRules.h"
#include "runtime/constrain/schema/SchemaCompiler.h"

#include <algorithm>

namespace transfold::runtime::inline constrain {

uint32_t SchemaCompiler::commaRule(uint32_t value) {
  const uint32_t rule = grammar.addRule({});
  grammar.setBody(rule, grammar.automaton(expression(", ?"),
                                          grammar.call(value, grammar.end())));
  return rule;
}

uint32_t SchemaCompiler::array(const Conjunction &all) {
  const ArrayRules rules(document, all);
  const uint32_t least = rules.least(), most = rules.most();
  const uint32_t close = grammar.text("]", grammar.end());
  const auto own =
      static_cast<uint32_t>(std::min<size_t>(rules.ownGoals(), most));
  // What follows `count` items of those that are alike: `count` is at least
  // `own`, and 1.
  auto rest = [&](uint32_t count) {
    if (most == count)
      return least <= count ? close : grammar.nothing();
    const uint32_t rule = commaRule(ruleOf(rules.goalOf(own)));
    return grammar.loop(rule, least > count ? least - count : 0,
                        most == ArrayRules::unlimited ? Grammar::unlimited
                                                      : most - count,
                        close);
  };
  // From the last item with a schema of its own to the first one.
  uint32_t next = own > 0 ? rest(own) : 0;
  for (uint32_t i = own; i-- > 0;) {
    budget.work(8);
    next = grammar.call(ruleOf(rules.goalOf(i)), next);
    if (i > 0)
      next = grammar.automaton(expression(", ?"), next);
    if (i > 0 && least <= i)
      next = grammar.choice({next, close});
  }
  if (own == 0 && most > 0)
    next = grammar.call(ruleOf(rules.goalOf(0)), rest(1));
  std::vector<uint32_t> ways;
  if (most > 0)
    ways.push_back(next);
  if (least == 0)
    ways.push_back(close);
  return grammar.text("[", grammar.choice(std::move(ways)));
}

} // namespace transfold::runtime::inline constrain
