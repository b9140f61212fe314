// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/fold/MovedLines.h"
#include "dialect/AsciiName.h"

#include <filesystem>

using namespace mlir;
using namespace transfold;
using namespace transfold::fold;

bool fold::isNamed(StringRef written, StringRef name) {
  std::string plain = asciiName(name.str());
  return written == plain ||
         (written.consume_back(plain) && written.ends_with("."));
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
           "' keeps its value";
  else if (isa<xf::EntryOp>(op))
    text = "an argument of entry '" + cast<xf::EntryOp>(op).getSymName().str() +
           "' keeps its value";
  else
    text = "'" + op->getName().stripDialect().str() + "' objects";
  if (auto file = dyn_cast<FileLineColLoc>(op->getLoc()))
    text +=
        ", " +
        std::filesystem::path(file.getFilename().str()).filename().string() +
        ":" + std::to_string(file.getLine());
  return text;
}
