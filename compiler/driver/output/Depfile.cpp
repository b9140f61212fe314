// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes dependency rules. They have no quotes, so that special characters in
// paths are escaped one by one.

#include "compiler/driver/output/Depfile.h"

#include <fmt/format.h>

#include <stdexcept>

using namespace transfold;

/// Escapes a path like GCC and Clang do: Make and Ninja parse that alike.
static std::string escaped(const std::string &path) {
  std::string text;
  size_t backslashes = 0;
  for (char c : path) {
    if (c == '\n' || c == '\r')
      throw std::runtime_error(
          fmt::format("--depfile: the name of a file has a line break, which a "
                      "Make rule cannot contain: {}",
                      path));
    // Backslashes are doubled only if they precede an escaped character.
    if (c == ' ' || c == '\t' || c == '#')
      text.append(c == '#' ? 1 : backslashes + 1, '\\');
    if (c == '$')
      text += '$';
    backslashes = c == '\\' ? backslashes + 1 : 0;
    text += c;
  }
  // A name is followed by a space.
  return text.append(backslashes, '\\');
}

std::string driver::dependencyRule(const std::string &output,
                                   const std::vector<std::string> &sources) {
  std::string rule = escaped(output) + ":";
  for (const std::string &source : sources)
    rule += " \\\n  " + escaped(source);
  // A backslash right before the end of the line would join it with the next
  // one.
  return rule + (rule.ends_with('\\') ? " \n" : "\n");
}
