// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects: properties in the order of the schema, then others. A colon and a
// comma may be followed by one space.

#include "runtime/constrain/automaton/JsonString.h"
#include "runtime/constrain/schema/AllowedValues.h"
#include "runtime/constrain/schema/ObjectRules.h"
#include "runtime/constrain/schema/SchemaCompiler.h"
#include "runtime/constrain/schema/StringRules.h"

#include <algorithm>

namespace transfold::runtime::inline constrain {

/// The names that "propertyNames" allows, between the quotes.
Dfa SchemaCompiler::possibleNames(const ObjectRules &rules) {
  if (rules.nameGoal().empty())
    return anyTexts(budget);
  Dfa result;
  for (const Conjunction &all : conjunctions.alternatives(rules.nameGoal())) {
    if (!(typesOf(document, all) & stringType))
      continue;
    Dfa mine;
    if (const auto values = allowedValues(document, all, budget)) {
      std::vector<std::string> texts;
      for (const SchemaJson *value : *values)
        if (value->is_string())
          texts.push_back(jsonText(value->get_ref<const std::string &>()));
      mine = Dfa::ofTexts(std::move(texts), budget);
    } else {
      mine = StringRules(document, all).texts(budget);
    }
    result = Dfa::unite(result, mine, budget);
  }
  return result;
}

/// A rule that reads a property without a schema of its own.
uint32_t SchemaCompiler::otherPropertyRule(const ObjectRules &rules,
                                           const Dfa &names) {
  std::vector<uint32_t> ways;
  for (ObjectRules::Others &others : rules.others(names)) {
    const uint32_t value =
        grammar.call(ruleOf(std::move(others.goal)), grammar.end());
    ways.push_back(grammar.text(
        "\"",
        grammar.automaton(grammar.addAutomaton(std::move(others.names)),
                          grammar.automaton(expression("\": ?"), value))));
  }
  const uint32_t rule = grammar.addRule({});
  grammar.setBody(rule, grammar.choice(std::move(ways)));
  return rule;
}

/// The graph of an object, from its end to its beginning. There is a node for
/// each property and number of properties before it, as far as this number
/// matters.
struct SchemaCompiler::ObjectGraph {
  SchemaCompiler &compiler;
  Grammar &grammar;
  const ObjectRules &rules;
  const uint32_t close;
  /// Rules of another property, without and with a comma before it; nullopt if
  /// there can be none.
  std::optional<std::pair<uint32_t, uint32_t>> other;
  /// Larger numbers of properties are like this one.
  uint32_t largest;

  bool isLimited() const { return rules.most() != ObjectRules::unlimited; }
  bool canAddTo(uint32_t count) const {
    return !isLimited() || count < rules.most();
  }
  uint32_t oneMore(uint32_t count) const {
    return std::min(count + 1, largest);
  }

  /// The node after all named properties. The names of other ones may be equal:
  /// only the first of them counts for the least number.
  uint32_t atEnd(uint32_t count) const {
    std::vector<uint32_t> ways;
    if (count >= rules.least())
      ways.push_back(close);
    if (other && canAddTo(count) && count + 1 >= rules.least()) {
      const uint32_t more = grammar.loop(
          other->second, 0,
          isLimited() ? rules.most() - count - 1 : Grammar::unlimited, close);
      ways.push_back(
          grammar.call(count == 0 ? other->first : other->second, more));
    }
    return grammar.choice(std::move(ways));
  }

  /// The node before a property: `after` are the nodes after it, by the number
  /// of properties.
  uint32_t before(const std::string &name, bool isPossible, uint32_t count,
                  const std::vector<uint32_t> &after) const {
    std::vector<uint32_t> ways;
    if (isPossible && canAddTo(count)) {
      const std::string quoted = "\"" + jsonText(name) + "\":";
      const uint32_t value = grammar.call(compiler.ruleOf(rules.goalOf(name)),
                                          after[oneMore(count)]);
      ways.push_back(
          grammar.automaton(compiler.keyAutomaton(quoted, count > 0), value));
    }
    if (!rules.isRequired(name))
      ways.push_back(after[count]);
    return grammar.choice(std::move(ways));
  }
};

uint32_t SchemaCompiler::keyAutomaton(const std::string &quoted,
                                      bool hasComma) {
  const std::string key = (hasComma ? "," : "") + quoted;
  auto [found, isNew] = keys.try_emplace(key);
  if (isNew) {
    budget.memory(2 * key.size() + 64);
    std::vector<std::string> texts = {key, key + " "};
    if (hasComma)
      texts.insert(texts.end(), {", " + quoted, ", " + quoted + " "});
    found->second = grammar.addAutomaton(Dfa::ofTexts(texts, budget));
  }
  return found->second;
}

uint32_t SchemaCompiler::object(const Conjunction &all) {
  const ObjectRules rules(document, all, budget);
  const auto &names = rules.names();
  ObjectGraph graph = {.compiler = *this,
                       .grammar = grammar,
                       .rules = rules,
                       .close = grammar.text("}", grammar.end()),
                       .other = {},
                       .largest = 0};
  const bool allowsOthers = !rules.isClosed() && rules.most() > 0;
  const auto most = static_cast<uint32_t>(names.size());
  if (rules.least() > most + (allowsOthers ? 1 : 0) &&
      rules.least() <= rules.most() && allowsOthers)
    document.refuse(rules.placeOfLeast(), "minProperties",
                    "is supported only up to the number of properties with a "
                    "schema and one more");
  const bool hasNames = !rules.nameGoal().empty();
  Dfa possible;
  if (allowsOthers || hasNames)
    possible = possibleNames(rules);
  if (allowsOthers) {
    const uint32_t rule = otherPropertyRule(rules, possible);
    graph.other = {rule, commaRule(rule)};
  }
  graph.largest = graph.isLimited() ? std::min(rules.most(), most)
                                    : std::min(std::max(1U, rules.least()),
                                               std::max(1U, most));
  std::vector<uint32_t> after, before;
  for (uint32_t count = 0; count <= graph.largest; ++count)
    after.push_back(graph.atEnd(count));
  for (size_t i = names.size(); i-- > 0;) {
    const bool isPossible = !hasNames || possible.matches(jsonText(names[i]));
    before.clear();
    // At most i properties come before this one.
    for (uint32_t count = 0; count <= std::min<size_t>(graph.largest, i);
         ++count) {
      budget.work(8);
      before.push_back(graph.before(names[i], isPossible, count, after));
    }
    std::swap(before, after);
  }
  return grammar.text("{", after[0]);
}

} // namespace transfold::runtime::inline constrain
