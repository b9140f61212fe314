// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows, frames, and the text of both.

#include "runtime/tasks/speech/FrameTranscriber.h"

#include "base/Error.h"
#include "runtime/tasks/text/TextStream.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace transfold::runtime::inline tasks {

/// The tokens and the text of a recording so far.
struct Transcription::Frames {
  Frames(TextStream::Decode decode)
      : stream(std::move(decode), {},
               [this](std::string_view more) { pending += more; }) {}

  int32_t last = -1; // the token of the last frame
  std::vector<int32_t> tokens;
  std::string pending; // text that no segment has yet
  TextStream stream;
};

namespace {

/// The share of a window that is read on each side of the frames that are kept,
/// as in the pipelines of transformers.
constexpr int64_t windowsOfContext = 6;

} // namespace

FrameTranscriber::FrameTranscriber(Session &session, const Task &task)
    : task(task) {
  for (const std::string &entry : task.entries)
    calls.emplace_back(session, session.metadata().entry(entry));
  const std::string_view tables = session.program().tokenizerTables();
  if (task.speech->frames->words.empty() && tables.empty())
    fail("the program has no tokenizer, and its tokens have no text; compile "
         "the model again with its tokenizer.json beside it");
  if (task.speech->frames->words.empty())
    tokenizer.emplace(tables);
  const Entry &first = calls.front().entry(), &last = calls.back().entry();
  const Shape &samples = first.arguments.at(0).shape;
  if (first.arguments[0].integer || samples.size() != 1 ||
      samples[0].length < 0)
    fail("entry '{}' takes {}{}, but not samples", first.name,
         first.arguments[0].name, text(samples, first));
  if (last.results.empty() || !isRowForEach(last.results[0].shape))
    fail("entry '{}' does not score the tokens of each frame", last.name);
}

void FrameTranscriber::check(const TranscriptionOptions &options) const {
  if (!options.language.empty())
    fail("the model cannot be told which language is spoken");
  if (options.translates)
    fail("the model does not translate: it transcribes in the language that is "
         "spoken");
  if (options.hasTimes)
    fail("the model does not determine when something was spoken");
  if (options.beams != 1)
    fail("the model scores each frame alone: there is nothing to search with "
         "beams");
}

FrameTranscriber::Window FrameTranscriber::windowOf(Transcription &of) const {
  const int64_t most =
      std::llround(task.speech->frames->window * static_cast<double>(rate()));
  const int64_t context = most / windowsOfContext, all = of.recording.samples();
  if (of.place == 0 && all <= most)
    return {&of, 0, all, all};
  const int64_t begin = std::max<int64_t>(of.place - context, 0);
  const int64_t end = std::min(begin + most, all);
  return {&of, begin, end, end == all ? all : end - context};
}

/// A recording that is shorter than the model needs is followed by zeros.
void FrameTranscriber::run(std::span<const Window> windows) {
  Call &first = calls.front();
  const auto length =
      static_cast<size_t>(first.entry().arguments[0].shape[0].length);
  const size_t each = first.entry().lengths.size();
  const int64_t least = first.entry().least[length];
  std::vector<int64_t> lengths;
  for (const Window &window : windows)
    lengths.insert(lengths.end(), each,
                   std::max(window.end - window.begin, least));
  first.setSequences(lengths, windows.size());
  for (size_t i = 0; i < windows.size(); ++i)
    windows[i].of->recording.read(windows[i].begin, first.reals(0, i));
  for (size_t k = 0; k < calls.size(); ++k) {
    if (k > 0)
      takeOver(calls[k - 1], calls[k]);
    for (size_t i = 1; i < calls[k].entry().arguments.size(); ++i)
      calls[k].fill(i);
    calls[k].run();
  }
}

/// Fills the first argument of `to` with the first result of `from`.
void FrameTranscriber::takeOver(const Call &from, Call &to) const {
  const Entry &entry = to.entry();
  const Shape &given = from.entry().results.at(0).shape,
              &taken = entry.arguments.at(0).shape;
  bool fits = !entry.arguments[0].integer && given.size() == taken.size();
  for (size_t axis = 0; fits && axis < taken.size(); ++axis)
    fits = taken[axis].length >= 0
               ? given[axis].length >= 0
               : given[axis].length < 0 && given[axis].size == taken[axis].size;
  if (!fits)
    fail("entry '{}' does not take the result of '{}'", entry.name,
         from.entry().name);
  std::vector<int64_t> lengths(entry.lengths.size() * from.sequences(), 1);
  for (size_t i = 0; i < from.sequences(); ++i)
    for (size_t axis = 0; axis < taken.size(); ++axis)
      if (taken[axis].length >= 0)
        lengths[i * entry.lengths.size() +
                static_cast<size_t>(taken[axis].length)] =
            from.lengths(i)[static_cast<size_t>(given[axis].length)];
  to.setSequences(lengths, from.sequences());
  for (size_t i = 0; i < from.sequences(); ++i)
    std::ranges::copy(from.result(0, i), to.reals(0, i).begin());
}

std::vector<int32_t> FrameTranscriber::heard(const Window &window,
                                             size_t sequence) const {
  const Call &last = calls.back();
  const Shape &shape = last.entry().results[0].shape;
  const auto width = static_cast<size_t>(shape[1].size);
  const std::span<const float> logits = last.result(0, sequence);
  const auto rows = static_cast<int64_t>(logits.size() / width);
  // Frames divide the samples that were read evenly.
  const Entry &first = calls.front().entry();
  const auto read = static_cast<double>(
      elements(first.arguments[0].shape, calls.front().lengths(sequence)));
  auto frameAt = [&](int64_t sample) {
    const double frame = static_cast<double>(sample - window.begin) *
                         static_cast<double>(rows) / read;
    return std::clamp<int64_t>(std::llround(frame), 0, rows);
  };
  const bool isLast = window.kept == window.of->recording.samples();
  const int64_t end = isLast ? rows : frameAt(window.kept);
  std::vector<int32_t> frames;
  for (int64_t frame = frameAt(window.of->place); frame < end; ++frame) {
    auto row = logits.subspan(static_cast<size_t>(frame) * width, width);
    if (!std::ranges::all_of(row, [](float x) { return std::isfinite(x); }))
      fail("the model's results are not numbers");
    frames.push_back(
        static_cast<int32_t>(std::ranges::max_element(row) - row.begin()));
  }
  return frames;
}

std::string FrameTranscriber::textOf(std::span<const int32_t> tokens) const {
  if (tokenizer)
    return tokenizer->decode(tokens);
  std::string text;
  for (int32_t token : tokens) {
    const std::string &word =
        task.speech->frames->words[static_cast<size_t>(token)];
    text += word == task.speech->frames->delimiter ? " " : word;
  }
  return text;
}

/// Adds the frames of a window to the text.
void FrameTranscriber::finish(const Window &window,
                              std::span<const int32_t> frames) const {
  Transcription &of = *window.of;
  if (!of.frames)
    of.frames = std::make_shared<Transcription::Frames>(
        [this](std::span<const int32_t> tokens) { return textOf(tokens); });
  Transcription::Frames &all = *of.frames;
  const size_t before = all.tokens.size();
  for (int32_t token : frames) {
    if (token != all.last && token != task.speech->frames->blank)
      all.tokens.push_back(token);
    all.last = token;
  }
  const int64_t samples = of.recording.samples();
  of.over = window.kept >= samples;
  all.stream.update(all.tokens, of.over);
  of.tokens = all.tokens.size();
  auto seconds = [&](int64_t sample) {
    return static_cast<double>(sample) / static_cast<double>(rate());
  };
  // A blank text is the beginning of the next segment.
  if (all.pending.find_first_not_of(" \t\r\n") != std::string::npos)
    of.made.push_back(
        {seconds(of.place),
         seconds(window.kept),
         std::exchange(all.pending, std::string()),
         {all.tokens.begin() + static_cast<std::ptrdiff_t>(before),
          all.tokens.end()},
         0,
         0});
  of.place = window.kept;
}

void FrameTranscriber::advance(std::span<Transcription *const> recordings,
                               const IsCancelled &isCancelled) {
  throwIfCancelled(isCancelled);
  std::vector<Window> windows;
  for (Transcription *of : recordings)
    windows.push_back(windowOf(*of));
  run(windows);
  for (size_t i = 0; i < windows.size(); ++i)
    finish(windows[i], heard(windows[i], i));
}

} // namespace transfold::runtime::inline tasks
