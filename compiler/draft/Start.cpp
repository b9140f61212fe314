// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies the text of a spec with another name.

#include "compiler/draft/Start.h"

#include "compiler/spec/syntax/Source.h"

#include <fmt/format.h>

using namespace transfold;
using namespace transfold::draft;

std::string draft::startFrom(const Candidate &start, const std::string &name) {
  auto source = spec::Source::load(start.path);
  std::string text;
  bool isNamed = false;
  for (unsigned line = 1; line <= source->lineStarts.size(); ++line) {
    std::string content = source->line(line);
    bool isName = !isNamed && content.starts_with("model ");
    isNamed |= isName;
    // The license and the paper in the leading comments are those of the other
    // model.
    if (!isNamed && content.starts_with("//"))
      continue;
    text += (isName ? "model " + name : content) + "\n";
  }
  while (text.ends_with("\n\n"))
    text.pop_back();
  return fmt::format("// Drafted from the spec of {}, whose tables name {} of "
                     "this checkpoint.\n"
                     "// Its equations may differ: compare them with the "
                     "model's paper, and remove the mark.   // ?\n",
                     start.model, start.share()) +
         text;
}
