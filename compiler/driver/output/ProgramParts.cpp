// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps tasks to parts of the runtime. A program with a part that it does not
// need is only larger; one without a part that it needs lacks a command.

#include "compiler/driver/output/ProgramParts.h"

#include <algorithm>

using namespace transfold;

std::vector<std::string> driver::partsOf(const runtime::Metadata &metadata) {
  auto hasTask = [&](auto condition) {
    return std::ranges::any_of(metadata.tasks, condition);
  };
  std::vector<std::string> parts;
  if (hasTask([](const runtime::Task &task) {
        return !task.makesTokens() && !task.speech;
      }))
    parts.emplace_back("texts");
  if (hasTask(
          [](const runtime::Task &task) { return task.speech.has_value(); }))
    parts.emplace_back("recordings");
  if (hasTask(&runtime::Task::makesTokens))
    parts.emplace_back("generation");
  if (metadata.task("translate"))
    parts.emplace_back("translation");
  if (metadata.task("chat"))
    parts.emplace_back("chat");
  return parts;
}
