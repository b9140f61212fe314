// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/Depfile.h"

#include <fmt/format.h>

#include <stdexcept>

using namespace transfold;

/// As GCC and Clang write it: Make and Ninja read that alike.
static std::string escaped(const std::string &path) {
  std::string text;
  size_t backslashes = 0;
  for (char c : path) {
    if (c == '\n' || c == '\r')
      throw std::runtime_error(fmt::format(
          "--depfile: the name of a file has a line break, which a rule of "
          "Make cannot have: {}",
          path));
    // Backslashes count only where they stand before what is escaped.
    if (c == ' ' || c == '\t' || c == '#')
      text.append(c == '#' ? 1 : backslashes + 1, '\\');
    if (c == '$')
      text += '$';
    backslashes = c == '\\' ? backslashes + 1 : 0;
    text += c;
  }
  // What follows a name is a space.
  return text.append(backslashes, '\\');
}

std::string driver::dependencyRule(const std::string &output,
                                   const std::vector<std::string> &sources) {
  std::string rule = escaped(output) + ":";
  for (const std::string &source : sources)
    rule += " \\\n  " + escaped(source);
  // Before the end of the line, a backslash would join it with the next one.
  return rule + (rule.ends_with('\\') ? " \n" : "\n");
}
