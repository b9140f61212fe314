// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the transcriber of a program.

#include "runtime/tasks/speech/Transcriber.h"

#include "base/Error.h"
#include "runtime/tasks/speech/FrameTranscriber.h"
#include "runtime/tasks/speech/GeneratingTranscriber.h"

#include <algorithm>

namespace transfold::runtime::inline tasks {

const Task *Transcriber::hearingTask(const Metadata &metadata) {
  auto found = std::ranges::find_if(
      metadata.tasks, [](const Task &task) { return task.speech.has_value(); });
  return found == metadata.tasks.end() ? nullptr : &*found;
}

bool Transcriber::canHear(const Metadata &metadata) {
  return hearingTask(metadata);
}

std::unique_ptr<Transcriber> Transcriber::make(Session &session) {
  const Task *task = hearingTask(session.metadata());
  if (task && task->speech->frames)
    return std::make_unique<FrameTranscriber>(session, *task);
  return std::make_unique<GeneratingTranscriber>(session);
}

std::string textOf(std::span<const Segment> segments) {
  std::string text;
  for (const Segment &segment : segments)
    text += segment.text;
  constexpr const char *spaces = " \t\r\n";
  text.erase(0, std::min(text.find_first_not_of(spaces), text.size()));
  text.erase(text.find_last_not_of(spaces) + 1);
  return text;
}

} // namespace transfold::runtime::inline tasks
