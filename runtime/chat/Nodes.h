// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A chat template as a program: the syntax tree as one flat table, and a pool
// of texts. The compiler makes it of a model's Jinja template, executables
// carry it as bytes, the interpreter walks it.

#ifndef TRANSFOLD_RUNTIME_CHAT_NODES_H
#define TRANSFOLD_RUNTIME_CHAT_NODES_H

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace transfold::runtime::chat {

/// What a node is. After it: its text, and its children; `?` may be Absent.
enum class Op : uint32_t {
  Absent,
  // Constants
  None,
  True,
  False,
  Integer, // text: in decimals
  Float,   // text: as C writes it
  String,  // text
  List,    // items
  Tuple,   // items
  Dict,    // key, value, key, value, …
  // What is looked up
  Name,      // text
  Attribute, // text; object
  Item,      // object, index
  Slice,     // object, first?, end?, step?
  // Calls
  Call,    // function, arguments
  Filter,  // text; value, arguments
  Test,    // text; value, arguments
  Keyword, // text; value: an argument by its name
  Spread,  // text: * or **; value: arguments in a list or a dict
  Held,    // the text of the block that a filter belongs to
  // Operators
  Not,
  Negate,
  Plus,
  And,
  Or,
  Conditional, // condition, value, otherwise?
  Add,
  Subtract,
  Multiply,
  Divide,
  FloorDivide,
  Modulo,
  Power,
  Concatenate, // values
  Compare,     // first, Operand, Operand, …: a < b < c
  Operand,     // text: <, <=, >, >=, ==, !=, in, not in; value
  // Statements
  Output, // text: what stands outside of tags
  Print,  // value
  Body,   // statements
  If,     // condition, body, otherwise?
  For,    // text: "recursive" or none; target, items, condition?, body, else?
  Break,
  Continue,
  Set,        // target, value
  SetBody,    // target, filters?, body
  Macro,      // text: its name; Parameters, body
  Parameter,  // text; default?
  CallBlock,  // call, macro that is its `caller`
  FilterBody, // filters, body
  With,       // target, value, target, value, …, body
  Scope,      // body: what is set in it is not seen after it
  Count,      // of all these
};

using NodeId = uint32_t;

struct Node {
  Op op = Op::Absent;
  uint32_t line = 0, column = 0; // from 1, columns in characters
  uint32_t text = 0;             // in the pool
  std::vector<NodeId> children;  // all before the node itself
};

class TemplateProgram {
public:
  /// What is read of an executable. Throws Error where it is damaged.
  static TemplateProgram read(std::string_view bytes);
  std::string write() const;

  NodeId add(Node node, std::string_view text);
  const Node &node(NodeId id) const { return nodes[id]; }
  std::string_view text(const Node &node) const { return texts[node.text]; }
  size_t size() const { return nodes.size(); }
  /// What runs: the last node.
  NodeId root() const { return static_cast<NodeId>(nodes.size() - 1); }

  /// The name of the file that it was made of, for messages.
  std::string source;
  /// Texts of the tokens that templates know by name, such as bos_token: name,
  /// text, name, text, …
  std::vector<std::string> tokens;

private:
  std::vector<Node> nodes;
  std::vector<std::string> texts;
  /// Where each text is, while a program is made.
  std::unordered_map<std::string, uint32_t> places;
};

} // namespace transfold::runtime::chat

#endif // TRANSFOLD_RUNTIME_CHAT_NODES_H
