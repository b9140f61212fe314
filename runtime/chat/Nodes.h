// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A chat template in compiled form: the syntax tree as one flat table, and a
// pool of texts. The compiler generates it from a model's Jinja template,
// programs contain it as bytes, and the interpreter evaluates it.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace transfold::runtime::chat {

/// The kinds of nodes. The comments list a node's text, then its children; a
/// child marked `?` may be Absent.
enum class Op : uint32_t {
  Absent,
  // Constants
  None,
  True,
  False,
  Integer, // text: in decimal notation
  Float,   // text: in C syntax
  String,  // text
  List,    // items
  Tuple,   // items
  Dict,    // key, value, key, value, …
  // Lookup
  Name,      // text
  Attribute, // text; object
  Item,      // object, index
  Slice,     // object, first?, end?, step?
  // Calls
  Call,    // function, arguments
  Filter,  // text; value, arguments
  Test,    // text; value, arguments
  Keyword, // text; value: a named argument
  Spread,  // text: * or **; value: a list or dict of arguments
  Held,    // the text of the block to which a filter is applied
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
  Output, // text: outside of tags
  Print,  // value
  Body,   // statements
  If,     // condition, body, otherwise?
  For,    // text: "recursive" or empty; target, items, condition?, body, else?
  Break,
  Continue,
  Set,        // target, value
  SetBody,    // target, filters?, body
  Macro,      // text: name; Parameters, body
  Parameter,  // text; default?
  CallBlock,  // call, the macro that is its `caller`
  FilterBody, // filters, body
  With,       // target, value, target, value, …, body
  Scope,      // body: variables set in it are not visible after it
  Count,      // number of kinds
};

using NodeId = uint32_t;

/// A node of the syntax tree.
struct Node {
  Op op = Op::Absent;
  uint32_t line = 0, column = 0; // counted from 1; columns in characters
  uint32_t text = 0;             // index in the pool
  std::vector<NodeId> children;  // all precede the node itself
};

/// A compiled template.
class TemplateProgram {
public:
  /// Reads the bytes that write() returned, from a program. Throws Error if
  /// they are damaged.
  static TemplateProgram read(std::string_view bytes);
  /// The program as bytes; numbers are little-endian.
  std::string write() const;

  /// Appends a node, whose children must exist already, and returns its number.
  /// Equal texts are stored once.
  NodeId add(Node node, std::string_view text);
  const Node &node(NodeId id) const { return nodes[id]; }
  std::string_view text(const Node &node) const { return texts[node.text]; }
  size_t size() const { return nodes.size(); }
  /// The node to run: the last one.
  NodeId root() const { return static_cast<NodeId>(nodes.size() - 1); }

  /// Name of the source file, for messages.
  std::string source;
  /// Texts of the tokens that templates use by name, such as bos_token: name,
  /// text, name, text, …
  std::vector<std::string> tokens;

private:
  std::vector<Node> nodes;
  std::vector<std::string> texts;
  /// Index of each text, used while a program is built.
  std::unordered_map<std::string, uint32_t> places;
};

} // namespace transfold::runtime::chat
