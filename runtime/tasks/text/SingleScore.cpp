// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the shape of the entry's result.

#include "runtime/tasks/text/SingleScore.h"

namespace transfold::runtime::inline tasks {

bool isSingleScore(const Entry &entry) {
  if (entry.results.empty())
    return false;
  const Shape &shape = entry.results[0].shape;
  return shape.size() == 1 && shape[0].length < 0 && shape[0].size == 1;
}

bool canRerank(const Metadata &metadata) {
  const Task *task = metadata.task("classify");
  return task && !task->entries.empty() &&
         isSingleScore(metadata.entries[metadata.entry(task->entries[0])]);
}

} // namespace transfold::runtime::inline tasks
