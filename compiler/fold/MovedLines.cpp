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

void MovedLines::add(const MovedLine &line) {
  if (!llvm::is_contained(lines, line))
    lines.push_back(line);
}

void MovedLines::write(ModuleOp module) const {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  for (const MovedLine &line : lines) {
    SmallVector<StringRef> destinations(line.destinations.begin(),
                                        line.destinations.end());
    xf::MovedOp::create(builder, line.place, kind, line.name,
                        builder.getStrArrayAttr(destinations), line.readers,
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
