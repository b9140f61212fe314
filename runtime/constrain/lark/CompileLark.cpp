// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules and terminals become rules of the grammar; what %ignore names may be
// before each terminal of a rule and at the end of the text.

#include "runtime/constrain/automaton/Regex.h"
#include "runtime/constrain/lark/LarkGrammar.h"

#include <algorithm>
#include <optional>

namespace transfold::runtime::inline constrain {

namespace {

using Node = LarkGrammar::Node;

class Compiler {
public:
  Compiler(LarkGrammar written, ConstraintBudget &budget)
      : budget(budget), written(std::move(written)), grammar(budget) {}

  Grammar run() {
    for (const auto &[name, unused] : written.rules)
      rules[name] = grammar.addRule(name);
    auto start = rules.find("start");
    if (start == rules.end())
      fail("has no rule 'start'");
    if (!written.ignored.empty()) {
      const uint32_t rule = grammar.addRule("%ignore");
      std::vector<uint32_t> ways;
      for (uint32_t each : written.ignored)
        ways.push_back(emit(each, grammar.end(), true));
      grammar.setBody(rule, grammar.choice(std::move(ways)));
      ignored = rule;
    }
    for (auto &[name, rule] : written.rules) {
      const bool isTerminal = isTerminalName(name);
      grammar.setBody(rules[name], emit(withoutLeftRecursion(name, rule.body),
                                        grammar.end(), isTerminal));
    }
    const uint32_t text = grammar.addRule("the text");
    grammar.setBody(text, grammar.call(start->second, skip(grammar.end())));
    if (!grammar.finish(text))
      fail("has no text that ends");
    return std::move(grammar);
  }

private:
  ConstraintBudget &budget;
  LarkGrammar written;
  Grammar grammar;
  std::map<std::string, uint32_t> rules;
  std::optional<uint32_t> ignored; // a rule
  std::map<std::string, uint32_t> expressions;

  /// What may be ignored, any number of times.
  uint32_t skip(uint32_t next) {
    return ignored ? grammar.loop(*ignored, 0, Grammar::unlimited, next) : next;
  }

  /// A: A x | y is y x*: both are y followed by any number of x.
  uint32_t withoutLeftRecursion(const std::string &name, uint32_t body) {
    const Node &choice = written.nodes[body];
    std::vector<uint32_t> ways = {body}, rests, others;
    if (choice.kind == Node::Kind::Choice)
      ways = choice.children;
    for (uint32_t way : ways) {
      const Node node = written.nodes[way];
      const bool isRecursive =
          node.kind == Node::Kind::Sequence && !node.children.empty() &&
          written.nodes[node.children[0]].kind == Node::Kind::Name &&
          written.nodes[node.children[0]].text == name;
      if (!isRecursive) {
        others.push_back(way);
        continue;
      }
      // A way that is only the name itself adds nothing.
      if (node.children.size() > 1)
        rests.push_back(add(
            {.kind = Node::Kind::Sequence,
             .children = {node.children.begin() + 1, node.children.end()}}));
    }
    if (others.size() == ways.size())
      return body;
    const uint32_t first =
        add({.kind = Node::Kind::Choice, .children = std::move(others)});
    if (rests.empty())
      return first;
    const uint32_t rest =
        add({.kind = Node::Kind::Choice, .children = std::move(rests)});
    const uint32_t repeat = add({.kind = Node::Kind::Repeat,
                                 .children = {rest},
                                 .least = 0,
                                 .most = Grammar::unlimited});
    return add({.kind = Node::Kind::Sequence, .children = {first, repeat}});
  }
  uint32_t add(Node node) {
    budget.memory(sizeof(Node));
    written.nodes.push_back(std::move(node));
    return static_cast<uint32_t>(written.nodes.size() - 1);
  }

  /// The node that reads `id` and goes on at `next`. Nothing is ignored in
  /// terminals.
  uint32_t emit(uint32_t id, uint32_t next, bool inTerminal) {
    budget.work(4);
    const Node node = written.nodes[id];
    auto terminal = [&](uint32_t read) {
      return inTerminal ? read : skip(read);
    };
    switch (node.kind) {
    case Node::Kind::Text:
      return terminal(grammar.text(node.text, next));
    case Node::Kind::AnyCase:
      return terminal(
          grammar.automaton(expression(anyCase(node.text), node.line), next));
    case Node::Kind::Regex:
      return terminal(
          grammar.automaton(expression(node.text, node.line), next));
    case Node::Kind::Name: {
      auto found = rules.find(node.text);
      if (found == rules.end())
        fail("has in line {} '{}', which is not defined", node.line,
             node.text.substr(0, 40));
      if (inTerminal && !isTerminalName(node.text))
        fail("has in line {} a terminal that uses the rule '{}'", node.line,
             node.text.substr(0, 40));
      const uint32_t call = grammar.call(found->second, next);
      return isTerminalName(node.text) ? terminal(call) : call;
    }
    case Node::Kind::Sequence:
      for (size_t i = node.children.size(); i-- > 0;)
        next = emit(node.children[i], next, inTerminal);
      return next;
    case Node::Kind::Choice: {
      std::vector<uint32_t> ways;
      for (uint32_t child : node.children)
        ways.push_back(emit(child, next, inTerminal));
      return grammar.choice(std::move(ways));
    }
    case Node::Kind::Repeat:
      if (node.most == 1)
        return grammar.choice({emit(node.children[0], next, inTerminal), next});
      const uint32_t body = grammar.addRule("a repetition");
      grammar.setBody(body, emit(node.children[0], grammar.end(), inTerminal));
      return grammar.loop(body, node.least, node.most, next);
    }
    return next;
  }

  uint32_t expression(const std::string &regex, size_t line) {
    auto [found, isNew] = expressions.try_emplace(regex);
    if (!isNew)
      return found->second;
    Dfa dfa;
    try {
      dfa = regexDfa(regex, TextForm::Plain, RegexMatch::Whole, budget);
    } catch (const TooMuchToCompile &) {
      throw;
    } catch (const Error &error) {
      fail("has in line {} an expression that {}", line, error.what());
    }
    return found->second = grammar.addAutomaton(std::move(dfa));
  }

  /// An expression for a text whose ASCII letters may have any case.
  static std::string anyCase(const std::string &text) {
    std::string result;
    for (char letter : text) {
      const char lower = static_cast<char>(letter | 0x20);
      if (lower >= 'a' && lower <= 'z')
        result += fmt::format("[{}{}]", lower, static_cast<char>(lower - 0x20));
      else if (static_cast<unsigned char>(letter) < 0x80)
        result += fmt::format("\\x{:02x}", static_cast<unsigned>(letter));
      else
        result += letter;
    }
    return result;
  }
};

} // namespace

Grammar compileLark(std::string_view text, ConstraintBudget &budget) {
  return Compiler(parseLark(text, budget), budget).run();
}

} // namespace transfold::runtime::inline constrain
