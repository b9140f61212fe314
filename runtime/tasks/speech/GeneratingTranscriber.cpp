// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loop over windows of Whisper (whisper/transcribe.py), for several
// recordings at once. Unlike there, the text of earlier windows is not part of
// the prompt.

#include "runtime/tasks/speech/GeneratingTranscriber.h"

#include "base/Error.h"
#include "runtime/tasks/speech/SpeechSegments.h"
#include "runtime/tasks/speech/Transcripts.h"
#include "runtime/tasks/text/Languages.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace transfold::runtime::inline tasks {

namespace {

/// Seconds below which the rest of a recording is not a window of its own.
constexpr double leastRest = 0.1;

/// Maximum number of positions, for models without a limit of their own.
constexpr int64_t mostPositions = 1024;

/// The session, if its program transcribes speech. Throws Error.
Session &hearing(Session &session) {
  const Task *task = generatingTask(session.metadata());
  if (!task)
    fail("this program has no task that generates tokens");
  if (!task->speech)
    fail("task '{}' takes no recordings; give --features", task->kind);
  if (session.program().tokenizerTables().empty())
    fail("the program has no tokenizer, and its tokens have no text; compile "
         "the model again with its tokenizer.json beside it");
  return session;
}

/// The softmax of the logits at one token.
double probability(std::span<const float> logits, int32_t token) {
  return std::exp(logProbability(logits, static_cast<size_t>(token)));
}

} // namespace

//===----------------------------------------------------------------------===//
// Capabilities of the model
//===----------------------------------------------------------------------===//

GeneratingTranscriber::GeneratingTranscriber(Session &session)
    : generator(hearing(session)),
      tokenizer(session.program().tokenizerTables()),
      window(generator.samplesRead()) {
  if (window < 1 || generator.start({}).empty())
    fail("the model does not define what it hears, or what a text begins with");
  for (const auto &[code, token] : speech().languages)
    known.push_back({code.empty()
                         ? languageCode(tokenizer.decode(std::span(&token, 1),
                                                         /*withSpecial=*/true))
                         : code,
                     token});
}

std::vector<std::string> GeneratingTranscriber::languages() const {
  std::vector<std::string> codes;
  for (const Language &each : known)
    codes.push_back(each.code);
  return codes;
}

const GeneratingTranscriber::Language *
GeneratingTranscriber::language(std::string_view code) const {
  auto found = std::ranges::find_if(
      known, [&](const Language &each) { return isSameCode(each.code, code); });
  return found == known.end() ? nullptr : &*found;
}

void GeneratingTranscriber::check(const TranscriptionOptions &options) const {
  const std::string &wanted = options.language;
  if (!wanted.empty() && !language(wanted)) {
    if (known.empty() && speech().onlyLanguage.empty())
      fail("the model cannot be told which language is spoken");
    if (known.empty() && !isSameCode(wanted, speech().onlyLanguage))
      fail("the model knows the language '{}' alone, and not '{}'",
           speech().onlyLanguage, wanted);
    if (!known.empty())
      fail("the model does not know the language '{}'; it knows {}", wanted,
           fmt::join(languages(), " "));
  }
  if (options.translates && !translates())
    fail("the model does not translate: it transcribes in the language that is "
         "spoken");
  if (options.hasTimes && !hasTimes())
    fail("the model does not determine when something was spoken");
}

//===----------------------------------------------------------------------===//
// One window
//===----------------------------------------------------------------------===//

/// Creates the sequence of a window and its prompt. Returns false if all
/// samples are zero: the window is silent, and some models would nevertheless
/// generate text.
bool GeneratingTranscriber::listen(Window &each) {
  Transcription &of = *each.of;
  std::vector<float> samples(static_cast<size_t>(each.samples));
  of.recording.read(of.place, samples);
  if (std::ranges::all_of(samples, [](float sample) { return sample == 0; }))
    return false;
  Request request;
  request.samples = samples;
  each.sequence = generator.begin(request);
  each.prompt = generator.start({});
  detect(each);
  if (const Language *chosen = language(of.code)) {
    each.prompt.push_back(chosen->token);
    auto task =
        of.options.translates ? speech().translate : speech().transcribe;
    if (task)
      each.prompt.push_back(*task);
  }
  if (!each.hasTimes && speech().withoutTimes)
    each.prompt.push_back(*speech().withoutTimes);
  return true;
}

/// Detects the language: after the first tokens of a text, the model predicts
/// the token of the spoken language, if it has such tokens. The first window
/// determines it for the whole recording.
void GeneratingTranscriber::detect(Window &each) {
  Transcription &of = *each.of;
  if (!of.hasBegun)
    of.code = known.empty() ? speech().onlyLanguage
              : language(of.options.language)
                  ? language(of.options.language)->code
                  : "";
  of.hasBegun = true;
  const bool isUnknown = of.code.empty() && !known.empty();
  if (!isUnknown && !speech().noSpeech)
    return;
  Steps &steps = *generator.madeSteps();
  Steps::Chunk chunk{each.sequence, each.prompt};
  steps.run(std::span(&chunk, 1));
  std::span<const float> logits = steps.logits(0);
  checkLogits(logits, 0);
  if (speech().noSpeech)
    each.noSpeech = probability(logits, *speech().noSpeech);
  if (isUnknown)
    of.code =
        std::ranges::max_element(known, {}, [&](const Language &language) {
          return logits[static_cast<size_t>(language.token)];
        })->code;
  // The last token is run again, for its logits or together with the tokens
  // after it.
  [[maybe_unused]] int64_t left = steps.goBack(each.sequence, 0);
}

GenerationOptions GeneratingTranscriber::generation(const Window &each) const {
  GenerationOptions options;
  // The other half of a model's positions is reserved for previous text.
  options.most = generator.madeSteps()->capacity() / 2;
  options.beams = each.of->options.beams;
  options.sampling.isScored = true;
  if (each.hasTimes) {
    options.times = TimeRules{.first = *speech().times,
                              .latestBegin = speech().latestBegin,
                              .ends = generator.ends({})};
    if (speech().withoutTimes)
      options.sampling.suppressed.push_back(*speech().withoutTimes);
  }
  return options;
}

void GeneratingTranscriber::search(Window &each,
                                   const IsCancelled &isCancelled) {
  GenerationOptions options = generation(each);
  options.isCancelled = isCancelled;
  Continuation best =
      std::move(beamSearch(*generator.madeSteps(), each.sequence, each.prompt,
                           generator.withModel(options))
                    .at(0));
  each.made = std::move(best.tokens);
  each.isCut = best.isCut;
  each.meanLogProbability = best.score; // the length penalty is 1
}

/// Greedy decoding of several windows. Either all of them have times, or none
/// has.
void GeneratingTranscriber::speakTogether(std::span<Window *const> windows,
                                          const IsCancelled &isCancelled) {
  if (windows.empty())
    return;
  std::vector<Generated> sequences;
  for (const Window *each : windows)
    sequences.push_back(
        {each->sequence, each->prompt, each->prompt.size(), {}, false});
  GenerationOptions options = generation(*windows.front());
  options.isCancelled = isCancelled;
  generator.run(sequences, options, [](Generated &) { return true; });
  for (size_t i = 0; i < windows.size(); ++i) {
    Generated &each = sequences[i];
    windows[i]->made.assign(each.tokens.begin() +
                                static_cast<std::ptrdiff_t>(each.prompt),
                            each.tokens.end());
    windows[i]->isCut = each.isCut;
    double sum = std::accumulate(each.logProbabilities.begin(),
                                 each.logProbabilities.end(), 0.0);
    windows[i]->meanLogProbability =
        sum /
        static_cast<double>(std::max<size_t>(each.logProbabilities.size(), 1));
    generator.madeSteps()->drop(each.sequence);
  }
}

void GeneratingTranscriber::add(Window &each, int64_t begin, int64_t end,
                                std::vector<int32_t> tokens) const {
  Transcription &of = *each.of;
  std::string text = tokenizer.decode(tokens);
  // Text after the end of the recording is not real.
  const int64_t all = of.recording.samples();
  begin = std::min(of.place + begin, all);
  end = std::min(of.place + end, all);
  if (text.find_first_not_of(" \t\r\n") == text.npos || begin >= end)
    return;
  auto seconds = [&](int64_t samples) {
    return static_cast<double>(samples) / static_cast<double>(rate());
  };
  of.made.push_back({seconds(begin), seconds(end), std::move(text),
                     std::move(tokens), each.meanLogProbability,
                     each.noSpeech});
}

/// Stores the segments of a window, and determines where the next one begins.
void GeneratingTranscriber::finish(Window &each) const {
  Transcription &of = *each.of;
  std::vector<int32_t> ends = generator.ends({});
  of.tokens += each.made.size();
  if (!each.made.empty()) {
    bool hasEnd = std::ranges::find(ends, each.made.back()) != ends.end();
    each.isCut |= !hasEnd;
    if (hasEnd)
      each.made.pop_back();
  }
  int64_t next = each.samples;
  bool isSilent = each.noSpeech > of.options.noSpeech &&
                  each.meanLogProbability <= of.options.unlikely;
  if (!isSilent && !each.hasTimes)
    add(each, 0, each.samples, each.made);
  if (!isSilent && each.hasTimes) {
    // Number of samples per step, rounded: 320 for Whisper.
    auto step = std::max<int64_t>(
        std::llround(speech().timeStep * static_cast<double>(rate())), 1);
    auto length = std::max<int64_t>(each.samples / step, 1);
    WindowSegments cut = segmentsOf(each.made, *speech().times, length);
    for (WindowSegment &segment : cut.segments)
      add(each, segment.begin * step, segment.end * step,
          std::move(segment.tokens));
    if (cut.next < length)
      next = cut.next * step;
  }
  if (!isSilent)
    tellIfCut(each, next);
  of.place += next;
}

/// Adds a warning if text is lost: the window's text was cut because there were
/// no tokens left, and the next window begins after this one, so that the rest
/// is not transcribed again.
void GeneratingTranscriber::tellIfCut(const Window &each, int64_t next) const {
  if (!each.isCut || next < each.samples)
    return;
  Transcription &of = *each.of;
  auto time = [&](int64_t sample) {
    return clockTime(static_cast<double>(sample) / static_cast<double>(rate()));
  };
  of.problems.push_back(fmt::format(
      "from {} to {} the text has reached the limit of {} tokens, and is cut",
      time(of.place), time(of.place + each.samples), each.made.size()));
}

//===----------------------------------------------------------------------===//
// Several recordings
//===----------------------------------------------------------------------===//

void GeneratingTranscriber::hear(std::span<Window> windows,
                                 const IsCancelled &isCancelled) {
  std::vector<Window *> withTimes, withoutTimes;
  for (Window &each : windows) {
    throwIfCancelled(isCancelled);
    if (each.samples < 1 || !listen(each)) // empty or silent
      continue;
    if (each.of->options.beams > 1)
      search(each, isCancelled);
    else
      (each.hasTimes ? withTimes : withoutTimes).push_back(&each);
  }
  speakTogether(withTimes, isCancelled);
  speakTogether(withoutTimes, isCancelled);
}

void GeneratingTranscriber::advance(std::span<Transcription *const> recordings,
                                    const IsCancelled &isCancelled) {
  std::vector<Window> windows;
  for (Transcription *of : recordings) {
    int64_t rest = of->recording.samples() - of->place;
    bool isShort = of->place == 0 && rest <= window;
    windows.push_back(
        {.of = of,
         .samples = std::min(rest, window),
         .hasTimes = hasTimes() && (of->options.hasTimes || !isShort)});
  }
  try {
    // The size of the encoder's input is fixed: any samples do to determine the
    // rows of its result.
    const float silence[] = {0};
    Request request;
    request.samples = silence;
    if (!generator.madeSteps())
      generator.makeSteps(mostPositions, std::span(&request, 1));
    hear(windows, isCancelled);
  } catch (...) {
    generator.forgetSteps(); // also drops the sequences that have begun
    throw;
  }
  for (Window &each : windows) {
    finish(each);
    Transcription &of = *each.of;
    auto rest = static_cast<double>(of.recording.samples() - of.place);
    of.over = rest < leastRest * static_cast<double>(rate());
  }
}

} // namespace transfold::runtime::inline tasks
