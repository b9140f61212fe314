// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text of declarations, from the syntax tree.

#include "compiler/lsp/text/Declarations.h"

#include "compiler/spec/syntax/ExprText.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace transfold::lsp {

using spec::text;

std::string declarationOf(const spec::Weight &weight) {
  std::string result = weight.name + text(weight.dims);
  if (weight.optional)
    result += "?";
  if (weight.condition)
    result += " if " + text(*weight.condition);
  if (weight.otherwise)
    result += " else " + text(*weight.otherwise);
  return result;
}

std::string declarationOf(const spec::Part &part) {
  std::string result = part.name;
  if (!part.index.empty())
    result += fmt::format("[{} < {}]", part.index, text(*part.count));
  result += ": " + part.block;
  if (!part.arguments.empty())
    result += text(part.arguments);
  if (part.condition)
    result += " if " + text(*part.condition);
  return result;
}

std::string declarationOf(const spec::Parameter &parameter) {
  std::string result = parameter.name;
  if (parameter.dims)
    result += text(*parameter.dims);
  if (parameter.defaultValue)
    result += " = " + text(*parameter.defaultValue);
  return result;
}

/// "(x[n, d], y)"
static std::string listOf(const std::vector<spec::Parameter> &parameters) {
  std::vector<std::string> list;
  for (const spec::Parameter &parameter : parameters)
    list.push_back(declarationOf(parameter));
  return fmt::format("({})", fmt::join(list, ", "));
}

std::string declarationOf(const spec::Block &block) {
  std::string statics;
  if (!block.statics.empty())
    statics = fmt::format("[{}]", fmt::join(block.statics, ", "));
  return fmt::format("block {}{}{} -> {}", block.name, statics,
                     listOf(block.parameters), text(block.result));
}

std::string declarationOf(const spec::Entry &entry) {
  std::vector<std::string> results;
  for (const spec::Result &result : entry.results)
    results.push_back(declarationOf(result));
  return fmt::format("entry {}{} -> {}", entry.name, listOf(entry.parameters),
                     fmt::join(results, ", "));
}

std::string declarationOf(const spec::Result &result) {
  return result.name + text(result.dims);
}

std::string declarationOf(const spec::Definition &definition) {
  std::string result = definition.name;
  if (definition.parameters)
    result += listOf(*definition.parameters);
  std::vector<std::string> list;
  for (const spec::IndexVariable &index : definition.indices)
    list.push_back(index.bound ? index.name + " < " + text(*index.bound)
                               : index.name);
  if (!list.empty())
    result += fmt::format("[{}]", fmt::join(list, ", "));
  result += " = " + text(*definition.value);
  list.clear();
  for (const spec::Definition &local : definition.where)
    list.push_back(declarationOf(local));
  if (!list.empty())
    result += fmt::format(" where {}", fmt::join(list, ", "));
  return result;
}

std::string sourceOf(const spec::Binding &binding) {
  std::string result = text(*binding.source);
  if (binding.axes)
    result += " as " + text(*binding.axes);
  if (binding.at)
    result += " at " + text(*binding.at);
  return result;
}

//===----------------------------------------------------------------------===//
// Comments
//===----------------------------------------------------------------------===//

/// Text without `//` and white space at its ends.
static std::string stripped(const std::string &line) {
  size_t begin = line.find_first_not_of("/ \t");
  size_t end = line.find_last_not_of(" \t");
  return begin == std::string::npos ? "" : line.substr(begin, end + 1 - begin);
}

std::string commentOf(const spec::Place &place) {
  std::vector<std::string> lines;
  for (unsigned line = place.line; line-- > 1;) {
    std::string above = place.source->line(line);
    size_t first = above.find_first_not_of(" \t");
    if (first == std::string::npos || above.compare(first, 2, "//") != 0 ||
        above.find("SPDX-License-Identifier") != std::string::npos)
      break;
    lines.insert(lines.begin(), stripped(above));
  }
  std::string own = place.source->line(place.line);
  size_t comment = own.find("//");
  // A quote after it may mean that it lies in a string.
  if (comment != std::string::npos &&
      own.find('"', comment) == std::string::npos)
    lines.push_back(stripped(own.substr(comment)));
  return fmt::format("{}", fmt::join(lines, "\n"));
}

} // namespace transfold::lsp
