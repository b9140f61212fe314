// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A context-free grammar, as networks of nodes (Woods 1970): each rule is a
// graph whose nodes read bytes by an automaton, or call a rule. Schemas,
// expressions and written grammars become one of these.
//
// A node names the node after it, so that graphs are built from their ends.

#pragma once

#include "runtime/constrain/grammar/TextSlice.h"

#include <map>

namespace transfold::runtime::inline constrain {

/// A node of a rule's graph.
struct GrammarNode {
  enum class Kind : uint8_t {
    End,       // of the rule
    Nothing,   // cannot be passed
    Automaton, // reads a word of automaton `what`
    Repeat,    // reads least to most words of automaton `what`
    Call,      // rule `what`
    Loop,      // rule `what`, least to most times
    Choice,    // one of the `least` nodes from `what` on in `ways`
  };
  Kind kind;
  uint32_t what = 0, next = 0;
  uint32_t least = 1, most = 1;
};

/// A grammar. After finish() it is not changed, and may be used by any number
/// of threads.
class Grammar {
public:
  static constexpr uint32_t unlimited = UINT32_MAX;
  using Kind = GrammarNode::Kind;

  explicit Grammar(ConstraintBudget &budget);

  // Building. Every function returns the number of what it added.
  uint32_t addAutomaton(Dfa dfa);
  /// The automaton that reads exactly `text`; equal texts share one.
  uint32_t textAutomaton(const std::string &text);
  uint32_t addRule(std::string name);
  void setBody(uint32_t rule, uint32_t start) { rules[rule].start = start; }
  uint32_t end() const { return 0; }
  uint32_t nothing() const { return 1; }
  uint32_t automaton(uint32_t automaton, uint32_t next);
  uint32_t text(const std::string &text, uint32_t next) {
    return automaton(textAutomaton(text), next);
  }
  /// No word of the automaton may begin with another one.
  uint32_t repeat(uint32_t automaton, uint32_t least, uint32_t most,
                  uint32_t next);
  uint32_t call(uint32_t rule, uint32_t next);
  uint32_t loop(uint32_t rule, uint32_t least, uint32_t most, uint32_t next);
  uint32_t choice(std::vector<uint32_t> ways);

  /// Analyses the grammar, whose texts are those of rule `root`. Returns false
  /// if there are none. Throws Error, whose message is the rest of a sentence,
  /// if a rule calls itself before it reads anything.
  [[nodiscard]] bool finish(uint32_t root);

  // What finish() found.
  struct Rule {
    std::string name;
    uint32_t start = 1;
    bool isProductive = false; // it can be completed
    bool isNullable = false;   // it can be completed without reading
    /// A rule that is called at the beginning of another has a larger rank.
    uint32_t rank = 0;
  };
  /// An automaton and what is known of its states.
  struct Leaf {
    Dfa dfa;
    std::vector<AlikeSlices> alike;
  };
  uint32_t root() const { return rootRule; }
  const GrammarNode &node(uint32_t id) const { return nodes[id]; }
  std::span<const uint32_t> waysOf(const GrammarNode &node) const {
    return {ways.data() + node.what, node.least};
  }
  const Rule &rule(uint32_t id) const { return rules[id]; }
  const Leaf &leaf(uint32_t id) const { return leaves[id]; }
  /// Whether a text can be completed from a node on.
  bool isProductive(uint32_t node) const { return productive[node]; }
  /// Bytes of a class are alike in all automata.
  uint8_t classOf(uint8_t byte) const { return classes[byte]; }
  /// One byte of each class.
  std::span<const uint8_t> classExamples() const { return examples; }
  size_t size() const { return nodes.size(); }

private:
  ConstraintBudget *budget; // until finish()
  std::vector<GrammarNode> nodes;
  std::vector<uint32_t> ways;
  std::vector<Rule> rules;
  std::vector<Leaf> leaves;
  std::map<std::string, uint32_t> texts;
  std::vector<bool> productive;
  std::array<uint8_t, 256> classes = {};
  std::vector<uint8_t> examples;
  uint32_t rootRule = 0;

  uint32_t add(GrammarNode node);
  /// Steps of finish().
  bool passes(const GrammarNode &node, const std::vector<bool> &passable,
              bool Rule::*can, bool reads) const;
  void findPassable(std::vector<bool> &passable, bool Rule::*can, bool reads);
  void rankRules();
  std::vector<uint32_t> rulesAtBegin(uint32_t rule) const;
  void findClasses();
};

} // namespace transfold::runtime::inline constrain
