// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stores templates as bytes. Children precede their parents in the table, which
// rules out cycles in a damaged program.

#include "runtime/chat/Nodes.h"

#include "base/Error.h"

#include <algorithm>
#include <bit>

namespace transfold::runtime::chat {

namespace {

// Identifies the format of the bytes; a change of the format needs a new value.
constexpr uint32_t magic = 0x31544358; // "XCT1"

/// Appends a number of four bytes, or a text with its length.
void put(std::string &to, uint32_t number) {
  for (int shift = 0; shift < 32; shift += 8)
    to += static_cast<char>(number >> shift & 0xff);
}
void put(std::string &to, std::string_view text) {
  put(to, static_cast<uint32_t>(text.size()));
  to += text;
}

/// Throws the Error of a template that cannot be read.
[[noreturn]] void failDamaged() {
  fail("the program's chat template is damaged; compile the model again");
}

/// Takes values from the front of the bytes; checks that they are not exceeded.
class Reader {
public:
  explicit Reader(std::string_view bytes) : rest(bytes) {}

  uint32_t number() {
    std::string_view four = take(4);
    uint32_t number = 0;
    for (size_t i = 0; i < 4; ++i)
      number |= static_cast<uint32_t>(static_cast<unsigned char>(four[i]))
                << 8 * i;
    return number;
  }
  std::string text() { return std::string(take(number())); }
  /// A number of elements, each of at least four bytes.
  uint32_t count() {
    uint32_t count = number();
    if (count > rest.size() / 4)
      failDamaged();
    return count;
  }
  bool atEnd() const { return rest.empty(); }

private:
  std::string_view rest;

  std::string_view take(size_t count) {
    if (count > rest.size())
      failDamaged();
    std::string_view taken = rest.substr(0, count);
    rest.remove_prefix(count);
    return taken;
  }
};

} // namespace

NodeId TemplateProgram::add(Node node, std::string_view text) {
  auto [found, isNew] =
      places.emplace(text, static_cast<uint32_t>(texts.size()));
  node.text = found->second;
  if (isNew)
    texts.emplace_back(text);
  nodes.push_back(std::move(node));
  return root();
}

std::string TemplateProgram::write() const {
  std::string bytes;
  put(bytes, magic);
  put(bytes, source);
  for (const std::vector<std::string> *list : {&tokens, &texts}) {
    put(bytes, static_cast<uint32_t>(list->size()));
    for (const std::string &text : *list)
      put(bytes, text);
  }
  put(bytes, static_cast<uint32_t>(nodes.size()));
  for (const Node &node : nodes) {
    put(bytes, static_cast<uint32_t>(node.op));
    put(bytes, node.line);
    put(bytes, node.column);
    put(bytes, node.text);
    put(bytes, static_cast<uint32_t>(node.children.size()));
    for (NodeId child : node.children)
      put(bytes, child);
  }
  return bytes;
}

/// How many children a node has at least: the interpreter accesses that many
/// without a check.
static size_t fewestChildren(Op op) {
  switch (op) {
  case Op::Attribute:
  case Op::Call:
  case Op::Filter:
  case Op::Test:
  case Op::Keyword:
  case Op::Spread:
  case Op::Not:
  case Op::Negate:
  case Op::Plus:
  case Op::Compare:
  case Op::Operand:
  case Op::Print:
  case Op::Macro:
  case Op::With:
  case Op::Scope:
    return 1;
  case Op::Item:
  case Op::And:
  case Op::Or:
  case Op::Add:
  case Op::Subtract:
  case Op::Multiply:
  case Op::Divide:
  case Op::FloorDivide:
  case Op::Modulo:
  case Op::Power:
  case Op::Set:
  case Op::CallBlock:
  case Op::FilterBody:
    return 2;
  case Op::Conditional:
  case Op::If:
  case Op::SetBody:
    return 3;
  case Op::Slice:
    return 4;
  case Op::For:
    return 5;
  default:
    return 0;
  }
}

/// Whether the interpreter can run a node that was read; `before` are the nodes
/// that precede it, which are fit.
static bool isFit(const Node &node, std::span<const Node> before) {
  if (node.children.size() < fewestChildren(node.op))
    return false;
  auto isOne = [&](NodeId child, Op op) {
    return child < before.size() && before[child].op == op;
  };
  for (size_t k = 0; k < node.children.size(); ++k) {
    if (node.children[k] >= before.size())
      return false;
    if (node.op == Op::Compare && k > 0 &&
        !isOne(node.children[k], Op::Operand))
      return false;
  }
  return node.op != Op::CallBlock || (isOne(node.children[0], Op::Call) &&
                                      isOne(node.children[1], Op::Macro));
}

TemplateProgram TemplateProgram::read(std::string_view bytes) {
  Reader reader(bytes);
  if (reader.number() != magic)
    failDamaged();
  TemplateProgram program;
  program.source = reader.text();
  for (std::vector<std::string> *list : {&program.tokens, &program.texts})
    for (uint32_t left = reader.count(); left > 0; --left)
      list->push_back(reader.text());
  uint32_t count = reader.count();
  for (uint32_t id = 0; id < count; ++id) {
    Node node;
    node.op = static_cast<Op>(reader.number());
    node.line = reader.number();
    node.column = reader.number();
    node.text = reader.number();
    for (uint32_t left = reader.count(); left > 0; --left)
      node.children.push_back(reader.number());
    bool isKnown = node.op < Op::Count && node.text < program.texts.size();
    if (!isKnown || !isFit(node, program.nodes))
      failDamaged();
    program.nodes.push_back(std::move(node));
  }
  if (program.nodes.empty() || !reader.atEnd())
    failDamaged();
  return program;
}

} // namespace transfold::runtime::chat
