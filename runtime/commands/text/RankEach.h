// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loop of the commands that print the most likely results for each text:
// `classify`, `fill` and `tag`.

#pragma once

#include "base/files/output/OutputFile.h"
#include "runtime/commands/Commands.h"
#include "runtime/commands/cli/Texts.h"

#include <string>

namespace transfold::runtime::inline commands {

/// Calls `show` with each text, the results of `task` for it, and whether they
/// are indented below the text, which is printed before them if there are
/// several texts.
template <typename Task, typename Show>
void rankEach(Task &task, const RankingOptions &options, Show show) {
  const bool isIndented = options.texts.size() != 1;
  forEachText(options.texts, [&](const std::string &text, size_t number) {
    auto [encoding, results] = task.run(text, options.top);
    warnIfCut(encoding, number);
    if (isIndented && !options.json)
      print(text + "\n");
    show(text, results, isIndented);
  });
}

} // namespace transfold::runtime::inline commands
