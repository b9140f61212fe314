// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads texts line by line, so that a command can answer the first line before
// the last one has been written.

#include "runtime/commands/cli/Texts.h"

#include "base/Error.h"
#include "base/text/Messages.h"

#include <cstdio>
#include <iostream>
#include <unistd.h>

namespace transfold::runtime::inline commands {

void warnIfCut(const Encoding &encoding, size_t number) {
  if (encoding.cut)
    warn(fmt::format("text {} has {} tokens, the model reads {}: the last {} "
                     "are ignored",
                     number, encoding.ids.size() + encoding.cut,
                     encoding.ids.size(), encoding.cut));
}

void forEachText(const std::vector<std::string> &given,
                 const std::function<void(const std::string &, size_t)> &take,
                 const std::function<void()> &then) {
  size_t number = 0;
  auto takeNext = [&](const std::string &text) {
    ++number;
    try {
      take(text, number);
    } catch (const Error &error) {
      fail("text {}: {}", number, error.what());
    }
    if (then)
      then();
  };
  for (const std::string &text : given)
    takeNext(text);
  if (!given.empty())
    return;
  if (::isatty(STDIN_FILENO))
    std::fputs("Reading a text per line; Ctrl-D ends.\n", stderr);
  std::string line;
  while (std::getline(std::cin, line)) {
    if (line.ends_with('\r'))
      line.pop_back();
    takeNext(line);
  }
  if (std::cin.bad())
    fail("cannot read standard input");
}

} // namespace transfold::runtime::inline commands
