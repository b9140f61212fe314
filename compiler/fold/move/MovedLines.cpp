// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines of the ledger for what moved, and how names that users write are
// compared with those of the equations.

#include "compiler/fold/move/MovedLines.h"
#include "base/exact/AsciiName.h"
#include "dialect/Places.h"

#include <cctype>
#include <filesystem>

using namespace mlir;
using namespace transfold;
using namespace transfold::fold;

bool fold::isNamed(StringRef written, StringRef name) {
  if (auto [first, others] = written.split(", "); !others.empty())
    return isNamed(first, name) || isNamed(others, name);
  std::string plain = asciiName(name.str());
  return written == plain ||
         (written.consume_back(plain) && written.ends_with("."));
}

/// The length of the radicand at the beginning of `text`: a name or number
/// followed by its brackets, or a parenthesized expression.
static size_t lengthOfRadicand(StringRef text) {
  constexpr StringRef root = "√";
  if (text.starts_with(root))
    return root.size() + lengthOfRadicand(text.drop_front(root.size()));
  size_t depth = 0, end = 0;
  for (; end < text.size(); ++end) {
    char c = text[end];
    bool isWord = std::isalnum(static_cast<unsigned char>(c)) || c == '_' ||
                  c == '.' || (c & 0x80);
    if (c == '(' || c == '[')
      ++depth;
    else if ((c == ')' || c == ']') && depth > 0)
      --depth;
    else if (depth == 0 && !isWord)
      break;
  }
  return end;
}

/// Rewrites √x as sqrt(x), also within radicands.
static std::string withRootsNamed(StringRef text) {
  constexpr StringRef root = "√";
  size_t place = text.find(root);
  if (place == StringRef::npos)
    return text.str();
  StringRef following = text.drop_front(place + root.size());
  StringRef inside = following.take_front(lengthOfRadicand(following));
  std::string rest = withRootsNamed(following.drop_front(inside.size()));
  if (inside.starts_with("(") && inside.ends_with(")"))
    inside = inside.drop_front().drop_back();
  return text.take_front(place).str() + "sqrt(" + withRootsNamed(inside) + ")" +
         rest;
}

std::string fold::plainConstant(StringRef written) {
  std::string letters;
  for (char c : asciiName(written.str()))
    if (c != ' ')
      letters += c;
  return withRootsNamed(letters);
}

bool MovedLine::isAmong(ArrayRef<std::string> names) const {
  return llvm::any_of(
      names, [&](const std::string &other) { return isNamed(name, other); });
}

bool MovedLine::saysAs(const MovedLine &other) const {
  return std::tie(place, name, destinations, readers, kept) ==
         std::tie(other.place, other.name, other.destinations, other.readers,
                  other.kept);
}

void MovedLines::add(const MovedLine &line) {
  auto known = llvm::find_if(
      lines, [&](const MovedLine &other) { return other.saysAs(line); });
  if (known == lines.end())
    lines.push_back(line);
  else
    llvm::append_range(known->entries, line.entries);
}

void MovedLines::write(ModuleOp module) const {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto texts = [&](ArrayRef<std::string> all) {
    return builder.getStrArrayAttr(
        SmallVector<StringRef>(all.begin(), all.end()));
  };
  for (const MovedLine &line : lines) {
    bool differs = llvm::count_if(lines, [&](const MovedLine &other) {
                     return other.name == line.name;
                   }) > 1;
    xf::MovedOp::create(builder, line.place, kind, line.name,
                        differs ? texts(line.entries) : ArrayAttr(),
                        texts(line.destinations), line.readers,
                        line.kept ? builder.getStringAttr(*line.kept)
                                  : StringAttr());
  }
}

std::string fold::describeObjection(Operation *op) {
  std::string text;
  if (isa<xf::ReturnOp>(op))
    text = "a result of entry '" +
           op->getParentOfType<xf::EntryOp>().getSymName().str() +
           "' must keep its value";
  else if (isa<xf::EntryOp>(op))
    text = "an argument of entry '" + cast<xf::EntryOp>(op).getSymName().str() +
           "' must keep its value";
  else
    text = "'" + op->getName().stripDialect().str() + "' does not permit it";
  if (auto file = xf::placeOf(op->getLoc()))
    text +=
        ", " +
        std::filesystem::path(file.getFilename().str()).filename().string() +
        ":" + std::to_string(file.getLine());
  return text;
}
